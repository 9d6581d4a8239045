"""A start and a goal design as a problem of reconfiguration: common places, kinds of modules, contents, stances.

Cells are those of both designs: the places of a plan are all cells that either grid has. T is the start's.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from freefloat.errors import InputError
from freefloat.gnc.planning.reconfiguration.problem import Contents, Excluded, Match, Problem, Stance
from freefloat.missions.modular.catalogue_kinds import catalogue_difference, kinds_of
from freefloat.structure.design.check import check_design
from freefloat.structure.design.design import Design, PlacedModule, StandingRobot, assembled
from freefloat.structure.design.fit import cell_size
from freefloat.structure.design.robot_kinds import ROBOT_KINDS
from freefloat.structure.grid import Grid, cubic, hexagonal
from freefloat.structure.tensor_body import TensorBody

MOST_ROBOTS = 2
LARGEST = 4096  # [-] places of a plan: a search asks for each


@dataclass(frozen=True, eq=False)
class DesignPair:
    """Two sound designs and the problem between them; robots by number as in `problem.robots`."""

    start: Design
    goal: Design
    grid: Grid  # the problem's places
    robots: tuple[StandingRobot, ...]
    problem: Problem

    def body(self, name: str = "stack") -> TensorBody:
        """The start's modules on the common grid."""
        return contents_on(self.grid, self.start, name)


def pair_of(start: Design, goal: Design, robots: int | None = None, match: Match = "type") -> DesignPair:
    """The problem of two designs with the first `robots` of the start's robots (None: all of them).

    Raises an InputError, with place and value, where the designs do not fit each other or one has errors.
    """
    standing = _robots(start, robots)
    _comparable(start, goal)
    _sound(start)
    _sound(replace(goal, robots=()))  # where robots end is the plan's choice
    grid = common_grid(start, goal)
    here, there = (contents_on(grid, design, name) for name, design in (("start", start), ("goal", goal)))
    _enough(start, goal, match)
    stances = [_stance(here, robot) for robot in standing]
    kinds = kinds_of(start.catalogue, grid, ROBOT_KINDS[standing[0].kind])
    problem = Problem(grid, kinds, _contents(here), _contents(there), stances, match, _excluded(here, start))
    return DesignPair(start, goal, grid, standing, problem)


def common_grid(start: Design, goal: Design) -> Grid:
    """All cells of both grids, in the start's frame T; the start's own grid where it has them all."""
    a, b = start.grid, goal.grid
    if a.kind == "hexagonal":
        known = {tuple(cell) for cell in a.cells.tolist()}
        more = [cell for cell in b.cells.tolist() if tuple(cell) not in known]
        table = np.array([*a.cells.tolist(), *more], dtype=np.int64)
        return hexagonal(table, a.spacing, float(cell_size(a)[2])) if more else a
    size = np.maximum(a.size, b.size)
    if (size == a.size).all():
        return a
    nx, ny, nz = size.tolist()
    return cubic(nx, ny, nz, a.spacing, 0.5 * (size - np.array(a.size)) * a.spacing)


def contents_on(grid: Grid, design: Design, name: str = "stack") -> TensorBody:
    """A design's modules in the same cells of another grid."""
    body = TensorBody(name, grid, design.catalogue)
    placed = assembled(design)[0]
    for place in placed.occupied.tolist():
        cell = grid.index(design.grid.cells[place])
        body.insert(cell, placed.module(place), int(placed.orientation[place]))
    return body


def _contents(body: TensorBody) -> Contents:
    return Contents(body.shape.copy(), body.orientation.copy(), body.identity.copy())


def _robots(start: Design, count: int | None) -> tuple[StandingRobot, ...]:
    """The first of the start's robots, all of one kind."""
    there = len(start.robots)
    if there == 0:
        told = "no robot stands on the start; allowed: a section 'robots' with 1 or 2"
        raise InputError(f"{start.line('robots')}: {told}")
    if count is not None and not 1 <= count <= min(there, MOST_ROBOTS):
        raise InputError(f"{start.line('robots')}: {count} robots wanted; allowed: 1 to {min(there, MOST_ROBOTS)}")
    if count is None and there > MOST_ROBOTS:
        raise InputError(f"{start.line('robots')}: {there} robots; allowed: 1 to {MOST_ROBOTS}")
    chosen = start.robots[: there if count is None else count]
    other = next((r for r in chosen if r.kind != chosen[0].kind), None)
    if other is not None:
        raise InputError(f"{other.where or start.line('robots')}: a {other.kind} beside a {chosen[0].kind}")
    return chosen


def _comparable(start: Design, goal: Design) -> None:
    """Refuse another catalogue, kind of grid or size of cell."""
    difference = catalogue_difference(start.catalogue, goal.catalogue)
    if difference:
        raise InputError(f"{goal.line('catalogue')}: another catalogue than the start's: {difference}")
    a, b = start.grid, goal.grid
    if a.kind != b.kind:
        raise InputError(f"{goal.line('grid')}: a {b.kind} grid; allowed: {a.kind}, as the start's")
    for size, wanted in zip(cell_size(b).tolist(), cell_size(a).tolist(), strict=True):
        if abs(size - wanted) > 1e-9:
            what = "pitch" if a.kind == "cubic" else "size of a cell"
            raise InputError(f"{goal.line('grid')}: {what} {size:g} m; allowed: {wanted:g} m, as the start's")
    if common_grid(start, goal).n > LARGEST:
        raise InputError(f"{goal.line('grid')}: {common_grid(start, goal).n} cells; allowed: {LARGEST}")


def _sound(design: Design) -> None:
    """Refuse a design with errors: in pieces, without power, a robot that cannot stand."""
    errors = check_design(design).errors
    if errors:
        raise InputError("\n".join(map(str, errors)))


def _enough(start: Design, goal: Design, match: Match) -> None:
    """Refuse a goal with a module that the start lacks."""
    if match == "identity":
        known = {m.identity: m for m in start.modules}
        for module in goal.modules:
            there = known.get(module.identity)
            if there is None or there.type != module.type:
                found = "there is none of that identity" if there is None else f"it is a {there.type}"
                raise InputError(_at(goal, module, f"not in the start, {found}; allowed: its modules"))
        return
    have = Counter(m.type for m in start.modules)
    counted: Counter[str] = Counter()
    for module in goal.modules:
        counted[module.type] += 1
        if counted[module.type] > have[module.type]:
            wanted = sum(m.type == module.type for m in goal.modules)
            told = f"the start lacks it, the goal has {wanted} of type {module.type}; allowed: {have[module.type]}"
            raise InputError(_at(goal, module, told))


def _at(design: Design, module: PlacedModule, told: str) -> str:
    return f"{module.where or design.where or design.name}: {module}: {told}"


def _stance(body: TensorBody, robot: StandingRobot) -> Stance:
    place = body.find(robot.identity)
    assert place is not None, "the design was checked"
    return Stance(place, body.grid.side_names.index(robot.side))


def _excluded(body: TensorBody, start: Design) -> Excluded:
    """Interfaces that the start holds open or that have failed: nothing closes or grips there."""
    faces: set[tuple[int, int]] = set()
    for held in start.held:
        place = body.find(held.identity)
        if place is not None:
            shown = body.grid.side_at[body.orientation[place]]
            faces.add((held.identity, int(np.flatnonzero(shown == body.grid.side_names.index(held.side))[0])))
    return Excluded(frozenset(faces))
