"""Reconfigurations of MOSAR modules to plan and to measure: slabs that become towers, and small random ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np

from freefloat.gnc.planning.reconfiguration.admission import admit
from freefloat.gnc.planning.reconfiguration.motions import Motions
from freefloat.gnc.planning.reconfiguration.problem import Contents, Kinds, Problem, Stance
from freefloat.gnc.planning.reconfiguration.refusal import RefusedError
from freefloat.gnc.planning.reconfiguration.space import Act, Space, State
from freefloat.gnc.planning.reconfiguration.tables import setting_of
from freefloat.structure.catalogue.catalogue import Catalogue, load_catalogue
from freefloat.structure.grid import Grid, cubic

Cell = tuple[int, int, int]
Laid = Sequence[tuple[str, Cell]]
UP = 4  # the side +z
FOUR = ("solar", "solar", "bus", "dms")


@cache
def kinds() -> Kinds:
    """MOSAR's types for planning. A robot's end is active, so it closes on all of their interfaces."""
    return kinds_of(load_catalogue("mosar"))


def kinds_of(catalogue: Catalogue) -> Kinds:
    """Types of a cubic catalogue for planning: sources feed, consumers need power."""
    roles = [t.power.kind for t in catalogue.types]
    grip = np.array([False, *(i.standard == "hotdock" for i in catalogue.interfaces)])
    return Kinds(
        names=("", *(t.name for t in catalogue.types)),
        interface=catalogue.interface_numbers(6),
        mates=catalogue.pairs.compatible,
        power=catalogue.pairs.carries_power,
        grip=grip,
        feeds=np.array([False, *(r == "source" for r in roles)]),
        needs=np.array([False, *(r == "consumer" for r in roles)]),
    )


def laid(grid: Grid, modules: Laid) -> Contents:
    """Modules in cells, not turned, numbered from 1."""
    contents = Contents(*(np.zeros(grid.n, np.int64) for _ in range(3)))
    for number, (name, cell) in enumerate(modules, start=1):
        place = grid.index(cell)
        contents.type[place] = kinds().names.index(name)
        contents.identity[place] = number
    return contents


def job(size: Cell, start: Laid, goal: Laid, feet: Sequence[Cell]) -> Problem:
    """On a grid of 0.4 m, robots on top of cells."""
    grid = cubic(*size)
    robots = [Stance(grid.index(cell), UP) for cell in feet]
    return Problem(grid, kinds(), laid(grid, start), laid(grid, goal), robots)


def place_of(problem: Problem, cell: Cell) -> int:
    """The number of a cell's place."""
    return int(np.flatnonzero((problem.places.cells == cell).all(axis=1))[0])


def slab_to_tower_20() -> Problem:
    """5 x 2 x 2 mixed modules become 2 x 2 x 5; 16 transfers at least."""
    flat = [(i, j, k) for k in range(2) for i in range(5) for j in (1, 2)]
    high = [(i, j, k) for k in range(5) for i in range(2) for j in (1, 2)]
    before = 10 * ["bus"] + 2 * ["solar"] + 2 * ["bat"] + 2 * ["dms"] + 4 * ["payload"]
    after = 10 * ["bus"] + 2 * ["bat"] + 2 * ["dms"] + 2 * ["solar"] + 4 * ["payload"]
    return job((5, 4, 6), list(zip(before, flat, strict=True)), list(zip(after, high, strict=True)), [(2, 1, 1)])


def slab_to_towers_20() -> Problem:
    """10 x 2 mixed modules, a robot on each half, become a row with a tower at each end."""
    row = [("bus", (i, 1, 0)) for i in range(10)]
    beside = ["solar", "payload", "dms", "payload", "bat", "bat", "payload", "dms", "payload", "solar"]
    start = row + [(name, (i, 2, 0)) for i, name in enumerate(beside)]
    goal = list(row)
    for end in (0, 9):
        goal += [("solar", (end, 2, 0)), ("payload", (end, 1, 1)), ("dms", (end, 2, 1))]
        goal += [("payload", (end, 1, 2)), ("bat", (end, 2, 2))]
    return job((10, 4, 4), start, goal, [(2, 1, 0), (7, 1, 0)])


