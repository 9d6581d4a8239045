"""Welds: light beside heavy ones."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff


def test_a_light_weld_elsewhere_does_not_weaken_a_heavy_one() -> None:
    frames = {"port": ff.Pose.from_rpy((0, 0, 0), (1.0, 0.0, 0.0))}

    def body(name: str, mass: float, x: float) -> ff.RigidBody:
        return ff.RigidBody(name, mass, frames=frames, motion=ff.Motion(ff.Pose(np.eye(3), np.array([x, 0.0, 0.0]))))

    parts = [body("a", 1e5, 0.0), body("b", 1e5, 2.0), body("c", 0.01, 50.0), body("d", 0.01, 52.0)]
    welds = [ff.Connection("ab", "a.port", "b", "constraint", closed=True)]
    welds.append(ff.Connection("cd", "c.port", "d", "constraint", closed=True))
    session = ff.Mission(parts, connections=welds).session()
    session.write("a.wrench", [0, 0, 5e3, 0, 0, 0])
    session.step(2.0)
    assert np.abs(session.read("ab.error")).max() < 1e-9
    assert session.read("a.w_WB_B") == pytest.approx(session.read("b.w_WB_B"), abs=1e-9)
