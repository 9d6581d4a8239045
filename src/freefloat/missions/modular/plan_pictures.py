"""The states of a plan as pictures: start, goal, and what operations in between leave."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

import numpy as np

from freefloat.gnc.planning.reconfiguration.problem import Operation, Plan
from freefloat.missions.modular.design_pair import DesignPair
from freefloat.missions.modular.plan_replay import Replay
from freefloat.view.configuration_scene import Contents
from freefloat.view.plan_sheet import PlanState, draw_plan_sheet

PICTURES = 12  # at most


def draw_plan(plan: Plan, pair: DesignPair, path: str | PathLike[str]) -> None:
    """The sheet of a plan as a PNG."""
    times = f", about {plan.cost / 60.0:.3g} min" if plan.cost > 0.0 else ""
    counts = f"{plan.transfers} transfers and {plan.steps} steps{times}"
    draw_plan_sheet(plan_states(plan, pair), path, f"{pair.start.name} to {pair.goal.name}: {counts}")


def plan_states(plan: Plan, pair: DesignPair, most: int = PICTURES) -> list[PlanState]:
    """The start and the states after some of the operations, the last included; about as many transfers in each."""
    replay = Replay(pair.problem)
    first = min(np.flatnonzero(replay.type).tolist(), key=lambda p: int(replay.identity[p]))
    told = f"module {replay.identity[first]} is in cell {replay.cell(first)}"
    states = [PlanState(_contents(replay, pair), _stances(replay, pair), "start", told)]
    begin = 0
    for end in _ends(plan.operations, most - 1):
        group = plan.operations[begin:end]
        for operation in group:
            replay.do(operation)
        moved = [p for p in (replay.place_of(o.module) for o in group if o.carry is not None) if p is not None]
        title = f"operation {end}" if len(group) == 1 else f"operations {begin + 1} to {end}"
        title += ": goal" if end == len(plan.operations) and not replay.wrong() else ""
        told = _told(group, replay, pair)
        states.append(PlanState(_contents(replay, pair), _stances(replay, pair), title, told, sorted(set(moved))))
        begin = end
    return states


def _ends(operations: Sequence[Operation], most: int) -> list[int]:
    """After how many operations a picture is taken: transfers are shared out evenly, with the steps before them."""
    transfers = [i + 1 for i, o in enumerate(operations) if o.carry is not None]
    if not operations:
        return []
    if not transfers:
        return [len(operations)]
    pictures = min(most, len(transfers))
    chosen = np.ceil(np.arange(1, pictures + 1) * len(transfers) / pictures).astype(int) - 1
    ends = [transfers[k] for k in chosen.tolist()]
    return [*ends[:-1], len(operations)]


def _told(group: Sequence[Operation], replay: Replay, pair: DesignPair) -> str:
    """What a group of operations does, in at most two lines."""
    parts: list[str] = []
    sides, before = pair.grid.side_names, -1
    for k, operation in enumerate(group):
        if operation.to is not None and k + 1 < len(group) and _steps_on(operation, group[k + 1]):
            continue  # where it ends is what counts
        who = f"{pair.robots[operation.robot].name}: " if len(pair.robots) > 1 and operation.robot != before else ""
        before = operation.robot
        parts.append(f"{who}{_done(operation, replay, sides)}")
    half = -(-len(parts) // 2) if sum(map(len, parts)) > 40 else len(parts)
    lines = ["; ".join(parts[:half]), "; ".join(parts[half:])]
    return "\n".join(line for line in lines if line)


def _steps_on(operation: Operation, following: Operation) -> bool:
    return following.to is not None and following.robot == operation.robot


def _done(operation: Operation, replay: Replay, sides: Sequence[str]) -> str:
    """An operation in a few words."""
    if operation.carry is None:
        assert operation.to is not None
        return f"step onto {operation.module} {sides[operation.to.side]}"
    cell, carry = replay.cell(operation.carry.target), operation.carry
    if carry.source == carry.target:
        return f"{operation.module} turned in {cell}"
    return f"{operation.module} to {cell}{', turned' if carry.turn else ''}"


def _contents(replay: Replay, pair: DesignPair) -> Contents:
    now = replay.contents
    return Contents(pair.grid, pair.start.catalogue, now.type, now.identity, now.orientation)


def _stances(replay: Replay, pair: DesignPair) -> dict[str, tuple[int, int]]:
    return {robot.name: (foot.place, foot.side) for robot, foot in zip(pair.robots, replay.feet, strict=True)}
