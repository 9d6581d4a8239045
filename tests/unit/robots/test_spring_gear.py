"""Gears as springs: the equation of an elastic joint, with its energy."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.graph import WORLD, Joint, Link
from freefloat.robots.spring_gear import spring_gear

M, K, D = 3.0, 2700.0, 12.0
A, W = 0.01, 4.0  # of the course 0.01 (1 + 4 t + 8 t^2): c0, c1, c2


class Slide:
    name = "slide"

    def build(self, b: ff.Builder) -> None:
        b.body(Link("block", M, np.zeros(3), np.eye(3)))
        x = b.joint(Joint("x", "prismatic", WORLD, "block", ff.Pose.identity(), np.array([1.0, 0.0, 0.0])))
        course = b.command("course", (7,), "-", start=[0.0, A, A * W, 0.5 * A * W**2, 0.0, 0.0, 0.0])
        row = b.add(spring_gear(x, K, D, (course, 0)))
        b.joint_signals([x], "m")
        b.signal_of("force", [row], "torque")


def test_a_block_behind_a_spring_moves_as_its_equation_says_and_keeps_energy() -> None:
    """m x'' = K (theta - x) + D (theta' - x') has x = theta - m theta''/K + e, e'' = -(K e + D e') / m."""
    mission = ff.Mission([Slide()], integrator=ff.RK4(5e-4), record_rate=1000.0)
    result = mission.run(1.0)
    t = result.time("slide.q")
    theta, bend = A * (1.0 + W * t + 0.5 * W**2 * t**2), A * W**2
    e0, v0 = -(A - M * bend / K), -A * W
    decay, free = D / (2.0 * M), np.sqrt(K / M - (D / (2.0 * M)) ** 2)
    e = np.exp(-decay * t) * (e0 * np.cos(free * t) + (v0 + decay * e0) / free * np.sin(free * t))
    assert result["slide.q"][:, 0] == pytest.approx(theta - M * bend / K + e, abs=1e-9)
    assert result["slide.force"][0, 0] == pytest.approx(K * A + D * A * W)
    assert result.audit.drifts["energy_drift"] < 1e-9
