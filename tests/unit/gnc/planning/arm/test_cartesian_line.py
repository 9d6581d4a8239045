from __future__ import annotations

import numpy as np
import pytest

from freefloat.frames import Pose
from freefloat.gnc.planning.arm.cartesian_line import CartesianLine
from freefloat.gnc.planning.arm.inverse_kinematics import UnreachableError

START = np.array([0.3, 0.7, -0.2, -1.6, 0.1, 0.5, 0.4])
LINES = {
    "approach": Pose(np.eye(3), (0.0, 0.0, 0.2)),
    "retreat": Pose(np.eye(3), (0.0, 0.0, -0.15)),
    "turn": Pose.from_rpy((0.2, -0.3, 0.4), (0.1, 0.05, 0.1)),
}


@pytest.mark.parametrize("base", ["a", "b"])
@pytest.mark.parametrize("name", LINES)
def test_the_tip_stays_on_its_line(walker, base: str, name: str) -> None:
    ik = walker.ik(base)
    X_start = ik.chain.pose(START)
    line = CartesianLine(ik, START, X_start @ LINES[name], walker.limits)
    assert line.deviation[0] < 1e-6
    direction = line.X_end.p - X_start.p
    direction /= np.linalg.norm(direction)
    for t in np.linspace(0.0, line.duration, 137):
        X = ik.chain.pose(line.at(t)[0])
        way = X.p - X_start.p
        assert np.linalg.norm(way - direction * (direction @ way)) < 1e-6
    assert X.is_close(line.X_end, 1e-9)


@pytest.mark.parametrize("name", LINES)
def test_joints_keep_their_limits_and_rates_are_derivatives(walker, name: str) -> None:
    ik, limits = walker.ik(), walker.limits
    line = CartesianLine(ik, START, ik.chain.pose(START) @ LINES[name], limits)
    t = np.linspace(0.0, line.duration, 3001)
    q, qd, qdd = (np.array(x) for x in zip(*(line.at(ti) for ti in t), strict=True))
    h = t[1] - t[0]
    assert np.all(np.abs(qd) <= limits.velocity)
    assert np.all(np.abs(qdd) <= limits.acceleration)
    assert np.all(np.abs(np.diff(qdd, axis=0)) / h <= limits.jerk * (1.0 + 1e-6))
    np.testing.assert_allclose(np.gradient(q, h, axis=0)[1:-1], qd[1:-1], atol=h)
    np.testing.assert_allclose(np.gradient(qd, h, axis=0)[1:-1], qdd[1:-1], atol=2.0 * h)
    assert not qd[[0, -1]].any()


def test_the_tip_keeps_its_speed_limit(walker) -> None:
    ik = walker.ik()
    line = CartesianLine(ik, START, ik.chain.pose(START) @ LINES["approach"], walker.limits, speed=0.03)
    t = np.linspace(0.0, line.duration, 801)
    p = np.array([ik.chain.pose(line.at(ti)[0]).p for ti in t])
    speed = np.linalg.norm(np.diff(p, axis=0), axis=1) / np.diff(t)
    assert speed.max() == pytest.approx(0.03, rel=1e-4)


def test_it_rests_outside_its_duration(walker) -> None:
    ik = walker.ik()
    line = CartesianLine(ik, START, ik.chain.pose(START) @ LINES["approach"], walker.limits)
    assert np.array_equal(line.at(-1.0)[0], START)
    assert np.array_equal(line.at(np.inf)[0], line.at(line.duration)[0])
    assert not line.at(np.inf)[1].any()


def test_a_line_out_of_reach_is_refused(walker) -> None:
    ik = walker.ik()
    with pytest.raises(UnreachableError, match="no way on within the joint limits at"):
        CartesianLine(ik, START, ik.chain.pose(START) @ Pose(np.eye(3), (0.0, 0.0, 1.5)), walker.limits)
