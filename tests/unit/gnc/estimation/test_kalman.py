import numpy as np
import pytest
from numba import njit
from numba.extending import register_jitable
from scipy.linalg import solve_discrete_are
from scipy.stats import chi2

from freefloat.gnc.estimation import kalman
from freefloat.gnc.estimation.kalman import correct, correct_turning, predict, predict_turning, wrapped

T = 0.01
A = np.array([[1.0, T], [0.0, 1.0]])
C = np.array([[1.0, 0.0]])
RUNS, STEPS = 50, 300
POSITION, ANGLE = 5e-4, 2e-3  # root density of acceleration [m/s^1.5], [rad/s^1.5]


def white(density: float) -> np.ndarray:
    """Q of a double integrator under white acceleration."""
    return density**2 * np.array([[T**3 / 3, T**2 / 2], [T**2 / 2, T]])


def errors(rng: np.random.Generator, Q: np.ndarray, R: np.ndarray, P0: np.ndarray, rate: float, turning: bool):
    """Errors (steps, 2) and covariances of one run; the truth turns without wrapping, the sensor wraps."""
    ahead, better = (predict_turning, correct_turning) if turning else (predict, correct)
    truth = np.array([rng.uniform(-np.pi, np.pi), rate])
    x, P = truth + rng.multivariate_normal(np.zeros(2), P0), P0
    found, covariances = [], []
    for k in range(STEPS):
        drive = 0.05 * np.sin(0.1 * k) * np.array([T**2 / 2, T])
        truth = A @ truth + drive + rng.multivariate_normal(np.zeros(2), Q)
        x, P = ahead(x, P, A, drive, Q)
        y = truth[:1] + rng.normal(0.0, np.sqrt(R[0]))
        x, P, _ = better(x, P, np.array([wrapped(y[0])]) if turning else y, C, R)
        e = truth - x
        found.append([wrapped(e[0]) if turning else e[0], e[1]])
        covariances.append(P)
    return np.array(found), np.array(covariances)


@pytest.mark.parametrize(
    ("turning", "rate", "density"),
    [(False, 0.05, POSITION), (True, 0.3, ANGLE), (True, 4.0, ANGLE), (True, -4.0, ANGLE)],
)
def test_both_filters_are_consistent_and_wrapping_does_not_matter(turning, rate, density):
    """NEES over seeded runs against chi-square at 1e-4 on either side, at separate times and in the mean."""
    R, Q, P0 = np.array([[1e-3]]), white(density), np.diag([1e-3, 1e-2])
    nees = np.empty((RUNS, STEPS))
    for run in range(RUNS):
        e, P = errors(np.random.default_rng([7, run]), Q, R, P0, rate, turning)
        nees[run] = np.einsum("ki,kij,kj->k", e, np.linalg.inv(P), e)
    for k in (0, 50, 150, 299):
        assert chi2.ppf(1e-4, 2 * RUNS) < nees[:, k].sum() < chi2.ppf(1 - 1e-4, 2 * RUNS)
    assert nees.mean() == pytest.approx(2.0, rel=0.15)


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


@pytest.mark.parametrize("turns", [-3, -1, 0, 2])
def test_a_measured_angle_may_be_of_any_turn(turns):
    x, P = np.array([3.1, 0.2]), np.diag([1e-3, 1e-2])
    near = correct_turning(x, P, np.array([3.2]), C, np.array([[1e-3]]))
    far = correct_turning(x, P, np.array([3.2 + turns * 2 * np.pi]), C, np.array([[1e-3]]))
    assert near[0][0] == pytest.approx(wrapped(3.15))
    np.testing.assert_allclose(far[0], near[0], atol=1e-12)
    assert far[2] == pytest.approx(near[2])


def test_steps_compile_and_give_the_same():
    for function in (wrapped, kalman._symmetric, kalman._innovated):
        register_jitable(function)
    x, P, y, R = np.array([3.1, 4.0]), np.diag([1e-3, 1e-2]), np.array([-3.0]), np.array([[1e-3]])
    for a, b in zip(njit(correct_turning)(x, P, y, C, R), correct_turning(x, P, y, C, R), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-14)
