"""The valve driver: on/off commands that keep each valve's least on and off times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.task import Task
from freefloat.errors import InputError

Array = NDArray[np.float64]


@dataclass
class ValveDriver:
    """Opens a valve when asked for (request >= 0.5) and holds it for `min_on`; likewise closed for `min_off`.

    A request that would switch too soon waits until the dwell time is over, and is dropped if it has changed by then.
    """

    min_on: float  # [s]
    min_off: float  # [s]
    _open: Array = field(default_factory=lambda: np.zeros(0), init=False)
    _since: Array = field(default_factory=lambda: np.zeros(0), init=False)  # [s] time of the last switch

    def __post_init__(self) -> None:
        if not (0.0 <= self.min_on < np.inf and 0.0 <= self.min_off < np.inf):
            raise InputError(
                f"valve driver: min_on {self.min_on!r} s and min_off {self.min_off!r} s must not be negative"
            )

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """The valve commands for the next period."""
        wanted = (meas["request"] >= 0.5).astype(np.float64)
        if self._open.shape != wanted.shape:
            self._open, self._since = np.zeros_like(wanted), np.full(wanted.shape, -np.inf)
        dwell = np.where(self._open > 0.0, self.min_on, self.min_off)
        switch = (wanted != self._open) & (t - self._since >= dwell - 1e-9)  # the clock counts nanoseconds
        self._open = np.where(switch, wanted, self._open)
        self._since = np.where(switch, t, self._since)
        return {"open": self._open.copy()}


@dataclass(frozen=True)
class Valves:
    """Valves of a set of thrusters that may not switch at any time, and the task that sees to it."""

    min_on: float = 0.0  # [s]
    min_off: float = 0.0  # [s]
    period: float = 1e-3  # [s] of the driver

    def task(self, thrusters: str) -> Task:
        """From the command `request` of a set to its command `open`."""
        return Task(
            ValveDriver(self.min_on, self.min_off),
            self.period,
            reads={"request": f"{thrusters}.request"},
            writes={"open": f"{thrusters}.open"},
            name=f"{thrusters}-valves",
        )
