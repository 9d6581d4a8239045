"""Multiplicative extended Kalman filter of attitude and gyro errors (Lefferts, Markley, Shuster 1982), pure functions.

The state is q_WB with gyro bias b and, where its uncertainty is not zero, gyro scale s; its error is
x = [th, db] or [th, db, ds] with q_WB(true) = q_WB exp(th), th in B [rad]. The gyro reads (1 + s) w + b + white noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array, quat_canonical
from freefloat.gnc.estimation.mekf_step import (
    correct_attitude_step,
    correct_direction_step,
    predict_step,
    transition_step,
)


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

    def copy(self) -> Belief:
        """With arrays of its own."""
        return Belief(self.q_WB.copy(), self.bias.copy(), self.scale.copy(), self.P.copy())


def predict(belief: Belief, gyro: GyroModel, w_gyro: Array, dt: float) -> Belief:
    """Turn by the gyro's mean reading over dt [s]; the covariance follows exactly for a constant rate."""
    b = belief.copy()
    predict_step(b.q_WB, b.bias, b.scale, b.P, gyro.noise, gyro.walk, _floats(w_gyro), float(dt))
    return b


def transition(gyro: GyroModel, w: Array, dt: float, n: int) -> tuple[Array, Array]:
    """Discrete F and Q (n, n) of th' = -w x th - db - w ds - noise, db' = walk, ds' = 0 at the constant rate w.

    With S = skew(w) and Psi(s) = integral of exp(-S u) from 0 to s: F has exp(-S dt) and -Psi(dt), and Q integrates
    Psi Psi^T and Psi over the step. For w = 0 this is Farrenkopf (1978).
    """
    F, Q = np.zeros((n, n)), np.zeros((n, n))
    x, y, z = _floats(w).tolist()
    transition_step(gyro.noise, gyro.walk, (x, y, z), float(dt), F, Q)
    return F, Q


def correct_attitude(belief: Belief, q_WB: Array, R: Array, gate: float = math.inf) -> tuple[Belief, float]:
    """Use a measured attitude (either sign of the quaternion) with noise covariance R [rad^2] in B.

    Returns the normalised innovation squared too; above `gate` the measurement is not used.
    """
    b = belief.copy()
    nis = correct_attitude_step(b.q_WB, b.bias, b.scale, b.P, _floats(q_WB), _floats(R), gate)
    return (belief if nis > gate else b), nis


def correct_direction(
    belief: Belief, u_W: Array, u_B: Array, sigma: float, gate: float = math.inf
) -> tuple[Belief, float]:
    """Use a known direction u_W seen as u_B, with noise `sigma` [rad] across it (as in QUEST, Shuster and Oh 1981)."""
    b = belief.copy()
    nis = correct_direction_step(b.q_WB, b.bias, b.scale, b.P, _floats(u_W), _floats(u_B), sigma, gate)
    return (belief if nis > gate else b), nis


def _floats(values: ArrayLike) -> Array:
    return np.ascontiguousarray(values, dtype=np.float64)
