"""Axes of all rows of a trajectory, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from freefloat.compiled import onboard
from freefloat.facility.frames_step import OK, Nominal, to_axes
from freefloat.frames import Array


@onboard
def rows_to_axes(
    nominal: Nominal, frames: NDArray[np.int64], values: Array, now: Array, out: Array, told: NDArray[np.int64]
) -> None:
    """Axes (n, 13) of rows of numbers (n, 22), each continuous with the last that is reached, and the statuses (n,).

    `now` (13,) holds the axes before the first row, and behind the last one those that are reached last.
    """
    for i in range(frames.size):
        told[i] = to_axes(nominal, frames[i], values[i], now, out[i])
        if told[i] == OK:
            for j in range(now.size):
                now[j] = out[i, j]
