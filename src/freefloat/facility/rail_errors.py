"""How the carriage runs off the straight line of the rail: as it does (waves), and as a model knows it (a spline).

Both give six numbers over E1: [turn about x, y, z [rad]; shift along x, y, z [m]] of the carriage in axes of the lab.
"""

from __future__ import annotations

import math

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array

SIX = 6


def no_spline(intervals: int = 1) -> Array:
    """Coefficients of a straight rail."""
    return np.zeros((intervals + 3, SIX))


@inner
def waves_at(waves: Array, scale: Array, e1: float, out: Array) -> None:
    """(6,) where the carriage is told to be at e1 [m]: `waves` (n, 13) has rows of a wave number [rad/m], six
    amplitudes [rad, m] and six phases [rad]; the shift along x has `scale` (1,) times e1 more."""
    for k in range(SIX):
        out[k] = scale[0] * e1 if k == 3 else 0.0
        for n in range(waves.shape[0]):
            out[k] += waves[n, 1 + k] * math.sin(waves[n, 0] * e1 + waves[n, 7 + k])


@inner
def spline_at(coefficients: Array, ends: Array, e1: float, out: Array) -> None:
    """(6,) where the carriage is told to be at e1 [m]: a uniform cubic B-spline over n intervals between the `ends`
    (2,) [m] of the rail, held beyond them; `coefficients` (n + 3, 6) [rad, m]."""
    n = coefficients.shape[0] - 3
    x = min(max((e1 - ends[0]) / (ends[1] - ends[0]), 0.0), 1.0) * n
    i = min(math.floor(x), n - 1)
    t = x - i
    s = 1.0 - t
    b = (s * s * s, 3.0 * t * t * t - 6.0 * t * t + 4.0, 3.0 * s * s * s - 6.0 * s * s + 4.0, t * t * t)
    for k in range(SIX):
        out[k] = 0.0
        for j in range(4):
            out[k] += b[j] / 6.0 * coefficients[i + j, k]


@onboard
def spline_rows(coefficients: Array, ends: Array, e1: Array, out: Array) -> None:
    """(m, 6) at many places e1 (m,)."""
    for n in range(e1.shape[0]):
        spline_at(coefficients, ends, e1[n], out[n])
