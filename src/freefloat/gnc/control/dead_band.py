"""A dead band for actuators that cannot push gently: feedback rests while the error is small."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from freefloat.errors import InputError
from freefloat.frames import Array


@dataclass
class DeadBand:
    """On each body axis, feedback rests until the error or where it drifts to, s = e + lead w_e, leaves the band.

    Then it works until |s| is below `release` of the width. With a least impulse that changes the rate by dw, an axis
    at rest that nothing disturbs swings between the edges with dw / 2 at best, 8 width / dw seconds a cycle, for two
    pulses: half the pulse is a quarter of the gas. Integral action does not rest, and would wake the thrusters; gains
    for pulses have none.
    """

    width: float  # [rad]
    release: float = 0.5  # [-] of the width
    awake: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(3, np.bool_), init=False)

    def __post_init__(self) -> None:
        if not (0.0 < self.width < np.inf and 0.0 <= self.release <= 1.0):
            raise InputError(f"dead band: {self}; allowed: width positive, release 0 to 1")

    def resting(self, error: Array, rate_error: Array, lead: float) -> NDArray[np.bool_]:
        """On which axes feedback rests now, for errors [rad], [rad/s] in B and the lead [s] of the rate."""
        s = np.abs(error + lead * rate_error)
        self.awake = s > np.where(self.awake, self.release * self.width, self.width)
        return ~self.awake
