"""The axes at which a robot of the facility, as it stands, has its plate where it should be; and how poses differ."""

from __future__ import annotations

import math

from freefloat.compiled import inner, onboard
from freefloat.facility.chain_step import Chain, Work, holding, walk
from freefloat.frames import Array
from freefloat.gnc.rotations import Vector, cross, quat_of_axes, rotation_vector

ROUNDS = 6  # of the search for axes, at most
CLOSE = 1e-12  # [m and rad] below which the search ends
SOFT = 0.01  # [-] damping of the search, against a wrist whose least singular value is about |sin A5| / 1.4


@inner
def turn_between(X: Array, Y: Array) -> Vector:
    """Rotation vector [rad] in G that takes X's axes to Y's."""
    x, y, z = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(3):  # columns of Y X^T
        a, b, c = X[k], X[3 + k], X[6 + k]
        u, v, w = Y[k], Y[3 + k], Y[6 + k]
        x = (x[0] + u * a, x[1] + v * a, x[2] + w * a)
        y = (y[0] + u * b, y[1] + v * b, y[2] + w * b)
        z = (z[0] + u * c, z[1] + v * c, z[2] + w * c)
    return rotation_vector(quat_of_axes(x, y, z))


@onboard
def differences(X: Array, Y: Array, out: Array) -> None:
    """Of rows of poses (n, 12): turn [rad] and shift [m] (n, 6) in G that take X's to Y's."""
    for n in range(X.shape[0]):
        turn = turn_between(X[n], Y[n])
        for r in range(3):
            out[n, r], out[n, 3 + r] = turn[r], Y[n, 9 + r] - X[n, 9 + r]


@inner
def _solve(A: Array, b: Array) -> None:
    """b = A^-1 b for a symmetric positive matrix (6, 6), of which the lower half is read and overwritten."""
    for j in range(6):
        for k in range(j):
            for i in range(j, 6):
                A[i, j] -= A[i, k] * A[j, k]
        root = math.sqrt(A[j, j])
        for i in range(j, 6):
            A[i, j] /= root
    for i in range(6):
        for k in range(i):
            b[i] -= A[i, k] * b[k]
        b[i] /= A[i, i]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            b[i] -= A[k, i] * b[k]
        b[i] /= A[i, i]


@inner
def _correction(target: Array, work: Work) -> float:
    """work.step = (J^T J + SOFT^2)^-1 J^T e for the miss e = [turn; shift] of the plate; the largest entry of e."""
    X, N, step = work.pose, work.normal, work.step
    turn = turn_between(X, target)
    shift = (target[9] - X[9], target[10] - X[10], target[11] - X[11])
    N[:, :] = 0.0
    for i in range(6):
        a, p = work.axes, work.points
        va = cross((a[i, 0], a[i, 1], a[i, 2]), (X[9] - p[i, 0], X[10] - p[i, 1], X[11] - p[i, 2]))
        step[i] = 0.0
        for r in range(3):
            step[i] += a[i, r] * turn[r] + va[r] * shift[r]
        for j in range(i + 1):
            vb = cross((a[j, 0], a[j, 1], a[j, 2]), (X[9] - p[j, 0], X[10] - p[j, 1], X[11] - p[j, 2]))
            for r in range(3):
                N[i, j] += a[i, r] * a[j, r] + va[r] * vb[r]
        N[i, i] += SOFT * SOFT
    _solve(N, step)
    most = 0.0
    for r in range(3):
        most = max(most, abs(turn[r]), abs(shift[r]))
    return most


@inner
def reach(chain: Chain, e1: float, rail: Array, target: Array, theta: Array, work: Work) -> float:
    """Move the motors `theta` (6,) [rad] to where the plate is at `target` (12,); by how much it misses [m or rad].

    They should start within some milliradians. First the links, then what their gears are wound up by. Where the wrist
    is within a few degrees of stretched, the damping leaves a part of the miss, so that A4 and A6 do not leap.
    """
    for i in range(6):
        work.q[i] = theta[i]
    miss = math.inf
    for _ in range(ROUNDS):
        walk(chain, e1, rail, work)
        miss = _correction(target, work)
        if not miss > CLOSE:
            break
        for i in range(6):
            work.q[i] += work.step[i]
    for i in range(6):
        theta[i] = work.q[i] + chain.compliance[i] * holding(work, i)
    return miss
