"""Limits and clearance of each cycle, as reasons to stop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.facility.axes import COUNT, NAMES, UNITS
from freefloat.facility.axis_limits import AxisLimits
from freefloat.facility.exchange import Clearance, Limits
from freefloat.facility.modes import Reason
from freefloat.facility.profile import Motion
from freefloat.facility.stop_step import stop_end
from freefloat.frames import Array

CAUSE = {  # of a motion's end, by the kind of a limit
    "number": "invalid",
    "reach": "reach",
    "range": "range",
    "tool range": "range",
    "speed": "speed",
    "tool speed": "speed",
    "acceleration": "acceleration",
    "clearance": "clearance",
    "jump": "jump",
    "stop range": "range",
    "stop clearance": "clearance",
}
FOLLOWED = frozenset({"speed", "acceleration"})  # kinds of limits within which a command can be followed
KEPT = 0.5  # share of the margin that a stop leaves; assumed, docs/reference/parameters.md
SLACK = 1e-9  # [m, rad] that rounding may add
POSTURE = frozenset({"range", "tool range", "clearance"})  # kinds that a robot at rest may break


@dataclass(frozen=True)
class Found:
    """A limit that is broken."""

    kind: str
    where: tuple[str, str]  # device and axis, or both solids
    excess: float  # how far beyond; only to compare with the same limit
    text: str

    @property
    def reason(self) -> Reason:
        """To stop."""
        return Reason(CAUSE.get(self.kind, "limit"), self.text)


class Guard:
    """Asks limits, then clearance; of motions also where a Safe Stop from them would end."""

    def __init__(self, limits: Limits, clearance: Clearance, axes: AxisLimits) -> None:
        self.limits, self.clearance = limits, clearance
        self._most, self._jerk = np.array(axes.acceleration), np.array(axes.jerk)
        self._end = np.empty(COUNT)

    def check(self, axes: Array, last: Array, before: Array) -> Found | None:
        """What a step breaks first, where the axes were `last` one cycle and `before` two cycles ago."""
        return self._limits(axes, last, before) or self._clearance(axes)

    def posture(self, axes: Array) -> Found | None:
        """What axes at rest break."""
        return self.check(axes, axes, axes)

    def leaving(self, axes: Array, last: Array, before: Array, now: Array | None = None) -> Found | None:
        """The same as `check`, but a range or a distance may be broken by less than `now` (`last`): a way back.

        For motions that the FMC makes, whose axes are limited; the tools' ranges are those of commands.
        """
        now = last if now is None else now
        found = self._limits(axes, last, before)
        if found is not None and found.kind != "tool range" and not _less(found, self._limits(now, now, now)):
            return found
        found = self._clearance(axes)
        return None if found is not None and _less(found, self._clearance(now)) else found

    def stop(self, motion: Motion) -> Found | None:
        """What axes break that brake now: they must come to rest within their ranges, with half the margin left.

        What a stop breaks less than the present posture does is a way back. Since the end of a stop moves on by little
        each cycle, nothing is passed through on the way to it that was not the end of a stop before.
        """
        q, v, a = motion
        stop_end(q, v, a, self._most, self._jerk, self._end)
        return self._beyond(self._end, q) or self._too_near(self._end, q)

    def _beyond(self, end: Array, now: Array) -> Found | None:
        low, high = self.limits.lower, self.limits.upper
        excess = np.maximum(end - high, low - end)
        worst = int(np.argmax(excess))
        if excess[worst] <= SLACK or excess[worst] <= max(now[worst] - high[worst], low[worst] - now[worst]):
            return None
        told = f"{NAMES[worst]} would come to rest at {end[worst]:.6g} {UNITS[worst]}"
        allowed = f"{low[worst]:.6g} to {high[worst]:.6g} {UNITS[worst]}"
        return Found("stop range", (NAMES[worst], ""), float(excess[worst]), f"{told}; allowed: {allowed}")

    def _too_near(self, end: Array, now: Array) -> Found | None:
        kept = KEPT * self.clearance.margin
        near = self.clearance.at(end, kept)
        if not near.a or near.distance >= self.clearance.at(now).distance:
            return None
        told = f"a stop would leave {near}; allowed: at least {kept:g} m"
        return Found("stop clearance", (near.a, near.b), kept - near.distance, told)

    def rest(self, axes: Array, now: Array) -> Found | None:
        """What a posture breaks that the present one does not, or breaks less."""
        return self.leaving(axes, axes, axes, now)

    def _limits(self, axes: Array, last: Array, before: Array) -> Found | None:
        broken = self.limits.check(axes, last, before)
        if broken is None:
            return None
        return Found(broken.kind, (broken.device, broken.axis), abs(broken.value - broken.limit), str(broken))

    def _clearance(self, axes: Array) -> Found | None:
        near = self.clearance.too_near(axes)
        if near is None:
            return None
        margin = self.clearance.margin
        return Found("clearance", (near.a, near.b), margin - near.distance, f"{near}; allowed: at least {margin:g} m")


def _less(found: Found, was: Found | None) -> bool:
    if was is None or found.kind not in POSTURE or (found.kind, found.where) != (was.kind, was.where):
        return False
    return found.excess <= was.excess + 1e-12
