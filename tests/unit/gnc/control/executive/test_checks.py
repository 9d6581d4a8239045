"""What telemetry must say before an operation begins, and what it says against what was expected."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from freefloat.gnc.control.executive.checks import difference, unfit
from freefloat.gnc.control.executive.telemetry import HandReport, Report
from freefloat.gnc.planning.reconfiguration.problem import Carry, Contents, Operation, Stance
from freefloat.hand_words import HandState

FOOT = Stance(0, 4)
MOVE = Operation(1, 0, FOOT, None, Carry(1, 3, 4), 12)
STEP = Operation(2, 0, FOOT, Stance(1, 4), None, 12)
WM: Any = SimpleNamespace(name="wm", stance=FOOT, stands="a", hands={"a": "wm_a", "b": "wm_b"})


def contents(*identity: int) -> Contents:
    who = np.array(identity, np.int64)
    return Contents((who > 0).astype(np.int64), np.zeros_like(who), who)


NOW = contents(11, 12, 0, 0)


def report(foot: HandState = HandState.CLOSED, on: int = 11, free: HandState = HandState.OPEN) -> Report:
    hands = {
        "wm_a": HandReport(foot, on, False, (-1, -1), 0),
        "wm_b": HandReport(free, 0, False, (-1, -1), 0),
    }
    return Report(NOW.identity, NOW.orientation, NOW.identity > 0, hands, {}, {})


@pytest.mark.parametrize("operation", [MOVE, STEP])
def test_an_operation_begins_where_everything_is_as_it_was_planned(operation: Operation) -> None:
    assert unfit(operation, WM, report(), NOW) == ""


@pytest.mark.parametrize("operation", [MOVE, STEP])
def test_the_robot_must_hold_on_to_the_module_that_is_there(operation: Operation) -> None:
    for seen in (report(HandState.OPEN), report(on=99)):
        assert unfit(operation, WM, seen, NOW) == "wm does not stand on module 11"
    elsewhere = replace(operation, stance=Stance(0, 5))
    assert "does not stand" in unfit(elsewhere, WM, report(), NOW)


@pytest.mark.parametrize("state", [s for s in HandState if s is not HandState.OPEN])
def test_the_other_hand_must_be_open(state: HandState) -> None:
    assert unfit(MOVE, WM, report(free=state), NOW) == f"the free hand of wm is {state.name.lower()}"


@pytest.mark.parametrize("operation", [MOVE, STEP])
def test_the_module_must_be_at_its_place(operation: Operation) -> None:
    assert unfit(operation, WM, report(), contents(11, 0, 12, 0)) == "module 12 is not at its place"


def test_the_goal_must_be_free_but_for_a_module_that_turns_in_place() -> None:
    assert unfit(MOVE, WM, report(), contents(11, 12, 0, 14)) == "the goal of module 12 is taken by module 14"
    turns = replace(MOVE, carry=Carry(1, 1, 4, 3))
    assert unfit(turns, WM, report(), NOW) == ""


def test_a_difference_names_the_module_that_is_elsewhere_missing_or_turned() -> None:
    assert difference(NOW, contents(11, 12, 0, 0)) == ""
    assert difference(NOW, contents(11, 0, 12, 0)) == "module 12 is not where the plan has it"
    assert difference(contents(11, 0, 0, 0), NOW) == "module 12 is not where the plan has it"
    assert difference(NOW, contents(11, 0, 0, 0)) == "module 12 is not where the plan has it"
    turned = Contents(NOW.type, np.array([0, 5, 0, 0]), NOW.identity)
    assert difference(NOW, turned) == "module 12 is turned otherwise than the plan has it"
