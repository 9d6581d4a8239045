"""Plan files: the operations between two designs as JSON, written by `freefloat plan` and flown by `freefloat run`.

Modules go by their identities in the start, cells and orientations are as in designs, sides are those of places in T.
The same plan is the same bytes. What is read is gone through operation by operation, so that a plan that does not fit
its design is refused before anything moves.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from freefloat.errors import InputError
from freefloat.gnc.planning.reconfiguration.problem import Operation, Plan
from freefloat.missions.modular.design_pair import DesignPair
from freefloat.missions.modular.plan_reading import PlanReader, error_of
from freefloat.missions.modular.plan_replay import Replay, turned
from freefloat.missions.modular.plan_settings import PlanSettings
from freefloat.scenario.problems import Misfit, misfits_of, short
from freefloat.scenario.yamltext import Document, parse, read_file

SCHEMA = 1


def plan_data(plan: Plan, pair: DesignPair) -> dict[str, Any]:
    """A plan as plain data in the order of the file's fields."""
    replay = Replay(pair.problem)
    operations: list[dict[str, Any]] = []
    for operation in plan.operations:
        operations.append(_operation(operation, pair, replay))
        misstep = replay.do(operation)
        if misstep is not None:
            raise InputError(f"operation {operation.n}: {misstep.message}")
    sides = pair.grid.side_names
    robots = [
        {"name": robot.name, "stands": {"module": robot.identity, "side": sides[stance.side]}}
        for robot, stance in zip(pair.robots, pair.problem.robots, strict=True)
    ]
    return {
        "schema": SCHEMA,
        "robots": robots,
        "operations": operations,
        "transfers": plan.transfers,
        "steps": plan.steps,
        "transfers_bound": plan.transfers_bound,
        "cost_s": round(plan.cost, 3),
        "bound_s": round(plan.bound, 3),
        "motion_checks": plan.motion_checks,
    }


def _operation(operation: Operation, pair: DesignPair, replay: Replay) -> dict[str, Any]:
    """One operation, seen before it is done."""
    cells, sides = pair.grid.cells, pair.grid.side_names
    head = {"n": operation.n, "robot": pair.robots[operation.robot].name, "kind": operation.kind}
    head |= {"after": list(operation.after)}
    if operation.to is not None:
        stood, to = replay.feet[operation.robot], operation.to
        step = {"module": int(replay.identity[to.place]), "side": sides[to.side]}
        return {**head, **step, "from": cells[stood.place].tolist(), "to": cells[to.place].tolist()}
    carry = operation.carry
    assert carry is not None
    module = {"module": int(replay.identity[carry.source]), "grip": sides[carry.grip]}
    ways = {"from": cells[carry.source].tolist(), "to": cells[carry.target].tolist()}
    orientation = turned(pair.problem, carry.turn, int(replay.orientation[carry.source]))
    return {**head, **module, **ways, "orientation": orientation}


def plan_text(data: dict[str, Any]) -> str:
    """The bytes of a plan file: robots and operations one to a line."""
    lines: list[str] = []
    for name, value in data.items():
        if isinstance(value, list):
            rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
            lines.append(f'  "{name}": [\n{rows}\n  ]' if value else f'  "{name}": []')
        else:
            lines.append(f'  "{name}": {json.dumps(value)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def load_plan(path: str | Path, pair: DesignPair) -> Plan:
    """The plan in a file, which leads from the pair's start to its goal.

    Raises an InputError with every problem of the fields, or with the first operation that cannot be done. The file
    does not tell how long each operation takes: `seconds` are zero, `cost` is the file's.
    """
    return plan_from(read_file(Path(path)), pair)


def plan_of(text: str, name: str, pair: DesignPair) -> Plan:
    """The same of a text called `name`."""
    return plan_from(parse(text, name), pair)


def plan_from(document: Document, pair: DesignPair) -> Plan:
    data = document.value
    if not isinstance(data, dict):
        got = "an empty file" if data is None else short(data)
        raise error_of(document, [Misfit((), f"{got} is not a plan; allowed: the JSON that 'freefloat plan' writes")])
    problems: list[Misfit] = []
    schema = data.get("schema")
    if isinstance(schema, bool) or schema != SCHEMA:
        found = f"{short(schema)} is not known" if "schema" in data else "missing"
        problems.append(Misfit(("schema",), f"{found}; allowed: {SCHEMA}", at="value" if "schema" in data else "group"))
    settings: PlanSettings | None = None
    try:
        settings = PlanSettings.model_validate({k: v for k, v in data.items() if k != "schema"})
    except ValidationError as error:
        problems += misfits_of(PlanSettings, error)
    if settings is None or problems:
        raise error_of(document, problems)
    return PlanReader(document, settings, pair).plan()
