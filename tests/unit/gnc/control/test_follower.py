"""The follower: exact within limits, jerk-limited beyond them, and clear where a set-point cannot be."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from freefloat.errors import InputError, SimulationError
from freefloat.frames import Pose, so3_exp, so3_log
from freefloat.gnc.control.follower import Follower, FollowerLimits, lead_of
from freefloat.gnc.planning.arm.six_axis import SixAxis

ROBOT = SixAxis.of("kr16-2", X_FT=Pose.from_rpy((0.0, 0.0, 0.5), (0.0, 0.0, 0.3)))
Q = np.radians([10.0, -80.0, 95.0, 20.0, 40.0, -30.0])
START = ROBOT.forward(Q)
T = 0.004
X = np.array([1.0, 0.0, 0.0])
SLOW = FollowerLimits(acceleration=0.45)


def setpoint(at: Pose, v=(0, 0, 0), w=(0, 0, 0), a=(0, 0, 0), alpha=(0, 0, 0)) -> np.ndarray:
    return np.concatenate([at.p, at.q, v, w, a, alpha]).astype(np.float64)


def moved(x: float, v: float = 0.0, a: float = 0.0) -> np.ndarray:
    """The start, x [m] further along the axis x."""
    return setpoint(Pose(START.R, START.p + x * X), (v, 0.0, 0.0), a=(a, 0.0, 0.0))


def follow(f: Follower, goal: Callable[[float], np.ndarray], cycles: int) -> tuple[np.ndarray, np.ndarray]:
    """Courses (cycles, 6, 7) and states (cycles, 2)."""
    outs = [f.update(k * T, {"setpoint": goal(k * T)}) for k in range(cycles)]
    return np.array([o["course"] for o in outs]), np.array([o["state"] for o in outs])


def axes(course: np.ndarray, t: float, order: int = 0) -> np.ndarray:
    return np.array([np.polynomial.Polynomial(row[1:]).deriv(order)(t - row[0]) for row in course])


def test_axes_hold_until_the_first_set_point() -> None:
    courses, states = follow(Follower(ROBOT, Q, T), lambda t: np.zeros(19), 3)
    assert np.array_equal(courses[2], np.column_stack([np.full(6, 2 * T), Q, np.zeros((6, 5))]))
    assert not states.any()


def test_axes_go_on_as_they_started_until_the_first_set_point() -> None:
    qd = np.linspace(0.1, -0.1, 6)
    courses, _ = follow(Follower(ROBOT, Q, T, qd=qd), lambda t: np.zeros(19), 3)
    assert axes(courses[2], 3 * T) == pytest.approx(Q + 3 * T * qd, abs=1e-14)


def test_a_motion_within_limits_is_executed_as_it_is() -> None:
    """A turn at a constant rate about a point beside the tool: the lag is zero, at cycles' ends and in between."""
    w, r = np.array([0.05, -0.08, 0.1]), np.array([0.0, 0.2, 0.1])

    def pose(t: float) -> Pose:
        turn = so3_exp(w * t)
        return Pose(turn @ START.R, START.p - r + turn @ r)

    def goal(t: float) -> np.ndarray:
        arm = so3_exp(w * t) @ r
        return setpoint(pose(t), np.cross(w, arm), w, np.cross(w, np.cross(w, arm)))

    qd = np.linalg.solve(ROBOT.jacobian(Q), np.concatenate([w, np.cross(w, r)]))
    courses, states = follow(Follower(ROBOT, Q, T, qd=qd), goal, 50)
    assert not states[:, 0].any()
    for k in (5, 49):
        for s in (0.3, 1.0):
            t = (k + s) * T
            there = ROBOT.forward(axes(courses[k], t))
            assert there.p == pytest.approx(pose(t).p, abs=1e-10)
            assert so3_log(there.R @ pose(t).R.T) == pytest.approx(np.zeros(3), abs=1e-10)


def test_courses_join_in_position_rate_and_acceleration() -> None:
    courses, _ = follow(Follower(ROBOT, Q, T, SLOW), lambda t: moved(0.01), 40)
    for before, after in pairwise(courses):
        for order, limit in ((0, 1e-14), (1, 1e-12), (2, 1e-9)):
            assert axes(before, after[0, 0], order) == pytest.approx(axes(after, after[0, 0], order), abs=limit)


def test_a_jump_is_caught_up_with_within_limits_and_then_followed_exactly() -> None:
    """10 mm behind a target that moves at 50 mm/s."""
    courses, states = follow(Follower(ROBOT, Q, T, SLOW), lambda t: moved(0.01 + 0.05 * t, 0.05), 200)
    tool = np.array([ROBOT.forward(axes(c, c[0, 0] + T)).p for c in courses]) - START.p
    t = courses[:, 0, 0] + T
    behind = 0.01 + 0.05 * t - tool[:, 0]
    caught = int(np.flatnonzero(states[:, 0] == 0.0)[0])
    assert 20 < caught < 150
    assert not states[caught:, 0].any()
    assert np.abs(behind[caught:]).max() < 1e-12
    assert np.abs(tool[:, 1:]).max() < 1e-10
    a = np.diff(tool[:, 0], 2) / T**2
    assert 0.4 < np.abs(a).max() < 0.46
    rest = np.concatenate([[0.0], a])  # the first second difference starts from rest
    assert np.abs(np.diff(rest)).max() / T < 1e3


