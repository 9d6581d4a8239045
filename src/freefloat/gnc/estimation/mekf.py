"""Multiplicative extended Kalman filter of attitude and gyro errors (Lefferts, Markley, Shuster 1982), pure functions.

The state is q_WB with gyro bias b and, where its uncertainty is not zero, gyro scale s; its error is
x = [th, db] or [th, db, ds] with q_WB(true) = q_WB exp(th), th in B [rad]. The gyro reads (1 + s) w + b + white noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import (
    Array,
    quat_canonical,
    quat_conj,
    quat_exp,
    quat_log,
    quat_mul,
    quat_to_matrix,
    skew,
    so3_exp,
    so3_right_jacobian,
)

ITERATIONS = 6  # of one correction, at most
SETTLED = 1e-6  # [rad] change of the attitude at which the iteration ends
Look = Callable[[Array], tuple[Array, Array]]


@dataclass(frozen=True)
class GyroModel:
    """Errors of a rate gyro, the same on each axis."""

    noise: float = 1e-5  # [rad/s^0.5] angle random walk; one sample over dt has noise / sqrt(dt)
    walk: float = 1e-8  # [rad/s^1.5] bias random walk
    bias_sigma: float = 5e-5  # [rad/s] at the start
    scale_sigma: float = 0.0  # [-] 0: the scale is known, and no state

    def __post_init__(self) -> None:
        if not (self.noise > 0.0 and self.walk >= 0.0 and self.bias_sigma > 0.0 and self.scale_sigma >= 0.0):
            raise InputError(f"gyro model: {self} needs noise, bias_sigma > 0 and walk, scale_sigma >= 0")


@dataclass(frozen=True)
class Belief:
    """Estimate and covariance of its error."""

    q_WB: Array
    bias: Array  # [rad/s]
    scale: Array  # [-]
    P: Array  # (6, 6) or (9, 9) of [th, db(, ds)]

    @classmethod
    def start(cls, gyro: GyroModel, q_WB: ArrayLike = (1.0, 0.0, 0.0, 0.0), sigma: float = math.pi) -> Belief:
        """At attitude q_WB, known to `sigma` [rad] on each axis (pi: not at all), bias and scale zero."""
        sigmas = [sigma, gyro.bias_sigma] + ([gyro.scale_sigma] if gyro.scale_sigma > 0.0 else [])
        P = np.diag(np.repeat(np.square(sigmas), 3))
        return cls(quat_canonical(q_WB), np.zeros(3), np.zeros(3), P)

    def rate(self, w_gyro: Array) -> Array:
        """w_WB_B [rad/s] from a gyro reading."""
        return (w_gyro - self.bias) / (1.0 + self.scale)


def predict(belief: Belief, gyro: GyroModel, w_gyro: Array, dt: float) -> Belief:
    """Turn by the gyro's mean reading over dt [s]; the covariance follows exactly for a constant rate."""
    w = belief.rate(w_gyro)
    F, Q = transition(gyro, w, dt, belief.P.shape[0])
    P = F @ belief.P @ F.T + Q
    q = quat_canonical(quat_mul(belief.q_WB, quat_exp(w * dt)))
    return replace(belief, q_WB=q, P=0.5 * (P + P.T))


