"""The closed form is itself an oracle for the engine, so it is judged by everything but the engine."""

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from freefloat import frames
from freefloat.errors import InputError
from freefloat.verify.oracles.torque_free import TorqueFreeBody

Q0 = (0.3, 0.1, -0.5, 0.7)
BODIES = {
    "about the largest moment": TorqueFreeBody((1.0, 2.0, 2.5), (0.1, 0.2, 1.0), Q0),
    "about the smallest moment": TorqueFreeBody((1.0, 2.0, 2.5), (1.0, 0.2, -0.1), Q0),
    "against both axes": TorqueFreeBody((1.0, 2.0, 2.5), (-1.0, -0.2, -0.1), Q0),
    "moments in another order": TorqueFreeBody((500.0, 200.0, 300.0), (0.5, -0.4, 0.7), Q0),
    "axisymmetric, oblate": TorqueFreeBody((2.0, 2.0, 2.5), (0.3, 0.5, 0.7), Q0),
    "axisymmetric, prolate": TorqueFreeBody((2.5, 2.0, 2.5), (0.3, 0.5, 0.7), Q0),
    "spherical": TorqueFreeBody((2.0, 2.0, 2.0), (0.3, 0.5, 0.7), Q0),
    "nearly pure spin": TorqueFreeBody((1.0, 2.0, 2.5), (1e-9, 1e-9, 1.0), Q0),
    "wobble near the smallest number": TorqueFreeBody((1.0, 2.0, 2.5), (1.0, 1e-130, -1e-135), Q0),
    "wobble below the smallest number": TorqueFreeBody((1.0, 2.0, 2.5), (1.0, 1e-250, 0.0), Q0),
    "pure spin about the middle axis": TorqueFreeBody((1.0, 2.0, 2.5), (0.0, 1.0, 0.0), Q0),
    "tumbling about the middle axis": TorqueFreeBody((1.0, 2.0, 2.5), (1e-3, 1.0, 1e-3), Q0),
    "on the separatrix": TorqueFreeBody((3.0, 4.0, 6.0), (1.0, 0.2, 0.5), Q0),
}
ALL = pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())

# 22nd-order Taylor steps of 0.2 s in 30-digit arithmetic, state at 1000 s from the identity.
REFERENCES = [
    (
        (500.0, 200.0, 300.0),
        (0.5, -0.4, 0.7),
        (0.5034395413426973, 0.42101883442041804, 0.6875631905965244),
        (0.587107803735417, -0.5180544055890907, -0.008706661698479579, -0.6219712643561415),
    ),
    (
        (1.0, 2.0, 2.5),
        (1.0, 0.2, -0.1),
        (0.9973358190751959, -0.21904770253169098, 0.075782509910358),
        (-0.856703445919886, -0.3328825895298186, -0.1821438359891763, -0.3493880512382518),
    ),
    (
        (1.0, 2.0, 2.5),
        (0.001, 1.0, 0.001),
        (0.17233779864601606, -0.9774717513753366, 0.15414426189035976),
        (0.05574650827366042, -0.8198895727690855, -0.08998734116694135, -0.5626505964713142),
    ),
]


