import numpy as np
import pytest
from numba import njit
from scipy.integrate import solve_ivp
from scipy.interpolate import interp1d
from scipy.linalg import solve_continuous_are

from freefloat.errors import InputError
from freefloat.gnc.control.platform.tvlqr_gains import platform_gains
from freefloat.gnc.control.tvlqr import (
    Linear,
    Weights,
    add_feedback,
    riccati,
    steady_gain,
)
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference, line, rest_to_rest
from freefloat.gnc.planning.platform.model import PlatformModel

MODEL = PlatformModel()
WEIGHTS = Weights(  # Table A.1, simulation
    np.diag([1e4, 1e4, 1e4, 100.0, 100.0, 100.0, 1e-3]),
    10.0 * np.eye(9),
    np.diag([1e5, 1e5, 1e5, 1e6, 1e6, 1e6, 1e-7]),
)


def plan(reference: HermiteReference, t: float) -> tuple[np.ndarray, np.ndarray]:
    pose, rate, acceleration = reference.at(t)
    wheel = -MODEL.inertia / MODEL.wheel_inertia * rate[2]
    return np.array([*pose, *rate, wheel]), MODEL.feedforward(pose[2], acceleration)


def about(reference: HermiteReference) -> Linear:
    return lambda t: MODEL.linearised(*plan(reference, t))


def integrated(linear: Linear, weights: Weights, times: np.ndarray) -> np.ndarray:
    """S at the times by an explicit Runge-Kutta method on eq. 4.35."""
    n = len(weights.Q)

    def slope(t: float, flat: np.ndarray) -> np.ndarray:
        A, B = linear(t)
        S = flat.reshape(n, n)
        return -(S @ A + A.T @ S - S @ B @ np.linalg.solve(weights.R, B.T @ S) + weights.Q).ravel()

    size = np.sqrt(np.diag(weights.Qf))
    found = solve_ivp(
        slope,
        (times[-1], times[0]),
        weights.Qf.ravel(),
        method="DOP853",
        rtol=1e-12,
        atol=1e-14 * np.outer(size, size).ravel(),
        t_eval=times[::-1],
    )
    return found.y.T[::-1].reshape(-1, n, n)


def scaled_error(S: np.ndarray, expected: np.ndarray) -> float:
    """Largest |S_ij - expected_ij| / sqrt(expected_ii expected_jj)."""
    size = np.sqrt(np.einsum("kii->ki", expected))
    return float(np.abs((S - expected) / (size[:, :, None] * size[:, None, :])).max())


def fed_back(times: np.ndarray, gains: np.ndarray, t: float, error: np.ndarray) -> np.ndarray:
    u = np.zeros(gains.shape[1])
    add_feedback(times, gains, t, error, u)
    return u


def test_riccati_solution_matches_an_independent_solver_to_1e_8():
    linear = about(rest_to_rest((0, 0, 0), (0.1, 0.2, 0.3), 10.0))
    times = np.linspace(0.0, 10.0, 201)
    assert scaled_error(riccati(linear, WEIGHTS, times)[::10], integrated(linear, WEIGHTS, times[::10])) < 1e-8


def test_riccati_solution_is_of_fourth_order_along_a_turning_plan():
    linear = about(rest_to_rest((0, 0, 0), (0.1, 0.2, 0.3), 10.0))
    times = np.linspace(0.0, 10.0, 161)
    exact = riccati(linear, WEIGHTS, times)
    errors = [scaled_error(riccati(linear, WEIGHTS, times[::k])[:1], exact[:1]) for k in (4, 8)]
    assert 12.0 < errors[1] / errors[0] < 20.0


def test_riccati_solution_tends_to_the_algebraic_one():
    A, B = MODEL.linearised(*plan(line(), 1e3))
    S = riccati(lambda t: (A, B), WEIGHTS, np.linspace(0.0, 200.0, 401))
    expected = solve_continuous_are(A, B, WEIGHTS.Q, WEIGHTS.R)
    assert scaled_error(S[:1], expected[None]) < 1e-8
    np.testing.assert_allclose(steady_gain(A, B, WEIGHTS.Q, WEIGHTS.R), -B.T @ expected / 10.0, rtol=1e-9, atol=1e-9)


def test_riccati_steps_of_a_constant_system_are_exact_at_any_length():
    A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])
    weights = Weights(np.eye(2), np.eye(1), 1e6 * np.eye(2))
    one = riccati(lambda t: (A, B), weights, np.array([0.0, 2.0]))
    many = riccati(lambda t: (A, B), weights, np.linspace(0.0, 2.0, 101))
    np.testing.assert_allclose(one[0], many[0], rtol=1e-10)


