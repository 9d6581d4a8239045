"""Jogs and sines along one component."""

from __future__ import annotations

import math

import numpy as np

from freefloat.facility.axes import CYCLE, NAMES, UNITS
from freefloat.facility.axis_limits import EMERGENCY, EMERGENCY_JERK
from freefloat.facility.components import ComponentPath
from freefloat.facility.profile import Motion, at_rest, stopped_at, toward
from freefloat.frames import Array

SAMPLES = 65  # of a sine's way at which axes are looked at before it starts


class Jog:
    """Along a component toward a speed, jerk-limited, until it is released; then to rest on the same way."""

    def __init__(self, path: ComponentPath, acceleration: float, jerk: float) -> None:
        self.path = path
        self.speed = 0.0  # [m/s or rad/s] asked for, with its sign
        self.released = False
        self._limits = (acceleration, jerk)
        self._now = (0.0, 0.0, 0.0)
        self._swiftness = max(path.swiftness(), 1e-9)

    @property
    def finished(self) -> bool:
        """Whether it was released and rests."""
        return self.released and self._now[1:] == (0.0, 0.0)

    def release(self, *, hard: bool = False) -> None:
        """Let it come to rest; as an emergency stop brakes an axis, where that is asked for."""
        self.released = True
        if hard:
            deceleration = EMERGENCY * self._limits[0]
            self._limits = (deceleration, EMERGENCY_JERK * deceleration)

    def capped(self, tool_speed: float) -> float:
        """The speed asked for, or what lets no tool exceed a speed [m/s]."""
        most = tool_speed / self._swiftness
        return min(max(self.speed, -most), most)

    def stops_at(self, speed: float) -> Array:
        """Axes where it would rest, were it released after one more cycle toward a speed."""
        return self.path.at(stopped_at(toward(self._now, speed, *self._limits), *self._limits))

    def advance(self, speed: float) -> Motion:
        """One cycle toward a speed."""
        s, v, a = toward(self._now, speed, *self._limits)
        if speed == 0.0 and abs(v) < 1e-12 and abs(a) < 1e-9:
            v = a = 0.0
        self._now = (s, v, a)
        return self.path.along(s, v, a)


class Wave:
    """A sine along a component about where it starts: `cycles` full periods between one of growing and one of fading.

    s(t) = A w sin(2 pi f t) with w = 10 x^3 - 15 x^4 + 6 x^5 over the first period (x = f t), 1, and back over the last
    one: position, velocity and acceleration are continuous and zero at both ends.
    """

    def __init__(self, path: ComponentPath, amplitude: float, frequency: float, cycles: int) -> None:
        self.path = path
        self.amplitude, self.frequency, self.cycles = amplitude, frequency, cycles  # [m or rad], [Hz], [-]
        self.duration = (cycles + 2) / frequency  # [s]
        self._k = 0

    @property
    def finished(self) -> bool:
        """Whether it has faded out."""
        return self._k * CYCLE >= self.duration

    def next(self) -> Motion:
        """The motion one cycle later."""
        self._k += 1
        if self.finished:
            return at_rest(self.path.at(0.0))
        s, v, a = self.way(np.array([self._k * CYCLE]))
        return self.path.along(float(s[0]), float(v[0]), float(a[0]))

    def way(self, t: Array) -> tuple[Array, Array, Array]:
        """s and its first and second derivatives at times [s]."""
        f, w = self.frequency, 2.0 * math.pi * self.frequency
        fading = f * (self.duration - t) < 1.0
        x = np.clip(np.where(fading, f * (self.duration - t), f * t), 0.0, 1.0)
        sign = np.where(fading, -1.0, 1.0)
        g = x**3 * (10.0 - 15.0 * x + 6.0 * x**2)
        dg = sign * f * 30.0 * x**2 * (1.0 - x) ** 2
        ddg = f**2 * 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x)
        sin, cos, A = np.sin(w * t), np.cos(w * t), self.amplitude
        return (
            A * g * sin,
            A * (dg * sin + g * w * cos),
            A * (ddg * sin + 2.0 * dg * w * cos - g * w**2 * sin),
        )

    def peaks(self) -> tuple[Array, Array, Array]:
        """Largest speed and acceleration of each axis, and the axes (n, 13) along the way."""
        s = np.linspace(-self.amplitude, self.amplitude, SAMPLES)
        q, first, bend = (np.array(one) for one in zip(*map(self.path.slopes, s.tolist()), strict=True))
        period = np.linspace(0.0, 1.0, 401) / self.frequency
        t = np.concatenate([period, period + 1.0 / self.frequency, self.duration - period])  # growing, full, fading
        at, v, a = self.way(t)
        slope, curve = (np.stack([np.interp(at, s, of) for of in one.T], axis=1) for one in (first, bend))
        speed = np.abs(slope * v[:, None]).max(axis=0)
        acceleration = np.abs(curve * (v**2)[:, None] + slope * a[:, None]).max(axis=0)
        return speed, acceleration, q


def beyond(peaks: Array, limits: Array, what: str) -> str:
    """The axis that is farthest beyond its limit, in words; empty where none is."""
    worst = int(np.argmax(peaks / limits))
    if peaks[worst] <= limits[worst]:
        return ""
    unit = f"{UNITS[worst]}/s{'^2' if what == 'acceleration' else ''}"
    return f"{what} of {NAMES[worst]} {peaks[worst]:.4g} {unit}; allowed: {limits[worst]:.4g} {unit}"
