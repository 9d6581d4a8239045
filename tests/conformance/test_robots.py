"""Every robot that comes with Freefloat builds, floats and keeps its laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.inertia import check_inertia
from freefloat.robots.shipped import asset, asset_names

TIPS = {"kr16_2": "flange"}  # of robots that end in something else than a tool
NAMES = [name.removesuffix(".urdf") for name in asset_names()]


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_robot_floats_and_keeps_its_momenta_under_small_torques(name: str, law: Any) -> None:
    graph = ff.load_urdf(asset(name))
    n = sum(j.kind != "fixed" for j in graph.joints)
    lower = [max(j.lower, -1.0) for j in graph.joints if j.kind != "fixed"]
    upper = [min(j.upper, 1.0) for j in graph.joints if j.kind != "fixed"]
    q = np.random.default_rng(0).uniform(lower, upper)
    task = ff.Task(law(lambda t, m: {"tau": 1e-3 * np.cos(t + np.arange(n))}), 0.01, writes={"tau": "robot.tau"})
    result = ff.Mission([ff.Arm("robot", graph, q=tuple(q))], [task]).run(0.5, strict=True)
    assert result.audit.drifts["linear_momentum_drift"] < 1e-11
    assert np.array_equal(result["robot.q"][0], q)
    assert np.abs(result["robot.q"][-1] - q).max() > 0.0


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_robot_has_possible_masses_inertias_limits_and_a_tool(name: str) -> None:
    graph = ff.load_urdf(asset(name))
    for link in graph.links:
        assert link.mass > 0.0
        check_inertia(link.I_LLcm_L)
    for joint in graph.joints:
        assert joint.lower < joint.upper
        assert np.linalg.norm(joint.axis) == pytest.approx(1.0)
    assert any(TIPS.get(name, "tool") in link.frames for link in graph.links)


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_robot_stands_on_another_part(name: str) -> None:
    frames = {"mount": ff.Pose.from_rpy((0.0, 0.5, 0.0), (0.0, 0.0, 1.0))}
    parts = [ff.RigidBody("bus", frames=frames), ff.Arm("arm", ff.load_urdf(asset(name)), on="bus.mount")]
    session = ff.Mission(parts).session()
    assert session.world.roots == ("bus",)
    session.step(0.1)
    assert np.isfinite(session.read(f"arm.{TIPS.get(name, 'tool')}.p_WF")).all()
