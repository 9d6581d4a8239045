"""Critical delays found by trying: from the growth of simulated motions, without the closed form."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from freefloat.amounts import Amount
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.missions.impacts.delay_history import rebound, swing

STEPS = 50  # of the simulation, in the time 1 / (sqrt(k / m) + b / m)
REBOUND_STEPS = 500  # likewise; where the contact begins and ends the force has kinks
SETTLING = 30.0  # times (sqrt(m / k) + b / k) until the growth is judged
JUDGED = 40.0  # times sqrt(m / k) over which it is
TOLERANCE = 1e-9  # of the delay found


def growth_rate(x: Array, step: float, lag: int) -> float:
    """[1/s] at which a motion grows, or decays where negative: of the oscillation that fits its samples best.

    Samples of one oscillation keep x(t + 2 T) = c x(t + T) - d x(t) with T = lag * step; c and d are fitted (Prony),
    and the roots of z^2 - c z + d are its exp(s T). T should be near a quarter of the period.
    """
    if len(x) < 2 * lag + 2:
        raise InputError(f"growth of {len(x)} samples with a lag of {lag}; allowed: {2 * lag + 2} samples or more")
    now, later, last = x[: -2 * lag], x[lag:-lag], x[2 * lag :]
    (c, d), *_ = np.linalg.lstsq(np.column_stack([later, -now]), last, rcond=None)
    return math.log(float(np.abs(np.roots([1.0, -c, d])).max())) / (lag * step)


def continuous_growth(m: float, k: float, b: float, h: float) -> float:
    """[1/s] of the loop with a continuous delay h > 0, simulated."""
    Amount("s", gt=0.0).number(h, "continuous delay")
    rate = math.sqrt(k / m) + b / m
    step = min(1.0 / (STEPS * rate), h)
    settling, judged = SETTLING * (math.sqrt(m / k) + b / k), JUDGED * math.sqrt(m / k)
    x = swing(m, k, b, h, step, math.ceil((settling + judged) / step))
    return growth_rate(x[math.ceil(settling / step) :], step, max(1, round(0.5 * math.pi / (rate * step))))


def continuous_critical_delay(m: float, k: float, b: float) -> float:
    """[s] at which the simulated motion neither grows nor decays; b > 0."""
    return crossing(lambda h: continuous_growth(m, k, b, h), _least(m, k, b))


def rebound_critical_delay(m: float, k: float, b: float) -> float:
    """[s] at which a mass leaves a contact that only pushes as fast as it came; b > 0."""
    rate = math.sqrt(k / m) + b / m
    contact = 4.0 * math.pi * (math.sqrt(m / k) + b / k)

    def gained(h: float) -> float:
        step = min(1.0 / (REBOUND_STEPS * rate), h)
        return rebound(m, k, b, h, step, math.ceil(contact / step)) - 1.0

    return crossing(gained, _least(m, k, b))


def _least(m: float, k: float, b: float) -> float:
    """[s] A delay to begin with: one of h takes about k h of the damping, and shorter than the damper's own time."""
    return 0.25 / (k / b + math.sqrt(k / m) + b / m)


def crossing(of: Callable[[float], float], least: float) -> float:
    """Where a function that is negative at `least` > 0 becomes positive: by doubling, then by Illinois' rule."""
    low, high = least, 2.0 * least
    at_low, at_high = of(low), of(high)
    if not at_low < 0.0:
        raise InputError(f"delay {low:g} s: the motion grows already; allowed: a loop that decays there")
    while at_high < 0.0:
        low, at_low, high = high, at_high, 2.0 * high
        at_high = of(high)
    side = 0
    while high - low > TOLERANCE * high:
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        at = of(middle)
        if at == 0.0 or min(middle - low, high - middle) < 0.1 * TOLERANCE * high:
            return middle
        if at < 0.0:
            low, at_low, at_high, side = middle, at, at_high * (0.5 if side < 0 else 1.0), -1
        else:
            high, at_high, at_low, side = middle, at, at_low * (0.5 if side > 0 else 1.0), 1
    return 0.5 * (low + high)
