"""The sensor system's side: both sides of our own understand each other."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from freefloat.errors import InputError
from freefloat.links.rsi_config import read_rsi_config
from freefloat.links.rsi_context import read_rsi_context
from freefloat.links.rsi_robot import RobotState, RsiRobot
from freefloat.links.rsi_sensor import RsiSensor, RsiSensorLink
from freefloat.links.rsi_socket import RsiSocket
from freefloat.links.rsi_telegram import TelegramError

EXAMPLE = Path(__file__).parents[3] / "examples" / "rsi"
CONFIG = read_rsi_config(EXAMPLE / "RSI_EthernetConfig.xml")
TELEGRAM = b'<Rob Type="KUKA"><AIPos A1="1.5" A2="2" A3="3" A4="4" A5="5" A6="6" /><IPOC>17</IPOC></Rob>'


class Still:
    def pose(self, axes: object) -> list[float]:
        return [0.0] * 6

    def corrected(self, axes: object, correction: object, near: list[float]) -> list[float]:
        return near


def test_a_telegram_of_the_robot_is_read() -> None:
    told = RsiSensor(CONFIG).read(TELEGRAM)
    assert told.ipoc == "17"
    assert told.group("AIPos") == [1.5, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert told.values["AIPos.A1"] == 1.5
    for data in (
        b"",
        TELEGRAM.replace(b"Rob", b"Sen"),
        TELEGRAM.replace(b"KUKA", b"OTHER"),
        TELEGRAM.replace(b"1.5", b"x"),
    ):
        with pytest.raises(TelegramError):
            RsiSensor(CONFIG).read(data)


def test_an_answer_has_all_elements_and_the_same_ipoc() -> None:
    sensor = RsiSensor(CONFIG, decimals=2)
    answer = sensor.answer(sensor.read(TELEGRAM), {"RKorr.Y": -0.125, "AKorr.A6": 3})
    assert answer == (
        b'<Sen Type="ImFree"><RKorr X="0.00" Y="-0.12" Z="0.00" A="0.00" B="0.00" C="0.00" />'
        b'<AKorr A1="0.00" A2="0.00" A3="0.00" A4="0.00" A5="0.00" A6="3.00" /><IPOC>17</IPOC></Sen>'
    )
    with pytest.raises(InputError, match=r"unknown element of RSI_EthernetConfig.xml 'RKorr.Q'"):
        sensor.answer(sensor.read(TELEGRAM), {"RKorr.Q": 1.0})
    with pytest.raises(InputError, match=r"RKorr.X 'a'; allowed: a number"):
        sensor.answer(sensor.read(TELEGRAM), {"RKorr.X": "a"})


def test_both_sides_meet_at_a_socket() -> None:
    config = read_rsi_config(CONFIG.path)
    link = RsiSensorLink(config, port=0)
    config = read_rsi_config(CONFIG.path, port=link.port)
    robot, own = RsiRobot(config, read_rsi_context(EXAMPLE / "corrections.rsi.xml", config), Still()), RsiSocket(config)
    try:
        assert link.receive(0.001) is None
        for cycle in range(10):
            robot.take(own.drain())
            own.send(robot.telegram(RobotState(robot.axes)))
            told = link.receive(5.0)
            assert told is not None
            assert told.group("AIPos")[2] == pytest.approx(-0.1 * cycle, abs=1e-9)
            assert told.group("Applied") == [0.0, 0.5 * cycle, 0.0]
            link.answer(told, {"RKorr.Y": 0.5 * (cycle + 1), "AKorr.A3": -0.1 * (cycle + 1)})
        assert (robot.counters.valid, robot.delay, own.unsent) == (9, 0, 0)
        with pytest.raises(InputError, match=r":\d+ cannot be used: .*; allowed: a free UDP port"):
            RsiSensorLink(config)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.sendto(b"garbage", ("127.0.0.1", link.port))
        own.send(robot.telegram(RobotState(robot.axes)))
        assert link.receive(5.0) is not None
        assert link.refused == 1
    finally:
        link.close()
        own.close()
