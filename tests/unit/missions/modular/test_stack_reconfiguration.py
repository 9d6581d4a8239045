"""The gantry that rebuilds a stack: one quick move, and plans that cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from freefloat.api import run
from freefloat.engine.result import Result
from freefloat.errors import InputError
from freefloat.hand_words import HandState
from freefloat.missions.modular.stack import LAYERS, starting_stack
from freefloat.missions.modular.stack_reconfiguration import MOVES
from freefloat.scenario.files import load


@pytest.fixture(scope="module", params=["tree", "constraint"])
def moved(request: Any) -> Result:
    """The first move, with a fast gantry."""
    changes = {"moves": [((0, 0), (1, 1))], "speed": 0.5, "coupling": request.param}
    return run("stack-reconfiguration", changes, duration=72.0, strict=True)


def test_a_module_goes_from_the_top_of_one_column_to_the_top_of_another(moved: Result) -> None:
    grid, end = starting_stack().grid, moved["stack.identity"][-1]
    assert end[grid.index((1, 1, 3))] == 19.0
    assert end[grid.index((0, 0, 2))] == 0.0
    m = moved.metrics
    assert m["picks"] == m["places"] == m["plan_completed"] == 1.0
    assert m["modules_lost"] == m["modules_doubled"] == m["alarms"] == 0.0
    assert m["place_position_error_m"] <= 1e-3


def test_every_balance_holds(moved: Result) -> None:
    for name in ("linear_momentum_drift", "angular_momentum_drift", "energy_drift", "mass_drift"):
        assert moved.metrics[f"audit.{name}"] <= 1e-9, name
    assert moved.metrics["heat_balance_error"] <= 1e-8
    assert np.ptp(moved["modules.mass"][:, 0]) == 0.0


def test_the_stack_loses_the_mass_that_the_tool_has(moved: Result) -> None:
    held = moved["modules.hand.state"][:, 0] == HandState.CARRYING
    assert held.any()
    assert set(np.unique(moved["tool.identity"][held][5:, 0])) == {19.0}
    assert not moved["tool.identity"][~held & (moved["modules.hand.state"][:, 0] == HandState.OPEN)].any()


def test_the_plan_has_24_transfers_and_fits_the_columns() -> None:
    assert 2 * len(MOVES) == 24, "each move is a transfer to the tool and one back"
    height = {(i, j): 3 for i in range(3) for j in range(3)}
    for source, target in MOVES:
        height[source] -= 1
        height[target] += 1
        assert height[source] >= 0
        assert height[target] <= LAYERS


@pytest.mark.parametrize(
    ("moves", "says"),
    [
        ([((0, 0), (1, 1))] * 4, r"column \(0, 0\) is empty"),
        (
            [((0, 0), (1, 1)), ((0, 1), (1, 1)), ((0, 2), (1, 1)), ((1, 0), (1, 1))],
            r"moves\.3\.1: column \(1, 1\) is full",
        ),
    ],
)
def test_a_plan_that_does_not_fit_is_one_clear_error(moves: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        load("stack-reconfiguration", {"moves": moves}).build()


@pytest.mark.parametrize(
    "moves",
    [[[[0, 0], [0, 0]]], [[[0, 1], [0, 0]]] * 3 + [[[1, 0], [0, 0]]], [[[0, 0], [0, 1]]] * 4],
)
def test_moves_that_cannot_be_done_are_refused_before_the_run(moves: list) -> None:
    with pytest.raises(InputError, match="column"):
        load("stack-reconfiguration", {"moves": moves}).build()
