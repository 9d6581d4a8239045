"""Force feedback through something late: how much delay a contact that is rendered by a machine bears.

A simulated mass m moves under the force that a real contact of stiffness k and damping b gives back a delay h later:

    m s^2 + (b s + k) exp(-s h) = 0

On the stability border s = j w, where both sides have the same size and phase:

    m w^2 = |k + j b w|   ->   w^2 = (b^2 + sqrt(b^4 + 4 m^2 k^2)) / (2 m^2)
    w h = arg(k + j b w)  ->   h_crit = atan(b w / k) / w

(Zebenay, Boge, Krenn and Choukroun 2015; Zebenay, Boge and Choukroun 2014). There is one such w, so the loop is stable
below h_crit and grows beyond it. Two bodies that touch are one mass, m = m1 m2 / (m1 + m2).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from freefloat.amounts import Amount, Measure
from freefloat.errors import InputError

MASS = Amount("kg", gt=0.0)
STIFFNESS = Amount("N/m", gt=0.0)
DAMPING = Amount("N s/m", ge=0.0)
DELAY = Amount("s", ge=0.0)
CYCLE = Amount("s", gt=0.0)
BEST_RATIO = 0.639385  # damping ratio b / (2 sqrt(k m)) that bears the longest delay, 0.741467 sqrt(m / k)
MOST_CYCLES = 200  # of delay in a sampled loop


def critical_frequency(mass: Measure, stiffness: Measure, damping: Measure) -> float:
    """[rad/s] at which the loop swings when its delay is the critical one."""
    m, k, b = _loop(mass, stiffness, damping)
    return math.sqrt(0.5 * (b * b + math.hypot(b * b, 2.0 * m * k))) / m


def critical_delay(mass: Measure, stiffness: Measure, damping: Measure) -> float:
    """[s] beyond which the oscillation grows; 0 without damping, where every delay adds energy."""
    m, k, b = _loop(mass, stiffness, damping)
    w = critical_frequency(m, k, b)
    return math.atan(b * w / k) / w


def damping_for_delay(mass: Measure, stiffness: Measure, delay: Measure) -> float:
    """[N s/m] The least damping with which the loop bears a delay.

    More helps up to a ratio of 0.64; beyond, the damper's own late force is what makes the loop grow. Delays above
    0.7415 sqrt(m / k) no damping bears: refused.
    """
    m, k, _ = _loop(mass, stiffness, 0.0)
    h = DELAY.number(delay, "loop delay: delay")
    unit = 2.0 * math.sqrt(k * m)
    low, high = 0.0, BEST_RATIO * unit
    longest = critical_delay(m, k, high)
    if h > longest:
        raise InputError(f"loop delay: delay {h:.6g} s with {m:g} kg on {k:g} N/m; allowed: at most {longest:.6g} s")
    while high - low > 1e-15 * unit:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if critical_delay(m, k, middle) >= h else (middle, high)
    return high


def sampled_growth(mass: Measure, stiffness: Measure, damping: Measure, cycle: Measure, delay: Measure) -> float:
    """[1/s] The rate at which a sampled loop grows, or decays where negative, by its largest eigenvalue.

    Every `cycle` the force of `delay` ago is applied to the mass and held. In between the mass moves along a parabola
    that the machine follows exactly, so what is measured lies on one of the parabolas before:

        x+ = x + v T + a T^2 / 2,   v+ = v + a T,   a = -(k x(t - h) + b v(t - h)) / m
    """
    m, k, b = _loop(mass, stiffness, damping)
    T, h = CYCLE.number(cycle, "loop delay: cycle"), DELAY.number(delay, "loop delay: delay")
    if h > MOST_CYCLES * T:
        raise InputError(f"loop delay: delay {h:g} s; allowed: at most {MOST_CYCLES} cycles of {T:g} s")
    return math.log(float(np.abs(np.linalg.eigvals(_cycle_matrix(m, k, b, T, h))).max())) / T


def _cycle_matrix(m: float, k: float, b: float, T: float, h: float) -> NDArray[np.float64]:
    """One cycle of [x, v] now and [x, v, a] at the instants before, as far back as the delay reaches."""
    back = math.ceil(h / T)
    past = back * T - h  # [s] after the instant `back` cycles ago, where the force is measured
    force = np.array([-k, -k * past - b, -0.5 * k * past * past - b * past]) / m  # of [x, v, a] there
    size = 2 + 3 * back
    step = np.zeros((size, size))
    a = np.zeros(size)
    a[:2] = force[:2] if back == 0 else 0.0
    if back:
        a[size - 3 :] = force
    step[0, :2], step[1, 1] = (1.0, T), 1.0
    step[0] += 0.5 * T * T * a
    step[1] += T * a
    if back:
        step[2:4, :2], step[4] = np.eye(2), a
        step[5:, 2:-3] = np.eye(size - 5)
    return step


def sampled_critical_delay(mass: Measure, stiffness: Measure, damping: Measure, cycle: Measure) -> float:
    """[s] The critical delay of the sampled loop; about `critical_delay` less half a cycle.

    A force that is held over a cycle is on average half a cycle old. 0 where the cycle alone makes the loop grow.
    """
    m, k, b = _loop(mass, stiffness, damping)
    low, high = 0.0, critical_delay(m, k, b)  # holding never helps
    if sampled_growth(m, k, b, cycle, low) >= 0.0:
        return 0.0
    while high - low > 1e-13 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if sampled_growth(m, k, b, cycle, middle) < 0.0 else (low, middle)
    return 0.5 * (low + high)


def _loop(mass: Measure, stiffness: Measure, damping: Measure) -> tuple[float, float, float]:
    return (
        MASS.number(mass, "loop delay: mass"),
        STIFFNESS.number(stiffness, "loop delay: stiffness"),
        DAMPING.number(damping, "loop delay: damping"),
    )