def integrate(body: TorqueFreeBody, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    moments = np.asarray(body.moments)

    def rhs(_, y):
        w, R = y[:3], y[3:].reshape(3, 3)
        return np.concatenate([-np.cross(w, moments * w) / moments, (R @ frames.skew(w)).ravel()])

    start = np.concatenate([body.w_WB_B, frames.quat_to_matrix(body.q_WB).ravel()])
    y = solve_ivp(rhs, (0.0, times[-1]), start, method="DOP853", t_eval=times, rtol=1e-13, atol=1e-15).y
    return y[:3].T, y[3:].T.reshape(-1, 3, 3)


def angles(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.linalg.norm([frames.so3_log(a.T @ b) for a, b in zip(A, B, strict=True)], axis=1)


def taylor_step(moments, w, q, h, order=22):
    """One Taylor step of Euler's equations and the quaternion kinematics in mpmath numbers."""
    a, b, c = moments
    k = ((b - c) / a, (c - a) / b, (a - b) / c)
    W, Q = [[x] for x in w], [[x] for x in q]
    for n in range(order):

        def product(x, y, n=n):
            return mpmath.fsum(x[i] * y[n - i] for i in range(n + 1))

        rates = [k[i] * product(W[(i + 1) % 3], W[(i + 2) % 3]) for i in range(3)]
        turn = [-sum(product(Q[i + 1], W[i]) for i in range(3))]
        for i in range(3):
            j, m = (i + 1) % 3, (i + 2) % 3
            turn.append(product(Q[0], W[i]) + product(Q[j + 1], W[m]) - product(Q[m + 1], W[j]))
        for series, x in zip(W, rates, strict=True):
            series.append(x / (n + 1))
        for series, x in zip(Q, turn, strict=True):
            series.append(x / 2 / (n + 1))
    return [mpmath.polyval(s[::-1], h) for s in W], [mpmath.polyval(s[::-1], h) for s in Q]


@ALL
def test_it_starts_from_the_given_state(body):
    np.testing.assert_allclose(body.rates(0.0)[0], body.w_WB_B, atol=1e-15)
    np.testing.assert_allclose(body.attitudes(0.0)[0], frames.quat_canonical(Q0), atol=1e-15)


@ALL
def test_momentum_vector_and_energy_stay_for_1000_s(body):
    t = np.linspace(0.0, 1000.0, 501)
    w = body.rates(t)
    momentum = np.einsum("nij,nj->ni", body.rotations(t), w * body.moments)
    energy = np.sum(w * w * body.moments, axis=1)
    np.testing.assert_allclose(momentum, momentum[:1].repeat(t.size, 0), atol=5e-15 * np.linalg.norm(momentum[0]))
    np.testing.assert_allclose(energy, energy[0], rtol=5e-15)


@ALL
def test_rates_satisfy_eulers_equations(body):
    t, step = np.linspace(0.0, 60.0, 301), 1e-3
    w = body.rates(t)
    slope = sum(
        weight * (body.rates(t + k * step) - body.rates(t - k * step))
        for k, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    )
    expected = -np.cross(w, w * body.moments) / body.moments
    np.testing.assert_allclose(slope / step, expected, atol=2e-12)


@ALL
def test_attitude_satisfies_the_kinematics(body):
    t, step = np.linspace(0.0, 60.0, 301), 1e-3
    R = body.rotations(t)
    slope = sum(
        weight * (body.rotations(t + k * step) - body.rotations(t - k * step))
        for k, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    )
    turning = np.einsum("nji,njk->nik", R, slope / step)
    expected = np.array([frames.skew(w) for w in body.rates(t)])
    np.testing.assert_allclose(turning, expected, atol=1e-10)


@pytest.mark.parametrize(
    "name", [name for name in BODIES if name not in ("tumbling about the middle axis", "on the separatrix")]
)
def test_it_agrees_with_a_numerical_integration(name):
    body, t = BODIES[name], np.linspace(0.0, 50.0, 26)
    rates, rotations = integrate(body, t)
    np.testing.assert_allclose(body.rates(t), rates, atol=1e-12)
    assert angles(body.rotations(t), rotations).max() < 3e-12


@pytest.mark.parametrize("small", [1e-3, 1e-7])
def test_near_the_separatrix_it_agrees_with_30_digit_arithmetic(small):
    body = TorqueFreeBody((1.0, 2.0, 2.5), (small, 1.0, small))
    with mpmath.workdps(30):
        moments = [mpmath.mpf(x) for x in (1.0, 2.0, 2.5)]
        w, q = [mpmath.mpf(x) for x in (small, 1.0, small)], [mpmath.mpf(x) for x in (1, 0, 0, 0)]
        for _ in range(200):
            w, q = taylor_step(moments, w, q, mpmath.mpf("0.2"))
    np.testing.assert_allclose(body.rates(40.0)[0], np.array(w, dtype=float), atol=1e-14)
    difference = frames.quat_mul(frames.quat_conj(body.attitudes(40.0)[0]), np.array(q, dtype=float))
    assert np.linalg.norm(frames.quat_log(difference)) < 5e-14


@pytest.mark.parametrize(("moments", "w0", "w1", "q1"), REFERENCES)
def test_after_1000_s_it_agrees_with_30_digit_arithmetic(moments, w0, w1, q1):
    body = TorqueFreeBody(moments, w0)
    np.testing.assert_allclose(body.rates(1000.0)[0], w1, atol=1e-13)
    difference = frames.quat_mul(frames.quat_conj(body.attitudes(1000.0)[0]), q1)
    assert np.linalg.norm(frames.quat_log(difference)) < 1e-12


def test_on_the_separatrix_the_body_settles_on_the_middle_axis():
    body = BODIES["on the separatrix"]
    w = body.rates([0.0, 200.0])
    energy = np.sum(w[0] ** 2 * body.moments)
    np.testing.assert_allclose(np.abs(w[1]), [0.0, np.sqrt(energy / 4.0), 0.0], atol=1e-15)


def test_motion_backwards_in_time_starts_where_the_motion_forwards_ends():
    there = BODIES["about the smallest moment"]
    back = TorqueFreeBody(there.moments, there.rates(300.0)[0], there.attitudes(300.0)[0])
    assert angles(back.rotations(-300.0), there.rotations(0.0)).max() < 1e-12


@given(
    sides=st.tuples(*[st.floats(0.1, 10.0)] * 3),
    w0=st.tuples(*[st.floats(-2.0, 2.0)] * 3),
    t=st.floats(0.0, 50.0),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_motion_over_two_spans_is_the_motion_over_their_sum(sides, w0, t):
    """True for every box; the spans share no constant of the motion except by physics."""
    a, b, c = (x * x for x in sides)
    moments = np.array([b + c, c + a, a + b])
    gap = np.sum(moments * (moments - np.median(moments)) * np.square(w0))
    assume(abs(gap) > 1e-3 * np.sum(np.square(moments * w0)))  # beside the separatrix rounding decides the path
    first = TorqueFreeBody(moments, w0)
    second = TorqueFreeBody(moments, first.rates(t)[0], first.attitudes(t)[0])
    np.testing.assert_allclose(second.rates(7.0), first.rates(t + 7.0), atol=1e-9)
    assert angles(second.rotations(7.0), first.rotations(t + 7.0)).max() < 1e-9


@pytest.mark.parametrize("moments", [(1.0, 2.0), (1.0, 1.0, 5.0), (0.0, 1.0, 1.0)])
def test_impossible_moments_are_refused(moments):
    with pytest.raises(InputError):
        TorqueFreeBody(moments, (0.1, 0.2, 0.3))


def test_its_arrays_are_its_own():
    w = np.array([0.1, 0.2, 1.0])
    body = TorqueFreeBody((1.0, 2.0, 2.5), w)
    w[:] = 0.0
    assert body.rates(0.0)[0] == pytest.approx([0.1, 0.2, 1.0])
    with pytest.raises(ValueError, match="read-only"):
        body.w_WB_B[0] = 1.0
