"""Torques of reaction wheels on plain arrays: `WheelAllocation` and `Desaturation`.

The torques that wheels can make are a zonotope: the image A [low, high] of their limits, with the origin inside. Each
of its facets has the normal c = a_i x a_j of two axes, and there wheel k stands at its upper or lower limit, by the
sign of c . a_k. So the largest share f of a torque is the smallest over all normals of
    f = sum over k of max(c . a_k low_k, c . a_k high_k) / (c . torque)
and the wheels within the plane of the facet found (two, unless axes are coplanar or parallel) make what is left: the
same question in the plane, then on a line.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.rotations import Vector, column, cross, dot, norm, row, scaled, vector

INERTIA, MAX_TORQUE, MAX_SPEED, BIAS_GAIN, HORIZON = range(5)  # places in `numbers`
START, STOP, DUMP_TORQUE, DUMP_GAIN, TARGET = range(5)  # places in the desaturation's `numbers`; the target has three
COPLANAR = 1e-9  # [-] sine of the angle to a plane within which an axis lies in it


@onboard
def wheel_momentum(A: Array, numbers: Array, speed: Array, h_B: Array) -> None:
    """h_B = J A s [N m s] of wheels at the speeds s [rad/s]."""
    for i in range(3):
        h_B[i] = 0.0
        for k in range(speed.size):
            h_B[i] += A[i, k] * (numbers[INERTIA] * speed[k])


@onboard
def wheel_step(
    tau: Array,
    speed: Array,
    A: Array,
    A_pinv: Array,
    bias: Array,
    numbers: Array,
    u: Array,
    tau_made: Array,
) -> None:
    """Motor torques u (n,) [N m] for the torque tau on the bus, and what they make of it."""
    n = speed.size
    low, high, least, inside = np.empty(n), np.empty(n), np.empty(n), True
    gap, most = numbers[INERTIA] / numbers[HORIZON], numbers[MAX_TORQUE]
    for k in range(n):
        high[k] = min(max(gap * (numbers[MAX_SPEED] - speed[k]), 0.0), most)
        low[k] = max(min(gap * (-numbers[MAX_SPEED] - speed[k]), 0.0), -most)
        least[k] = -dot(row(A_pinv, k), tau)
        inside = inside and low[k] <= least[k] <= high[k]
    if inside:
        _idle(speed, A, A_pinv, bias, numbers, u)
        _move(least, u, low, high)
    elif _longest((-tau[0], -tau[1], -tau[2]), A, low, high, u) >= 1.0:
        for k in range(n):
            least[k], u[k] = u[k], least[k] - u[k]
        _move(least, u, low, high)
    for k in range(n):
        u[k] = min(max(u[k], low[k]), high[k])
    for i in range(3):
        tau_made[i] = 0.0
        for k in range(n):
            tau_made[i] -= A[i, k] * u[k]


@inner
def _idle(speed: Array, A: Array, A_pinv: Array, bias: Array, numbers: Array, u: Array) -> None:
    """Torques that turn nothing and drive the speeds to their bias: -k (1 - A^+ A) (J s - J s_bias)."""
    held = 0.0, 0.0, 0.0
    for k in range(u.size):
        u[k] = numbers[INERTIA] * speed[k] - bias[k]
        held = held[0] + A[0, k] * u[k], held[1] + A[1, k] * u[k], held[2] + A[2, k] * u[k]
    for k in range(u.size):
        u[k] = -numbers[BIAS_GAIN] * (u[k] - dot(row(A_pinv, k), held))


@inner
def _move(start: Array, u: Array, low: Array, high: Array) -> None:
    """u becomes start + f u with the largest share f <= 1 that the limits allow."""
    f = 1.0
    for k in range(u.size):
        if u[k] != 0.0:
            room = high[k] - start[k] if u[k] > 0.0 else start[k] - low[k]
            f = min(f, room / abs(u[k]))
    for k in range(u.size):
        u[k] = start[k] + f * u[k]


@inner
def _longest(target: Vector, A: Array, low: Array, high: Array, u: Array) -> float:
    """u with A u = min(f, 1) target and low <= u <= high, for the largest f that the limits allow; returns f."""
    free = np.ones(u.size, np.bool_)
    u[:] = 0.0
    found, share, normal = math.inf, 1.0, (0.0, 0.0, 0.0)
    for level in range(3):
        f, c = _facet(level, normal, target, A, low, high, free)
        if f == math.inf:
            break
        if level == 0:
            found, normal = f, c
            share = 1.0 / max(f, 1.0)
        else:
            share /= max(f, 1.0)
        rest = scaled(target, f)
        for k in range(u.size):
            axis = column(A, k)
            side = dot(c, axis)
            if free[k] and abs(side) > COPLANAR:
                free[k] = False
                limit = high[k] if side > 0.0 else low[k]
                u[k] = share * limit
                rest = rest[0] - limit * axis[0], rest[1] - limit * axis[1], rest[2] - limit * axis[2]
        target = rest
    return found


@inner
def _facet(
    level: int, plane: Vector, target: Vector, A: Array, low: Array, high: Array, free: NDArray[np.bool_]
) -> tuple[float, Vector]:
    """The smallest share f of the target over all normals, and its normal; infinite where nothing is wanted.

    The normals are those of pairs of axes in space (level 0), of axes in the `plane` (1), and the axes on a line (2).
    """
    n, found, normal = free.size, math.inf, (0.0, 0.0, 0.0)
    for i in range(n):
        for j in range(n):
            if not (free[i] and free[j]) or (j != i) != (level == 0):
                continue
            c = column(A, i)
            if level < 2:
                c = cross(c, column(A, j) if level == 0 else plane)
            size = norm(c)
            if size <= COPLANAR:
                continue
            c = scaled(c, 1.0 / size)
            along = dot(c, target)
            if along < 0.0:
                c, along = scaled(c, -1.0), -along
            if along <= COPLANAR * norm(target):
                continue
            f = _reach(c, A, low, high, free) / along
            if f < found:
                found, normal = f, c
    return found, normal


@inner
def _reach(c: Vector, A: Array, low: Array, high: Array, free: NDArray[np.bool_]) -> float:
    """The largest torque along c that the free wheels can make."""
    total = 0.0
    for k in range(free.size):
        side = dot(c, column(A, k))
        if free[k] and abs(side) > COPLANAR:
            total += side * (high[k] if side > 0.0 else low[k])
    return total


@onboard
def desaturation_step(h_B: Array, numbers: Array, dumping: Array, tau_ext: Array, active: Array) -> None:
    """Torque [N m] that takes the momentum h_B [N m s] towards its target, while it is active."""
    target = vector(numbers, TARGET)
    excess = h_B[0] - target[0], h_B[1] - target[1], h_B[2] - target[2]
    size = norm(excess)
    on = size > (numbers[STOP] if dumping[0] > 0.0 else numbers[START])
    torque = min(numbers[DUMP_GAIN] * size, numbers[DUMP_TORQUE]) if on else 0.0
    dumping[0] = active[0] = 1.0 if on else 0.0
    for i in range(3):
        tau_ext[i] = -excess[i] * (torque / size) if size > 0.0 else 0.0
