"""Sobol indices: which share of a metric's variance each input causes, alone (first) and with the others (total).

From the cases of `sensitivity`, in which each base point j gives f_A, f_AB1 ... f_ABd and f_B (A with one field of B):

    V       = variance of f_A and f_B
    first_i = mean(f_B (f_ABi - f_A)) / V              Saltelli et al. 2010, table 2 (b)
    total_i = mean((f_A - f_ABi)^2) / (2 V)            Jansen 1999, the same table (f)

with f less its mean, which makes the scatter smaller. An input without any effect has exactly zero in both. Intervals
come from the scatter of the base points' contributions (linearised ratio): right for random points, wider than needed
for Sobol points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from freefloat.campaign.statistics.rates import CONFIDENCE
from freefloat.errors import InputError

Array = NDArray[np.float64]

FEWEST = 8  # base points


@dataclass(frozen=True)
class Index:
    """A share of the variance with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class SobolIndices:
    """Of one metric, by input; from `points` base points, after `dropped` others in which a case has no number."""

    first: dict[str, Index]
    total: dict[str, Index]
    points: int
    dropped: int


def sobol_indices(values: ArrayLike, inputs: Sequence[str], confidence: float = CONFIDENCE) -> SobolIndices | None:
    """Of a metric's values in the order of the cases of `sensitivity`; nan where a case has none.

    None where fewer than 8 base points are complete, or the metric does not vary.
    """
    f = np.asarray(values, dtype=np.float64)
    each = len(inputs) + 2
    if len(f) % each:
        raise InputError(f"{len(f)} values of {len(inputs)} inputs; allowed: a multiple of {each}")
    rows = f.reshape(-1, each)
    whole = rows[np.isfinite(rows).all(axis=1)]
    if len(whole) < FEWEST or np.ptp(whole[:, [0, -1]]) == 0.0:
        return None
    a, b, mixed = whole[:, 0], whole[:, -1], whole[:, 1:-1]
    mean = 0.5 * (a.mean() + b.mean())
    a, b, mixed = a - mean, b - mean, mixed - mean
    spread = 0.5 * (a * a + b * b)
    first = {name: _ratio(b * (mixed[:, k] - a), spread, confidence) for k, name in enumerate(inputs)}
    total = {name: _ratio(0.5 * (a - mixed[:, k]) ** 2, spread, confidence) for k, name in enumerate(inputs)}
    return SobolIndices(first, total, len(whole), len(rows) - len(whole))


def _ratio(top: Array, spread: Array, confidence: float) -> Index:
    """mean(top) / mean(spread), with the normal interval of the linearised ratio."""
    variance = float(spread.mean())
    value = float(top.mean()) / variance
    scatter = float(np.std(top - value * spread, ddof=1)) / variance
    half = float(ndtri(0.5 + 0.5 * confidence)) * scatter / math.sqrt(len(top))
    return Index(value, value - half, value + half)
