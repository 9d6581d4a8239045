"""Limits and clearance of each cycle, as reasons to stop."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.facility.exchange import Clearance, Limits
from freefloat.facility.modes import Reason
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
}
FOLLOWED = frozenset({"speed", "acceleration"})  # kinds of limits within which a command can be followed
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
    """Asks limits, then clearance."""

    def __init__(self, limits: Limits, clearance: Clearance) -> None:
        self.limits, self.clearance = limits, clearance

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
