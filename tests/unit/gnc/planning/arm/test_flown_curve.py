"""Curves that are flown: smooth, from rest to rest, within limits."""

from __future__ import annotations

import numpy as np

from freefloat.gnc.planning.arm.curve_proof_step import shares
from freefloat.gnc.planning.arm.flown_curve import flown, limit_table
from freefloat.gnc.planning.arm.jerk_limited import JerkLimited, MotionLimits
from freefloat.gnc.planning.arm.joint_path import QuinticPieces

LIMITS = MotionLimits.uniform(7, 0.35, 0.175, 0.175)
TABLE = limit_table(LIMITS)


def bent(seed: int) -> np.ndarray:
    """Points of a turn in joint space."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(-1.0, 1.0, (3, 7))
    x = np.linspace(0.0, 1.0, 30)[:, None]
    return (1 - x) ** 2 * a + 2 * x * (1 - x) * b + x**2 * c


def test_limits_hold_between_knots_too() -> None:
    for seed in range(5):
        times, states = flown(bent(seed), TABLE)
        assert max(shares(times, states, TABLE)) <= 1.0
        path = QuinticPieces(times, states[:, 0], states[:, 1], states[:, 2])
        at = np.arange(0.0, path.duration, 1e-3)
        rows = np.array([path.at(t) for t in at])
        assert np.abs(rows[:, 1] / LIMITS.velocity).max() <= 1.0 + 1e-12
        assert np.abs(rows[:, 2] / LIMITS.acceleration).max() <= 1.0 + 1e-12
        assert np.abs(np.diff(rows[:, 2], axis=0) * 1e3 / LIMITS.jerk).max() <= 1.0 + 1e-9


def test_it_begins_and_ends_at_rest_in_the_given_points_and_stops_nowhere_between() -> None:
    points = bent(1)
    times, states = flown(points, TABLE)
    assert np.array_equal(states[0, 0], points[0])
    assert np.array_equal(states[-1, 0], points[-1])
    assert not states[[0, -1], 1:].any()
    middle = (times > 2.0) & (times < times[-1] - 2.0)
    assert (np.abs(states[middle, 1]).max(axis=1) > 0.05).all()


def test_a_straight_motion_takes_little_more_than_the_fastest() -> None:
    points = np.linspace(np.zeros(7), np.full(7, 1.5), 40)
    best = JerkLimited(points[0], points[-1], LIMITS).duration
    assert best <= flown(points, TABLE)[0][-1] <= 1.12 * best
