"""How robot controllers execute set-points: a cubic between them, after a transport delay."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from freefloat.amounts import Amount, Measure
from freefloat.engine.imposed import COURSE
from freefloat.errors import InputError
from freefloat.facility import axes
from freefloat.frames import Array

NANOSECOND = 1e-9  # [s] to which a delay is taken, as the schedule takes times
_CYCLE_NS = round(axes.CYCLE / NANOSECOND)
DELAY = Amount("s", ge=0.0, le=10.0)


class Execution:
    """Set-points c_k of all axes, one a cycle, as courses of the plant; no clock and no world in it.

    What is executed at t is the curve of the set-points at t - delay: a cubic from each to the next, with slopes by
    central differences, continuous in value and rate. With n = floor(delay / cycle), cycle k begins the piece that is
    due next, `latency` = delay - n cycles after its instant t_k:

        n >= 2   c_(k-n) to c_(k-n+1), both slopes central
        n = 1    c_(k-1) to c_k, whose slope is that of the parabola through the last three
        n = 0    c_k to c_(k+1), which is the parabola's; it begins where the piece before has ended

    so that a delay below two cycles costs accuracy of second order in the rate, one below a cycle in the value too.
    """

    def __init__(self, start: ArrayLike, delay: Measure = 0.012) -> None:
        at = np.array(start, np.float64)
        if at.shape != (axes.COUNT,) or not np.isfinite(at).all():
            raise InputError(f"execution: start {at.tolist()}; allowed: {axes.COUNT} finite numbers [m, rad]")
        at.flags.writeable = False
        self.start = at
        self.delay = DELAY.number(delay, "execution: delay")
        delay_ns = round(self.delay / NANOSECOND)
        self.cycles = delay_ns // _CYCLE_NS
        self.latency = (delay_ns - self.cycles * _CYCLE_NS) * NANOSECOND  # [s] from a cycle to the effect of its piece
        self._points = np.tile(at, (max(self.cycles, 2) + 1, 1))  # the newest last
        self._value, self._slope = at.copy(), np.zeros(axes.COUNT)  # where the last piece ends

    def cycle(self, t: float, point: ArrayLike) -> Array:
        """Courses (13, 7), [t0, c0 .. c5] of each axis, of the piece that begins at t + latency, where the set-point
        of the cycle at t [s] is `point` [m, rad] (13,)."""
        self._points[:-1] = self._points[1:]
        self._points[-1] = point
        c, n, h = self._points, self.cycles, axes.CYCLE
        if n >= 2:
            end, slope = c[-n], 0.5 * (c[1 - n] - c[-1 - n])
        elif n == 1:
            end, slope = c[-1], 0.5 * (3.0 * c[-1] - 4.0 * c[-2] + c[-3])
        else:
            end, slope = 3.0 * (c[-1] - c[-2]) + c[-3], 0.5 * (5.0 * c[-1] - 8.0 * c[-2] + 3.0 * c[-3])
        courses = _cubic(t + self.latency, self._value, self._slope, end, slope / h, h)
        self._value, self._slope = end.copy(), slope / h
        return courses


def _cubic(t0: float, a: Array, va: Array, b: Array, vb: Array, h: float) -> Array:
    """Courses (13, 7) from a to b in h [s], with rates va and vb."""
    courses = np.zeros((len(a), COURSE))
    rise = (b - a) / h
    courses[:, 0], courses[:, 1], courses[:, 2] = t0, a, va
    courses[:, 3], courses[:, 4] = (3.0 * rise - 2.0 * va - vb) / h, (va + vb - 2.0 * rise) / h**2
    return courses
