"""The robot's side, without a socket; its facts are in tests/truth/test_rsi_facts.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from freefloat.errors import InputError
from freefloat.links.rsi_config import read_rsi_config
from freefloat.links.rsi_context import named_context, read_rsi_context
from freefloat.links.rsi_robot import RobotState, RsiRobot

EXAMPLE = Path(__file__).parents[3] / "examples" / "rsi"
CONFIG = read_rsi_config(EXAMPLE / "RSI_EthernetConfig.xml")
STATE = RobotState((0.0,) * 6)


class Straight:
    def pose(self, axes: list[float]) -> list[float]:
        return list(axes)

    def corrected(self, axes: list[float], correction: list[float], near: list[float]) -> list[float]:
        return [q + d for q, d in zip(axes, correction, strict=True)]


def answer(ipoc: int, body: str) -> bytes:
    return f'<Sen Type="ImFree">{body}<IPOC>{ipoc}</IPOC></Sen>'.encode()


def test_poses_need_kinematics() -> None:
    with pytest.raises(InputError, match="need the robot's kinematics"):
        RsiRobot(CONFIG, named_context(CONFIG))


def test_corrections_that_do_not_act_yet_are_not_added_up() -> None:
    robot = RsiRobot(CONFIG, named_context(CONFIG), Straight(), relative=True)
    robot.telegram(STATE)
    for cycle in range(5):
        robot.take([answer(4 * cycle, '<AKorr A1="1"/>')], acting=False)
        robot.telegram(STATE)
    assert (robot.state, robot.axes[0], robot.counters.valid) == ("running", 0.0, 5)
    robot.take([answer(20, '<AKorr A1="1"/>')])
    assert robot.axes[0] == 1.0


def test_values_too_large_to_add_end_rsi() -> None:
    robot = RsiRobot(CONFIG, named_context(CONFIG), Straight(), relative=True)
    robot.telegram(STATE)
    for cycle in range(3):
        robot.take([answer(4 * cycle, '<AKorr A1="1.5e308"/>')])
        robot.telegram(STATE)
    assert robot.state == "off"
    assert "allowed: finite" in robot.reason


def test_an_answer_before_the_first_telegram_counts_and_does_nothing() -> None:
    robot = RsiRobot(CONFIG, named_context(CONFIG), Straight())
    robot.take([answer(0, '<AKorr A1="1"/>')])
    assert (robot.state, robot.delay, robot.counters.wrong_ipoc) == ("waiting", 0, 1)


def test_an_application_that_is_always_late_shows_in_delay() -> None:
    robot = RsiRobot(CONFIG, named_context(CONFIG), Straight())
    robot.telegram(STATE)
    for cycle in range(10):
        robot.telegram(STATE)
        robot.take([answer(4 * cycle, "")])
    assert (robot.state, robot.delay, robot.counters.late) == ("waiting", 10, 10)


def test_what_monitors_sum_up_can_be_sent() -> None:
    robot = RsiRobot(CONFIG, read_rsi_context(EXAMPLE / "corrections.rsi.xml", CONFIG), Straight(), relative=True)
    robot.telegram(STATE)
    for cycle in range(3):
        robot.take([answer(4 * cycle, '<RKorr Z="1.5"/>')])
        telegram = robot.telegram(STATE) or b""
    assert b'<Applied X="0.0000" Y="0.0000" Z="4.5000" />' in telegram


def test_external_axes_that_a_robot_has_not_stay() -> None:
    rail = read_rsi_config(CONFIG.path)
    robot = RsiRobot(rail, named_context(rail), Straight(), external=1)
    robot.switch_on((0.0,) * 6, (100.0,))
    robot.corrections.total[12:14] = [5.0, 7.0]
    robot.corrections.step = lambda values: ""  # pyright: ignore[reportAttributeAccessIssue]
    robot._act()
    assert robot.external_axes[:2] == (105.0, 0.0)
