"""What a tracker of a floating platform gives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freefloat.compiled import inlined
from freefloat.frames import Array


class PlatformCommands(NamedTuple):
    """Commands, and what the tracker believes."""

    valves: Array  # (n,) 0 or 1
    wheel: Array  # [rad/s] commanded speed, (1,); (0,) where there is no wheel
    estimate: Array  # (6,) pose and rate
    slope: Array  # [m/s^2, rad/s^2] (3,) acceleration by the floor, zeros where it is not estimated

    @classmethod
    def of(cls, thrusters: int, wheels: int = 1) -> PlatformCommands:
        """Everything shut and at rest."""
        return cls(np.zeros(thrusters), np.zeros(wheels), np.zeros(6), np.zeros(3))


@inlined
def tell(x: Array, out: PlatformCommands) -> None:
    """Give out the estimate: rows [p, v] or [p, v, slope] of x, y, theta."""
    for i in range(3):
        out.estimate[i], out.estimate[3 + i] = x[i, 0], x[i, 1]
        if x.shape[1] > 2:
            out.slope[i] = x[i, 2]
