"""Critical delays from the growth of motions."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.control.loop_delay import critical_delay
from freefloat.missions.impacts.delay_search import (
    continuous_critical_delay,
    continuous_growth,
    crossing,
    growth_rate,
    rebound_critical_delay,
)


@pytest.mark.parametrize("rate", [-0.7, 0.0, 0.3])
def test_the_growth_of_an_oscillation_is_its_exponent(rate: float) -> None:
    t = np.arange(200) * 0.01
    assert growth_rate(np.exp(rate * t) * np.cos(30.0 * t + 0.4), 0.01, 5) == pytest.approx(rate, abs=1e-9)


def test_the_growth_of_a_motion_that_creeps_is_its_slower_exponent() -> None:
    t = np.arange(400) * 0.01
    assert growth_rate(np.exp(-t) + np.exp(-9.0 * t), 0.01, 5) == pytest.approx(-1.0, abs=1e-9)


def test_too_few_samples_for_a_growth_are_refused() -> None:
    with pytest.raises(InputError, match="growth of 5 samples with a lag of 3; allowed: 8 samples or more"):
        growth_rate(np.zeros(5), 0.1, 3)


@pytest.mark.parametrize("ratio", [0.01, 0.3, 2.0])
def test_the_simulated_critical_delay_is_that_of_the_closed_form(ratio: float) -> None:
    loop = (70.0, 3e4, 2.0 * ratio * np.sqrt(70.0 * 3e4))
    closed = critical_delay(*loop)
    assert continuous_critical_delay(*loop) == pytest.approx(closed, rel=1e-7)
    assert continuous_growth(*loop, 0.9 * closed) < 0.0 < continuous_growth(*loop, 1.1 * closed)


def test_a_delay_of_nothing_is_no_continuous_delay() -> None:
    with pytest.raises(InputError, match=r"continuous delay -0.001 s; allowed: > 0 s"):
        continuous_growth(1.0, 1.0, 0.1, -1e-3)


def test_a_rebound_gains_speed_sooner_than_a_bilateral_spring_gains_energy() -> None:
    assert rebound_critical_delay(50.0, 5e4, 500.0) == pytest.approx(8.7486e-3, abs=1e-7)


def test_a_crossing_is_found_and_one_that_lies_before_the_start_is_refused() -> None:
    assert crossing(lambda h: h**3 - 5.0, 0.01) == pytest.approx(5.0 ** (1 / 3), rel=1e-8)
    with pytest.raises(InputError, match=r"delay 2 s: the motion grows already"):
        crossing(lambda h: h - 1.0, 2.0)
