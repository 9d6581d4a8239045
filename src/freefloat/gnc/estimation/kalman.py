"""Kalman filters on R^n and on SO(2) x R^k (REACSA eqs 4.39 to 4.74), pure functions on plain arrays.

On SO(2) x R^k the first state and the first measurement are the angle; the group's product adds angles and its
logarithm is the difference taken the short way round (eqs 4.66, 4.69). Errors add as on R^n, and so do covariances;
that holds while the angle's standard deviation is small against pi.

Only what compiled code can run is used, so that a caller may compile these functions.
"""

from __future__ import annotations

import math

import numpy as np

from freefloat.frames import Array

TURN = 2.0 * math.pi


def wrapped(angle: float) -> float:
    """The same angle [rad] within [-pi, pi]."""
    return angle - TURN * np.rint(angle / TURN)


def predict(x: Array, P: Array, A: Array, drive: Array, Q: Array) -> tuple[Array, Array]:
    """Mean and covariance after x_k+1 = A x_k + drive + w, w ~ N(0, Q) (eqs 4.42, 4.56); drive = B u."""
    return A @ x + drive, _symmetric(A @ P @ A.T + Q)


def predict_turning(x: Array, P: Array, A: Array, drive: Array, Q: Array) -> tuple[Array, Array]:
    """`predict` on SO(2) x R^k (eqs 4.70, 4.71)."""
    ahead, P = predict(x, P, A, drive, Q)
    ahead[0] = wrapped(ahead[0])
    return ahead, P


def correct(x: Array, P: Array, y: Array, C: Array, R: Array) -> tuple[Array, Array, float]:
    """Mean and covariance with the measurement y = C x + v, v ~ N(0, R) (eqs 4.44, 4.52, 4.59).

    Third, the normalised innovation squared. Joseph's form keeps the covariance positive.
    """
    return _innovated(x, P, y - C @ x, C, R)


def correct_turning(x: Array, P: Array, y: Array, C: Array, R: Array) -> tuple[Array, Array, float]:
    """`correct` on SO(2) x R^k (eqs 4.72 to 4.74)."""
    innovation = y - C @ x
    innovation[0] = wrapped(innovation[0])
    better, P, nis = _innovated(x, P, innovation, C, R)
    better[0] = wrapped(better[0])
    return better, P, nis


def _innovated(x: Array, P: Array, innovation: Array, C: Array, R: Array) -> tuple[Array, Array, float]:
    W = C @ P @ C.T + R
    K = np.ascontiguousarray(np.linalg.solve(W, C @ P).T)
    nis = np.sum(innovation * np.linalg.solve(W, innovation))
    J = np.eye(x.size) - K @ C
    return x + K @ innovation, _symmetric(J @ P @ J.T + K @ R @ K.T), nis


def _symmetric(P: Array) -> Array:
    return 0.5 * (P + P.T)
