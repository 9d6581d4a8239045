"""How often something happens, from how often it happened: Wilson's interval (Wilson 1927)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from freefloat.errors import InputError

Vector = NDArray[np.float64]

CONFIDENCE = 0.95  # [-] of all intervals, unless another is asked for


def wilson(k: float, n: int, confidence: float = CONFIDENCE) -> tuple[float, float, float]:
    """Rate k / n with the low and high end of its interval.

    It holds the true rate with about the given probability (0.92 to 0.98 at 0.95, for 30 runs or more) also where all
    runs succeed: 100 of 100 gives 0.963 to 1. Without runs the rate is nan, between 0 and 1. k need not be whole where
    n independent runs stand for more that are not.
    """
    if not 0 <= k <= n:
        raise InputError(f"{k} of {n} successes; allowed: 0 to {n}")
    if n == 0:
        return math.nan, 0.0, 1.0
    z = float(ndtri(0.5 + 0.5 * confidence))
    middle, half = _middle_and_half(k / n, n, z)
    return k / n, 0.0 if k == 0 else max(0.0, middle - half), 1.0 if k == n else min(1.0, middle + half)


def _middle_and_half(rate: float, n: int, z: float) -> tuple[float, float]:
    """Of the interval: the rates from which `rate` is z standard deviations away."""
    shrink = 1.0 / (1.0 + z * z / n)
    middle = shrink * (rate + 0.5 * z * z / n)
    return middle, shrink * z * math.sqrt(rate * (1.0 - rate) / n + 0.25 * (z / n) ** 2)


@dataclass(frozen=True)
class RateOverRuns:
    """How a rate and its interval settle with the number of runs."""

    runs: tuple[int, ...]
    rate: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def rate_over_runs(success: Sequence[bool] | ArrayLike, points: int = 200) -> RateOverRuns:
    """After the first 1, 2, ... cases in their order, at up to `points` counts, evenly by their logarithm."""
    done = np.cumsum(np.asarray(success, dtype=bool))
    if not len(done):
        return RateOverRuns((), (), (), ())
    counts = np.unique(np.round(np.geomspace(1, len(done), points)).astype(int))
    found = [wilson(int(done[n - 1]), int(n)) for n in counts]
    rate, low, high = zip(*found, strict=True)
    return RateOverRuns(tuple(map(int, counts)), rate, low, high)
