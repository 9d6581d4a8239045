"""The robots' own controllers (LRC): power and brakes of each device, execution of set-points, temperatures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.amounts import Measure, Measures, positive, take, take_rows
from freefloat.errors import unknown_name
from freefloat.facility import axes
from freefloat.facility.execution import Execution
from freefloat.frames import Array

_WRIST_LAST = (8000.0, 8000.0, 8000.0, 1500.0, 1500.0, 1500.0)


@dataclass(frozen=True)
class Warming:
    """How the motors warm up: T nears ambient + rise (effort / rated)^2 with one time constant; all assumed."""

    rated: Measures = (5000.0, *_WRIST_LAST, *_WRIST_LAST)  # [N m or N] of the axes, for ever
    rise: Measure = 60.0  # [K] at rated effort for ever
    constant: Measure = 1800.0  # [s]
    ambient: Measure = 293.15  # [K]

    def __post_init__(self) -> None:
        take_rows(self, "warming of motors", axes.COUNT, rated=positive("N m or N"))
        take(self, "warming of motors", rise=positive("K"), constant=positive("s"), ambient=positive("K"))

    def step(self, temperature: Array, effort: ArrayLike, dt: float) -> Array:
        """Temperatures [K] (13,) after dt [s] with constant efforts [N, N m] (13,); exact."""
        ends = self.ambient + self.rise * np.square(np.asarray(effort, np.float64) / np.array(self.rated))
        return ends + (temperature - ends) * math.exp(-dt / self.constant)


class LocalControl:
    """Both LRCs and the rail's drive. A device without power has its brakes closed: it stands at its last set-point.

    Brakes do not tear: axes that move when power goes end at their last set-point, in two cycles and the delay. Whoever
    drops power brings them to rest before.
    """

    def __init__(self, execution: Execution, warming: Warming | None = None) -> None:
        self.execution, self.warming = execution, warming or Warming()
        self._point = execution.start.copy()
        self._powered = dict.fromkeys(axes.DEVICES, False)
        self._temperature = np.full(axes.COUNT, self.warming.ambient)

    @property
    def powered(self) -> Mapping[str, bool]:
        """By device: rail, rob1, rob2; off at the start."""
        return dict(self._powered)

    @property
    def braked(self) -> Mapping[str, bool]:
        """By device: brakes are closed where there is no power."""
        return {device: not on for device, on in self._powered.items()}

    @property
    def temperature(self) -> Array:
        """[K] (13,) of the motors."""
        return self._temperature.copy()

    @property
    def point(self) -> Array:
        """[m, rad] (13,) that the devices are at or on the way to: their last set-points with power."""
        return self._point.copy()

    def power(self, **devices: bool) -> None:
        """Switch devices on or off: power(rob1=True)."""
        for device, on in devices.items():
            if device not in axes.DEVICES:
                raise unknown_name("device of the facility", device, axes.DEVICES)
            self._powered[device] = bool(on)

    def cycle(self, t: float, point: ArrayLike, effort: ArrayLike | None = None) -> Array:
        """Courses (13, 7) as `Execution.cycle` has them; `effort` [N, N m] (13,) of the drives now warms the motors."""
        given = np.asarray(point, np.float64)
        for device, own in axes.DEVICES.items():
            if self._powered[device]:
                self._point[own] = given[own]
        if effort is not None:
            self._temperature = self.warming.step(self._temperature, effort, axes.CYCLE)
        return self.execution.cycle(t, self._point)
