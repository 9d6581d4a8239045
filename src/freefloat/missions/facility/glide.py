"""A smooth way from rest to rest: 7th-degree polynomial, with rates, accelerations and jerks that are zero at its ends.

s(u) = u^4 (35 - 84 u + 70 u^2 - 20 u^3),  s' = 140 u^3 (1 - u)^3, at most 35/16.
"""

from __future__ import annotations

PEAK_RATE = 35.0 / 16.0  # of s'(u)


def glide(t: float, duration: float) -> float:
    """Share of the way at t [s]: 0 before, 1 after."""
    u = min(max(t / duration, 0.0), 1.0)
    return u**4 * (35.0 + u * (-84.0 + u * (70.0 - 20.0 * u)))


def glide_time(way: float, speed: float) -> float:
    """How long [s] a way takes that is nowhere faster than `speed`."""
    return PEAK_RATE * abs(way) / speed


def ramped(t: float, rate: float, ramp: float, end: float) -> float:
    """Integral up to t of a rate that grows smoothly from 0 within `ramp` [s], holds, and is 0 again at `end` [s].

    The rate grows as 3 u^2 - 2 u^3 (continuous acceleration), whose integral over the ramp is half of it.
    """
    t = min(max(t, 0.0), end)
    if t > 0.5 * end:
        return rate * (end - ramp) - ramped(end - t, rate, ramp, end)
    u = min(t / ramp, 1.0)
    return rate * (ramp * u**3 * (1.0 - 0.5 * u) + max(t - ramp, 0.0))
