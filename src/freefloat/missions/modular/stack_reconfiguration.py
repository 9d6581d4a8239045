"""A stack of modules in orbit is rebuilt by a gantry: every handover moves mass between two tensor bodies."""

from __future__ import annotations

from typing import ClassVar

from freefloat.errors import FieldError, about
from freefloat.missions.modular.gantry_job import GantryJob, GantryScenario, Transfer
from freefloat.missions.modular.stack import LAYERS, starting_stack
from freefloat.scenario.fields import quantity
from freefloat.scenario.registry import register
from freefloat.structure.tensor_body import TensorBody, transfer

Column = tuple[int, int]
MOVES: tuple[tuple[Column, Column], ...] = (
    ((0, 0), (1, 1)),
    ((0, 2), (1, 1)),
    ((2, 0), (2, 1)),
    ((2, 2), (0, 1)),
    ((1, 0), (1, 2)),
    ((1, 1), (0, 0)),
    ((1, 1), (2, 2)),
    ((0, 1), (0, 2)),
    ((2, 1), (2, 0)),
    ((1, 2), (1, 0)),
    ((0, 1), (1, 1)),
    ((2, 1), (1, 1)),
)


@register
class StackReconfiguration(GantryScenario):
    """A 3 x 3 x 3 stack of modules in low orbit; a gantry takes modules from the top of columns to other columns."""

    kind: ClassVar[str] = "stack-reconfiguration"
    title: ClassVar[str] = "A gantry rebuilds a stack of 27 modules in orbit, with power and heat running"

    duration: float = quantity(1150.0, "s", "simulated time", gt=0, le=1e9)
    moves: list[tuple[Column, Column]] = quantity(
        list(MOVES), "-", "from the top of a column (x, y) to the top of another"
    )

    def job(self) -> GantryJob:
        """The moves by columns as moves by places."""
        start = starting_stack()
        body = start.copy()
        moves = [_move(body, source, target, f"moves.{i}") for i, (source, target) in enumerate(self.moves)]
        return GantryJob(start, moves, start.catalogue.interface("active"))


def _top(body: TensorBody, column: Column, where: str) -> int:
    """The highest occupied place of a column."""
    with about(where):
        filled = [p for p in (body.grid.index((*column, k)) for k in range(LAYERS)) if body.shape[p] > 0]
    if not filled:
        raise FieldError(where, f"column {column} is empty; allowed: one with a module")
    return filled[-1]


def _move(body: TensorBody, source: Column, target: Column, where: str) -> Transfer:
    """Take the top of a column to the top of another."""
    if source == target:
        raise FieldError(where, f"from column {source} to itself; allowed: another one")
    place = _top(body, source, f"{where}.0")
    layer = int(body.grid.cells[_top(body, target, f"{where}.1")][2]) + 1
    if layer >= LAYERS:
        raise FieldError(f"{where}.1", f"column {target} is full; allowed: {LAYERS} modules")
    goal = body.grid.index((*target, layer))
    transfer(body, place, body, goal, int(body.orientation[place]))
    return place, goal
