"""No place, direction or steady velocity is special: the same joint motion from a moved start."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.frames import Pose, quat_mul


@pytest.mark.parametrize("seed", range(4))
def test_a_turned_and_shifted_start_gives_the_same_joint_motion(seed: int, random_robot: Any, torques: Any) -> None:
    rng = np.random.default_rng(seed)
    robot = random_robot(seed)
    X_WV = Pose.from_quat(rng.normal(size=4), rng.normal(size=3))  # the same experiment in a room V
    m = robot.motion
    moved = replace(m, X_WL=X_WV @ m.X_WL, v_WL=tuple(X_WV.R @ np.array(m.v_WL)))
    here = ff.Mission([robot], [torques(seed, 5)]).run(1.0)
    there = ff.Mission([replace(robot, motion=moved)], [torques(seed, 5)]).run(1.0)
    assert np.allclose(here["robot.q"], there["robot.q"], rtol=0.0, atol=1e-10)
    p = np.array([X_WV.apply(x) for x in here["robot.link4.p_WB"]])
    assert np.allclose(there["robot.link4.p_WB"], p, rtol=0.0, atol=1e-10)
    q = np.array([quat_mul(X_WV.q, x) for x in here["robot.link4.q_WB"]])
    assert np.allclose(np.abs(np.sum(q * there["robot.link4.q_WB"], axis=1)), 1.0, rtol=0.0, atol=1e-12)
    L_here, L_there = here["audit.angular_momentum"][-1], there["audit.angular_momentum"][-1]
    assert np.allclose(L_there, X_WV.R @ L_here, rtol=0.0, atol=1e-9 * np.linalg.norm(L_here))


@pytest.mark.parametrize("seed", range(3))
def test_a_steady_velocity_changes_no_joint_motion(seed: int, random_robot: Any, torques: Any) -> None:
    robot = random_robot(seed)
    boost = np.array([3.0, -2.0, 1.0])
    boosted = replace(robot, motion=replace(robot.motion, v_WL=tuple(np.array(robot.motion.v_WL) + boost)))
    here, there = (ff.Mission([r], [torques(seed, 5)]).run(1.0) for r in (robot, boosted))
    assert np.allclose(here["robot.q"], there["robot.q"], rtol=0.0, atol=1e-10)
    drift = there["robot.link4.p_WB"] - here["robot.link4.p_WB"] - np.outer(here.time("robot.q"), boost)
    assert np.abs(drift).max() < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_which_link_is_the_root_changes_no_motion(seed: int, random_robot: Any, torques: Any) -> None:
    mission = ff.Mission([random_robot(seed)], [torques(seed, 5)])
    here, there = mission.session(), mission.session()
    there.reroot("robot.link4")
    for session in (here, there):
        session.step(1.0)
    for name in ("robot.q", "robot.link0.p_WB", "robot.link4.p_WB", "robot.link4.w_WB_B"):
        assert np.allclose(here.read(name), there.read(name), rtol=0.0, atol=1e-9), name


def test_the_order_of_parts_changes_no_motion(bus_with_arm: Any, law: Any, swing: Any) -> None:
    task = ff.Task(law(swing), 0.004, {"qd": "arm.qd"}, {"tau": "arm.tau"})
    cargo = ff.RigidBody("cargo", 50.0, motion=ff.Motion(v_WL=(0.1, 0.0, 0.0)))
    first = ff.Mission([*bus_with_arm(), cargo], [task]).run(0.5)
    second = ff.Mission([cargo, *bus_with_arm()], [task]).run(0.5)
    for name in ("arm.q", "bus.q_WB", "cargo.p_WB"):
        assert np.allclose(first[name], second[name], rtol=0.0, atol=1e-13), name
