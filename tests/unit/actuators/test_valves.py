"""The valve driver keeps least on and off times."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators import Thruster, Thrusters, ValveDriver, Valves
from freefloat.errors import InputError


def switches(requests: list[tuple[float, float]], end: float) -> list[tuple[float, float]]:
    """(time, state) of every switch when the request changes at the given times."""
    driver, found, state = ValveDriver(0.1, 0.2), [], 0.0
    for k in range(round(end / 0.01)):
        t = 0.01 * k
        request = [v for at, v in requests if at <= t + 1e-9][-1]
        now = float(driver.update(t, {"request": np.array([request])})["open"][0])
        if now != state:
            found.append((round(t, 6), now))
            state = now
    return found


def test_a_short_pulse_is_held_for_the_least_on_time() -> None:
    assert switches([(0.0, 0.0), (0.05, 1.0), (0.07, 0.0)], 0.5) == [(0.05, 1.0), (0.15, 0.0)]


def test_a_valve_stays_closed_for_the_least_off_time() -> None:
    asked = [(0.0, 1.0), (0.15, 0.0), (0.17, 1.0)]
    assert switches(asked, 1.0) == [(0.0, 1.0), (0.15, 0.0), (0.35, 1.0)]


def test_a_request_that_has_gone_by_then_is_dropped() -> None:
    asked = [(0.0, 1.0), (0.15, 0.0), (0.17, 1.0), (0.2, 0.0)]
    assert switches(asked, 1.0) == [(0.0, 1.0), (0.15, 0.0)]


def test_in_a_mission_the_impulse_is_that_of_the_held_pulse() -> None:
    body = ff.RigidBody("b", 10.0, size=(1.0, 1.0, 1.0))
    jets = Thrusters("jets", "b", [Thruster((0.5, 0.0, 0.0), (-1.0, 0.0, 0.0), thrust=2.0)], valves=Valves(0.1, 0.2))
    mission = ff.Mission([body, jets])
    session = mission.session()
    session.write("jets.request", [1.0])
    session.step(0.02)
    session.write("jets.request", [0.0])
    session.step(0.5)
    assert session.read("jets.impulse") == pytest.approx([0.2], abs=1e-12)
    assert session.read("b.v_WB") == pytest.approx([-0.02, 0.0, 0.0], abs=1e-12)


def test_negative_times_are_refused() -> None:
    with pytest.raises(InputError, match=r"min_on -1\.0 s"):
        ValveDriver(-1.0, 0.2)
