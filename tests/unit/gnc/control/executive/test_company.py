"""Robots beside one another: whether one may begin depends on all that the others may still have to do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from freefloat.frames import Array
from freefloat.gnc.control.executive.company import APART, HOME, Company
from freefloat.gnc.control.executive.course import AWAY, PLACE, TO_GOAL, TO_GRIP, course_of
from freefloat.gnc.control.executive.sweep import Sweep
from freefloat.gnc.planning.arm.joint_path import QuinticPath, QuinticPieces
from freefloat.gnc.planning.reconfiguration.motions import Leg
from freefloat.gnc.planning.reconfiguration.problem import Carry, Contents, Operation, Stance

RADIUS = 0.1
FEET = (Stance(0, 4), Stance(5, 4))
AT_HOME, ASTRAY = np.zeros(7), np.full(7, 0.3)


def room(*x: float) -> Sweep:
    """A robot that is upright at these x [m], one after the other, in steps numbered so."""
    n = len(x)
    points = np.array([[[at, 0.0, 0.0], [at, 0.0, 1.0]] for at in x])
    return Sweep(np.arange(n), points, np.zeros((n, 3)), np.zeros(n, bool), np.zeros(n), RADIUS, 0.3)


def leg() -> Leg:
    times, states = QuinticPath(AT_HOME, ASTRAY, 5.0).knots
    return Leg("leg", QuinticPieces(times, states[:, 0], states[:, 1], states[:, 2]), 0.02)


TRANSFER = Operation(3, 1, FEET[1], None, Carry(6, 7, 4), 9)
COURSE = course_of(TRANSFER, "a", (leg(), leg(), leg()))


def company(at: int | None = None, sweep: Sweep | None = None, q: Array = AT_HOME, rests: float = 0.0) -> Company:
    """Robot 1 at a step of its transfer, which takes so much room; or at rest at q, around x = `rests`."""
    steps = () if at is None else COURSE.steps
    robots: Any = [
        SimpleNamespace(name=name, stance=foot, stands="a", steps=steps, at=at or 0)
        for name, foot in zip(("one", "two"), FEET, strict=True)
    ]
    attempts: Any = {} if at is None else {1: SimpleNamespace(operation=TRANSFER, course=COURSE, sweep=sweep)}
    planning: Any = SimpleNamespace(home=lambda *_: AT_HOME, at_rest=lambda *_: room(rests))
    nothing = np.zeros(8, np.int64)
    report: Any = SimpleNamespace(q={"one": AT_HOME, "two": q})
    return Company(robots, attempts, planning, Contents(nothing, nothing, nothing), report)


def test_robots_keep_apart_by_60_mm_and_no_less() -> None:
    for gap, clear in ((APART + 1e-6, True), (APART - 1e-6, False)):
        beside = room(2.0 * RADIUS + gap)
        assert company(TO_GRIP, room(0.0)).apart(0, beside) == clear


@pytest.mark.parametrize("at", [TO_GRIP, TO_GOAL, PLACE])
def test_until_its_module_is_placed_all_that_the_other_does_counts(at: int) -> None:
    sweep = room(0.0, *(9.0 for _ in range(AWAY)))  # it was near at the beginning only
    assert company(at, sweep).left(1) == 0
    assert not company(at, sweep).apart(0, room(0.0))


def test_once_it_is_placed_only_the_way_home_counts() -> None:
    sweep = room(*(0.0 for _ in range(AWAY)), 9.0)
    assert company(AWAY, sweep).left(1) == AWAY
    assert company(AWAY, sweep).apart(0, room(0.0))
    assert not company(AWAY, sweep).apart(0, room(9.0))


def test_one_that_rests_at_home_is_kept_clear_of_by_curves_and_one_elsewhere_by_its_room() -> None:
    assert company(q=AT_HOME).apart(0, room(0.0))
    assert not company(q=ASTRAY).apart(0, room(0.0))
    assert company(q=ASTRAY, rests=9.0).apart(0, room(0.0))


def test_home_is_to_5_mrad() -> None:
    for off, there in ((0.99 * HOME, True), (1.01 * HOME, False)):
        assert company(q=AT_HOME + off).at_home(1) == there


def test_others_stand_where_their_operation_began() -> None:
    moved = company(AWAY, room(0.0))
    moved.robots[1].stance = Stance(2, 4)  # a step that is under way
    assert moved.others(0) == [FEET[1]]
    assert company().others(0) == [FEET[1]]
    assert company().others(1) == [FEET[0]]


def test_the_situation_changes_when_the_other_passes_the_point_of_no_return_or_moves_at_rest() -> None:
    early, later, home = (company(at, room(0.0)).situation(0) for at in (TO_GRIP, PLACE, AWAY))
    assert early == later != home
    assert company().situation(0) == company(q=AT_HOME + 1e-4).situation(0) != company(q=ASTRAY).situation(0)
