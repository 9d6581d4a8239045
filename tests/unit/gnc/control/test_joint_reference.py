"""What becomes of a path in the arrays that fly."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.control.joint_reference import KNOTS, SPAN, JointReference
from freefloat.gnc.planning.arm.jerk_limited import JerkLimited, MotionLimits, Stop
from freefloat.gnc.planning.arm.joint_path import QuinticPieces

Q0, Q1 = np.array([0.1, -0.2, 0.3]), np.array([1.1, 0.9, -0.8])
LIMITS = MotionLimits.uniform(3, 0.35, 0.17, 0.5)


def pieces(k: int, seed: int = 3) -> QuinticPieces:
    rng = np.random.default_rng(seed)
    return QuinticPieces(np.cumsum(rng.uniform(0.01, 0.3, k)) - 0.005, *rng.normal(size=(3, k, 3)))


def test_a_path_with_knots_flies_as_it_is() -> None:
    reference, path = JointReference(3), pieces(KNOTS)
    reference.follow(path, 4.0)
    for t in np.random.default_rng(1).uniform(path.knots[0][0], path.duration, 200):
        np.testing.assert_array_equal(reference.at(4.0 + t), path.at(4.0 + t - 4.0))
    assert reference.end == 4.0 + path.duration


def test_a_path_with_too_many_knots_is_sampled() -> None:
    reference = JointReference(3)
    t = np.arange(KNOTS + 500) * 0.004
    path = QuinticPieces(t, *(np.outer(x, [1.0, 2.0, -1.0]) for x in (np.sin(t), np.cos(t), -np.sin(t))))
    reference.follow(path, 0.0)
    assert reference.count[0] == np.ceil(path.duration / SPAN) + 1
    off = [np.abs(reference.at(x)[0] - path.at(x)[0]).max() for x in np.linspace(0.0, path.duration, 300)]
    assert max(off) < 1e-9


def test_a_jerk_limited_path_is_found_again_but_for_the_jumps_of_its_jerk() -> None:
    """A jump J within a piece puts it off by at most J h^3 / 768, J h^2 / 211 and J h / 16."""
    path, reference = JerkLimited(Q0, Q1, LIMITS), JointReference(3)
    reference.follow(path, 0.0)
    span = reference.times[1]
    assert 0.9 * SPAN < span <= SPAN
    bounds = 2.0 * LIMITS.jerk[0] * np.array([span**3 / 768, span**2 / 211, span / 16])
    off = np.zeros((reference.count[0] - 1, 3))
    for i in range(len(off)):
        for t in np.linspace(reference.times[i], reference.times[i + 1], 12):
            gap = [np.abs(x - y).max() for x, y in zip(reference.at(t), path.at(t), strict=True)]
            off[i] = np.maximum(off[i], gap)
    assert (off <= bounds + np.array([1e-15, 1e-13, 1e-11])).all()
    assert (off.max(axis=0) > 0.1 * bounds).all(), "the bound is not idle"
    assert np.sum(off[:, 0] > 1e-13) <= 8, "a profile has at most eight jumps"


def test_before_its_start_it_waits_there_and_after_its_end_it_rests() -> None:
    reference = JointReference(3)
    path = Stop(Q0, np.array([0.2, -0.1, 0.0]), np.zeros(3), LIMITS)
    reference.follow(path, 5.0)
    np.testing.assert_allclose(reference.at(4.999), path.at(0.0), atol=1e-15)
    q, qd, qdd = reference.at(reference.end + 1.0)
    np.testing.assert_allclose(q, path.at(path.duration)[0], atol=1e-12)
    assert not qd.any()
    assert not qdd.any()


def test_a_long_path_gets_all_the_room_and_one_of_no_length_one_knot() -> None:
    reference, slow = JointReference(3), LIMITS.scaled(0.02)
    reference.follow(JerkLimited(Q0, Q1, slow), 0.0)
    assert reference.count[0] == KNOTS
    assert not reference.rests
    reference.follow(JerkLimited(Q0, Q0, LIMITS), 3.0)
    assert reference.rests
    np.testing.assert_array_equal(reference.at(7.0)[0], Q0)


def test_arrays_stay_where_they_are() -> None:
    reference = JointReference(3)
    before = [x.ctypes.data for x in (reference.start, reference.count, reference.times, reference.knots)]
    reference.follow(pieces(10), 1.0)
    reference.rest(Q0)
    reference.follow(JerkLimited(Q0, Q1, LIMITS), 2.0)
    assert before == [x.ctypes.data for x in (reference.start, reference.count, reference.times, reference.knots)]


def test_a_path_of_other_joints_is_refused() -> None:
    with pytest.raises(InputError, match="path of 3 joints; allowed: 7"):
        JointReference(7).follow(pieces(4), 0.0)
