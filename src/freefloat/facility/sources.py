"""Where set-points come from while the facility moves: commands, jogs, and motions that the FMC has planned.

A source gives the motion of the next cycle, or raises `Halt` with the reason to stop; then the operation brakes from
where the set-points are, so that a refused one is never passed through.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from freefloat.errors import InputError
from freefloat.facility.axes import CYCLE
from freefloat.facility.component_motion import Jog
from freefloat.facility.exchange import Inputs, Settings
from freefloat.facility.guard import Guard
from freefloat.facility.kinematics import UnreachableError
from freefloat.facility.modes import Reason
from freefloat.facility.profile import Generator, Motion
from freefloat.facility.record import Record
from freefloat.facility.security import Security
from freefloat.frames import Array


class Halt(Exception):  # noqa: N818  a turn of events, no error
    """A reason to stop."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(reason.text)


@dataclass(frozen=True, eq=False)
class Footing:
    """Set-points of the last cycle, with velocities and accelerations, and those of the one before."""

    motion: Motion
    last: Array  # (13,)


class Source(Protocol):
    """A motion under way."""

    @property
    def finished(self) -> bool: ...
    @property
    def command(self) -> Record | None: ...  # what this cycle executes as it is

    def next(self, footing: Footing, inputs: Inputs) -> Motion:
        """The set-points of this cycle."""
        ...


class Planned:
    """A generator's motion; checked each cycle where there is a guard."""

    command = None

    def __init__(self, generator: Generator, guard: Guard | None = None) -> None:
        self.generator, self._guard = generator, guard

    @property
    def finished(self) -> bool:
        """Whether it rests at its end."""
        return self.generator.finished

    def next(self, footing: Footing, inputs: Inputs) -> Motion:
        """The set-points of this cycle."""
        try:
            motion = self.generator.next()
        except InputError as error:
            raise Halt(unreached(error)) from None
        found = self._guard and self._guard.leaving(motion[0], footing.motion[0], footing.last)
        if found:
            raise Halt(found.reason)
        return motion


class Jogging:
    """A jog for as long as requests keep coming; it brakes in time to rest within limits."""

    command = None

    def __init__(self, jog: Jog, guard: Guard, settings: Settings, security: Security) -> None:
        self.jog, self._guard, self._settings, self._security = jog, guard, settings, security
        self._requested = 0.0  # [s] time of the last request
        self._stops = False  # for good
        self._blocked = 0.0  # sign of the speeds that would lead beyond a limit
        self.ended = Reason("end", f"end of the jog of {jog.path.moves}")  # or why it had to end

    @property
    def finished(self) -> bool:
        """Whether it was released and rests."""
        return self.jog.finished

    def request(self, speed: float, time: float) -> None:
        """Go on, at a speed [m/s or rad/s], or faster or slower."""
        self.jog.speed, self._requested, self.jog.released = speed, time, False
        if speed * self._blocked <= 0.0:
            self._blocked = 0.0

    def release(self, *, hard: bool) -> None:
        """Stop for good, on the same way, whatever limits say."""
        self.jog.release(hard=hard)
        self._stops = True

    def next(self, footing: Footing, inputs: Inputs) -> Motion:
        """The set-points of this cycle."""
        jog, now = self.jog, footing.motion[0]
        if inputs.time - self._requested > self._settings.jog_timeout + 0.5 * CYCLE:
            jog.released = True
        speed = 0.0 if jog.released or self._blocked else jog.capped(self._most)
        broken = self._ahead(now, speed) if speed else None
        if broken is not None:  # it stays so until the other way is asked for, and does not creep on
            self.ended, self._blocked, speed = broken, math.copysign(1.0, speed), 0.0
        try:
            motion = jog.advance(speed)
        except InputError as error:
            raise Halt(unreached(error)) from None
        found = None if self._stops else self._guard.leaving(motion[0], now, footing.last)
        if found:
            raise Halt(found.reason)
        return motion

    @property
    def _most(self) -> float:
        """[m/s] that a tool may have."""
        most = self._settings.jog_speed
        return min(most, self._settings.door_speed) if self._security.forbids("fast") else most

    def _ahead(self, now: Array, speed: float) -> Reason | None:
        """Why it must brake in this cycle to rest within limits."""
        try:
            end = self.jog.stops_at(speed)
        except InputError as error:
            return unreached(error)
        found = self._guard.rest(end, now)
        return None if found is None else found.reason


def unreached(error: InputError) -> Reason:
    """Why kinematics refuse a pose."""
    if not isinstance(error, UnreachableError):
        return Reason("invalid", str(error))
    return Reason("reach" if error.axis is None else "range", str(error))
