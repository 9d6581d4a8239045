"""Multiplicative extended Kalman filter of attitude and gyro errors (Lefferts, Markley, Shuster 1982), pure functions.

The state is q_WB with gyro bias b and, where its uncertainty is not zero, gyro scale s; its error is
x = [th, db] or [th, db, ds] with q_WB(true) = q_WB exp(th), th in B [rad]. The gyro reads (1 + s) w + b + white noise.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from freefloat.frames import Array
from freefloat.gnc.estimation.belief import Belief, GyroModel
from freefloat.gnc.estimation.mekf_correct import correct_attitude_step, correct_direction_step
from freefloat.gnc.estimation.mekf_predict import predict_step, transition_step


def predict(belief: Belief, gyro: GyroModel, w_gyro: Array, dt: float) -> Belief:
    """Turn by the gyro's mean reading over dt [s]; the covariance follows exactly for a constant rate."""
    b = belief.copy()
    predict_step(b, gyro.noise, gyro.walk, _floats(w_gyro), float(dt))
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
    nis = correct_attitude_step(b, _floats(q_WB), _floats(R), gate)
    return (belief if nis > gate else b), nis


def correct_direction(
    belief: Belief, u_W: Array, u_B: Array, sigma: float, gate: float = math.inf
) -> tuple[Belief, float]:
    """Use a known direction u_W seen as u_B, with noise `sigma` [rad] across it (as in QUEST, Shuster and Oh 1981)."""
    b = belief.copy()
    nis = correct_direction_step(b, _floats(u_W), _floats(u_B), sigma, gate)
    return (belief if nis > gate else b), nis


def _floats(values: ArrayLike) -> Array:
    return np.ascontiguousarray(values, dtype=np.float64)
