"""Plan files say what the plan says: written, read and written again they are the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from freefloat.errors import InputError
from freefloat.gnc.planning.reconfiguration.problem import Carry, Operation, Plan, Stance
from freefloat.missions.modular.design_pair import DesignPair, pair_of
from freefloat.missions.modular.plan_file import load_plan, plan_data, plan_of, plan_text
from freefloat.scenario.yamltext import parse
from freefloat.structure.design.file import design_from

START = """kind: design
schema: 1
catalogue: mosar
grid: {size: [4, 1, 2]}
modules:
  - {id: 1, type: solar, cell: [0, 0, 0]}
  - {id: 2, type: bus, cell: [1, 0, 0]}
  - {id: 3, type: bus, cell: [2, 0, 0]}
  - {id: 4, type: payload, cell: [0, 0, 1]}
robots:
  - {name: wm, stands: {module: 2, side: +z}}
"""
GOAL = START.replace(
    "id: 4, type: payload, cell: [0, 0, 1]", "id: 9, type: payload, cell: [3, 0, 0], axes: {z: +x, y: +y}"
)


@pytest.fixture(scope="module")
def pair() -> DesignPair:
    return pair_of(design_from(parse(START, "start.yaml")), design_from(parse(GOAL, "goal.yaml")))


@pytest.fixture(scope="module")
def plan(pair: DesignPair) -> Plan:
    """A step to the right, then the payload from the left end to the right one, lying down."""
    grid, top = pair.grid, 4
    right, target = grid.index((2, 0, 0)), grid.index((3, 0, 0))
    turn = int(pair.problem.goal.orientation[target])
    step = Operation(1, 0, pair.problem.robots[0], to=Stance(right, top), module=3)
    carry = Carry(grid.index((0, 0, 1)), target, top, turn)
    return Plan((step, Operation(2, 0, Stance(right, top), None, carry, 4, (1,))), 100.1234567, 80.0, 1, 7, 9)


def test_the_file_has_the_documented_fields_in_order(pair: DesignPair, plan: Plan) -> None:
    data = json.loads(plan_text(plan_data(plan, pair)))
    assert list(data) == [
        "schema", "robots", "operations", "transfers", "steps", "transfers_bound", "cost_s", "bound_s", "motion_checks",
    ]  # fmt: skip
    step = {"n": 1, "robot": "wm", "kind": "step", "after": [], "module": 3, "side": "+z"}
    carry = {"n": 2, "robot": "wm", "kind": "transfer", "after": [1], "module": 4, "grip": "+z"}
    assert data["operations"] == [
        {**step, "from": [1, 0, 0], "to": [2, 0, 0]},
        {**carry, "from": [0, 0, 1], "to": [3, 0, 0], "orientation": int(pair.problem.goal.orientation.max())},
    ]
    assert data["robots"] == [{"name": "wm", "stands": {"module": 2, "side": "+z"}}]
    assert (data["transfers"], data["steps"], data["cost_s"]) == (1, 1, 100.123)


def test_a_plan_read_back_is_the_plan_and_the_same_bytes(pair: DesignPair, plan: Plan, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    text = plan_text(plan_data(plan, pair))
    file.write_text(text, "utf-8")
    back = load_plan(file, pair)
    assert back.operations == plan.operations
    assert (back.bound, back.transfers_bound, back.motion_checks) == (80.0, 1, 7)
    assert plan_text(plan_data(back, pair)) == text


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"schema": 1', '"schema": 2', "p.json:2:13: schema: 2 is not known; allowed: 1"),
        ('"kind": "step"', '"kind": "stop"', "p.json:7:37: operations.0.kind: 'stop' is not known"),
        ('"after": [1]', '"after": [2]', "p.json:8:59: operations.1.after.0: 2 is no earlier operation"),
        ('"after": []', '"after": [0]', "p.json:7:55: operations.0.after.0: 0 is out of range"),
        ('"cost_s"', '"csot_s"', "csot_s: unknown field; did you mean 'cost_s'?"),
        ('"cost_s": 100.123', '"cost_s": 10', "bound_s: 80 s; allowed: at most cost_s, 10 s"),
        ('"transfers": 1', '"transfers": 2', "transfers: 2; allowed: 1, as there are among the operations"),
        ('"n": 2', '"n": 3', "operations.1.n: 3; allowed: 2"),
        ('"robot": "wm"', '"robot": "vm"', "operations.0.robot: unknown robot 'vm'; did you mean 'wm'?"),
        ('"name": "wm"', '"name": "arm"', "robots.0.name: unknown robot 'arm'"),
        ('"stands": {"module": 2', '"stands": {"module": 3', "robots.0.stands.module: module 3; allowed: 2"),
        ('"to": [3, 0, 0]', '"to": [3, 0, 9]', "operations.1.to: cell (3, 0, 9) is in neither design's grid"),
        ('"to": [3, 0, 0]', '"to": 3', "operations.1.to: 3 is not valid; allowed: a list: a whole number"),
        ('"to": [3, 0, 0]', '"to": [1, 0, 0]', "operations.1.to: operation 2 cannot be done: module 2 (bus)"),
        ('"to": [3, 0, 0]', '"to": [3, 0, 1]', "operations.1.to: operation 2 cannot be done: no interface closes"),
        ('"from": [0, 0, 1]', '"from": [3, 0, 0]', "operations.1.from: cell (3, 0, 0); allowed: (0, 0, 1)"),
        ('"from": [1, 0, 0]', '"from": [0, 0, 0]', "operations.0.from: cell (0, 0, 0); allowed: (1, 0, 0)"),
        ('"module": 4', '"module": 40', "operations.1.module: there is no module 40"),
        ('"grip": "+z"', '"grip": "z"', "operations.1.grip: unknown side 'z'; "),
        ('"grip": "+z"', '"grip": "-z"', "operations.1.grip: operation 2 cannot be done: side -z of module 4"),
        ('"orientation": ', '"orientation": 2', "operations.1.orientation: 222 is out of range"),
        ('"orientation": 22', '"orientation": 0', "operations: the last operation leaves module 4"),
    ],
)
def test_what_does_not_fit_is_refused_with_place_and_value(
    pair: DesignPair, plan: Plan, old: str, new: str, told: str
) -> None:
    text = plan_text(plan_data(plan, pair))
    assert old in text
    with pytest.raises(InputError) as caught:
        plan_of(text.replace(old, new, 1), "p.json", pair)
    first = str(caught.value).splitlines()[0]
    assert first.startswith("p.json:")
    assert any(told in line for line in str(caught.value).splitlines()), str(caught.value)


def test_a_plan_for_another_start_is_refused(pair: DesignPair, plan: Plan) -> None:
    other = START.replace("cell: [0, 0, 1]}", "cell: [1, 0, 1]}").replace("stands: {module: 2", "stands: {module: 3")
    there = pair_of(design_from(parse(other, "start.yaml")), pair.goal)
    with pytest.raises(InputError, match=r"robots.0.stands.module: module 2; allowed: 3"):
        plan_of(plan_text(plan_data(plan, pair)), "p.json", there)


def test_a_plan_that_breaks_the_rules_is_not_written(pair: DesignPair, plan: Plan) -> None:
    wrong = Plan(plan.operations[1:], 1.0, 0.0, 1, 0, 0)
    with pytest.raises(InputError, match="operation 2: "):
        plan_data(Plan((*wrong.operations, *wrong.operations), 1.0, 0.0, 1, 0, 0), pair)
