from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy.linalg import solve_discrete_are
from scipy.stats import chi2

from freefloat.gnc.estimation.kalman import (
    axis_correct,
    axis_predict,
    correct,
    predict,
    white_acceleration,
    wrapped,
)

T = 0.01
A = np.array([[1.0, T], [0.0, 1.0]])
C = np.array([[1.0, 0.0]])
RUNS, STEPS = 1000, 300
POSITION, ANGLE = 5e-4, 2e-3  # root density of acceleration [m/s^1.5], [rad/s^1.5]


def white(density: float) -> np.ndarray:
    """Q of a double integrator under white acceleration."""
    return white_acceleration(T, density)[1]


def normalised(rng: np.random.Generator, density: float, variance: float, rate: float, turning: bool) -> np.ndarray:
    """NEES (steps, runs) of the steps of one axis; the truth turns without wrapping, the sensor wraps."""
    turned: Any = wrapped if turning else lambda angle: angle
    truth = np.vstack([rng.uniform(-np.pi, np.pi, RUNS), np.full(RUNS, rate)])
    P, root, nees = np.array([variance, 0.0, 1e-2]), np.linalg.cholesky(white(density)), []
    x = truth + np.sqrt(P[[0, 2], None]) * rng.normal(size=(2, RUNS))
    for k in range(STEPS):
        push = 0.05 * np.sin(0.1 * k)
        truth = A @ truth + push * np.array([[T**2 / 2], [T]]) + root @ rng.normal(size=(2, RUNS))
        axis_predict(x, P, push, T, density)
        sensed: Any = turned(truth[0] + rng.normal(0.0, np.sqrt(variance), RUNS))
        axis_correct(x, P, turned(sensed - x[0]), variance)
        x[0] = turned(x[0])
        e = np.array([turned(truth[0] - x[0]), truth[1] - x[1]])
        nees.append(np.sum(e * np.linalg.solve(P[[[0, 1], [1, 2]]], e), axis=0))
    return np.array(nees)


@pytest.mark.parametrize(
    ("turning", "rate", "density"),
    [(False, 0.05, POSITION), (True, 0.3, ANGLE), (True, 4.0, ANGLE), (True, -4.0, ANGLE)],
)
def test_both_filters_are_consistent_and_wrapping_does_not_matter(turning, rate, density):
    """NEES over seeded runs against chi-square at 1e-4 on either side, at separate times and in the mean."""
    nees = normalised(np.random.default_rng(7), density, 1e-3, rate, turning)
    for k in (0, 50, 150, 299):
        assert chi2.ppf(1e-4, 2 * RUNS) < nees[k].sum() < chi2.ppf(1 - 1e-4, 2 * RUNS)
    assert nees.mean() == pytest.approx(2.0, rel=0.05)


def test_flat_filter_fails_where_the_angle_wraps():
    """The claim above can fail: the filter on R^2, fed with wrapped angles, is off by turns."""
    rng = np.random.default_rng(8)
    x, P, truth = np.array([3.0, 4.0]), np.diag([1e-3, 1e-2]), np.array([3.0, 4.0])
    worst = 0.0
    for _ in range(100):
        truth = A @ truth
        x, P = predict(x, P, A, np.zeros(2), white(ANGLE))
        x, P, _ = correct(x, P, np.array([wrapped(truth[0] + rng.normal(0, 0.03))]), C, np.array([[1e-3]]))
        worst = max(worst, abs(wrapped(truth[0] - x[0])))
    assert worst > 1.0


def test_innovations_are_consistent():
    rng, Q, R = np.random.default_rng(9), white(ANGLE), np.array([[1e-3]])
    truth, x, P, total = np.zeros(2), np.zeros(2), np.diag([1e-12, 1e-12]), 0.0
    for _ in range(2000):
        truth = A @ truth + rng.multivariate_normal(np.zeros(2), Q)
        x, P = predict(x, P, A, np.zeros(2), Q)
        x, P, nis = correct(x, P, truth[:1] + rng.normal(0.0, np.sqrt(1e-3), 1), C, R)
        total += nis
    assert chi2.ppf(1e-4, 2000) < total < chi2.ppf(1 - 1e-4, 2000)