def transition(gyro: GyroModel, w: Array, dt: float, n: int) -> tuple[Array, Array]:
    """Discrete F and Q (n, n) of th' = -w x th - db - w ds - noise, db' = walk, ds' = 0 at the constant rate w.

    With S = skew(w) and Psi(s) = integral of exp(-S u) from 0 to s: F has exp(-S dt) and -Psi(dt), and Q integrates
    Psi Psi^T and Psi over the step. For w = 0 this is Farrenkopf (1978).
    """
    S, x = skew(w), float(np.linalg.norm(w)) * dt
    S2, one = S @ S, np.eye(3)
    c3 = _tail(3, x)
    Psi = dt * one - dt**2 * _tail(2, x) * S + dt**3 * c3 * S2
    F = np.eye(n)
    F[:3, :3], F[:3, 3:6] = so3_exp(-w * dt), -Psi
    if n > 6:
        F[:3, 6:] = -Psi * w
    u2 = gyro.walk**2
    Q = np.zeros((n, n))
    Q[:3, :3] = gyro.noise**2 * dt * one + u2 * (dt**3 / 3.0 * one + 2.0 * dt**5 * _tail(5, x) * S2)
    Q[:3, 3:6] = -u2 * (dt**2 / 2.0 * one - dt**3 * c3 * S + dt**4 * _tail(4, x) * S2)
    Q[3:6, :3] = Q[:3, 3:6].T
    Q[3:6, 3:6] = u2 * dt * one
    return F, Q


def _tail(k: int, x: float) -> float:
    """Sum over j of (-x^2)^j / (2 j + k)!: (1 - cos x) / x^2 for k = 2, (x - sin x) / x^3 for k = 3, and so on."""
    total, term, j = 0.0, 1.0 / math.factorial(k), k
    while abs(term) > 1e-17 * abs(total):
        total += term
        term *= -x * x / ((j + 1) * (j + 2))
        j += 2
    return total


def correct_attitude(belief: Belief, q_WB: Array, R: Array, gate: float = math.inf) -> tuple[Belief, float]:
    """Use a measured attitude (either sign of the quaternion) with noise covariance R [rad^2] in B.

    Returns the normalised innovation squared too; above `gate` the measurement is not used.
    """
    measured = quat_canonical(q_WB)

    def look(q: Array) -> tuple[Array, Array]:
        return quat_log(quat_mul(quat_conj(q), measured)), np.eye(3)

    return _correct(belief, look, R, gate)


def correct_direction(
    belief: Belief, u_W: Array, u_B: Array, sigma: float, gate: float = math.inf
) -> tuple[Belief, float]:
    """Use a known direction u_W seen as u_B, with noise `sigma` [rad] across it (as in QUEST, Shuster and Oh 1981)."""
    known, seen = u_W / np.linalg.norm(u_W), u_B / np.linalg.norm(u_B)

    def look(q: Array) -> tuple[Array, Array]:
        expected = known @ quat_to_matrix(q)
        return seen - expected, skew(expected)

    return _correct(belief, look, sigma**2 * np.eye(3), gate)


def _correct(belief: Belief, look: Look, R: Array, gate: float) -> tuple[Belief, float]:
    """Iterated Kalman update in Joseph's form; the attitude error moves into the quaternion, and P into its new axes.

    `look(q)` gives a residual and its sensitivity to a small turn th at q, where q_WB exp(x + d) = q exp(J_r(x) d).
    Without iteration a large correction would leave P in the axes of the old attitude.
    """
    P, n = belief.P, belief.P.shape[0]
    x, nis, H, K = np.zeros(n), math.inf, np.zeros((3, n)), np.zeros((n, 3))
    for k in range(ITERATIONS):
        residual, slope = look(quat_mul(belief.q_WB, quat_exp(x[:3])))
        H[:, :3] = slope @ so3_right_jacobian(x[:3])
        W = H @ P @ H.T + R
        if k == 0:
            nis = float(residual @ np.linalg.solve(W, residual))
            if nis > gate:
                return belief, nis
        K = np.linalg.solve(W, H @ P).T
        before, x = x, K @ (residual + H @ x)
        if np.linalg.norm(x[:3] - before[:3]) < SETTLED:
            break
    A = np.eye(n) - K @ H
    G = np.eye(n)
    G[:3, :3] = so3_right_jacobian(x[:3])
    P = G @ (A @ P @ A.T + K @ R @ K.T) @ G.T
    scale = belief.scale + x[6:] if n > 6 else belief.scale
    q = quat_canonical(quat_mul(belief.q_WB, quat_exp(x[:3])))
    return Belief(q, belief.bias + x[3:6], scale, 0.5 * (P + P.T)), nis
