"""Smooth joint motion from rest to rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class QuinticPath:
    """q(t) = q0 + (q1 - q0) s(t / T), s(x) = 10 x^3 - 15 x^4 + 6 x^5: rest to rest, acceleration without jumps."""

    q0: Array  # [rad or m]
    q1: Array  # [rad or m]
    duration: float  # [s]

    def at(self, t: float) -> tuple[Array, Array, Array]:
        """Position, rate and acceleration at t [s]; at rest before 0 and after the duration."""
        T = self.duration
        x = min(max(t / T, 0.0), 1.0)
        s = x**3 * (10.0 - 15.0 * x + 6.0 * x**2)
        ds = 30.0 * x**2 * (1.0 - x) ** 2 / T
        dds = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / T**2
        way = self.q1 - self.q0
        return self.q0 + s * way, ds * way, dds * way
