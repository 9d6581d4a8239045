"""Operational-space control alone: joints that follow it at once, and a wall that is a spring."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Array, Pose, so3_log
from freefloat.gnc.control.operational import CURRENTS, TORQUES, HybridControl, HybridGains
from freefloat.gnc.control.operational_model import ArmModel
from freefloat.gnc.planning.arm.paced_line import TipLine

Q = np.array([-0.3, 0.4, 0.0, 1.2, 0.0, 0.8, 0.0])
T = 1e-3  # [s]
Load = Callable[[Array], Array]  # from the joints to [force; torque] in W


@pytest.fixture
def control(spider_on: Callable[..., ArmModel]) -> HybridControl:
    return HybridControl(spider_on(), np.full(7, 0.17), Q, period=T)


def run(control: HybridControl, time: float, load: Load | None = None, level: int = 0, q: Array = Q) -> list[Array]:
    """Joints that are where their reference was a period ago."""
    found, q = [], q.copy()
    for k in range(round(time / T)):
        X = control.arm.chain.pose(q)
        meas = {
            "q": q,
            "load": np.zeros(6) if load is None else load(q),
            "q_WS": X.q,
            "level": np.array([float(level)]),
            "torque": np.full(7, 3.0),
        }
        out = control.update(k * T, meas)
        if level == 0:
            q = out["q_ref"]
        found.append(q.copy())
    return found


def test_the_tip_follows_a_line_and_a_turn_and_the_free_joint_keeps_its_posture(control: HybridControl) -> None:
    run(control, T)
    start = control.X_AT
    end = Pose(start.R @ Pose.from_rpy((0.1, 0.05, 0.0)).R, np.add(start.p, [0.0, 0.2, -0.05]))
    line = TipLine.at(start, end, 0.1, 0.1)
    control.follow(line, 0.0)
    path = run(control, line.pace.duration + 1.0, q=control.q_ref)
    X = control.arm.chain.pose(path[-1])
    assert np.linalg.norm(X.p - end.p) < 1e-5
    assert np.linalg.norm(so3_log(X.R.T @ end.R)) < 1e-5
    speed = np.linalg.norm(np.diff([control.arm.chain.pose(q).p for q in path[::50]], axis=0), axis=1) / (50 * T)
    assert speed.max() <= 0.1 * (1.0 + 1e-3)


def test_force_is_reached_along_its_axis_and_place_is_kept_across(control: HybridControl) -> None:
    run(control, T)
    X, stiffness = control.X_AT, 1e4
    control.follow(TipLine.at(X, X, 0.1, 0.1), 0.0)
    control.press((0.0, 0.0, -1.0), 20.0)

    def wall(q: Array) -> Array:
        """What the wrist carries towards a floor just below the tip."""
        deep = max(0.0, X.p[2] - control.arm.chain.pose(q).p[2])
        return np.array([0.0, 0.0, -stiffness * deep, 0.0, 0.0, 0.0])

    path = run(control, 4.0, wall, q=control.q_ref)
    end = control.arm.chain.pose(path[-1])
    assert stiffness * (X.p[2] - end.p[2]) == pytest.approx(20.0, rel=1e-3)
    assert np.linalg.norm(end.p[:2] - X.p[:2]) < 1e-6
    control.relax()
    kept = control.arm.chain.pose(run(control, 3.0, wall, q=path[-1])[-1])
    assert kept.p[2] == pytest.approx(X.p[2], abs=1e-6)  # back to its line


def test_references_stay_near_joints_that_do_not_follow(control: HybridControl) -> None:
    run(control, T)
    X = control.X_AT
    control.follow(TipLine.at(X, Pose(X.R, np.add(X.p, [0.0, 0.5, 0.0])), 0.1, 0.1), 0.0)
    stuck = {"q": Q, "load": np.zeros(6), "q_WS": X.q, "level": np.zeros(1), "torque": np.zeros(7)}
    for k in range(6000):
        out = control.update(k * T, stuck)
    assert np.abs(out["q_ref"] - Q).max() <= HybridGains().window + 1e-12


@pytest.mark.parametrize(("level", "tau"), [(TORQUES, 3.0), (CURRENTS, 0.0)])
def test_below_the_tip_the_servo_is_in_torque_mode_and_references_follow_the_joints(
    control: HybridControl, level: int, tau: float
) -> None:
    run(control, 0.01, level=level, q=Q + 0.1)
    assert control.out.mode[0] == 1.0
    assert control.out.tau_ref.tolist() == [tau] * 7
    np.testing.assert_allclose(control.q_ref, Q + 0.1, atol=1e-15)


def test_gains_that_are_not_positive_are_refused() -> None:
    with pytest.raises(InputError, match=r"force 0\.0; allowed: above 0"):
        HybridGains(force=0.0)
