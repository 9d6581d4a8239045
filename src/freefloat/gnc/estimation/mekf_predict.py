"""The prediction of the multiplicative extended Kalman filter (`mekf`) on plain arrays, in place."""

from __future__ import annotations

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.estimation.belief import Belief, unbiased
from freefloat.gnc.rotations import Vector, dot, matrix_of, norm, quat_of, quat_product, quat_unit, scaled

FACTORIALS = (1.0, 1.0, 2.0, 6.0, 24.0, 120.0)


@onboard
def predict_step(belief: Belief, noise: float, walk: float, w_gyro: Array, dt: float) -> None:
    """Turn by the gyro's mean reading over dt [s]; the covariance follows exactly for a constant rate."""
    q, n = belief.q_WB, belief.P.shape[0]
    w = unbiased(w_gyro, belief)
    F, Q = np.zeros((n, n)), np.zeros((n, n))
    transition_step(noise, walk, w, dt, F, Q)
    carry(F, belief.P, Q)
    q[0], q[1], q[2], q[3] = quat_unit(quat_product(q, quat_of(scaled(w, dt))))


@onboard
def transition_step(noise: float, walk: float, w: Vector, dt: float, F: Array, Q: Array) -> None:
    """`mekf.transition` into F and Q, which come as zeros."""
    n, x = F.shape[0], norm(w) * dt
    c2, c3, c4, c5 = _tail(2, x), _tail(3, x), _tail(4, x), _tail(5, x)
    turn = matrix_of(quat_of(scaled(w, -dt)))
    S = (0.0, -w[2], w[1]), (w[2], 0.0, -w[0]), (-w[1], w[0], 0.0)
    u2 = walk * walk
    for i in range(n):
        F[i, i] = 1.0
    for i in range(3):
        for j in range(3):
            one, S2 = (1.0 if i == j else 0.0), w[i] * w[j] - (dot(w, w) if i == j else 0.0)
            Psi = dt * one - dt**2 * c2 * S[i][j] + dt**3 * c3 * S2
            F[i, j], F[i, 3 + j] = turn[i][j], -Psi
            if n > 6:
                F[i, 6 + j] = -Psi * w[j]
            Q[i, j] = noise * noise * dt * one + u2 * (dt**3 / 3.0 * one + 2.0 * dt**5 * c5 * S2)
            Q[i, 3 + j] = -u2 * (dt**2 / 2.0 * one - dt**3 * c3 * S[i][j] + dt**4 * c4 * S2)
            Q[3 + j, i] = Q[i, 3 + j]
            Q[3 + i, 3 + j] = u2 * dt * one


@inner
def _tail(k: int, x: float) -> float:
    """Sum over j of (-x^2)^j / (2 j + k)!: (1 - cos x) / x^2 for k = 2, (x - sin x) / x^3 for k = 3, and so on."""
    total, term, j = 0.0, 1.0 / FACTORIALS[k], k
    while abs(term) > 1e-17 * abs(total):
        total += term
        term *= -x * x / ((j + 1) * (j + 2))
        j += 2
    return total


@inner
def carry(F: Array, P: Array, Q: Array) -> None:
    """P becomes F P F^T + Q, made symmetric."""
    n = P.shape[0]
    FP, new = np.zeros((n, n)), np.empty((n, n))
    for i in range(n):
        for k in range(n):
            f = F[i, k]
            if f != 0.0:
                for j in range(n):
                    FP[i, j] += f * P[k, j]
    for i in range(n):
        for j in range(n):
            total = Q[i, j]
            for k in range(n):
                total += FP[i, k] * F[j, k]
            new[i, j] = total
    for i in range(n):
        for j in range(n):
            P[i, j] = 0.5 * (new[i, j] + new[j, i])
