from __future__ import annotations

import pickle

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.planning.arm.jerk_limited import JerkLimited, Legs, MotionLimits, Path, Stop, through

LIMITS = MotionLimits(np.array([0.35, 0.2, 0.3]), np.array([0.3, 0.5, 0.2]), np.array([1.0, 0.8, 0.6]))
Q0, Q1 = np.array([0.1, -0.4, 0.0]), np.array([1.6, 0.2, -0.3])


def sampled(path: Path, n: int = 4001) -> tuple[np.ndarray, ...]:
    t = np.linspace(0.0, path.duration, n)
    q, qd, qdd = (np.array(x) for x in zip(*(path.at(ti) for ti in t), strict=True))
    return t, q, qd, qdd


def assert_within(path: Path, limits: MotionLimits = LIMITS) -> None:
    t, _, qd, qdd = sampled(path)
    assert np.all(np.abs(qd) <= limits.velocity * (1.0 + 1e-9))
    assert np.all(np.abs(qdd) <= limits.acceleration * (1.0 + 1e-9))
    jerk = np.diff(qdd, axis=0) / np.diff(t)[:, None]
    assert np.all(np.abs(jerk) <= limits.jerk * (1.0 + 1e-6))


def assert_consistent(path: Path) -> None:
    """Rates and accelerations are the derivatives of the position."""
    t, q, qd, qdd = sampled(path)
    h = t[1] - t[0]
    np.testing.assert_allclose(np.gradient(q, h, axis=0)[1:-1], qd[1:-1], atol=h)
    np.testing.assert_allclose(np.gradient(qd, h, axis=0)[1:-1], qdd[1:-1], atol=2.0 * h)


def test_a_motion_keeps_its_limits_and_one_of_them_is_reached() -> None:
    path = JerkLimited(Q0, Q1, LIMITS)
    assert_within(path)
    assert_consistent(path)
    _, _, qd, qdd = sampled(path)
    use = max(np.max(np.abs(qd) / LIMITS.velocity), np.max(np.abs(qdd) / LIMITS.acceleration))
    assert use == pytest.approx(1.0, abs=1e-6)


def test_joints_move_on_a_straight_line_and_rest_at_both_ends() -> None:
    path = JerkLimited(Q0, Q1, LIMITS)
    _, q, _, _ = sampled(path, 301)
    share = (q - Q0) / (Q1 - Q0)
    np.testing.assert_allclose(share, share[:, :1].repeat(3, axis=1), atol=1e-9)
    for t, end in ((-1.0, Q0), (0.0, Q0), (path.duration, Q1), (path.duration + 5.0, Q1)):
        q, qd, qdd = path.at(t)
        assert np.array_equal(q, end)
        assert not qd.any()
        assert not qdd.any()


def test_the_time_of_a_long_single_joint_motion_is_the_closed_form() -> None:
    """d / v + v / a + a / j for a profile that reaches speed v and acceleration a."""
    v, a, j, d = 0.35, 0.3, 1.0, 1.5
    path = JerkLimited(np.zeros(1), np.array([d]), MotionLimits.uniform(1, v, a, j))
    assert path.duration == pytest.approx(d / v + v / a + a / j, rel=1e-12)


def test_a_motion_of_no_distance_takes_no_time() -> None:
    path = JerkLimited(Q0, Q0, LIMITS)
    assert path.duration == 0.0
    assert np.array_equal(path.at(0.3)[0], Q0)


def test_a_stop_brakes_within_limits_from_any_point_of_a_motion() -> None:
    path = JerkLimited(Q0, Q1, LIMITS)
    for share in (0.05, 0.3, 0.5, 0.8, 0.99):
        state = path.at(share * path.duration)
        stop = Stop(*state, LIMITS)
        assert_within(stop)
        assert_consistent(stop)
        for now, then in zip(stop.at(0.0), state, strict=True):
            assert np.array_equal(now, then)
        q, qd, qdd = stop.at(stop.duration)
        assert not qd.any()
        assert not qdd.any()
        assert np.array_equal(stop.at(stop.duration + 1.0)[0], q)
        assert np.abs(stop.at(stop.duration * (1.0 - 1e-9))[1]).max() < 1e-8


def test_legs_run_in_a_row_and_rest_between() -> None:
    points = [Q0, Q1, np.array([0.5, 0.5, 0.5])]
    legs = through(points, LIMITS)
    assert legs.duration == pytest.approx(sum(leg.duration for leg in legs.legs), rel=1e-14)
    assert_within(legs)
    q, qd, _ = legs.at(legs.legs[0].duration)
    assert q == pytest.approx(Q1, abs=1e-12)
    assert not qd.any()
    assert np.array_equal(legs.at(np.inf)[0], points[-1])
    assert [legs.leg_at(t) for t in (-1.0, 0.1, legs.ends[0] + 1e-9, 1e9)] == [0, 0, 1, 1]


def test_a_motion_survives_pickling_bit_by_bit() -> None:
    legs = through([Q0, Q1, Q0], LIMITS)
    twin = pickle.loads(pickle.dumps(legs))
    for t in np.linspace(0.0, legs.duration, 50):
        assert all(np.array_equal(a, b) for a, b in zip(legs.at(t), twin.at(t), strict=True))


def test_slower_limits_give_the_same_motion_in_longer_time() -> None:
    fast, slow = JerkLimited(Q0, Q1, LIMITS), JerkLimited(Q0, Q1, LIMITS.scaled(0.5))
    assert slow.duration == pytest.approx(2.0 * fast.duration, rel=1e-9)
    assert slow.at(0.6 * slow.duration)[0] == pytest.approx(fast.at(0.6 * fast.duration)[0], abs=1e-9)


def test_nonsense_is_refused() -> None:
    with pytest.raises(InputError, match="q1: 2 numbers for 3 joints"):
        JerkLimited(Q0, Q1[:2], LIMITS)
    with pytest.raises(InputError, match="must be a list of finite numbers"):
        JerkLimited(Q0, Q1 * np.nan, LIMITS)
    with pytest.raises(InputError, match=r"jerk limits .* must be a list of positive numbers"):
        MotionLimits.uniform(3, 1.0, 1.0, 0.0)
    with pytest.raises(InputError, match=r"leg 1 starts .* rad from the end"):
        Legs((JerkLimited(Q0, Q1, LIMITS), JerkLimited(Q0, Q1, LIMITS)))
    with pytest.raises(InputError, match="at least one leg"):
        Legs(())
