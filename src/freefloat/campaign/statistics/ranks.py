"""Spearman's correlation of ranks: whether a metric rises with an input, however bent the curve.

Its interval is by Fisher's z with the variance (1 + r^2 / 2) / (n - 3) of Bonett and Wright (2000): an approximation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from freefloat.campaign.statistics.rates import CONFIDENCE

FEWEST = 4  # cases of a correlation


@dataclass(frozen=True)
class Correlation:
    """A correlation of ranks with its interval; n cases."""

    r: float
    low: float
    high: float
    n: int

    @property
    def sure(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0.0 or self.high < 0.0


def spearman(x: ArrayLike, y: ArrayLike, confidence: float = CONFIDENCE) -> Correlation | None:
    """Of pairs in which both are numbers; None where there are fewer than four, or one does not vary."""
    from scipy.stats import rankdata

    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    both = ~(np.isnan(a) | np.isnan(b))
    a, b = rankdata(a[both]), rankdata(b[both])
    if len(a) < FEWEST or np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return None
    r = float(np.clip(np.corrcoef(a, b)[0, 1], -1.0, 1.0))
    if abs(r) > 1.0 - 1e-12:
        return Correlation(round(r), round(r), round(r), len(a))
    half = float(ndtri(0.5 + 0.5 * confidence)) * math.sqrt((1.0 + 0.5 * r * r) / (len(a) - 3))
    z = math.atanh(r)
    return Correlation(r, math.tanh(z - half), math.tanh(z + half), len(a))
