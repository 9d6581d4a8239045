"""GNSS receiver: position or velocity readings."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from freefloat.errors import InputError
from freefloat.frames import Array


@dataclass
class Gnss:
    """x_m = x + d + n on a position or a velocity: white noise n and a slow error d, first-order Gauss-Markov.

    In orbit it stands on `X.p_WB` and `X.v_WB`; the ECI state is that plus the falling frame's p_IW and v_IW.
    """

    noise: float = 1.0  # [m] or [m/s] standard deviation of each component of n
    slow: float = 2.0  # [m] or [m/s] of d
    time_constant: float = 300.0  # [s] of d
    _t: float = field(default=-1.0, init=False)
    _d: Array = field(default_factory=lambda: np.zeros(3), init=False)

    def __post_init__(self) -> None:
        if not (self.noise >= 0.0 and self.slow >= 0.0 and self.time_constant > 0.0):
            raise InputError(f"GNSS: {self} needs noise and slow not negative and time_constant positive")

    def measure(self, t: float, truth: Array, rng: np.random.Generator) -> Array:
        """One reading."""
        kept = math.exp(-(t - self._t) / self.time_constant) if self._t >= 0.0 else 0.0
        self._t = t
        self._d = kept * self._d + self.slow * math.sqrt(1.0 - kept**2) * rng.standard_normal(3)
        return truth + self._d + self.noise * rng.standard_normal(3)
