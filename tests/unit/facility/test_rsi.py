"""Mode rsi of the facility, with sensor systems in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from freefloat.facility.axes import CYCLE
from freefloat.facility.pool import Measured, Pool
from freefloat.facility.rsi import RsiMode, RsiPort, rsi_robot
from freefloat.links.rsi_config import RsiConfig, read_rsi_config
from freefloat.links.rsi_context import named_context
from freefloat.links.rsi_sensor import FromRobot, RsiSensor
from freefloat.verify.facility_desk import KINEMATICS, Desk
from freefloat.verify.facility_rig import HOME

Law = Callable[[FromRobot, int], Mapping[str, float] | None]


def config(folder: Path, rail: bool) -> RsiConfig:
    receive = [
        *(f"RKorr.{x}" for x in "XYZABC"),
        *(f"AKorr.A{n}" for n in range(1, 7)),
        *(["EKorr.E1"] if rail else []),
    ]
    send = ["RIst", "RSol", "AIPos", "ASPos", "Delay", "MACur", *(["EIPos", "ESPos"] if rail else [])]
    own = "<IP_NUMBER>127.0.0.1</IP_NUMBER><PORT>49152</PORT><SENTYPE>ImFree</SENTYPE><ONLYSEND>FALSE</ONLYSEND>"
    sent = "".join(f'<ELEMENT TAG="DEF_{x}" TYPE="DOUBLE" INDX="INTERNAL"/>' for x in send)
    received = "".join(f'<ELEMENT TAG="{x}" TYPE="DOUBLE" INDX="{n}" HOLDON="1"/>' for n, x in enumerate(receive, 1))
    path = folder / f"config{int(rail)}.xml"
    path.write_text(
        f"<ROOT><CONFIG>{own}</CONFIG><SEND><ELEMENTS>{sent}</ELEMENTS></SEND>"
        f"<RECEIVE><ELEMENTS>{received}</ELEMENTS></RECEIVE></ROOT>"
    )
    return read_rsi_config(path)


class Sensor:
    """A sensor system that answers at once, by a law of its telegrams' number; None: it is silent."""

    def __init__(self, config: RsiConfig) -> None:
        self.sensor, self.law = RsiSensor(config), lambda told, n: None
        self.told: list[FromRobot] = []
        self.answers: list[bytes] = []

    def send(self, telegram: bytes | None) -> None:
        if telegram is not None:
            told = self.sensor.read(telegram)
            self.told.append(told)
            values = self.law(told, len(self.told))
            self.answers += [] if values is None else [self.sensor.answer(told, values)]

    def drain(self) -> list[bytes]:
        found, self.answers = self.answers, []
        return found


class Lab:
    """A desk with robots behind RSI."""

    def __init__(self, folder: Path, relative: bool = False, robots: tuple[int, ...] = (1, 2)) -> None:
        self.desk, self.pool = Desk(), Pool(KINEMATICS)
        self.sensors, ports = {}, []
        for n in robots:
            own = config(folder, n == 1)
            self.sensors[n] = Sensor(own)
            ports.append(RsiPort(n, rsi_robot(n, own, named_context(own), KINEMATICS, relative), self.sensors[n]))
        self.mode = RsiMode(ports)
        self.desk.up("rsi")
        self.desk.op.do("start")

    def cycles(self, count: int) -> str:
        for _ in range(count):
            taken = self.mode.before(self.desk.n + 1, self.desk.op)
            out = self.desk.cycle(corrections=taken)
            self.mode.after(out, self.pool.row(out, Measured(np.ones(13), np.zeros(13), np.zeros((2, 6)))))
        return str(self.desk.op.state)

    def running(self, **laws: Law) -> None:
        for n, sensor in self.sensors.items():
            sensor.law = laws.get(f"robot{n}", lambda told, k: {})
        self.cycles(3)
        self.desk.op.do("confirm")
        self.start = self.desk.n


def test_the_mode_waits_for_all_sensor_systems_and_corrections_act_after_confirm(tmp_path: Path) -> None:
    lab = Lab(tmp_path, relative=True)
    assert lab.cycles(150) == "waiting"
    lab.sensors[1].law = lambda told, n: {"AKorr.A1": 1e-3}
    assert lab.cycles(5) == "waiting"
    lab.sensors[2].law = lambda told, n: {}
    assert lab.cycles(20) == "ready"
    np.testing.assert_array_equal(lab.desk.out.axes, HOME)
    lab.desk.op.do("confirm")
    lab.cycles(1)
    assert lab.desk.out.axes[1] - HOME[1] == pytest.approx(
        np.radians(1e-3), abs=1e-15
    )  # those before have not added up
    for told in lab.sensors[1].told:
        assert told.group("ASPos") == pytest.approx(np.degrees(HOME[1:7]), abs=1e-4)


