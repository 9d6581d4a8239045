"""From where a hand comes, and which approaches an interface closes on."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.hand_words import HandState, Order
from freefloat.robots.gantry import joints_for
from freefloat.structure.approach import LEAST, STRING, Trails, approach_angle
from freefloat.verify.handling_rig import QUICK, do, handling, reach, stack, top

TOP = ff.Pose(np.eye(3), np.zeros(3))  # a face whose axis is z, at the origin


def walked(points: Any, X_WT: Any = lambda k: ff.Pose.identity()) -> np.ndarray:
    """The trail behind an end that goes through points of T, on a structure that moves."""
    trails = Trails(1)
    for k, p in enumerate(points):
        X = X_WT(k)
        meas = {"p": X.p, "q": X.q, "ends": X.apply(np.asarray(p, float))}
        trails.update(0.02 * k, meas)
    return trails.out.trail.copy()


def line(start: Any, end: Any, n: int = 200) -> np.ndarray:
    return np.asarray(start) + np.linspace(0.0, 1.0, n)[:, None] * (np.asarray(end) - np.asarray(start))


@pytest.mark.parametrize("degrees", [0.0, 30.0, 59.0, 61.0, 90.0, 120.0])
def test_a_straight_way_is_told_by_its_angle_to_the_axis(degrees: float) -> None:
    a = math.radians(degrees)
    trail = walked(line(0.3 * np.array([math.sin(a), 0.0, math.cos(a)]), np.zeros(3)))
    assert approach_angle(np.zeros(3), trail, TOP) == pytest.approx(a, abs=1e-6)
    assert np.linalg.norm(trail) == pytest.approx(STRING, rel=1e-9)


def test_waiting_and_pace_do_not_change_the_direction() -> None:
    way = line((0.1, 0.0, 0.2), (0.0, 0.0, 0.0), 199)
    waited = np.concatenate([way, np.zeros((500, 3))])
    assert np.array_equal(walked(way), walked(waited))
    np.testing.assert_allclose(walked(way[::3]), walked(way), atol=3e-4)


def test_the_last_straight_way_counts_and_not_the_one_before() -> None:
    lateral, down = line((1.0, 0.0, 0.1), (0.0, 0.0, 0.1)), line((0.0, 0.0, 0.1), (0.0, 0.0, 0.0))
    angle = approach_angle(np.zeros(3), walked([*lateral, *down]), TOP)
    assert angle == pytest.approx(2.0 * math.atan(math.exp(-0.1 / STRING)), rel=0.04), "a tractrix"
    angle = approach_angle(lateral[-1], walked([*down, *lateral]), TOP)
    assert angle is not None
    assert angle > math.radians(80.0)


def test_the_motion_of_the_structure_is_no_approach() -> None:
    def tumbling(k: int) -> ff.Pose:
        return ff.Pose.from_quat(np.array([1.0, 0.01 * k, -0.02 * k, 0.005 * k]), np.array([0.1 * k, 0.0, -0.05 * k]))

    way = line((0.0, 0.1, 0.2), (0.0, 0.0, 0.0))
    np.testing.assert_allclose(walked(way, tumbling), walked(way), atol=1e-12)
    rest = walked([(0.0, 0.0, 0.0)] * 50, tumbling)
    assert np.linalg.norm(rest) < 1e-12
    assert approach_angle(np.zeros(3), rest, TOP) is None


def test_an_end_that_has_hardly_moved_came_from_nowhere() -> None:
    assert approach_angle(np.zeros(3), np.array([0.9 * LEAST, 0.0, 0.0]), TOP) is None
    assert approach_angle(np.zeros(3), np.full(3, math.nan), TOP) is None


def come(session: ff.Session, start: Any, end: Any) -> None:
    """Move the gantry's hand along a straight way at 0.25 m/s, from rest to rest, in steps of 20 ms."""
    length = float(np.linalg.norm(np.asarray(end) - np.asarray(start)))
    for p in line(start, end, max(2, round(length / 0.005))):
        reach(session, p)
        session.step(0.02)


@pytest.mark.parametrize(("degrees", "closes"), [(0.0, True), (50.0, True), (70.0, False), (90.0, False)])
def test_a_hand_closes_only_on_approaches_within_the_cone(degrees: float, closes: bool) -> None:
    body, a = stack(), math.radians(degrees)
    goal = top(body, (1, 0, 1))
    start = goal + 0.2 * np.array([math.sin(a), 0.0, math.cos(a)])
    session = handling(body, start).session()
    come(session, start, goal)
    session.write("modules.hand.order", [float(Order.LATCH)])
    session.step(0.1)
    assert session.read("modules.hand.state")[0] == (HandState.CLOSING if closes else HandState.OPEN)
    if not closes:
        (told,) = session.fired
        assert told.result.startswith("refused: at cell (1, 0, 1), side +z: it came at ")
        assert told.result.endswith(" deg to the axis; allowed: 60 deg")
        come(session, goal, goal + np.array([0.0, 0.0, 0.08]))
        come(session, goal + np.array([0.0, 0.0, 0.08]), goal)
        session.write("modules.hand.count", [1.0])
        session.step(0.1)
        assert session.read("modules.hand.state")[0] == HandState.CLOSING, "backed off and came again"


def test_the_narrower_cone_of_both_halves_counts() -> None:
    narrow = replace(QUICK, approach_cone=math.radians(20.0))
    body = stack()
    goal = top(body, (1, 0, 1))
    start = goal + np.array([0.1, 0.0, 0.2])
    session = handling(body, start, interface=narrow).session()
    come(session, start, goal)
    session.write("modules.hand.order", [float(Order.LATCH)])
    session.step(0.1)
    assert "allowed: 20 deg" in session.fired[0].result


def test_a_hand_that_let_go_may_close_again_where_it_is() -> None:
    body = stack()
    goal = top(body, (1, 0, 1))
    session = handling(body, goal + np.array([0.0, 0.0, 0.2])).session()
    come(session, goal + np.array([0.0, 0.0, 0.2]), goal)
    for order, state in ((Order.LATCH, HandState.CLOSED), (Order.RELEASE, HandState.OPEN)) * 2:
        assert do(session, order, state)


def test_where_the_hand_is_asked_for_is_where_the_gantry_goes() -> None:
    """`come` moves what it should."""
    body = stack()
    session = handling(body, top(body, (0, 0, 1))).session()
    come(session, top(body, (0, 0, 1)), top(body, (1, 0, 1)))
    q = [session.world.joint(f"gantry.{axis}")[0] for axis in "xyz"]
    np.testing.assert_allclose(q, joints_for(top(body, (1, 0, 1))), atol=1e-9)