@pytest.mark.parametrize(
    ("variance", "density", "limit"), [(1e-3, POSITION, 2.52e-3), (1e-3, ANGLE, np.deg2rad(0.199))]
)
def test_errors_of_table_5_2_are_reached_with_the_process_noise_of_the_consistency_test(variance, density, limit):
    Q, R = white(density), np.array([[variance]])
    prior = solve_discrete_are(A.T, C.T, Q, R)
    x, P = np.zeros(2), np.diag([variance, 1e-2])
    for _ in range(5000):
        _, P = predict(x, P, A, np.zeros(2), Q)
        _, P, _ = correct(x, P, np.zeros(1), C, R)
    steady = prior - prior @ C.T @ C @ prior / (prior[0, 0] + variance)
    np.testing.assert_allclose(P, steady, rtol=1e-6)
    assert np.sqrt(steady[0, 0]) < limit


def test_update_is_the_textbook_one_for_many_states_and_measurements():
    rng = np.random.default_rng(10)
    L, H = rng.normal(size=(7, 7)), rng.normal(size=(4, 7))
    P, R, x, y = L @ L.T, np.diag(rng.uniform(0.5, 2.0, 4)), rng.normal(size=7), rng.normal(size=4)
    better, P_after, nis = correct(x, P, y, H, R)
    information = np.linalg.inv(P) + H.T @ np.linalg.inv(R) @ H
    np.testing.assert_allclose(P_after, np.linalg.inv(information), atol=1e-9)
    expected = np.linalg.solve(information, np.linalg.solve(P, x) + H.T @ np.linalg.solve(R, y))
    np.testing.assert_allclose(better, expected, atol=1e-9)
    assert nis == pytest.approx((y - H @ x) @ np.linalg.inv(H @ P @ H.T + R) @ (y - H @ x))


def test_steps_of_one_axis_compile_and_give_the_same():
    def step(x, P, y):
        axis_predict(x, P, 0.3, T, ANGLE)
        axis_correct(x, P, wrapped(y - x[0]), 1e-3)
        x[0] = wrapped(x[0])

    plain, compiled = [(np.array([3.1, 4.0]), np.array([1e-3, 1e-4, 1e-2])) for _ in range(2)]
    step(*plain, -3.0)
    njit(step)(*compiled, -3.0)
    for a, b in zip(plain, compiled, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-14)


@pytest.mark.parametrize("noise", [0.0, POSITION, 0.1])
def test_steps_of_one_axis_are_those_on_matrices(noise):
    rng, Q, R = np.random.default_rng(11), white(noise), np.array([[1e-3]])
    x, P = np.array([0.3, -0.2]), np.diag([1e-3, 1e-2])
    axis, short = x.copy(), np.array([1e-3, 0.0, 1e-2])
    for _ in range(500):
        a, y = rng.normal(), rng.normal(size=1)
        x, P = predict(x, P, A, a * np.array([T**2 / 2, T]), Q)
        axis_predict(axis, short, a, T, noise)
        np.testing.assert_allclose(short, P[[0, 0, 1], [0, 1, 1]], rtol=1e-9)
        x, P, _ = correct(x, P, y, C, R)
        axis_correct(axis, short, float(y[0]) - axis[0], 1e-3)
        np.testing.assert_allclose(axis, x, rtol=1e-9, atol=1e-12)


def test_white_acceleration_over_two_ticks_is_that_over_one_twice_as_long():
    once, noise = white_acceleration(T, 0.3)
    twice, total = white_acceleration(2 * T, 0.3)
    np.testing.assert_allclose(once @ once, twice, rtol=1e-15)
    np.testing.assert_allclose(once @ noise @ once.T + noise, total, rtol=1e-12)