def test_solution_is_symmetric_and_positive_all_along_the_line():
    S = riccati(about(line()), WEIGHTS, np.linspace(0.0, 104.0, 209))
    np.testing.assert_array_equal(S, S.transpose(0, 2, 1))
    assert np.linalg.eigvalsh(S).min() > 0.0


def test_the_cost_to_go_is_what_the_closed_loop_pays():
    reference = rest_to_rest((0, 0, 0), (0.1, 0.2, 0.3), 10.0)
    linear, times, weights = about(reference), np.linspace(0.0, 10.0, 401), Weights(WEIGHTS.Q, WEIGHTS.R, WEIGHTS.Q)
    S = riccati(linear, weights, times)
    gains = np.array([-np.linalg.solve(weights.R, linear(t)[1].T @ s) for t, s in zip(times, S, strict=True)])
    x0 = np.array([0.01, -0.02, 0.03, 0.001, 0.0, 0.002, 0.5])

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        (A, B), e = linear(t), x[:7]
        u = fed_back(times, gains, t, e)
        return np.append(A @ e + B @ u, e @ weights.Q @ e + u @ weights.R @ u)

    end = solve_ivp(slope, (0.0, 10.0), np.append(x0, 0.0), rtol=1e-7, atol=1e-9, max_step=0.05).y[:, -1]
    assert end[7] + end[:7] @ weights.Qf @ end[:7] == pytest.approx(x0 @ S[0] @ x0, rel=1e-4)


def test_the_law_brings_the_turning_platform_back_to_its_plan():
    reference = rest_to_rest((0, 0, 0), (0.2, 0.4, 1.0), 40.0)
    times = np.linspace(0.0, 40.0, 401)
    gains = platform_gains(reference, MODEL, WEIGHTS, times, idle=0.0)[:-1]

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        x_0, u_0 = plan(reference, t)
        return MODEL.derivative(x, u_0 + fed_back(times, gains, t, x - x_0))

    start = plan(reference, 0.0)[0] + np.array([0.05, -0.05, 0.1, 0.0, 0.0, 0.0, 0.0])
    x = solve_ivp(slope, (0.0, 40.0), start, rtol=1e-8, atol=1e-10, max_step=0.1).y[:, -1]
    np.testing.assert_allclose(x[:6], plan(reference, 40.0)[0][:6], atol=1e-3)


def test_gains_are_linear_between_the_knots_and_constant_beyond():
    knots, gains = np.array([0.0, 1.0, 3.0]), np.array([1.0, 2.0, 6.0])[:, None, None]
    compiled = njit(add_feedback)
    for t, gain in zip((-1.0, 0.0, 0.25, 1.0, 2.0, 3.0, 9.0), (1.0, 1.0, 1.25, 2.0, 4.0, 6.0, 6.0), strict=True):
        u = np.array([0.5])
        compiled(knots, gains, t, np.array([2.0]), u)
        assert u[0] == pytest.approx(0.5 + 2.0 * gain)
        assert fed_back(knots, gains, t, np.array([2.0]))[0] == pytest.approx(2.0 * gain)


def test_feedback_is_the_interpolated_gain_times_the_error():
    rng = np.random.default_rng(3)
    times, gains, error = np.array([0.0, 1.0, 3.0, 3.5]), rng.normal(size=(4, 9, 7)), rng.normal(size=7)
    for t in (-1.0, 0.0, 0.3, 1.0, 2.9, 3.0, 3.5, 8.0):
        K = interp1d(times, gains, axis=0)(np.clip(t, 0.0, 3.5))
        np.testing.assert_allclose(fed_back(times, gains, t, error), K @ error, rtol=1e-12, atol=1e-12)


def test_impossible_weights_are_refused():
    with pytest.raises(InputError, match="weight R: eigenvalue"):
        Weights(np.eye(2), np.zeros((1, 1)), np.eye(2))
    with pytest.raises(InputError, match="weight Qf"):
        Weights(np.eye(2), np.eye(1), -np.eye(2))
    with pytest.raises(InputError, match="symmetric"):
        Weights(np.array([[1.0, 1.0], [0.0, 1.0]]), np.eye(1), np.eye(2))
    with pytest.raises(InputError, match="stabilisable"):
        steady_gain(np.eye(2), np.zeros((2, 1)), np.eye(2), np.eye(1))
