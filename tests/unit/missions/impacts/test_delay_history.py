"""A mass under a late force, by an interpolated history."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.missions.impacts.delay_history import SPEED, rebound, swing


def exact(m: float, k: float, h: float, t: float) -> float:
    """Undamped, by the method of steps: x is a polynomial on each stretch of length h."""
    x = np.polynomial.Polynomial([0.0, SPEED])  # of the time since touch, up to h
    n = int(t // h)
    for _ in range(n):
        late = x
        force = late.convert() * (-k / m)
        start, rate = x(h), x.deriv()(h)
        x = force.integ(2)
        x = x + np.polynomial.Polynomial([start, rate])
    return float(x(t - n * h))


@pytest.mark.parametrize("step", [2e-3, 0.7e-3])  # neither divides the delay, nor the other way round
def test_the_motion_is_that_of_the_method_of_steps(step: float) -> None:
    m, k, h = 2.0, 800.0, 0.0173
    x = swing(m, k, 0.0, h, step, 100)
    for n in (3, 20, 60, 100):
        assert x[n] == pytest.approx(exact(m, k, h, h + n * step), abs=2e-3 * step * SPEED)


def test_the_error_falls_faster_than_the_third_power_of_the_step() -> None:
    ends = [swing(1.0, 100.0, 0.0, 0.02, 0.02 / n, 30 * n)[-1] for n in (1, 2, 4, 64)]
    errors = [abs(end - ends[-1]) for end in ends[:-1]]
    assert errors[0] / errors[1] > 8.0
    assert errors[1] / errors[2] > 8.0


def test_a_contact_that_only_pushes_gives_the_restitution_of_kelvin_and_voigt_when_it_is_hardly_late() -> None:
    ratio = 0.1
    root = np.sqrt(1.0 - ratio**2)
    closed = np.exp(-ratio / root * (np.pi - np.arctan2(2.0 * ratio * root, 1.0 - 2.0 * ratio**2)))
    assert rebound(1.0, 1.0, 2.0 * ratio, 1e-4, 1e-4, 100000) == pytest.approx(closed, abs=1e-3)


def test_a_contact_that_outlasts_the_steps_is_no_number() -> None:
    assert np.isnan(rebound(1.0, 1.0, 0.2, 1e-2, 1e-2, 10))
