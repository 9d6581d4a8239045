"""Where axes come to rest that brake now, on plain numbers, compiled.

An axis with velocity v and acceleration a brakes as fast as limits A and J of acceleration and jerk allow. Seen in the
direction in which it must brake, u = v + a |a| / (2 J) > 0 is the velocity once its acceleration is taken back:

    peak deceleration  p = min(A, sqrt(J v + a^2 / 2))
    jerk -J for (a + p) / J, deceleration p for what is left of the speed, jerk J for p / J
"""

from __future__ import annotations

import math

from freefloat.compiled import inner, onboard
from freefloat.frames import Array


@inner
def _way(v: float, a: float, most: float, jerk: float) -> float:
    """How far [m, rad] one axis goes until it rests."""
    sign = 1.0 if v + a * abs(a) / (2.0 * jerk) >= 0.0 else -1.0
    v, a = sign * v, sign * a
    peak = min(most, math.sqrt(max(jerk * v + 0.5 * a * a, 0.0)))
    if a < -peak:  # braking harder than allowed already
        peak = -a
    t1 = (a + peak) / jerk
    v1 = v + a * t1 - 0.5 * jerk * t1 * t1
    way = v * t1 + 0.5 * a * t1 * t1 - jerk * t1**3 / 6.0
    t3 = peak / jerk
    v2 = 0.5 * peak * t3  # what the last part takes away
    t2 = max(v1 - v2, 0.0) / peak if peak > 0.0 else 0.0
    way += v1 * t2 - 0.5 * peak * t2 * t2
    return sign * (way + v2 * t3 - 0.5 * peak * t3 * t3 + jerk * t3**3 / 6.0)


@onboard
def stop_end(q: Array, v: Array, a: Array, most: Array, jerk: Array, out: Array) -> None:
    """Where all axes rest, into `out`; with limits `most` and `jerk` of each."""
    for j in range(q.size):
        out[j] = q[j] + _way(v[j], a[j], most[j], jerk[j])


@onboard
def stop_ends(rows: Array, cycle: float, most: Array, jerk: Array, out: Array) -> None:
    """Of each of rows 2 and on (n + 2, 13) of commands, with the parabola through it and the two before, into `out`
    (n, 13)."""
    for i in range(rows.shape[0] - 2):
        for j in range(rows.shape[1]):
            second = (rows[i + 2, j] - 2.0 * rows[i + 1, j] + rows[i, j]) / cycle**2
            rate = (rows[i + 2, j] - rows[i + 1, j]) / cycle + 0.5 * cycle * second
            out[i, j] = rows[i + 2, j] + _way(rate, second, most[j], jerk[j])