def box(low: Cell, high: Cell) -> list[Cell]:
    """Cells from low to high, those included, in the order of k, i, j."""
    spans = [range(a, b + 1) for a, b in zip(low, high, strict=True)]
    return [(i, j, k) for k, i, j in product(spans[2], spans[0], spans[1])]


def slab_to_tower_60() -> Problem:
    """5 x 6 x 2 mixed modules become 3 x 4 x 5; 48 transfers at least."""
    flat, high = box((0, 1, 0), (4, 6, 1)), box((0, 2, 0), (2, 5, 4))
    before = 30 * ["bus"] + 6 * ["solar"] + 6 * ["bat"] + 6 * ["dms"] + 12 * ["payload"]
    after = 30 * ["bus"] + 6 * ["bat"] + 6 * ["dms"] + 6 * ["solar"] + 12 * ["payload"]
    return job((6, 8, 6), list(zip(before, flat, strict=True)), list(zip(after, high, strict=True)), [(2, 3, 1)])


def slab_to_tower_200() -> Problem:
    """10 x 10 x 2 modules become 10 x 4 x 5; 120 transfers at least. Of one type, but for two sources that stay."""
    flat, high = box((0, 0, 0), (9, 9, 1)), box((0, 3, 0), (9, 6, 4))
    sources = {(4, 4, 0), (5, 5, 0)}

    def typed(cells: list[Cell]) -> Laid:
        return [("solar" if cell in sources else "bus", cell) for cell in cells]

    return job((10, 10, 7), typed(flat), typed(high), [(4, 4, 1)])


def small_job(
    seed: int, motions: Motions, size: Cell = (3, 3, 2), transfers: int = 3, names: Sequence[str] = FOUR
) -> Problem:
    """Modules thrown together at random; the goal is where a few random operations lead, so it can be reached."""
    rng = np.random.default_rng(seed)
    while True:
        start = _heap(rng, size, names)
        made = job(size, start, start, [start[int(rng.integers(len(start)))][1]])
        try:
            admit(made, setting_of(made))
        except RefusedError:
            continue
        space = Space(made, motions)
        state = _wandered(space, rng, transfers)
        if state is not None and space.least_transfers(state) > 1:
            t = space.tables
            goal = Contents(t.label[state.content], np.zeros_like(state.content), (state.content > 0).astype(np.int64))
            return replace(made, goal=goal)


def _wandered(space: Space, rng: np.random.Generator, transfers: int) -> State | None:
    """Where random transfers, with a step before each, lead; None where there is no way on."""
    state = space.start
    for kind in ("step", "transfer") * transfers:
        if kind == "step":
            acts = space.steps(state, 0)[0]
        else:
            acts = [Act(0, *row) for row in space.transfers(state, 0)[0].tolist()]
        tried = (acts[int(k)] for k in rng.permutation(len(acts))[:30])
        act = next((a for a in tried if math.isfinite(space.seconds(state, a))), None)
        if act is not None:
            state = state.after(act)
        elif kind == "transfer":
            return None
    return state


def _heap(rng: np.random.Generator, size: Cell, names: Sequence[str]) -> Laid:
    """Modules in cells that hang together, in a random order."""
    cells = [tuple(int(rng.integers(n)) for n in size)]
    around = np.vstack([np.eye(3, dtype=int), -np.eye(3, dtype=int)])
    while len(cells) < len(names):
        at = np.array(cells[int(rng.integers(len(cells)))]) + around[int(rng.integers(6))]
        cell = tuple(int(c) for c in at)
        if cell not in cells and all(0 <= c < n for c, n in zip(cell, size, strict=True)):
            cells.append(cell)
    return [(names[int(k)], (c[0], c[1], c[2])) for k, c in zip(rng.permutation(len(names)), cells, strict=True)]
