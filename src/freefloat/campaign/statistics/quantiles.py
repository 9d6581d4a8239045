"""Quantiles of a metric with intervals between two of the sorted values. Exact for any continuous distribution.

Of n runs the number K below the true p-quantile is binomial (n, p), so that it lies between the l-th and the u-th
value (from 1) with probability P(l <= K < u) (David and Nagaraja, Order Statistics, 2003, sec. 7.1). Of all such
intervals with enough probability the one over the fewest values is taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.campaign.statistics.rates import CONFIDENCE
from freefloat.errors import InputError

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Quantile:
    """The p-quantile of a metric. Where n runs are too few for an interval, `low` and `high` are None."""

    p: float
    value: float
    low: float | None
    high: float | None
    runs_needed: int  # for an interval


def quantile(values: ArrayLike, p: float, confidence: float = CONFIDENCE) -> Quantile:
    """The p-quantile of values (interpolated between the two nearest) with its interval."""
    _check(p, confidence)
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if not len(ordered) or np.isnan(ordered[-1]):
        raise InputError(f"quantile of {len(ordered)} values; allowed: at least one, and no nan")
    needed = runs_needed(p, confidence)
    ranks = ranks_between(len(ordered), p, confidence)
    low, high = (None, None) if ranks is None else (float(ordered[ranks[0] - 1]), float(ordered[ranks[1] - 1]))
    return Quantile(p, _interpolated(ordered, p), low, high, needed)


@lru_cache(maxsize=256)
def ranks_between(n: int, p: float, confidence: float = CONFIDENCE) -> tuple[int, int] | None:
    """The ranks l and u (from 1) whose values hold the p-quantile between them; None where n runs are too few."""
    from scipy.stats import binom

    _check(p, confidence)
    if n < runs_needed(p, confidence):
        return None
    # below[k] = P(K < k), so that the interval (l, u) has below[u] - below[l]
    below = np.concatenate([[0.0], binom.cdf(np.arange(n), n, p)])
    uppers = np.searchsorted(below, below[1 : n + 1] + confidence)  # the first u with enough, for each l
    fitting = [(int(u), low) for low, u in enumerate(uppers, start=1) if u <= n]
    fitting = [(u, low) for u, low in fitting if below[u] - below[low] >= confidence]
    if not fitting:
        return None
    upper, lower = min(fitting, key=lambda pair: (pair[0] - pair[1], below[pair[1]] - below[pair[0]]))
    return lower, upper


def runs_needed(p: float, confidence: float = CONFIDENCE) -> int:
    """The fewest runs n for which the smallest and the largest value hold the p-quantile between them surely enough.

    1 - p^n - (1 - p)^n >= confidence: 59 for the 0.95-quantile at 0.95 (Wilks 1941), 6 for the median.
    """
    _check(p, confidence)
    n = max(2, math.floor(math.log(1.0 - confidence) / math.log(max(p, 1.0 - p))))
    while 1.0 - p**n - (1.0 - p) ** n < confidence:
        n += 1
    return n


def _interpolated(ordered: Vector, p: float) -> float:
    """As numpy.quantile does, but right beside infinite values."""
    place = p * (len(ordered) - 1)
    below = math.floor(place)
    first, second = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    share = place - below
    return first if share == 0.0 or first == second else first + share * (second - first)


def _check(p: float, confidence: float) -> None:
    for what, share in (("quantile", p), ("confidence", confidence)):
        if not 0.0 < share < 1.0:
            raise InputError(f"{what} {share!r}; allowed: > 0 and < 1")