def test_axes_rail_and_poses_are_corrected(tmp_path: Path) -> None:
    lab = Lab(tmp_path)

    def smooth(amount: float, n: int) -> float:
        return amount * (1.0 - np.cos(2.0 * np.pi * 0.25 * max(0, n - lab.start) * CYCLE))

    lab.running(
        robot1=lambda told, n: (
            {"EKorr.E1": smooth(40.0, n), "AKorr.A6": smooth(3.0, n)} if hasattr(lab, "start") else {}
        ),
        robot2=lambda told, n: (
            {"RKorr.Y": smooth(-25.0, n), "RKorr.A": smooth(2.0, n)} if hasattr(lab, "start") else {}
        ),
    )
    before = KINEMATICS.tool_poses(HOME)
    for _ in range(50):
        assert lab.cycles(10) == "running", lab.desk.op.reason
        axes = lab.desk.out.axes
        share = smooth(1.0, len(lab.sensors[1].told) - 1)
        assert axes[0] - HOME[0] == pytest.approx(0.04 * share, abs=1e-12)
        assert axes[6] - HOME[6] == pytest.approx(np.radians(3.0 * share), abs=1e-11)
        moved = KINEMATICS.tool_poses(axes)[1]
        assert moved.p - before[1].p == pytest.approx((0.0, -0.025 * share, 0.0), abs=1e-11)
        a = np.radians(2.0 * share)
        turn = [[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]]
        assert np.allclose(moved.R @ before[1].R.T, turn, atol=1e-10)
    told = lab.sensors[1].told[-1]
    assert told.group("ESPos")[0] == pytest.approx(6550.0, abs=1e-4)
    assert told.group("EIPos")[0] == pytest.approx(1e3 * lab.desk.set_points[-2, 0], abs=1e-4)
    assert told.group("MACur")[0] == pytest.approx(100.0 / 8000.0, abs=1e-4)
    assert told.values["Delay.D"] == 0.0


def test_a_silent_sensor_system_is_a_safe_stop_after_its_timeout(tmp_path: Path) -> None:
    lab = Lab(tmp_path, robots=(2,))
    lab.running()
    lab.cycles(10)
    lab.sensors[2].law = lambda told, n: None
    assert lab.cycles(101) == "running"
    assert lab.cycles(1) == "idle"  # it was at rest
    reason = lab.desk.op.reason
    assert reason.cause == "silent"
    assert reason.text.startswith("RSI of robot 2: 101 cycles in a row without a valid answer")
    assert lab.mode.status()["robot2"]["state"] == "off"
    assert lab.mode.status()["robot2"]["missing"] == 101


def test_corrections_that_jump_or_leave_the_reach_stop_the_robots(tmp_path: Path) -> None:
    for values, cause in (({"AKorr.A1": 5.0}, "jump"), ({"RKorr.X": 9000.0}, "limit")):
        lab = Lab(tmp_path, robots=(2,))
        lab.running()
        lab.cycles(2)
        lab.sensors[2].law = lambda told, n, values=values: values
        lab.cycles(300)
        assert str(lab.desk.op.state) == "idle"
        assert lab.desk.op.reason.cause == cause
        np.testing.assert_allclose(lab.desk.out.axes, HOME, atol=1e-12)


def test_rsi_goes_with_the_mode_and_begins_anew_where_the_robots_are(tmp_path: Path) -> None:
    lab = Lab(tmp_path, relative=True, robots=(1,))
    lab.running(
        robot1=lambda told, n: {"EKorr.E1": min(0.002 * n, 0.5) if n < 400 else max(0.5 - 0.002 * (n - 400), 0.0)}
    )
    lab.cycles(750)
    assert str(lab.desk.op.state) == "running", lab.desk.op.reason
    gone, sent = lab.desk.out.axes[0], len(lab.sensors[1].told)
    assert gone > HOME[0] + 0.1
    lab.desk.op.do("stop")
    lab.cycles(50)
    assert len(lab.sensors[1].told) == sent
    assert not lab.mode.in_step
    lab.desk.op.do("start")
    lab.cycles(3)
    told = lab.sensors[1].told[sent]
    assert told.group("ESPos")[0] == pytest.approx(1e3 * gone, abs=1e-3)
    assert int(told.ipoc) > int(lab.sensors[1].told[sent - 1].ipoc) + 4 * 50
