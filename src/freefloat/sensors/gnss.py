"""GNSS receiver: position or velocity readings."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from freefloat.amounts import Measure, not_negative, positive, take
from freefloat.frames import Array


@dataclass
class Gnss:
    """x_m = x + d + n on a position or a velocity: white noise n and a slow error d, first-order Gauss-Markov.

    In orbit it stands on `X.p_WB` and `X.v_WB`; the ECI state is that plus the falling frame's p_IW and v_IW.
    """

    noise: Measure = 1.0  # [m or m/s] standard deviation of each component of n
    slow: Measure = 2.0  # [m or m/s] of d
    time_constant: Measure = 300.0  # [s] of d
    _t: float = field(default=-1.0, init=False)
    _d: Array = field(default_factory=lambda: np.zeros(3), init=False)

    def __post_init__(self) -> None:
        error = not_negative("m or m/s")
        take(self, "GNSS", noise=error, slow=error, time_constant=positive("s"))

    def measure(self, t: float, truth: Array, rng: np.random.Generator) -> Array:
        """One reading."""
        kept = math.exp(-(t - self._t) / self.time_constant) if self._t >= 0.0 else 0.0
        self._t = t
        self._d = kept * self._d + self.slow * math.sqrt(1.0 - kept**2) * rng.standard_normal(3)
        return truth + self._d + self.noise * rng.standard_normal(3)
