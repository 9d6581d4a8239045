"""Contacts that go on over the borders of modules: at any speed, with every law, and after a restore."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.contact import (
    Ball,
    Contact,
    HuntCrossley,
    Impulse,
    LankaraniNikravesh,
    Plane,
    SpringDamper,
    StickingFriction,
)
from freefloat.structure.module_transfer import move_module
from freefloat.structure.tensor_part import TensorPart, empty_hand
from freefloat.verify.cases.contact_modules import MASS, PRESSED, RADIUS, STIFFNESS, G, row_of_cubes
from freefloat.verify.parts import Base, FreeBall

TOP = 0.2  # [m] of the cubes
BORDER = 0.2  # [m] x of that between the first two


def mission(law: Any, friction: Any, x: float, v: float, plain: bool = False, balls: Any = ()) -> ff.Mission:
    """A ball, or points of it, at x over the row of cubes, or a plane at their top."""
    motion = ff.Motion(ff.Pose(np.eye(3), [x, 0.0, TOP + RADIUS - PRESSED]), v_WL=(v, 0.0, 0.0))
    parts = [Base("base"), TensorPart("stack", row_of_cubes(), on="base"), FreeBall("ball", MASS, RADIUS, motion)]
    surfaces = [Plane(ff.Pose(np.eye(3), [0.0, 0.0, TOP]))] if plain else []
    touch = Contact("touch", "base" if plain else "stack", "ball", law, friction, surfaces=surfaces, balls=balls)
    rows = [ff.uniform_gravity((0.0, 0.0, -G))]
    return ff.Mission([*parts, touch], rows=rows, integrator=ff.RK4(1e-4), record_rate=1000.0)


def both(*arguments: Any, duration: float = 0.2, **options: Any) -> tuple[ff.Result, ff.Result]:
    modules, plain = (mission(*arguments, plain=plain, **options).run(duration) for plain in (False, True))
    drift = plain.metrics["audit.energy_drift"]
    assert modules.metrics["audit.energy_drift"] == pytest.approx(drift, rel=1e-3, abs=1e-9)
    return modules, plain


LAWS = {
    "damper": SpringDamper(STIFFNESS, 50.0),
    "Hunt and Crossley": HuntCrossley(STIFFNESS, 1.0, 1.0),
    "Lankarani and Nikravesh": LankaraniNikravesh(STIFFNESS, 0.95, 1.0),
    "impulse": Impulse(0.5, STIFFNESS, 50.0, rest_speed=0.05),
}


@pytest.mark.filterwarnings("ignore:the audit failed")  # that it is off as on a plane is what counts
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("v", [0.01, 1.0])
def test_slow_or_fast_with_every_law_a_ball_crosses_a_border_as_if_there_were_none(law: str, v: float) -> None:
    modules, plain = both(LAWS[law], None, BORDER - 0.1 * v, v)
    assert modules["touch.mode"][-1].tolist() == [0.0, 1.0, 0.0, 0.0, 0.0]
    off = modules["touch.force"].sum(axis=1) - plain["touch.force"].sum(axis=1)
    assert np.abs(off).max() < 1e-8 * MASS * G
    assert modules.metrics["contacts"] == plain.metrics["contacts"], "one contact, whatever it slides over"
    assert modules.contacts["energy_lost"].sum() == pytest.approx(plain.contacts["energy_lost"].sum(), abs=1e-12)


@pytest.mark.parametrize("v", [0.02, 0.5])
def test_a_rolling_ball_keeps_the_spring_that_sticks(v: float) -> None:
    friction = StickingFriction(0.3, STIFFNESS, 50.0)
    modules, plain = both(LAWS["damper"], friction, BORDER - 0.15 * v, v, duration=0.3)
    assert modules["ball.w_WB_B"][-1, 1] == pytest.approx(plain["ball.w_WB_B"][-1, 1], abs=1e-10)
    off = modules["touch.friction_force"].sum(axis=1) - plain["touch.friction_force"].sum(axis=1)
    assert np.abs(off).max() < 1e-8 * MASS * G


def test_a_ball_that_is_set_down_exactly_on_a_border_has_one_spring() -> None:
    modules, plain = both(LAWS["damper"], None, BORDER, 0.0)
    assert (modules["touch.mode"] == 1.0).sum(axis=1).max() == 1
    assert modules["touch.force"].sum(axis=1) == pytest.approx(plain["touch.force"].sum(axis=1), abs=1e-9)


def test_a_point_inside_crosses_too() -> None:
    """A point has its centre inside; near a border the hidden face would be nearer than the top."""
    points = [Ball((0.0, 0.0, -RADIUS))]
    modules, plain = both(LAWS["damper"], None, BORDER - 0.1, 1.0, balls=points)
    off = modules["touch.force"].sum(axis=1) - plain["touch.force"].sum(axis=1)
    assert np.abs(off).max() < 1e-8 * MASS * G


def test_what_is_taken_stays_away_after_a_restore_and_gives_the_same_bytes() -> None:
    session = taking()
    session.step(0.1)
    take(session)
    saved = session.snapshot()
    session.step(0.1)
    fallen = session.read("ball.p_WB")
    assert fallen[2] == pytest.approx(TOP + RADIUS - PRESSED - 0.5 * G * 0.1**2, abs=1e-4)
    other = taking()
    other.restore(saved)
    other.step(0.1)
    assert (other.read("ball.p_WB") == fallen).all()
    assert other.read("stack.hidden")[1] == -1.0


def taking() -> ff.Session:
    """A ball at rest on the second cube, and an empty hand."""
    hand = TensorPart("hand", empty_hand("hand", row_of_cubes().catalogue), on="base")
    motion = ff.Motion(ff.Pose(np.eye(3), [0.4, 0.0, TOP + RADIUS - PRESSED]))
    parts = [Base("base"), TensorPart("stack", row_of_cubes(), on="base"), hand]
    ball, touch = FreeBall("ball", MASS, RADIUS, motion), Contact("touch", "stack", "ball", LAWS["damper"])
    rows = [ff.uniform_gravity((0.0, 0.0, -G))]
    return ff.Mission([*parts, ball, touch], rows=rows, integrator=ff.RK4(2.5e-4)).session()


def take(session: ff.Session) -> None:
    body = row_of_cubes()
    tool = empty_hand("hand", body.catalogue)
    move_module(session.world, body, 1, tool, 0, body.X_TM(1))


def test_a_box_over_modules_is_stopped_by_what_is_there_only() -> None:
    """Two convex shapes: a small box falls on a cube, and through the place of one that was taken."""
    motion = ff.Motion(ff.Pose.from_rpy((0.5, 0.4, 0.0), (0.4, 0.0, TOP + 0.1)))  # a corner comes first
    box = ff.RigidBody("box", MASS, size=(0.1, 0.1, 0.1), motion=motion)
    for there in (True, False):
        body = row_of_cubes()
        if not there:
            body.remove(1)
        parts = [Base("base"), TensorPart("stack", body, on="base"), box]
        touch = Contact("touch", "stack", "box", SpringDamper(STIFFNESS, 50.0))
        rows = [ff.uniform_gravity((0.0, 0.0, -G))]
        result = ff.Mission([*parts, touch], rows=rows, integrator=ff.RK4(1e-4)).run(0.1, strict=True)
        assert (result["touch.mode"].max() > 0.0) == there
        fallen = result["box.p_WB"][-1, 2] - (TOP + 0.1 - 0.5 * G * 0.1**2)
        assert (abs(fallen) > 1e-3) == there
        assert (result["touch.gap"][:, 1].min() < 1.0) == there, "of a module that is not there, the gap is wide"
