"""The FMC as the sensor system of robot controllers, which are in memory here."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.actions import RefusedError
from freefloat.facility.axes import CYCLE
from freefloat.facility.controllers import SILENT, Controller, Controllers
from freefloat.facility.exchange import Settings
from freefloat.links.rsi_config import read_rsi_config
from freefloat.links.rsi_sensor import FromRobot
from freefloat.links.rsi_telegram import Value
from freefloat.verify.facility_desk import Desk
from freefloat.verify.facility_rig import HOME

EXAMPLE = Path(__file__).parents[3] / "examples" / "rsi"
FILES = [read_rsi_config(EXAMPLE / f"controller{n}.xml") for n in (1, 2)]


class Robot:
    """A controller that is where it was told to be, and tells so whenever it is asked."""

    def __init__(self, number: int, axes: np.ndarray) -> None:
        self.start = [*np.degrees(axes[1:7] if number == 1 else axes[7:]), 1e3 * axes[0]]
        self.now, self.silent, self.ipoc = list(self.start), False, 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def newest(self) -> FromRobot | None:
        self.ipoc += 4
        values: dict[str, Value] = {}
        for name, external, own in (("AIPos", "EIPos", self.now), ("ASPos", "ESPos", self.start)):
            values |= {f"{name}.A{n}": own[n - 1] for n in range(1, 7)} | {f"{external}.E1": own[6]}
        return None if self.silent else FromRobot(values, str(self.ipoc))

    def answer(self, told: FromRobot, values: dict[str, Value]) -> None:
        assert told.ipoc == str(self.ipoc)
        given = [*(values[f"AKorr.A{n}"] for n in range(1, 7)), values.get("EKorr.E1", 0.0)]
        self.now = [a + float(b) for a, b in zip(self.start, given, strict=True)]

    def fileno(self) -> int:
        return self.socket.fileno()


class Hall:
    """A desk with both controllers."""

    def __init__(self, axes: np.ndarray = HOME) -> None:
        self.desk = Desk(Settings(controllers=True))
        self.robots = [Robot(n, axes) for n in (1, 2)]
        self.controllers = Controllers([Controller(n, FILES[n - 1], robot) for n, robot in enumerate(self.robots, 1)])

    def cycles(self, count: int) -> str:
        for _ in range(count):
            encoders, errors = self.controllers.before(self.desk.op)
            given = {} if encoders is None else {"encoders": encoders}
            self.controllers.after(self.desk.cycle(errors=errors, **given))
        return str(self.desk.op.state)


def jogged(hall: Hall, cycles: int) -> None:
    for _ in range(cycles):
        hall.desk.op.do("jog", component="E1", speed=0.2)
        hall.cycles(1)


def test_hardware_follows_the_set_points_and_its_axes_are_reported() -> None:
    hall = Hall()
    hall.desk.op.do("hardware")
    hall.desk.up("mcu")
    hall.cycles(5)
    jogged(hall, 200)
    out = hall.desk.out
    assert out.axes[0] > HOME[0] + 0.05
    assert hall.robots[0].now[6] == pytest.approx(1e3 * out.axes[0], abs=1e-9)
    assert out.actual[0] == pytest.approx(hall.desk.set_points[-2, 0], abs=1e-12)  # what it told before this answer
    np.testing.assert_allclose(np.radians(hall.robots[1].now[:6]), HOME[7:], atol=1e-13)


def test_without_the_action_controllers_hear_nothing() -> None:
    hall = Hall()
    hall.desk.up("mcu")
    jogged(hall, 50)
    assert hall.robots[0].now == hall.robots[0].start
    assert hall.controllers.answered
    assert hall.controllers.before(hall.desk.op) == (None, ("", ""))


def test_a_silent_controller_is_an_error_of_its_robot() -> None:
    hall = Hall()
    hall.desk.op.do("hardware")
    hall.desk.up("mcu")
    hall.cycles(5)
    jogged(hall, 100)
    hall.robots[0].silent = True
    jogged(hall, SILENT)
    assert str(hall.desk.op.state) == "running"
    assert not hall.controllers.answered
    hall.cycles(1)
    assert str(hall.desk.op.state) == "stopping"
    assert hall.cycles(200) == "fault"
    assert hall.desk.op.reason.cause == "error"
    assert "controller silent for 26 cycles" in hall.desk.op.reason.text


def test_a_robot_that_stands_elsewhere_is_not_commanded() -> None:
    away = HOME.copy()
    away[8] += 0.02
    hall = Hall(away)
    hall.desk.up("mcu")
    hall.desk.op.do("hardware")
    assert hall.cycles(3) == "fault"
    assert "rob2 A2 stands 0.02 rad from the set-point; allowed: 0.01 rad" in hall.desk.op.reason.text
    assert hall.robots[1].now == hall.robots[1].start


def test_files_without_axes_or_a_single_controller_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"controller2.xml: EIPos.E1 is missing for the controller of robot 1; allowed: "
    ):
        Controller(1, FILES[1], Robot(1, HOME))
    with pytest.raises(InputError, match=r"robot controllers \[2\]; allowed: both, or none"):
        Controllers([Controller(2, FILES[1], Robot(2, HOME))])
    with pytest.raises(RefusedError, match="no robot controllers are attached"):
        Desk().op.do("hardware")


def test_a_served_facility_commands_them(facility_rig: Callable[..., Any]) -> None:
    facility = facility_rig(link={"timeout": 5.0})
    while facility.served.operation is None:
        time.sleep(CYCLE)
    operation = facility.served.operation
    robots = [Robot(n, operation.motion[0]) for n in (1, 2)]
    operation.settings = replace(operation.settings, controllers=True)
    facility.served.controllers = Controllers([Controller(n, FILES[n - 1], r) for n, r in enumerate(robots, 1)])
    for action, arguments in (("hardware", {}), ("power", {}), ("mode", {"mode": "sine"})):
        facility.ask(action, **arguments)
    facility.ask("sine", component="A1", robot=1, amplitude=0.05, frequency=1.0)
    facility.ask("start")
    facility.ask("confirm")
    while facility.status.get("cause") != "end":
        assert facility.status.get("state") != "fault", facility.status
        time.sleep(CYCLE)
    assert all(told["ok"] for _, told in facility.replies), facility.replies
    facility.end()
    shown = facility.column("rob1.act.axes")[:, 0]
    commanded = facility.column("rob1.cmd.axes")[:, 0]
    assert np.ptp(commanded) == pytest.approx(0.1, rel=0.01)
    np.testing.assert_allclose(shown[1:], commanded[:-1], atol=1e-12)  # these robots have no delay
