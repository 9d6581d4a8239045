"""Corrections of a robot from the values on its channels: totals, caps and monitors. No clock and no sockets."""

from __future__ import annotations

import math
from collections.abc import Mapping

from freefloat.links.rsi_context import AXES, CORRECTIONS, OFFSET, UNITS, Corrector, Monitor, RsiContext

BISECTIONS = 60  # until a rotation is at its limit, to rounding


class Corrections:
    """Totals of all correction objects. `total` (18,) [mm, deg] has X to C, A1 to A6, E1 to E6."""

    def __init__(self, context: RsiContext, relative: bool) -> None:
        self.context, self.relative = context, relative
        self.reset()

    def reset(self) -> None:
        """All zero, as where RSI is switched on."""
        self._own = [[0.0] * 6 for _ in self.context.correctors]  # totals of each object
        self.total = [0.0] * len(CORRECTIONS)

    def step(self, values: Mapping[int, float]) -> str:
        """Take the values of a cycle; what a monitor says, or nothing.

        Relative values add to a total, absolute ones are it. Each object caps its total; what is beyond is lost.
        """
        for one, own in zip(self.context.correctors, self._own, strict=True):
            for n, channel in enumerate(one.channels):
                value = values.get(channel, 0.0) if channel is not None else 0.0
                own[n] = min(max(own[n] + value if self.relative else value, one.lower[n]), one.upper[n])
            _turn_back(one, own)
        self.total = [0.0] * len(CORRECTIONS)
        for one, own in zip(self.context.correctors, self._own, strict=True):
            for n, value in enumerate(own, OFFSET[one.kind]):
                self.total[n] += value
        return next(filter(None, map(self._beyond, self.context.monitors)), "")

    def _beyond(self, monitor: Monitor) -> str:
        if monitor.kind == "AXISCORRMON":
            for n, most in enumerate(monitor.axes, len(AXES)):
                if abs(self.total[n]) > most:
                    return _told(monitor, CORRECTIONS[n], self.total[n], most, UNITS[n])
            return ""
        distance, angle = math.hypot(*self.total[:3]), rotation(*self.total[3:6])
        if distance > monitor.translation:
            return _told(monitor, "of the tool", distance, monitor.translation, "mm")
        return _told(monitor, "of the tool", angle, monitor.rotation, "deg") if angle > monitor.rotation else ""


def _told(monitor: Monitor, what: str, value: float, most: float, unit: str) -> str:
    return f"{monitor.name}: overall correction {what} {value:.6g} {unit}; allowed: {most:.6g} {unit}"


def _turn_back(one: Corrector, own: list[float]) -> None:
    """Cap the angle of A, B, C together, by their common share."""
    if not any(own[3:6]) or one.kind != "POSCORR" or rotation(*own[3:6]) <= one.rotation:
        return
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        share = 0.5 * (low + high)
        if rotation(*(share * x for x in own[3:6])) <= one.rotation:
            low = share
        else:
            high = share
    own[3:6] = [low * x for x in own[3:6]]


def rotation(a: float, b: float, c: float) -> float:
    """[deg] the angle of Rz(A) Ry(B) Rx(C), A, B, C in deg; of the quaternion, exact for small ones."""
    ca, sa, cb, sb, cc, sc = (f(math.radians(0.5 * x)) for x in (a, b, c) for f in (math.cos, math.sin))
    w = ca * cb * cc + sa * sb * sc
    v = math.hypot(ca * cb * sc - sa * sb * cc, ca * sb * cc + sa * cb * sc, sa * cb * cc - ca * sb * sc)
    return math.degrees(2.0 * math.atan2(v, abs(w)))
