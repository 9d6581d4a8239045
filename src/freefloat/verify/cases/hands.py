"""Hands: the instant at which the load through an interface reaches what it bears."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from freefloat.effects import Body, Column, Effect, add_pair, add_torque_pair, velocity_at
from freefloat.engine.blueprint import Motion
from freefloat.engine.connection import Connection
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.frames import Pose
from freefloat.structure import Catalogue, Module, ModuleType, RigidBody, TensorBody, cubic
from freefloat.structure.assembly import Assembly
from freefloat.structure.hand import HandSetup
from freefloat.structure.interface import mated_rotation
from freefloat.structure.tensor_part import TensorPart, empty_hand
from freefloat.verify.case import Comparison, case, within
from freefloat.verify.handling_rig import QUICK

STEP = 4e-3  # [s]
MODULE, SERVICER = (10.0, 0.4), (90.0, 3.0)  # [kg], [kg m^2] about the axis through both
FORCE, TORQUE = 36.9, 1.9  # [N/s], [N m/s] of the ramp
BEARS = (20.0, 1.2)  # [N], [N m]


def _pull(t: float, p: Any, x: Any, u: Any, view: Any, dx: Any, tau: Any, wrench: Any, y: Any, power: Any) -> None:
    """A force and a torque along z that grow with time, from outside, at the centre of mass of a body."""
    for r in range(p.i.shape[0]):
        b, f, m = p.i[r, 0], p.f[r, 0] * t, p.f[r, 1] * t
        px, py, pz = view.xipos[b]
        v = velocity_at(view, b, px, py, pz)
        add_pair(view, wrench, 0, b, px, py, pz, 0.0, 0.0, f)
        add_torque_pair(wrench, 0, b, 0.0, 0.0, m)
        power[0] += f * v[2] + m * view.cvel[b, 2]


RAMP = Effect("ramp", _pull, columns=[Column("force", "N/s"), Column("torque", "N m/s")], references={"body": Body})


def overloaded(kind: Literal["force", "torque"], hold: Literal["tree", "constraint"]) -> tuple[float, float]:
    """[s] when a hand between a module and a servicer tells of an overload, and when it should."""
    bears = replace(QUICK, max_force=BEARS[0], max_torque=BEARS[1])
    box = ModuleType("box", MODULE[0], np.eye(3) * MODULE[1], (bears,) * 6)
    body = TensorBody("stack", cubic(1, 1, 1, 0.4), Catalogue([box]))
    body.insert(0, Module(1, box))
    X_WE = body.X_TF(0, 4) @ Pose(mated_rotation(0))  # on top
    X_BE = Pose(np.eye(3), np.array([0.0, 0.0, 1.0]))
    servicer = RigidBody(
        "servicer", SERVICER[0], (2.0, 2.5, SERVICER[1]), frames={"hand": X_BE}, motion=Motion(X_WE @ X_BE.inverse())
    )
    part, tool = TensorPart("stack", body), TensorPart("tool", empty_hand("tool", body.catalogue), on="servicer.hand")
    hand = HandSetup("hand", "servicer.hand", "tool", "grip", bears)
    modules = Assembly("modules", [part, tool], [hand], coupling=hold, closed=["hand"])
    number = ("force", "torque").index(kind)
    rates = (FORCE, 0.0) if kind == "force" else (0.0, TORQUE)
    mission = Mission(
        [servicer, part, tool, modules],
        connections=[Connection("grip", "stack", "servicer.hand", hold, closed=True)],
        rows=[RAMP.row("pull", body="stack", force=rates[0], torque=rates[1])],
        integrator=RK4(STEP),
    )
    session = mission.session()
    session.step(2.0)
    (told,) = [e for e in session.fired if e.name == "hand.overload"]
    share = SERVICER[number] / (SERVICER[number] + MODULE[number])  # what the servicer takes of it
    return told.t, BEARS[number] / (share * rates[number])


@case("hand-overload", source="Newton and Euler for two bodies that are pulled apart by a ramp")
def hand_overload() -> Iterator[Comparison]:
    """A load that grows with time goes through a hand, held by tree or constraint: the instant of the overload."""
    for kind in ("force", "torque"):
        for hold in ("tree", "constraint"):
            ours, theirs = overloaded(kind, hold)
            told = f"{kind}, held by {hold}: instant of the overload"
            yield within(told, "s", published=theirs, ours=ours, tolerance=1e-6)
