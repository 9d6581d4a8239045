"""A small stack of modules with quick interfaces, and a gantry over it whose hand is ordered step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from freefloat.engine.blueprint import Motion
from freefloat.engine.connection import Connection
from freefloat.engine.graph import LinkGraph
from freefloat.engine.integrator import RK4, Integrator
from freefloat.engine.mission import Mission
from freefloat.engine.session import Session
from freefloat.frames import Array
from freefloat.hand_words import HandState, Order
from freefloat.robots.arm import Arm
from freefloat.robots.gantry import gantry, joints_for
from freefloat.structure import Catalogue, InterfaceType, Module, ModuleType, PowerRole, TensorBody, cubic
from freefloat.structure.assembly import Assembly
from freefloat.structure.hand import HandSetup
from freefloat.structure.tensor_part import TensorPart, empty_hand

PITCH = 0.4  # [m]
CLOSING, OPENING = 0.5, 0.2  # [s]
QUICK = InterfaceType("quick", closing_time=CLOSING, opening_time=OPENING)
INERTIA = ((0.3, 0.02, -0.01), (0.02, 0.25, 0.03), (-0.01, 0.03, 0.28))  # [kg m^2]
CENTRE = (0.02, -0.01, 0.03)  # [m]
SIDES = (QUICK,) * 6
CATALOGUE = Catalogue(
    [
        ModuleType("box", 10.0, INERTIA, SIDES, CENTRE, dissipation=5.0, power=PowerRole("consumer", demand=5.0)),
        ModuleType("source", 14.0, INERTIA, SIDES, power=PowerRole("source", max_power=400.0, resistance=0.01)),
        ModuleType(
            "battery",
            12.0,
            INERTIA,
            SIDES,
            power=PowerRole("battery", max_power=300.0, resistance=0.02, capacity=1e5, charge=0.6),
        ),
    ]
)
STACK = {(0, 0, 0): "source", (1, 0, 0): "box", (2, 0, 0): "box", (0, 0, 1): "battery", (1, 0, 1): "box"}
DAMPING = 400.0  # [N s/m] keeps the gantry's axes nearly still


def stack(contents: Mapping[tuple[int, int, int], str] = STACK) -> TensorBody:
    """Modules 1, 2, ... on a 3 x 1 x 3 grid: three below, a battery and a box above."""
    body = TensorBody("stack", cubic(3, 1, 3, PITCH), CATALOGUE)
    for identity, (cell, kind) in enumerate(contents.items(), 1):
        body.insert(body.grid.index(cell), Module(identity, CATALOGUE.type(kind)))
    return body


def top(body: TensorBody, cell: tuple[int, int, int]) -> Array:
    """Centre of the upper face of a place, in T [m]."""
    return body.grid.p_TP[body.grid.index(cell)] + np.array([0.0, 0.0, 0.5 * PITCH])


def handling(
    contents: TensorBody,
    over: Array,
    motion: Motion | None = None,
    integrator: Integrator | None = None,
    interface: InterfaceType = QUICK,
    fault: str = "",
    **options: Any,
) -> Mission:
    """The stack, a gantry on it with its hand at the point `over` of T, and the assembly `modules`; no task."""
    part = TensorPart("stack", contents, motion=motion or Motion())
    damped = tuple(replace(j, damping=DAMPING) for j in gantry().joints)
    graph = LinkGraph(gantry().links, damped, "rails")
    arm = Arm("gantry", graph, on="stack", q=tuple(joints_for(over)))
    tool = TensorPart("tool", empty_hand("tool", contents.catalogue), on="gantry.hand")
    hand = HandSetup("hand", "gantry.hand", "tool", "grip", interface, fault)
    modules = Assembly("modules", [part, tool], [hand], slow=options.pop("slow", 0.1), **options)
    return Mission(
        [part, arm, tool, modules],
        connections=[Connection("grip", "stack", "gantry.hand")],
        integrator=integrator or RK4(5e-4),
    )


def two_handling(
    contents: TensorBody, over: Mapping[str, Array], motion: Motion, step: float, **options: Any
) -> Mission:
    """The stack with a gantry and a hand for each name, at points `over` of T; the gantries pass through each other."""
    parts: list[Any] = [TensorPart("stack", contents, motion=motion)]
    damped = tuple(replace(j, damping=DAMPING) for j in gantry().joints)
    hands, tools = list[HandSetup](), list[TensorPart]()
    for name, point in over.items():
        parts.append(Arm(name, LinkGraph(gantry().links, damped, "rails"), on="stack", q=tuple(joints_for(point))))
        tools.append(TensorPart(f"tool_{name}", empty_hand(f"tool_{name}", contents.catalogue), on=f"{name}.hand"))
        hands.append(HandSetup(name, f"{name}.hand", f"tool_{name}", f"grip_{name}", QUICK))
    modules = Assembly("modules", [parts[0], *tools], hands, slow=0.1, **options)
    connections = [Connection(f"grip_{name}", "stack", f"{name}.hand") for name in over]
    return Mission([*parts, *tools, modules], connections=connections, integrator=RK4(step))


def assembly(session: Session) -> Assembly:
    """The assembly of a running mission."""
    return next(u for u in session.upkeeps if isinstance(u, Assembly))


def reach(session: Session, point: Array, arm: str = "gantry") -> None:
    """Put the hand at a point of T at once; the audit books it."""
    for axis, q in zip("xyz", joints_for(point), strict=True):
        session.set_joint(f"{arm}.{axis}", float(q), 0.0)


def do(session: Session, order: Order, state: HandState, limit: float = 3.0, hand: str = "hand") -> bool:
    """Give an order and go on until the hand says `state`, at most `limit` [s]; whether it did."""
    session.write(f"modules.{hand}.order", [float(order)])
    end = session.time + limit
    while session.time < end:
        session.step(0.02)
        if session.read(f"modules.{hand}.state")[0] == state:
            return True
    return False
