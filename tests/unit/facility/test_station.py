"""A robot controller of its own, whose FMC is in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freefloat.facility.axes import CYCLE
from freefloat.facility.axis_limits import axis_limits
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.rsi import RsiPort, rsi_robot
from freefloat.facility.station import StationCycle
from freefloat.links.rsi_config import read_rsi_config
from freefloat.links.rsi_context import read_rsi_context
from freefloat.links.rsi_sensor import FromRobot, RsiSensor
from freefloat.verify.facility_rig import HOME

EXAMPLE = Path(__file__).parents[3] / "examples" / "rsi"
CONFIG = read_rsi_config(EXAMPLE / "controller1.xml")
CONTEXT = read_rsi_context(EXAMPLE / "controller1.rsi.xml", CONFIG)


class Fmc:
    """Answers each telegram with a position of the rail [mm from the start], or not at all."""

    def __init__(self) -> None:
        self.sensor, self.told, self.answers = RsiSensor(CONFIG, 12), list[FromRobot](), list[bytes]()
        self.rail: float | None = None

    def send(self, telegram: bytes | None) -> None:
        if telegram is not None:
            self.told.append(self.sensor.read(telegram))
            self.answers = [] if self.rail is None else [self.sensor.answer(self.told[-1], {"EKorr.E1": self.rail})]

    def drain(self) -> list[bytes]:
        found, self.answers = self.answers, []
        return found

    def fileno(self) -> int:
        return -1


def station() -> tuple[StationCycle, Fmc]:
    fmc = Fmc()
    port = RsiPort(1, rsi_robot(1, CONFIG, CONTEXT, Kinematics(), False), fmc)
    return StationCycle(port, HOME), fmc


def cycled(one: StationCycle, axes: np.ndarray) -> np.ndarray:
    return one.update(0.0, {"encoders": axes, "effort": np.zeros(13)})["setpoint"]


def test_answers_are_set_points_and_telegrams_tell_the_axes() -> None:
    one, fmc = station()
    np.testing.assert_array_equal(cycled(one, HOME), HOME)
    fmc.rail = 12.5
    seen = HOME + 0.001
    np.testing.assert_array_equal(cycled(one, seen), HOME)
    point = cycled(one, seen)
    assert point[0] - HOME[0] == pytest.approx(0.0125, abs=1e-12)
    np.testing.assert_array_equal(point[1:], HOME[1:])
    assert np.radians(fmc.told[-1].group("AIPos")) == pytest.approx(seen[1:7], abs=1e-12)
    assert fmc.told[-1].group("EIPos")[0] == pytest.approx(1e3 * seen[0], abs=1e-9)
    assert fmc.told[-1].group("ESPos")[0] == pytest.approx(1e3 * HOME[0], abs=1e-9)


def test_it_holds_and_then_brakes_where_the_fmc_is_gone() -> None:
    one, fmc = station()
    speed, points = 0.4, []
    for n in range(200):
        fmc.rail = 1e3 * speed * CYCLE * n
        points.append(cycled(one, HOME)[0])
    fmc.rail = None
    for _ in range(105):  # Timeout is 100: the last value stays
        points.append(cycled(one, HOME)[0])
    assert points[250] == points[300]
    assert one.ended
    assert one.port.robot.reason.startswith("101 cycles in a row")


def test_where_rsi_is_switched_off_the_robot_brakes_within_its_limits() -> None:
    one, fmc = station()
    speed, points = 0.8, []
    for n in range(400):
        fmc.rail = 1e3 * speed * CYCLE * n
        if n == 150:
            one.port.robot.switch_off()
        points.append(cycled(one, HOME)[0])
        if one.ended:
            break
    assert one.ended
    moved = np.array(points)
    second = np.diff(moved, 2)[5:] / CYCLE**2
    assert np.abs(second).max() <= axis_limits().emergency[0] * (1.0 + 1e-6)
    assert moved[-1] - moved[150] > 0.05
    assert np.ptp(moved[-2:]) < 1e-3
