"""How much delay force feedback bears, in closed form."""

from __future__ import annotations

import cmath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from freefloat.errors import InputError
from freefloat.gnc.control.loop_delay import (
    critical_delay,
    critical_frequency,
    damping_for_delay,
    sampled_critical_delay,
    sampled_growth,
)

MASS, STIFFNESS = 50.0, 5e4
LOOP = (MASS, STIFFNESS, 500.0)


@given(st.floats(0.1, 1e5), st.floats(1.0, 1e8), st.floats(1e-3, 10.0))
def test_at_the_critical_delay_the_characteristic_equation_has_a_root_on_the_imaginary_axis(
    mass: float, stiffness: float, ratio: float
) -> None:
    damping = 2.0 * ratio * (mass * stiffness) ** 0.5
    s = 1j * critical_frequency(mass, stiffness, damping)
    force = (damping * s + stiffness) * cmath.exp(-s * critical_delay(mass, stiffness, damping))
    assert abs(mass * s * s + force) < 1e-12 * abs(mass * s * s)


def test_without_damping_no_delay_is_borne_and_texts_with_units_are_read() -> None:
    assert critical_delay(MASS, STIFFNESS, 0.0) == 0.0
    assert critical_delay("50000 g", "50 N/mm", "0.5 N s/mm") == pytest.approx(critical_delay(*LOOP))


@pytest.mark.parametrize("delay", [0.0, 1e-4, 9.6701514e-3, 0.0234])
def test_the_least_damping_for_a_delay_has_that_critical_delay(delay: float) -> None:
    damping = damping_for_delay(MASS, STIFFNESS, delay)
    assert critical_delay(MASS, STIFFNESS, damping) == pytest.approx(delay, rel=1e-9, abs=1e-15)


def test_beyond_a_ratio_of_0_64_more_damping_bears_less_delay() -> None:
    most = critical_delay(1.0, 1.0, 2.0 * 0.6394)
    assert most == pytest.approx(0.741467, abs=1e-6)
    assert critical_delay(1.0, 1.0, 2.0 * 0.5) < most > critical_delay(1.0, 1.0, 2.0 * 0.8)


@pytest.mark.parametrize("delay", [0.0, 0.7e-3, 1e-3, 2.4e-3])
def test_a_sampled_loop_grows_as_its_recursion_does(delay: float) -> None:
    """Cycle by cycle in plain numbers, the measured state on the parabola that was flown then."""
    m, k, b = LOOP
    cycle, back = 1e-3, -(-delay // 1e-3)
    past = back * cycle - delay
    x, v, flown, sizes = 1.0, 0.0, [(1.0, 0.0, 0.0)] * 5, []
    for _ in range(4000):
        x0, v0, a0 = (x, v, 0.0) if back == 0 else flown[-int(back)]
        a = -(k * (x0 + v0 * past + 0.5 * a0 * past**2) + b * (v0 + a0 * past)) / m
        flown = [*flown[1:], (x, v, a)]
        x, v = x + v * cycle + 0.5 * a * cycle**2, v + a * cycle
        sizes.append(x * x + m / k * v * v)
    growth = sampled_growth(m, k, b, cycle, delay)
    ratio = max(sizes[3800:]) / max(sizes[1800:2000])
    assert ratio == pytest.approx(cmath.exp(2.0 * growth * 2.0).real, rel=0.1)


def test_holding_over_a_cycle_costs_half_a_cycle_and_a_long_cycle_bears_nothing() -> None:
    for cycle in (1e-3, 4e-3):
        held = critical_delay(*LOOP) - 0.5 * cycle
        assert sampled_critical_delay(*LOOP, cycle) == pytest.approx(held, rel=2e-3)
    assert sampled_critical_delay(*LOOP, 0.03) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: critical_delay(-1.0, 1.0, 1.0), "loop delay: mass -1.0 kg; allowed: > 0 kg"),
        (lambda: critical_delay(1.0, 0.0, 1.0), "loop delay: stiffness 0.0 N/m; allowed: > 0 N/m"),
        (lambda: critical_delay(1.0, 1.0, "-2 N s/m"), "loop delay: damping '-2 N s/m'; allowed: >= 0 N s/m"),
        (lambda: damping_for_delay(1.0, 1.0, -1e-3), "loop delay: delay -0.001 s; allowed: >= 0 s"),
        (lambda: damping_for_delay(1.0, 1.0, 0.75), "delay 0.75 s with 1 kg on 1 N/m; allowed: at most 0.741467 s"),
        (lambda: sampled_growth(*LOOP, 0.0, 0.0), "loop delay: cycle 0.0 s; allowed: > 0 s"),
        (lambda: sampled_growth(*LOOP, 1e-3, 1.0), "delay 1 s; allowed: at most 200 cycles of 0.001 s"),
    ],
)
def test_what_no_loop_can_have_is_refused_with_its_unit(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
