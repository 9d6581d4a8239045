"""Power, brakes and temperatures of the devices."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility import axes
from freefloat.facility.execution import Execution
from freefloat.facility.local_control import LocalControl, Warming

H = axes.CYCLE
START = np.linspace(0.0, 1.2, axes.COUNT)


def test_devices_without_power_stand_and_those_with_it_follow() -> None:
    control = LocalControl(Execution(START))
    assert control.braked == {"rail": True, "rob1": True, "rob2": True}
    control.power(rob1=True)
    courses = [control.cycle(k * H, START + 0.001 * k) for k in range(10)][-1]
    assert control.point[axes.ROBOT1] == pytest.approx(START[axes.ROBOT1] + 0.009)
    for own in (slice(0, 1), axes.ROBOT2):
        assert control.point[own] == pytest.approx(START[own], abs=0.0)
        assert courses[own, 2:] == pytest.approx(np.zeros_like(courses[own, 2:]), abs=0.0)
    assert courses[axes.ROBOT1, 2] == pytest.approx(0.25, abs=1e-12)


def test_what_moves_when_power_goes_ends_at_its_last_set_point_without_a_jump() -> None:
    control = LocalControl(Execution(START, 0.012))
    control.power(rail=True, rob1=True, rob2=True)
    for k in range(10):
        control.cycle(k * H, START + 0.001 * k)
    control.power(rail=False, rob1=False, rob2=False)
    courses = [control.cycle(k * H, START + 1.0) for k in range(10, 15)][-1]
    assert courses[:, 1] == pytest.approx(START + 0.009, abs=1e-15)
    assert np.abs(courses[:, 2:]).max() < 1e-12


def test_a_motor_nears_the_temperature_of_its_effort() -> None:
    warming = Warming()
    control = LocalControl(Execution(START), warming)
    assert control.temperature == pytest.approx(np.full(axes.COUNT, warming.ambient))
    for k in range(250):
        control.cycle(k * H, START, np.array(warming.rated))
    expected = warming.ambient + warming.rise * (1.0 - np.exp(-1.0 / warming.constant))
    assert control.temperature == pytest.approx(np.full(axes.COUNT, expected), abs=1e-9)
    assert warming.step(control.temperature, np.zeros(axes.COUNT), 1e6) == pytest.approx(warming.ambient)


def test_unknown_devices_and_bad_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="rob3"):
        LocalControl(Execution(START)).power(rob3=True)
    with pytest.raises(InputError, match="constant"):
        Warming(constant="5 m")