def test_a_target_that_accelerates_beyond_the_limit_is_left_behind_at_the_limit() -> None:
    """It speeds up by 1.6 m/s^2 for 0.1 s, which the robot may not."""

    def goal(t: float) -> np.ndarray:
        s = min(t, 0.1)
        return moved(0.8 * s * s + 0.16 * (t - s), 1.6 * s, 1.6 if t < 0.1 else 0.0)

    courses, states = follow(Follower(ROBOT, Q, T, SLOW), goal, 300)
    v = np.array([(ROBOT.jacobian(axes(c, c[0, 0] + T)) @ axes(c, c[0, 0] + T, 1))[3] for c in courses])
    assert np.abs(np.diff(v)).max() / T < 0.46
    assert v[20] == pytest.approx(0.45 * 21 * T, rel=0.03)
    assert states[:50, 0].all()
    assert not states[-50:, 0].any()
    assert states[-1, 1] < 1e-12


def test_an_attitude_is_caught_up_with_the_shorter_way() -> None:
    turn = np.array([0.1, -0.2, 0.15])
    goal = setpoint(Pose(so3_exp(turn) @ START.R, START.p))
    courses, states = follow(Follower(ROBOT, Q, T), lambda t: goal, 200)
    left = [np.linalg.norm(so3_log(ROBOT.forward(axes(c, c[0, 0] + T)).R @ START.R.T) - turn) for c in courses]
    assert np.all(np.diff(left) < 1e-9)
    assert not states[-1].any()
    assert left[-1] < 1e-12


def test_known_wind_up_leads_the_motors_and_not_the_links() -> None:
    def sag(q: np.ndarray) -> np.ndarray:
        return 1e-3 * np.cos(q)

    f = Follower(ROBOT, Q + sag(Q), T, SLOW, sag=sag)
    courses, states = follow(f, lambda t: moved(0.02), 300)
    goal = ROBOT.nearest(Pose(START.R, START.p + 0.02 * X), Q)
    assert axes(courses[0], 0.0) == pytest.approx(Q + sag(Q), abs=1e-14)
    assert not states[-1, 0]
    assert axes(courses[-1], 300 * T) == pytest.approx(goal + sag(goal), abs=1e-10)


@pytest.mark.parametrize(
    ("period", "delay", "sensed", "lead"),
    [
        (0.004, 0.0, True, 0.004),
        (0.004, 0.012, True, 0.008),
        (0.004, 0.012, False, 0.004),
        (0.012, 0.020, True, 0.016),
        (0.012, 0.020, False, 0.016),
    ],
)
def test_the_lead_makes_up_for_what_is_older_than_the_delay(
    period: float, delay: float, sensed: bool, lead: float
) -> None:
    assert lead_of(period, delay, sensed) == pytest.approx(lead, abs=1e-12)


def test_a_set_point_out_of_reach_ends_the_run_with_robot_pose_and_distance() -> None:
    f = Follower(ROBOT, Q, T, name="robot1")
    with pytest.raises(SimulationError, match=r"follower of 'robot1' at 0 s: kr16-2: pose at \(3,.* m too far"):
        f.update(0.0, {"setpoint": setpoint(Pose(START.R, (3.0, 0.0, 1.0)))})


def test_an_axis_that_would_be_too_fast_is_told() -> None:
    f = Follower(ROBOT, Q, T, FollowerLimits(*(1e4, 1e6, 1e9) * 2))
    with pytest.raises(SimulationError, match=r"asks A\d for .* deg/s; allowed: .*from singular"):
        f.update(0.0, {"setpoint": setpoint(Pose(START.R, START.p + 0.1 * X))})


def test_a_singular_posture_is_told() -> None:
    straight = np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0])
    f = Follower(ROBOT, straight, T)
    with pytest.raises(SimulationError, match="is singular: wrist 0 deg"):
        f.update(0.0, {"setpoint": setpoint(ROBOT.forward(straight))})


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="period"):
        Follower(ROBOT, Q, 0.0)
    with pytest.raises(InputError, match="lead"):
        Follower(ROBOT, Q, T, lead=-1.0)
    with pytest.raises(InputError, match="acceleration -1"):
        FollowerLimits(acceleration=-1.0)
    with pytest.raises(InputError, match="6 finite numbers"):
        Follower(ROBOT, Q[:5], T)
    with pytest.raises(InputError, match="19 finite numbers"):
        Follower(ROBOT, Q, T).update(0.0, {"setpoint": np.full(19, np.nan)})
