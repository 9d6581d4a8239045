"""The pulse driver opens valves for the times that it was told."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators import PulseDriver, Pulses, Thruster, Thrusters
from freefloat.errors import InputError


def opened(driver: PulseDriver, widths: list[float], per_period: int) -> list[float]:
    """Open or closed at each tick, with another width in each period and nonsense in between."""
    found = []
    for k in range(per_period * len(widths)):
        asked = widths[k // per_period] if k % per_period == 0 else 99.0
        found.append(float(driver.update(0.01 * k, {"pulse": np.array([asked])})["open"][0]))
    return found


def test_a_valve_is_open_from_the_start_of_a_period_for_the_time_asked_for_then() -> None:
    assert opened(PulseDriver(0.05, 0.01), [0.02, 0.0, 0.05, 0.05, 0.011], 5) == (
        [1, 1, 0, 0, 0] + [0] * 5 + [1] * 10 + [1, 0, 0, 0, 0]
    )


def test_a_period_must_have_whole_ticks() -> None:
    with pytest.raises(InputError, match=r"tick 0\.03 s, period 0\.1 s"):
        PulseDriver(0.1, 0.03)


class Widths:
    """One pulse of 35 ms in the second period."""

    def update(self, t: float, meas: object) -> dict[str, list[float]]:
        return {"on": [0.035 if abs(t - 0.25) < 1e-9 else 0.0]}


def test_in_a_mission_a_task_at_the_start_of_a_period_is_heard_at_once_and_the_impulse_is_exact() -> None:
    body = ff.RigidBody("b", 10.0, size=(1.0, 1.0, 1.0))
    jets = Thrusters("jets", "b", [Thruster((0.5, 0.0, 0.0), (-1.0, 0.0, 0.0), thrust=2.0)], valves=Pulses(0.25, 5e-3))
    task = ff.Task(Widths(), 0.25, writes={"on": "jets.pulse"}, name="widths")
    session = ff.Mission([body, jets], tasks=[task]).session()
    session.step(0.25)
    assert session.read("jets.impulse") == pytest.approx([0.0])
    session.step(0.035)
    assert session.read("jets.impulse") == pytest.approx([0.07], abs=1e-12)
    session.step(0.5)
    assert session.read("jets.impulse") == pytest.approx([0.07], abs=1e-12)
    assert session.read("b.v_WB") == pytest.approx([-0.007, 0.0, 0.0], abs=1e-12)
