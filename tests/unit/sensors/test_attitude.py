"""Gyro, star tracker and Sun sensor: their errors have the declared sizes, and come from the seed alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.frames import quat_conj, quat_exp, quat_log, quat_mul, quat_rotate
from freefloat.sensors import Gyro, StarTracker, SunSensor

N = 20000
RATE = np.array([0.01, -0.02, 0.03])
ANGLES = (0.0, 0.009, 0.021, 0.03)  # [rad] at steps of 0.2 s
Q = quat_exp(np.array([0.3, -0.5, 0.9]))


def readings(model: Any, truth: np.ndarray, dt: float, n: int = N, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([model.measure(k * dt, truth.copy(), rng) for k in range(n)])


def test_white_gyro_noise_scales_with_the_root_of_the_sample_rate() -> None:
    for dt in (0.01, 0.25):
        seen = readings(Gyro(noise=1e-4, walk=0.0, bias=0.0), RATE, dt)[1:]
        assert seen.mean(axis=0) == pytest.approx(RATE, abs=5.0 * 1e-4 / np.sqrt(dt * N))
        assert seen.std(axis=0) == pytest.approx(1e-4 / np.sqrt(dt), rel=0.03)


def test_integrated_gyro_noise_is_the_declared_angle_random_walk() -> None:
    dt = 0.1
    seen = readings(Gyro(noise=1e-4, walk=0.0, bias=0.0), np.zeros(3), dt)[1:20001]
    angles = dt * seen[: len(seen) // 100 * 100].reshape(-1, 100, 3).sum(axis=1)  # over 10 s
    assert angles.std() == pytest.approx(1e-4 * np.sqrt(10.0), rel=0.1)


def test_the_gyro_bias_starts_at_its_deviation_and_walks() -> None:
    start = np.array([Gyro(noise=0.0, walk=0.0, bias=1e-3).measure(0.0, np.zeros(3), g) for g in generators(2000)])
    assert start.std() == pytest.approx(1e-3, rel=0.04)
    ends = []
    for g in generators(400):
        gyro = Gyro(noise=0.0, walk=1e-4, bias=0.0)
        ends.append([gyro.measure(t, np.zeros(3), g) for t in np.arange(0.0, 25.5, 0.5)][-1])
    assert np.std(ends) == pytest.approx(1e-4 * np.sqrt(25.0), rel=0.08)


def generators(n: int) -> list[np.random.Generator]:
    return [np.random.default_rng([7, k]) for k in range(n)]


def test_the_gyro_scale_error_is_constant_and_proportional() -> None:
    gyro = Gyro(noise=0.0, walk=0.0, bias=0.0, scale=1e-2)
    rng = np.random.default_rng(0)
    one, two = gyro.measure(0.0, RATE, rng) / RATE - 1.0, gyro.measure(1.0, -5.0 * RATE, rng) / (-5.0 * RATE) - 1.0
    np.testing.assert_allclose(one, two, rtol=1e-9)
    assert 1e-4 < np.abs(one).max() < 5e-2


def test_star_tracker_errors_are_larger_about_the_boresight() -> None:
    q_BT = tuple(quat_exp(np.array([0.4, 1.1, -0.2])))
    tracker = StarTracker(across=5e-5, about=3e-4, q_BT=q_BT)
    q_WT = quat_mul(Q, np.array(q_BT))
    seen = readings(tracker, Q, 0.1, 5000)
    errors = np.array([quat_log(quat_mul(quat_conj(q_WT), q)) for q in seen])
    assert np.abs(errors.mean(axis=0)).max() < 5.0 * 3e-4 / np.sqrt(5000)
    assert errors.std(axis=0) == pytest.approx([5e-5, 5e-5, 3e-4], rel=0.05)
    np.testing.assert_allclose(np.linalg.norm(seen, axis=1), 1.0, atol=1e-15)
    assert (seen[:, 0] >= 0.0).all()


def test_the_star_tracker_has_no_reading_while_the_body_turns_too_fast() -> None:
    tracker, rng = StarTracker(max_rate=0.05), np.random.default_rng(0)
    seen = [tracker.measure(0.2 * k, quat_exp(np.array([0.0, angle, 0.0])), rng) for k, angle in enumerate(ANGLES)]
    assert [bool(np.isnan(q).any()) for q in seen] == [False, False, True, False]


def test_the_sun_sensor_gives_the_direction_in_the_body_with_its_noise() -> None:
    s_W = np.array([0.6, 0.0, 0.8])
    seen = readings(SunSensor(lambda t: s_W, noise=1e-3), Q, 0.1, 5000)
    s_B = quat_rotate(quat_conj(Q), s_W)
    across = seen - np.outer(seen @ s_B, s_B)
    assert np.sqrt(np.mean(np.sum(across**2, axis=1))) == pytest.approx(1e-3 * np.sqrt(2.0), rel=0.04)
    np.testing.assert_allclose(np.linalg.norm(seen, axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose(seen.mean(axis=0), s_B, atol=1e-4)


def test_the_sun_sensor_is_blind_in_eclipse_and_outside_its_field_of_view() -> None:
    s_W = np.array([0.0, 0.0, 1.0])
    level = np.array([1.0, 0.0, 0.0, 0.0])
    lit_until_10 = SunSensor(lambda t: s_W if t < 10.0 else np.zeros(3), axis=(0.0, 0.0, 2.0), half_angle=0.5)
    rng = np.random.default_rng(0)
    assert lit_until_10.measure(0.0, level, rng)[2] > 0.99
    assert not lit_until_10.measure(0.0, quat_exp(np.array([0.6, 0.0, 0.0])), rng).any()
    assert lit_until_10.measure(0.0, quat_exp(np.array([0.4, 0.0, 0.0])), rng).any()
    assert not lit_until_10.measure(10.0, level, rng).any()


def test_in_a_mission_readings_come_from_the_seed_alone_and_survive_a_snapshot(law: Any) -> None:
    sensors = {"w": ff.Sensor(rate=50.0, model=Gyro(noise=1e-3, bias=1e-2)), "q": ff.Sensor(model=StarTracker())}
    reads = {"w": "bus.w_WB_B", "q": "bus.q_WB"}
    records = {"w": ff.Signal("seen.w", "rad/s", (3,)), "q": ff.Signal("seen.q", "-", (4,))}
    task = ff.Task(law(lambda t, m: dict(m)), 0.02, reads, {}, sensors, records, name="look")
    mission = ff.Mission([ff.RigidBody("bus", motion=ff.Motion(w_WL_L=(0.1, 0.2, 0.3)))], [task])
    first, same, other = (mission.run(1.0, seed=s) for s in (1, 1, 2))
    for name in ("seen.w", "seen.q"):
        assert np.array_equal(first[name], same[name])
        assert not np.array_equal(first[name], other[name])
    session = mission.session(1)
    session.step(0.5)
    snapshot = session.snapshot()
    session.step(0.3)
    session.restore(snapshot)
    assert np.array_equal(mission.complete(session, 1.0)["seen.w"], first["seen.w"])
