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
def full_speed(P: Array, v: Array, out: Array) -> None:
    """Time [s] that each interval between points takes (n - 1,) with the slowest joint at its speed."""
    for i in range(P.shape[0] - 1):
        most = 1e-6
        for m in range(P.shape[1]):
            most = max(most, abs(P[i + 1, m] - P[i, m]) / v[m])
        out[i] = most


@onboard
def controls(P: Array, pace: Array, fit: int, C: Array, at: Array) -> None:
    """Control points C (k, n) that pass along the curve over P in equal times, if its intervals take `pace` [s] each.

    With `fit` > 0 their own curve goes through the points, more exactly with every round; else it cuts turns a little.
    `at` (k,) is where on P they are.
    """
    total, k, last, n = np.sum(pace), 0, 0.0, C.shape[0]
    state = np.empty((4, P.shape[1]))
    for i in range(n):
        t = total * i / (n - 1)
        while k < pace.shape[0] - 1 and last + pace[k] < t:
            last += pace[k]
            k += 1
        at[i] = k + min(max((t - last) / pace[k], 0.0), 1.0)
        curve_at(P, at[i], state)
        C[i] = state[0]
    C[0], C[n - 1] = P[0], P[P.shape[0] - 1]
    wanted, moved = C.copy(), np.empty(C.shape)
    for _ in range(fit):
        for i in range(n):
            for j in range(C.shape[1]):
                near = 26.0 * (point(C, i - 1, j) + point(C, i + 1, j)) + point(C, i - 2, j) + point(C, i + 2, j)
                moved[i, j] = C[i, j] + wanted[i, j] - (66.0 * C[i, j] + near) / 120.0
        C[:] = moved


@onboard
def law_at(phases: Array, jerks: Array, times: Array, out: Array) -> None:
    """Position, rate and acceleration (k, 3) at rising times [s] of a motion from rest by phases of constant jerk."""
    x = v = a = start = 0.0
    m = 0
    for k in range(times.shape[0]):
        while m < phases.shape[0] - 1 and times[k] > start + phases[m]:
            h, j = phases[m], jerks[m]
            x, v, a = x + h * (v + h * (0.5 * a + h * j / 6.0)), v + h * (a + 0.5 * h * j), a + h * j
            start += h
            m += 1
        h, j = times[k] - start, jerks[m]
        out[k, 0] = x + h * (v + h * (0.5 * a + h * j / 6.0))
        out[k, 1], out[k, 2] = v + h * (a + 0.5 * h * j), a + h * j


@onboard
def repaced(pace: Array, law: Array, at: Array, slow: Array, power: float) -> None:
    """Take more time where pieces between the law's knots are too fast by `slow` (k - 1,), less where they could be.

    The factors are evened out twice over five intervals, so that the pace changes gently.
    """
    n, k = pace.shape[0], 0
    factor = np.empty(n)
    pieces = slow.shape[0]
    where = np.empty(pieces)
    for i in range(pieces):
        u = 0.5 * (law[i, 0] + law[i + 1, 0])
        m = min(max(math.floor(u), 0), at.shape[0] - 2)
        where[i] = at[m] + (u - m) * (at[m + 1] - at[m])
    for i in range(n):
        u = i + 0.5
        while k < pieces - 2 and where[k + 1] < u:
            k += 1
        wide = max(where[k + 1] - where[k], 1e-9)
        x = min(max((u - where[k]) / wide, 0.0), 1.0)
        factor[i] = slow[k] + x * (slow[k + 1] - slow[k])
    even = np.empty(n)
    for _ in range(2):
        for i in range(n):
            total = 0.0
            for m in range(-2, 3):
                total += min(max(factor[min(max(i + m, 0), n - 1)], 0.6), 2.0)
            even[i] = total / 5.0
        factor[:] = even
    for i in range(n):
        pace[i] *= factor[i] ** power


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
