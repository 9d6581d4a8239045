"""Solutions that are kept: the same bits as a new one, for the same question only."""

from __future__ import annotations

import copy
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from freefloat.structure.power import remembered
from freefloat.structure.power.flow import Flow, solve_power
from freefloat.structure.power.network import Batteries, Lines, PowerNetwork, Sources
from freefloat.structure.power.remembered import ROOM, Remembered
from freefloat.structure.power.step import advance_power

NET = PowerNetwork(
    np.array([0.0, 20.0, 30.0, 0.0]),
    Lines(np.array([[0, 1], [1, 2], [2, 3]]), np.full(3, 0.05)),
    Sources(np.array([50.0, 0.0, 0.0, 0.0]), np.full(4, 0.1), power=np.array([30.0, 0.0, 0.0, 0.0])),
    Batteries(np.array([0.0, 0.0, 0.0, 1e4]), np.full(4, 48.0), resistance=np.full(4, 0.1)),
)
CHARGE = np.array([0.0, 0.0, 0.0, 0.5])


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[PowerNetwork]:
    """The networks that were really solved."""
    seen: list[PowerNetwork] = []

    def solve(network: PowerNetwork, *rest: Any) -> Flow:
        seen.append(network)
        return solve_power(network, *rest)

    monkeypatch.setattr(remembered, "solve_power", solve)
    return seen


def same(a: Flow, b: Flow) -> bool:
    return all(np.array_equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(Flow))


def test_a_run_of_steps_is_the_same_to_the_bit_and_solved_once(asked: list[PowerNetwork]) -> None:
    kept, charge, plain = Remembered(), CHARGE, CHARGE
    for _ in range(5):
        step, other = advance_power(NET, 2.0, charge, solve=kept), advance_power(NET, 2.0, plain)
        assert same(step.flow, other.flow)
        charge, plain = step.charge, other.charge
        assert np.array_equal(charge, plain)
    assert charge[3] < 0.5
    assert len(asked) == 1, "the battery's voltage does not depend on its charge"


@pytest.mark.parametrize(
    "other",
    [
        {"load": np.array([0.0, 20.0, 30.1, 0.0])},
        {"sources": replace(NET.sources, power=np.array([31.0, 0.0, 0.0, 0.0]))},
        {"lines": replace(NET.lines, resistance=np.array([0.05, 0.05, 0.06]))},
        {"lines": replace(NET.lines, limit=np.array([9.0, 9.0, 0.1]))},
        {"conducting": np.array([True, True, True, False])},
        {"batteries": replace(NET.batteries, rise=np.full(4, 2.0))},
        {"priority": np.array([0, 1, 0, 0])},
    ],
)
def test_another_network_is_another_question(other: dict[str, Any], asked: list[PowerNetwork]) -> None:
    kept, network = Remembered(), replace(NET, **other)
    kept(NET, CHARGE, False, False)
    assert same(kept(network, CHARGE, False, False), solve_power(network, CHARGE))
    assert len(asked) == 2


def test_an_empty_battery_what_is_shed_and_what_is_opened_are_part_of_the_question(asked: list[PowerNetwork]) -> None:
    kept = Remembered()
    empty, shed, opened = np.zeros(4), np.arange(4) == 1, np.arange(3) == 2
    for question in ((CHARGE, False, False), (empty, False, False), (CHARGE, shed, False), (CHARGE, False, opened)):
        assert same(kept(NET, *question), solve_power(NET, *question))
    assert len(asked) == 4


def test_old_answers_are_forgotten_and_copies_begin_without(asked: list[PowerNetwork]) -> None:
    kept = Remembered()
    for k in range(ROOM + 1):
        kept(replace(NET, load=NET.load + k), CHARGE, False, False)
    kept(replace(NET, load=NET.load + ROOM), CHARGE, False, False)
    assert len(asked) == ROOM + 1
    kept(NET, CHARGE, False, False)
    assert len(asked) == ROOM + 2
    copy.deepcopy(kept)(NET, CHARGE, False, False)
    assert len(asked) == ROOM + 3
