"""Accelerations of our trimmed chain against MuJoCo's full forward dynamics, with the same forces applied its way."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

import freefloat as ff


def mujoco_acceleration(session: ff.Session, tau: dict[str, float], forces: dict[str, np.ndarray]) -> np.ndarray:
    """qacc of a fresh MjData at the session's state; `forces` [force; torque] at centres of mass, in W."""
    tree = session.world.compiled()
    m, d = tree.model, mujoco.MjData(tree.model)
    d.qpos[:], d.qvel[:] = tree.data.qpos, tree.data.qvel
    for joint, effort in tau.items():
        d.qfrc_applied[tree.rate[joint]] = effort
    for link, wrench in forces.items():
        d.xfrc_applied[tree.body[link]] += wrench
    mujoco.mj_forward(m, d)
    return d.qacc.copy()


def ours(session: ff.Session) -> np.ndarray:
    return session.world.compiled().data.qacc.copy()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("anchored", [False, True], ids=["floating", "anchored"])
def test_accelerations_of_random_trees_equal_mujocos(seed: int, anchored: bool, random_robot: Any) -> None:
    rng = np.random.default_rng(seed)
    g = rng.normal(size=3)
    robot = random_robot(seed, 7, anchored=anchored)
    session = ff.Mission([robot], rows=[ff.uniform_gravity(tuple(g))]).session()
    tau = rng.normal(size=6) * 5.0
    session.write("robot.tau", tau)
    forces = {n: np.concatenate([link.mass * g, np.zeros(3)]) for n, link in session.world.links.items()}
    joints = [name for name, joint in session.world.joints.items() if joint.kind != "fixed"]
    expected = mujoco_acceleration(session, dict(zip(joints, tau, strict=True)), forces)
    assert np.allclose(ours(session), expected, rtol=0.0, atol=1e-10 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("expressed_in", ["body", "world"])
@pytest.mark.parametrize("seed", range(4))
def test_wrenches_on_bodies_equal_mujocos_applied_forces(seed: int, expressed_in: Any, random_robot: Any) -> None:
    rng = np.random.default_rng(seed)
    p_LP = rng.normal(size=3)

    class Tug:
        name = "tug"

        def build(self, b: Any) -> None:
            from freefloat.engine.rows import body_wrench

            command = b.command("wrench", (6,), "N m, N")
            b.add(body_wrench("robot.link3", command, ff.Pose(np.eye(3), p_LP), expressed_in))

    session = ff.Mission([random_robot(seed), Tug()]).session()
    wrench = rng.normal(size=6) * 10.0
    session.write("tug.wrench", wrench)
    X_WL, link = session.world.pose("robot.link3"), session.world.links["robot.link3"]
    R = X_WL.R if expressed_in == "body" else np.eye(3)
    torque, force = R @ wrench[:3], R @ wrench[3:]
    arm = X_WL.R @ (p_LP - link.p_LLcm)
    forces = {"robot.link3": np.concatenate([force, torque + np.cross(arm, force)])}
    expected = mujoco_acceleration(session, {}, forces)
    assert np.allclose(ours(session), expected, rtol=0.0, atol=1e-10 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("seed", range(4))
def test_springs_and_dampers_equal_the_same_efforts_in_mujoco(seed: int, random_robot: Any) -> None:
    robot = random_robot(seed, springs={"joint2": {"stiffness": 20.0, "damping": 3.0, "reference": 0.4}})
    session = ff.Mission([robot]).session()
    effort = -20.0 * (robot.q["joint2"] - 0.4) - 3.0 * robot.qd["joint2"]
    expected = mujoco_acceleration(session, {"robot.joint2": effort}, {})
    assert np.allclose(ours(session), expected, rtol=0.0, atol=1e-10 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("seed", range(3))
def test_the_path_of_a_tree_equals_mujocos_own_runge_kutta(seed: int, random_robot: Any) -> None:
    """Two integrators of order 4 (MuJoCo's averages quaternion rates, so only its joints keep the order)."""
    session = ff.Mission([random_robot(seed)], integrator=ff.RK4(1e-4)).session()
    tree = session.world.compiled()
    m, d = tree.model, mujoco.MjData(tree.model)
    m.opt.integrator, m.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 1e-4
    d.qpos[:], d.qvel[:] = tree.data.qpos, tree.data.qvel
    session.step(0.1)
    for _ in range(1000):
        mujoco.mj_step(m, d)
    assert np.allclose(d.qpos, session.world.compiled().data.qpos, rtol=0.0, atol=1e-8)
