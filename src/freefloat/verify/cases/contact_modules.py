"""Contact with modules on a grid: a ball feels no border between them, and falls where one is taken."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.contact import Contact, Plane, SpringDamper, StickingFriction
from freefloat.contact.laws import Friction
from freefloat.engine.blueprint import Motion, Part
from freefloat.engine.event import Event
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.rows import uniform_gravity
from freefloat.engine.session import Session
from freefloat.frames import Pose
from freefloat.structure import Module, TensorBody, TensorPart, cubic, empty_hand, hexagonal, load_catalogue
from freefloat.structure.module_transfer import move_module
from freefloat.verify.case import Comparison, at_most, case, within
from freefloat.verify.parts import Base, FreeBall

MASS, RADIUS, G = 1.0, 0.1, 9.81  # [kg], [m], [m/s^2]
STIFFNESS = 1e4  # [N/m]
STEP = 2.5e-4  # [s]
PRESSED = MASS * G / STIFFNESS  # [m] of a ball at rest
TAKEN = 0.5  # [s] when a module is taken


def row_of_cubes(n: int = 5) -> TensorBody:
    """n cubes along x, the first around the origin; their tops are at 0.2 m."""
    body = TensorBody("stack", cubic(n, 1, 1, 0.4, (0.2 * (n - 1), 0.0, 0.0)), load_catalogue("mosar"))
    for place in range(n):
        body.insert(place, Module(place + 1, body.catalogue.type("bus")))
    return body


def tiles() -> TensorBody:
    """Four hexagonal tiles, 1 m across, around a corner that three of them share; their tops are at 0.05 m."""
    body = TensorBody("stack", hexagonal([(0, 0), (1, 0), (0, 1), (1, 1)]), load_catalogue("mirror"))
    for place in range(4):
        body.insert(place, Module(place + 1, body.catalogue.types[0]))
    return body


def sliding(under: list[Part], contact: Contact, start: tuple[float, float, float], v: tuple[float, float]) -> Result:
    """A ball that is set down at `start`, pressed in as at rest, and slides."""
    x, y, top = start
    motion = Motion(Pose(np.eye(3), [x, y, top + RADIUS - PRESSED]), v_WL=(*v, 0.0))
    parts = [*under, FreeBall("ball", MASS, RADIUS, motion), contact]
    rows = [uniform_gravity((0.0, 0.0, -G))]
    return Mission(parts, rows=rows, integrator=RK4(STEP), record_rate=1.0 / STEP).run(1.0, strict=True)


def over(
    body: TensorBody,
    start: tuple[float, float, float],
    v: tuple[float, float],
    friction: Friction | None = None,
    damping: float = 0.0,
) -> tuple[Result, Result]:
    """The same slide over modules and over a plane."""
    law = SpringDamper(STIFFNESS, damping)
    stack: list[Part] = [Base("base"), TensorPart("stack", body, on="base")]
    plane = Plane(Pose(np.eye(3), [0.0, 0.0, start[2]]))
    modules = sliding(stack, Contact("touch", "stack", "ball", law, friction), start, v)
    plain = sliding(stack, Contact("touch", "base", "ball", law, friction, surfaces=[plane]), start, v)
    return modules, plain


def difference(modules: Result, plain: Result, signal: str) -> float:
    """Largest difference of a force, summed over all modules, relative to the ball's weight."""
    off = modules[signal].sum(axis=1) - plain[signal].sum(axis=1)
    return float(np.abs(off).max()) / (MASS * G)


def removal() -> tuple[Result, float]:
    """A ball rests on the middle of five modules; it is taken. The run, and when the force ended after that [s]."""
    body, hand = row_of_cubes(), empty_hand("hand", load_catalogue("mosar"))
    parts: list[Part] = [Base("base"), TensorPart("stack", body, on="base"), TensorPart("hand", hand, on="base")]
    held, tool = body.copy("stack"), hand.copy("hand")

    def take(session: Session) -> str:
        move_module(session.world, held, 2, tool, 0, held.X_TM(2))
        return "taken"

    motion = Motion(Pose(np.eye(3), [0.8, 0.0, 0.2 + RADIUS - PRESSED]))
    touch = Contact("touch", "stack", "ball", SpringDamper(STIFFNESS, 100.0))
    mission = Mission(
        [*parts, FreeBall("ball", MASS, RADIUS, motion), touch],
        rows=[uniform_gravity((0.0, 0.0, -G))],
        integrator=RK4(STEP),
        record_rate=1.0 / STEP,
        events=[Event("take", take, at=TAKEN)],
    )
    result = mission.run(TAKEN + 0.1, strict=True)
    ends = [row["t"] + row["duration"] for row in result.contacts.iter_rows(named=True)]
    return result, ends[0] - TAKEN


@case("contact-modules", source="the same ball on a plane; free fall from rest")
def contact_modules() -> Iterator[Comparison]:
    """A ball slides over five cubes and over tiles as over a plane; where a module is taken, it falls."""
    frictionless, plain = over(row_of_cubes(), (-0.1, 0.0, 0.2), (1.8, 0.0))
    crossed = float(len(np.unique(frictionless["touch.force"].argmax(axis=1))))
    yield within("cubes that a ball slides over", "-", published=5.0, ours=crossed, tolerance=0.0)
    yield at_most(
        "force at the borders of cubes, of the ball's weight",
        "-",
        ours=difference(frictionless, plain, "touch.force"),
        tolerance=1e-9,
    )
    pressing = 0.5 * STIFFNESS * PRESSED**2
    heat = abs(frictionless.metrics["audit.heat_J"] - plain.metrics["audit.heat_J"]) / pressing
    yield at_most("heat made at four borders, of a spring's energy", "-", ours=heat, tolerance=1e-9)
    rubbed = over(row_of_cubes(), (-0.1, 0.0, 0.2), (1.9, 0.0), StickingFriction(0.1, STIFFNESS, 50.0), 50.0)
    ours = difference(*rubbed, "touch.friction_force")
    yield at_most("friction at the borders of cubes, of the ball's weight", "-", ours=ours, tolerance=1e-9)
    along = over(row_of_cubes(), (-0.1, -0.05, 0.2), (1.7, 0.1))
    ours = difference(*along, "touch.force")
    yield at_most("force of an oblique slide, of the ball's weight", "-", ours=ours, tolerance=1e-9)
    corner = np.array([0.5, 0.5 / 3.0**0.5])  # where three tiles meet
    for what, aim in (("a border", corner - [0.0, 0.2]), ("a corner", corner)):
        x, y = (0.5 * aim).tolist()
        tiled = over(tiles(), (x, y, 0.05), (float(aim[0]), float(aim[1])))
        ours = difference(*tiled, "touch.force")
        yield at_most(f"force at {what} of hexagonal tiles, of the ball's weight", "-", ours=ours, tolerance=1e-9)
    result, late = removal()
    yield at_most("end of the force after a module is taken, steps", "-", ours=abs(late) / STEP, tolerance=1.0 + 1e-6)
    fallen = float(
        result["ball.p_WB"][-1, 2] - np.interp(TAKEN + late, result.time("ball.p_WB"), result["ball.p_WB"][:, 2])
    )
    wanted = -0.5 * G * (0.1 - late) ** 2
    yield within("fall after that, relative", "-", published=1.0, ours=fallen / wanted, tolerance=1e-6)
