"""Corrections of the multiplicative extended Kalman filter (`mekf`) on plain arrays, in place."""

from __future__ import annotations

import math

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.estimation.belief import Belief
from freefloat.gnc.estimation.mekf_predict import carry
from freefloat.gnc.rotations import (
    Matrix,
    Numbers,
    Quaternion,
    Vector,
    column,
    dot,
    matrix,
    matrix_of,
    norm,
    quat_inverse,
    quat_of,
    quat_product,
    quat_unit,
    right_jacobian,
    rotation_vector,
    row,
    scaled,
    times,
    transposed,
    vector,
)

ITERATIONS = 6  # of one correction, at most
SETTLED = 1e-6  # [rad] change of the attitude at which the iteration ends


@onboard
def correct_attitude_step(belief: Belief, q_WB: Array, R: Array, gate: float) -> float:
    """`mekf.correct_attitude`; returns the normalised innovation squared."""
    return _correct(belief, False, (0.0, 0.0, 0.0), quat_unit(q_WB), matrix(R), gate)


@onboard
def correct_direction_step(belief: Belief, u_W: Array, u_B: Array, sigma: float, gate: float) -> float:
    """`mekf.correct_direction`; returns the normalised innovation squared."""
    known, u, s2 = scaled(u_W, 1.0 / norm(u_W)), scaled(u_B, 1.0 / norm(u_B)), sigma * sigma
    R = (s2, 0.0, 0.0), (0.0, s2, 0.0), (0.0, 0.0, s2)
    return _correct(belief, True, known, (0.0, u[0], u[1], u[2]), R, gate)


@inner
def _look_at(q: Quaternion, seen: Quaternion) -> tuple[Vector, Matrix]:
    """Residual and slope of a measured attitude."""
    return rotation_vector(quat_product(quat_inverse(q), seen)), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@inner
def _look_along(q: Quaternion, known: Vector, seen: Quaternion) -> tuple[Vector, Matrix]:
    """Residual and slope of a measured direction."""
    x, y, z = times(transposed(matrix_of(q)), known)
    return (seen[1] - x, seen[2] - y, seen[3] - z), ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))


@inner
def _correct(belief: Belief, direction: bool, known: Vector, seen: Quaternion, R: Matrix, gate: float) -> float:
    """Iterated Kalman update in Joseph's form; the attitude error moves into the quaternion, and P into its new axes.

    What is `seen` is a direction [0, u_B], `known` in W, or an attitude. It gives a residual and its sensitivity to a
    small turn th at q, where q_WB exp(x + d) = q exp(J_r(x) d). Without iteration a large correction would leave P in
    the axes of the old attitude.
    """
    q, P = belief.q_WB, belief.P
    n = P.shape[0]
    x, nis = np.zeros(n), math.inf
    H, HP, K = np.empty((3, 3)), np.empty((3, n)), np.empty((n, 3))  # H: its first three columns, the others are zero
    W = np.empty((3, 3))
    for k in range(ITERATIONS):
        turn = vector(x, 0)
        here, J = quat_product(q, quat_of(turn)), right_jacobian(turn)
        residual, slope = _look_along(here, known, seen) if direction else _look_at(here, seen)
        for i in range(3):
            for j in range(3):
                H[i, j] = slope[i][0] * J[0][j] + slope[i][1] * J[1][j] + slope[i][2] * J[2][j]
        for i in range(3):
            for j in range(n):
                HP[i, j] = H[i, 0] * P[0, j] + H[i, 1] * P[1, j] + H[i, 2] * P[2, j]
        for i in range(3):
            for j in range(3):
                W[i, j] = dot(row(HP, i), row(H, j)) + R[i][j]
        _cholesky(W)
        if k == 0:
            nis = dot(residual, _solve(W, residual))
            if nis > gate:
                return nis
        for i in range(n):
            K[i, 0], K[i, 1], K[i, 2] = _solve(W, column(HP, i))
        moved = _improve(x, K, residual, H)
        if moved < SETTLED:
            break
    turn = vector(x, 0)
    _settle(P, K, H, R, right_jacobian(turn))
    q[0], q[1], q[2], q[3] = quat_unit(quat_product(q, quat_of(turn)))
    for i in range(3):
        belief.bias[i] += x[3 + i]
        if n > 6:
            belief.scale[i] += x[6 + i]
    return nis


@inner
def _improve(x: Array, K: Array, residual: Vector, H: Array) -> float:
    """x becomes K (residual + H x); returns how far its turn moved [rad]."""
    before = vector(x, 0)
    Hx = times(matrix(H), before)
    shown = residual[0] + Hx[0], residual[1] + Hx[1], residual[2] + Hx[2]
    for i in range(x.size):
        x[i] = dot(row(K, i), shown)
    return norm((x[0] - before[0], x[1] - before[1], x[2] - before[2]))


@inner
def _settle(P: Array, K: Array, H: Array, R: Matrix, J: Matrix) -> None:
    """P becomes G (A P A^T + K R K^T) G^T with A = 1 - K H and G the Jacobian J of the turn."""
    n = P.shape[0]
    A, noise, G, none = np.eye(n), np.empty((n, n)), np.eye(n), np.zeros((n, n))
    for i in range(n):
        KR = times(R, row(K, i))  # R is symmetric
        for j in range(3):
            A[i, j] -= K[i, 0] * H[0, j] + K[i, 1] * H[1, j] + K[i, 2] * H[2, j]
        for j in range(n):
            noise[i, j] = dot(KR, row(K, j))
    for i in range(3):
        for j in range(3):
            G[i, j] = J[i][j]
    carry(A, P, noise)
    carry(G, P, none)


@inner
def _cholesky(W: Array) -> None:
    """The lower factor L of W = L L^T (3, 3), in the place of W."""
    W[0, 0] = math.sqrt(W[0, 0])
    W[1, 0] /= W[0, 0]
    W[2, 0] /= W[0, 0]
    W[1, 1] = math.sqrt(W[1, 1] - W[1, 0] * W[1, 0])
    W[2, 1] = (W[2, 1] - W[2, 0] * W[1, 0]) / W[1, 1]
    W[2, 2] = math.sqrt(W[2, 2] - W[2, 0] * W[2, 0] - W[2, 1] * W[2, 1])


@inner
def _solve(L: Array, b: Numbers) -> Vector:
    """L L^T y = b."""
    z0 = b[0] / L[0, 0]
    z1 = (b[1] - L[1, 0] * z0) / L[1, 1]
    z2 = (b[2] - L[2, 0] * z0 - L[2, 1] * z1) / L[2, 2]
    y2 = z2 / L[2, 2]
    y1 = (z1 - L[2, 1] * y2) / L[1, 1]
    return (z0 - L[1, 0] * y1 - L[2, 0] * y2) / L[0, 0], y1, y2
