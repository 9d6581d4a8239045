"""Robot controllers behind the facility (`hardware`): the FMC is their sensor system, and corrects all of their motion.

A controller tells its axes by RSI telegrams; the answer has the motors' set-points as corrections from where RSI was
switched on. No sockets and no clock in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from freefloat.errors import InputError
from freefloat.facility.axes import COUNT, NAMES, RAIL, ROBOTS, UNITS
from freefloat.facility.exchange import Outputs
from freefloat.facility.operation import Operation
from freefloat.frames import Array
from freefloat.links.rsi_config import AXES, RsiConfig
from freefloat.links.rsi_sensor import FromRobot
from freefloat.links.rsi_telegram import Value

ASTRAY = (
    0.01  # [m, rad] from the FMC's set-points at which a robot may stand when its controller is taken over; assumed
)
SILENT = 25  # [-] cycles in a row without a telegram of a controller, beyond which it has an error; assumed


class Telegrams(Protocol):
    """A socket to which a controller sends; it never waits."""

    def newest(self) -> FromRobot | None: ...
    def answer(self, told: FromRobot, values: dict[str, Value]) -> None: ...
    def fileno(self) -> int: ...


@dataclass
class Controller:
    """The controller of robot 1, with the rail, or of robot 2."""

    number: int
    config: RsiConfig
    link: Telegrams
    told: FromRobot | None = None  # the newest telegram
    fresh: bool = False  # and not answered yet
    silent: int = 0  # cycles in a row without one
    error: str = ""  # what it met when it was taken over
    met: bool = False  # whether it has been

    def __post_init__(self) -> None:
        rail = ["EIPos.E1", "ESPos.E1"] if self.number == 1 else []
        sent = {key for element in self.config.send for key in element.keys}
        received = {key for element in self.config.receive for key in element.keys}
        needs = [f"{name}.{axis}" for name in ("AIPos", "ASPos") for axis in AXES] + rail
        moves = [f"AKorr.{axis}" for axis in AXES] + (["EKorr.E1"] if self.number == 1 else [])
        missing = [*(k for k in needs if k not in sent), *(k for k in moves if k not in received)]
        if missing:
            told = f"{self.config.path}: {missing[0]} is missing for the controller of robot {self.number}"
            raise InputError(f"{told}; allowed: SEND with {', '.join(needs)}, RECEIVE with {', '.join(moves)}")

    def listen(self) -> None:
        """Take the newest telegram."""
        found = self.link.newest()
        if found is not None:
            self.told, self.fresh = found, True

    def write_axes(self, what: str, external: str, axes: Array) -> None:
        """Axes that it tells, into (13,) [m, rad]."""
        if self.told is not None:
            axes[ROBOTS[self.number - 1]] = np.radians(self.told.group(what))
            if self.number == 1:
                axes[RAIL] = self.told.group(external)[0] / 1e3

    def meet(self, off: Array) -> None:
        """Take it over, where its axes are `off` (13,) [m, rad] from the FMC's."""
        if self.met or not self.fresh:
            return
        self.met, worst = True, int(np.argmax(np.abs(off)))
        if abs(off[worst]) > ASTRAY:
            told = f"{NAMES[worst]} stands {off[worst]:.4g} {UNITS[worst]} from the set-point"
            self.error = f"{told}; allowed: {ASTRAY:g} {UNITS[worst]}"

    @property
    def trouble(self) -> str:
        """What is wrong; empty: nothing."""
        return self.error or (f"controller silent for {self.silent} cycles" if self.silent > SILENT else "")

    def answer(self, motors: Array) -> None:
        """Tell it set-points (13,) [m, rad]."""
        if self.told is None or not self.fresh or self.error:
            return
        start = np.zeros(COUNT)
        self.write_axes("ASPos", "ESPos", start)
        turned = np.degrees(motors - start)[ROBOTS[self.number - 1]].tolist()
        values: dict[str, Value] = {f"AKorr.{axis}": x for axis, x in zip(AXES, turned, strict=True)}
        if self.number == 1:
            values["EKorr.E1"] = 1e3 * float(motors[RAIL] - start[RAIL])
        self.link.answer(self.told, values)
        self.fresh = False


class Controllers:
    """Both, or none."""

    def __init__(self, controllers: Sequence[Controller] = ()) -> None:
        self.controllers = tuple(controllers)
        self.on = False
        if self.controllers and [one.number for one in self.controllers] != [1, 2]:
            raise InputError(f"robot controllers {[one.number for one in self.controllers]}; allowed: both, or none")

    @property
    def answered(self) -> bool:
        """Whether all that the FMC commands have told where they are since it did."""
        return not self.on or all(one.fresh for one in self.controllers)

    @property
    def sockets(self) -> list[Telegrams]:
        """For selectors."""
        return [one.link for one in self.controllers]

    def listen(self) -> None:
        """Take what has come."""
        for one in self.controllers:
            one.listen()

    def before(self, operation: Operation) -> tuple[Array | None, tuple[str, str]]:
        """Encoders (13,) [m, rad] and errors of the robots for a cycle; None: those of the simulation."""
        self.on = operation.hardware and bool(self.controllers)
        self.listen()
        if not self.on:
            for one in self.controllers:
                one.silent, one.error, one.met = 0, "", False
            return None, ("", "")
        points = operation.model.to_motor(operation.motion[0])
        axes = points.copy()
        for one in self.controllers:
            one.silent = 0 if one.fresh else one.silent + 1
            one.write_axes("AIPos", "EIPos", axes)
            one.meet(axes - points)
        first, second = (one.trouble for one in self.controllers)
        return axes, (first, second)

    def after(self, out: Outputs) -> None:
        """Set-points, to controllers that wait for them."""
        if self.on:
            for one in self.controllers:
                one.answer(out.motors)
