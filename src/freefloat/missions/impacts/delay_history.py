"""A mass under the force of a contact that comes a delay late, simulated with an interpolated history.

    m x''(t) = -f(x(t - h), x'(t - h)),   f = k x + b x'

The mass comes in free flight, x = v t, and meets the spring at t = 0; the force begins at t = h, where the steps begin.
The delay is at least one step, so that the force over a step is known before it: Runge-Kutta's rule is Simpson's then.
Between steps the history is cubic (Hermite) in position and in velocity: fourth order, and nothing is rounded.
"""

from __future__ import annotations

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array

SPEED = 1.0  # [m/s] of approach; the laws are linear, and only ratios are asked for


@inner
def late_state(t, h, step, at, x, v, a):  # type: ignore[no-untyped-def]
    """Position and velocity a delay ago; t from where the steps began, `at` the newest step that is known."""
    back = t - h
    if back <= 0.0:
        return SPEED * (back + h), SPEED
    n = min(int(back / step), at - 1)
    u = back / step - n
    left, right, turn = (2.0 * u - 3.0) * u * u + 1.0, (3.0 - 2.0 * u) * u * u, u * (u - 1.0) * step
    p = left * x[n] + right * x[n + 1] + turn * ((u - 1.0) * v[n] + u * v[n + 1])
    return p, left * v[n] + right * v[n + 1] + turn * ((u - 1.0) * a[n] + u * a[n + 1])


@inner
def take_step(i, step, begin, middle, end, x, v, a):  # type: ignore[no-untyped-def]
    """The next position and velocity, of accelerations that are known over the step."""
    a[i], a[i + 1] = begin, end
    x[i + 1] = x[i] + step * v[i] + step * step * (begin + 2.0 * middle) / 6.0
    v[i + 1] = v[i] + step * (begin + 4.0 * middle + end) / 6.0


@onboard
def swing(m: float, k: float, b: float, h: float, step: float, count: int) -> Array:
    """Positions (count + 1,) [m] of a mass that stays on the spring, every step [s] from t = h on; step <= h."""
    x, v, a = np.zeros(count + 1), np.zeros(count + 1), np.zeros(count + 1)
    x[0], v[0] = SPEED * h, SPEED
    force = np.zeros(3)
    for i in range(count):
        for s in range(3):
            p, rate = late_state((i + 0.5 * s) * step, h, step, i, x, v, a)
            force[s] = -(k * p + b * rate) / m
        take_step(i, step, force[0], force[1], force[2], x, v, a)
    return x


@onboard
def rebound(m: float, k: float, b: float, h: float, step: float, count: int) -> float:
    """Speed of leaving over that of approach where the contact only pushes; NaN where it lasts beyond the steps.

    The mock-up touches where it is past the surface, and parts where the force falls to zero.
    """
    x, v, a = np.zeros(count + 1), np.zeros(count + 1), np.zeros(count + 1)
    x[0], v[0] = SPEED * h, SPEED
    force = np.zeros(3)
    for i in range(count):
        for s in range(3):
            p, rate = late_state((i + 0.5 * s) * step, h, step, i, x, v, a)
            force[s] = -max(k * p + b * rate, 0.0) / m if p >= 0.0 else 0.0
        take_step(i, step, force[0], force[1], force[2], x, v, a)
        if i > 0 and v[i + 1] < 0.0 and force[0] == 0.0 and force[2] == 0.0:
            return -v[i + 1] / SPEED
    return np.nan
