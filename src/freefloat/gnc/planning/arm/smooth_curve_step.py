"""One smooth curve through way-points, compiled: a quintic B-spline (C4) over control points in equal steps of u.

On the interval from control point i to i + 1 it depends on the points i - 2 to i + 3; before the first and after the
last point the others are mirrored, so that the curve begins and ends exactly in them, straight.
"""

from __future__ import annotations

import math

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array

# weights of the six control points in powers of x, 0 <= x <= 1 from one point to the next, times 120
BASIS = (
    np.array(
        [
            [1.0, -5.0, 10.0, -10.0, 5.0, -1.0],
            [26.0, -50.0, 20.0, 20.0, -20.0, 5.0],
            [66.0, 0.0, -60.0, 0.0, 30.0, -10.0],
            [26.0, 50.0, 20.0, -20.0, -20.0, 10.0],
            [1.0, 5.0, 10.0, 10.0, 5.0, -5.0],
            [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        ]
    )
    / 120.0
)


@inner
def point(P: Array, k: int, j: int) -> float:
    """Coordinate j of control point k, mirrored beyond the ends."""
    n = P.shape[0]
    if k < 0:
        return 2.0 * P[0, j] - P[min(-k, n - 1), j]
    if k >= n:
        return 2.0 * P[n - 1, j] - P[max(2 * n - 2 - k, 0), j]
    return P[k, j]


@onboard
def curve_at(P: Array, u: float, out: Array) -> None:
    """q and its first three derivatives by u into out (4, n)."""
    i = min(max(math.floor(u), 0), P.shape[0] - 2)
    x = u - i
    for j in range(P.shape[1]):
        c0 = c1 = c2 = c3 = c4 = c5 = 0.0
        for k in range(6):
            p = point(P, i - 2 + k, j)
            c0 += BASIS[k, 0] * p
            c1 += BASIS[k, 1] * p
            c2 += BASIS[k, 2] * p
            c3 += BASIS[k, 3] * p
            c4 += BASIS[k, 4] * p
            c5 += BASIS[k, 5] * p
        out[0, j] = c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5))))
        out[1, j] = c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))
        out[2, j] = 2.0 * c2 + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))
        out[3, j] = 6.0 * c3 + x * (24.0 * c4 + x * 60.0 * c5)


@onboard
def hermite(q0: Array, q1: Array, t0: Array, t1: Array, n: int, out: Array) -> None:
    """n points after q0 up to q1 of the cubic with the end tangents t0, t1 (over the whole of it) into out (n, m)."""
    for i in range(n):
        x = (i + 1.0) / n
        a, b = x * x * (3.0 - 2.0 * x), x * (1.0 - x)
        for j in range(q0.shape[0]):
            out[i, j] = q0[j] + a * (q1[j] - q0[j]) + b * ((1.0 - x) * t0[j] - x * t1[j])


@onboard
def paces(P: Array, v: Array, a: Array, j: Array, share: float, wide: float, out: Array) -> None:
    """Time [s] that each interval takes (n - 1,) at a pace that its bends allow: all the speed, a share of the rest.

    The times per length are the largest within `wide` [s] on both sides, then their mean over as much, twice, so that
    the pace itself changes gently.
    """
    n, state = P.shape[0] - 1, np.empty((4, P.shape[1]))
    length, slow, other = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        first = second = third = 1e-12
        for k in range(3):
            curve_at(P, i + 0.5 * k, state)
            for m in range(P.shape[1]):
                first = max(first, abs(state[1, m]) / v[m])
                second = max(second, abs(state[2, m]) / a[m])
                third = max(third, abs(state[3, m]) / j[m])
        length[i] = first
        slow[i] = max(1.0, math.sqrt(second / share) / first, (third / share) ** (1.0 / 3.0) / first)
    for turn in range(3):
        for i in range(n):
            total, most, sum_ = length[i] * slow[i], slow[i], length[i] * slow[i] * slow[i]
            for way in range(-1, 2, 2):
                k, far = i + way, 0.5 * length[i] * slow[i]
                while 0 <= k < n and far < wide:
                    t = length[k] * slow[k]
                    total, sum_, most, far = total + t, sum_ + t * slow[k], max(most, slow[k]), far + t
                    k += way
            other[i] = most if turn == 0 else sum_ / total
        slow, other = other, slow
    for i in range(n):
        out[i] = length[i] * slow[i]


@onboard
def sampled(P: Array, law: Array, states: Array) -> None:
    """q, rate and acceleration (k, 3, n) where the law (k, 3) has u, u', u''."""
    at = np.empty((4, P.shape[1]))
    for k in range(law.shape[0]):
        curve_at(P, law[k, 0], at)
        for j in range(P.shape[1]):
            states[k, 0, j] = at[0, j]
            states[k, 1, j] = at[1, j] * law[k, 1]
            states[k, 2, j] = at[2, j] * law[k, 1] ** 2 + at[1, j] * law[k, 2]
