"""Accelerometer: readings of the specific force."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from freefloat.amounts import Measure, not_negative, positive, take
from freefloat.frames import Array


@dataclass
class Accelerometer:
    """f_m = (1 + s) f + b + n on `X.f_WF_F`, the specific force at a frame: it feels no gravity.

    White noise n of density `noise`, bias b a random walk; a sample's noise has the standard deviation
    noise / sqrt(dt), dt since the sample before. Readings end at +-`limit`.
    """

    noise: Measure = 5e-5  # [m/s^2/sqrt(Hz)] velocity random walk
    walk: Measure = 1e-7  # [m/s^3/sqrt(Hz)] random walk of the bias
    bias: Measure = 1e-4  # [m/s^2] standard deviation of the bias at the start
    scale: Measure = 0.0  # [-] standard deviation of the scale errors
    limit: Measure = np.inf  # [m/s^2]
    _t: float = field(default=-1.0, init=False)
    _b: Array = field(default_factory=lambda: np.zeros(3), init=False)
    _s: Array = field(default_factory=lambda: np.zeros(3), init=False)

    def __post_init__(self) -> None:
        density = not_negative("m/s^2/sqrt(Hz)")
        take(self, "accelerometer", noise=density, walk=not_negative("m/s^3/sqrt(Hz)"), bias=not_negative("m/s^2"))
        take(self, "accelerometer", scale=not_negative("-"), limit=positive("m/s^2", inf=True))

    def measure(self, t: float, truth: Array, rng: np.random.Generator) -> Array:
        """Specific force reading [m/s^2] in the sensor's axes; the first one has no white noise."""
        n = np.zeros(3)
        if self._t < 0.0:
            self._b = self.bias * rng.standard_normal(3)
            self._s = self.scale * rng.standard_normal(3)
        else:
            dt = max(t - self._t, 1e-9)
            self._b = self._b + self.walk * np.sqrt(dt) * rng.standard_normal(3)
            n = self.noise / np.sqrt(dt) * rng.standard_normal(3)
        self._t = t
        return np.clip((1.0 + self._s) * truth + self._b + n, -self.limit, self.limit)
