"""Kalman filters on R^n and on SO(2) x R (REACSA eqs 4.39 to 4.74), pure functions on plain arrays.

The functions on matrices serve R^n of any size, and many runs at once (a column of x each). The steps `axis_*` are the
same filter written out for one coordinate and its rate, in place and without a matrix: what an onboard computer runs a
hundred times a second. Compiled steps may call those, and `wrapped`.

On SO(2) x R the coordinate is an angle; the group's product adds angles and its logarithm is the difference taken the
short way round (eqs 4.66, 4.69): give `axis_correct` the innovation `wrapped`, and wrap the angle after it. Errors add
as on R^n, and so do covariances; that holds while the angle's standard deviation is small against pi.
"""

from __future__ import annotations

import math

import numpy as np

from freefloat.compiled import inner
from freefloat.frames import Array

TURN = 2.0 * math.pi


@inner
def wrapped(angle: float) -> float:
    """The same angle [rad] within [-pi, pi]."""
    return angle - TURN * np.rint(angle / TURN)


def predict(x: Array, P: Array, A: Array, drive: Array, Q: Array) -> tuple[Array, Array]:
    """Mean and covariance after x_k+1 = A x_k + drive + w, w ~ N(0, Q) (eqs 4.42, 4.56); drive = B u."""
    return A @ x + drive, _symmetric(A @ P @ A.T + Q)


def correct(x: Array, P: Array, y: Array, C: Array, R: Array) -> tuple[Array, Array, float]:
    """Mean and covariance with the measurement y = C x + v, v ~ N(0, R) (eqs 4.44, 4.52, 4.59).

    Third, the normalised innovation squared. Joseph's form keeps the covariance positive.
    """
    innovation = y - C @ x
    W = C @ P @ C.T + R
    K = np.ascontiguousarray(np.linalg.solve(W, C @ P).T)
    nis = np.sum(innovation * np.linalg.solve(W, innovation))
    J = np.eye(C.shape[1]) - K @ C
    return x + K @ innovation, _symmetric(J @ P @ J.T + K @ R @ K.T), nis


def _symmetric(P: Array) -> Array:
    return 0.5 * (P + P.T)


def white_acceleration(T: float, noise: float) -> tuple[Array, Array]:
    """A and Q (2, 2) over T [s] of p' = v, v' = white noise of root density `noise` [m/s^1.5, rad/s^1.5]; exact."""
    Q = noise**2 * np.array([[T**3 / 3.0, T**2 / 2.0], [T**2 / 2.0, T]])
    return np.array([[1.0, T], [0.0, 1.0]]), Q


@inner
def axis_predict(x: Array, P: Array, acceleration: float, T: float, noise: float) -> None:
    """`predict` of x = [p, v] with the model `white_acceleration`, in place; P = [P_pp, P_pv, P_vv].

    `acceleration` is the known one, held over T [s]. An angle is not wrapped here.
    """
    x[0] += T * (x[1] + 0.5 * T * acceleration)
    x[1] += T * acceleration
    q = noise * noise * T
    P[0] += T * (2.0 * P[1] + T * P[2]) + q * T * T / 3.0
    P[1] += T * P[2] + q * T / 2.0
    P[2] += q


@inner
def axis_correct(x: Array, P: Array, innovation: float, variance: float) -> None:
    """`correct` with a measured p, in place: eqs 4.44, 4.52 and 4.60 for C = [1, 0]; `variance` of the measurement."""
    W = P[0] + variance
    x[0] += P[0] / W * innovation
    x[1] += P[1] / W * innovation
    P[2] -= P[1] * P[1] / W
    P[0] *= variance / W
    P[1] *= variance / W
