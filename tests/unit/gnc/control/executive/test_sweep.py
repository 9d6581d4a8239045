"""The room that robots take: it holds what they are between samples, and tells how far two are apart."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.frames import Array
from freefloat.gnc.control.executive.course import AWAY, STEP_LATCH, Course, course_of, left_from
from freefloat.gnc.control.executive.steps import Ask, Follow, Stand
from freefloat.gnc.control.executive.sweep import Figure, distance, resting, sweep_of
from freefloat.gnc.planning.arm.joint_path import QuinticPath, QuinticPieces
from freefloat.gnc.planning.reconfiguration.motions import Leg
from freefloat.gnc.planning.reconfiguration.problem import Carry, Operation, Places, Stance
from freefloat.structure.grid import cubic

PITCH, UP = 0.4, 4
LINKS = (0.3, 0.6, 0.6)  # [m] a column, and two links that swing in the plane y = 0


def line(q: Array) -> Array:
    """A planar arm on a column; seen from its foot, z points into the module."""
    angles = np.cumsum(q[:2])
    steps = np.stack([np.sin(angles), 0.0 * angles, -np.cos(angles)], axis=1) * np.array(LINKS[1:])[:, None]
    top = np.array([0.0, 0.0, -LINKS[0]])
    return np.vstack([np.zeros(3), top, top + np.cumsum(steps, axis=0)])


FIGURE = Figure(line, 0.1, 0.2, 0.35)


def places() -> Places:
    return cubic(8, 1, 1, PITCH)


def leg(a: tuple[float, float], b: tuple[float, float], seconds: float) -> Leg:
    path = QuinticPath(np.array(a), np.array(b), seconds)
    times, states = path.knots
    return Leg("leg", QuinticPieces(times, states[:, 0], states[:, 1], states[:, 2]), 0.02)


def transfer(seconds: float) -> Course:
    carry = Operation(1, 0, Stance(0, UP), None, Carry(1, 2, UP, 0), 7)
    legs = (leg((0.0, 0.5), (0.4, 1.0), seconds), leg((0.4, 1.0), (1.2, -0.9), seconds), leg((1.2, -0.9), (0, 0.5), 9))
    return course_of(carry, "a", legs)


def swept(course: Course):
    return sweep_of(course.steps, course.stands, course.operation.stance, places(), FIGURE)


@pytest.mark.parametrize("seconds", [20.0, 1.5])
def test_between_samples_no_point_leaves_the_room_however_fast_it_is(seconds: float) -> None:
    course = transfer(seconds)
    sweep = swept(course)
    foot = np.array([places().p_TP[0][0], 0.0, 0.2])
    for number, step in enumerate(course.steps):
        if not isinstance(step, Follow):
            continue
        rows = sweep.step == number
        for t in np.linspace(0.0, step.path.duration, 1001):
            points = foot + line(step.path.at(float(t))[0]) * np.array([1.0, -1.0, -1.0])
            off = np.linalg.norm(sweep.points[rows] - points, axis=2).max(axis=1) - sweep.spread[rows]
            assert off.min() <= 1e-12


def test_two_robots_at_rest_are_as_far_as_their_columns_less_the_radii() -> None:
    a, b = (resting(np.zeros(2), "a", Stance(k, UP), places(), FIGURE) for k in (0, 4))
    assert distance(a, b) == distance(b, a) == pytest.approx(4 * PITCH - 0.2)


def test_a_module_counts_from_where_it_is_taken_to_where_it_is_left() -> None:
    """A robot passes where the other one goes only with a module in its hand, or has left one."""
    course = transfer(20.0)
    sweep = swept(course)
    empty = sweep_of(course.steps[:1], "a", Stance(0, UP), places(), FIGURE)
    assert not empty.loaded.any()
    taken, left = (sweep.loads[np.flatnonzero(sweep.loaded)[k]] for k in (0, -1))
    assert np.linalg.norm(taken - left) > 0.3
    assert (sweep.loads[sweep.step == AWAY] == left).all()
    past = resting(np.array([1.3, 0.0]), "a", Stance(7, UP), places(), FIGURE)
    gap = np.linalg.norm(left - past.points[0], axis=1).min()
    assert distance(sweep, past) <= gap - FIGURE.load - FIGURE.radius


def test_once_a_module_is_placed_only_the_way_home_is_left() -> None:
    course = transfer(20.0)
    assert [left_from(course, k) for k in range(7)] == [0, 0, 0, 0, 0, 5, 6]
    rest = swept(course).since(6)
    assert (rest.step == AWAY).all()
    assert rest.loaded.all()
    assert len(swept(course).since(99).step) > 0, "it rests somewhere afterwards"


def test_a_step_can_be_undone_until_the_robot_stands_on_its_other_end_alone() -> None:
    step = Operation(1, 0, Stance(0, UP), Stance(2, UP), None, 3)
    course = course_of(step, "a", (leg((0.0, 0.5), (0.9, 1.0), 9.0), leg((1.0, 0.9), (0.5, 0.0), 9.0)))
    assert [left_from(course, k) for k in range(5) if k != 2] == [0, 0, 0, 4]
    sweep = swept(course)
    here, there = (np.array([places().p_TP[k][0], 0.0, 0.2]) for k in (0, 2))
    assert sweep.points[sweep.step <= STEP_LATCH][:, 0] == pytest.approx(np.tile(here, (sum(sweep.step <= 1), 1)))
    assert sweep.points[-1, 0] == pytest.approx(there)
    assert any(isinstance(s, Stand) for s in course.steps)
    assert any(isinstance(s, Ask) for s in course.steps)
