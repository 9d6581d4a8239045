"""Plans for many modules: short searches, after each of which fewer transfers are left.

The measure is the bound on transfers (goal cells whose content is wrong, plus groups of types that have no free cell),
and second the number of goal cells in which there is a module of another type. A window is a search for operations
after which the measure is smaller. First pairs of a cell that is ready and a module for it are tried, those that
promise most first, each by a short search that moves only what is about the two; then one goal cell less that is taken;
then the same for cells that break the order in which the goal grows; then any cell by any module that is not right; at
last with any module moved anywhere, those in place too.

Cells are ready that leave no cell shut in (`assembly_order`) and that the goal has grown to, from one side. Pairs are
tried with a weight that finds good ways, then with one by which a search goes on where modules are out of the way,
rather than look for other places to park them.

It cannot cycle: both numbers are whole and never negative, and with every window the first falls, or stays while the
second falls. So there are at most as many windows as the start's bound times the goal's cells, each bounded by its
expansions; either the measure gets to 0, which is the goal, or a window finds nothing, which is told. It is not
complete: what needs a longer window than its bound allows is given up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from freefloat.gnc.planning.reconfiguration.assembly_order import grown, growth, hardships, leaving
from freefloat.gnc.planning.reconfiguration.astar import Estimate, Found, Search, Step
from freefloat.gnc.planning.reconfiguration.next_cell import NextCell, Pace
from freefloat.gnc.planning.reconfiguration.problem import Flags
from freefloat.gnc.planning.reconfiguration.space import Space, State
from freefloat.gnc.planning.reconfiguration.vacating import Vacate, taken

WEIGHTS = (2.0, 5.0)  # [-] of searches, one after the other
TASKS, TASK, ANY = 16, 40, 400  # [-] pairs of cell and module that are tried; expansions for each; for all others


@dataclass(frozen=True)
class Built:
    """What came out: the way, the measure before each window and at the end, and cells that no window could fill."""

    way: tuple[Step, ...]
    measures: tuple[tuple[int, int], ...]
    stuck: tuple[int, ...] = ()
    ended: str = ""
    expansions: int = 0


@dataclass
class Constructive:
    """The planner under way."""

    space: Space
    pace: Pace
    stop: Callable[[], bool] = lambda: False
    told: Callable[[float, int], None] = lambda cost, left: None  # [s] so far, and the measure

    def run(self, start: State) -> Built:
        """Windows until the goal is reached, one after the other; with several robots the least busy goes next."""
        places = self.space.problem.places
        self.leaves, self.along = leaving(places), growth(self.space.tables, start.content, places)
        busy = [0.0] * len(start.feet)
        state, way, expansions = start, list[Step](), 0
        measures = [self._measure(state)]
        while measures[-1][0] > 0:
            found, robot = self._window(state, busy)
            expansions += found.expansions
            if found.way is None:
                stuck = tuple(np.flatnonzero(self._ready(state)[1]).tolist())
                return Built(tuple(way), tuple(measures), stuck, found.ended, expansions)
            for step in found.way:
                state = state.after(step.act)
                busy[robot] += step.seconds
            way += found.way
            measures.append(self._measure(state))
            self.told(sum(s.seconds for s in way), measures[-1][0])
        return Built(tuple(way), tuple(measures), expansions=expansions)

    def _measure(self, state: State) -> tuple[int, int]:
        return self.space.least_transfers(state), taken(self.space.tables, state.content)

    def _right(self, state: State) -> Flags:
        t = self.space.tables
        return (t.goal > 0) & (t.aim[state.content] == t.goal)

    def _ready(self, state: State) -> tuple[Flags, Flags]:
        """(n,) open goal cells that are filled most easily, with all others afterwards: of these where the goal has
        grown to, and all."""
        t, right = self.space.tables, self._right(state)
        hard = hardships(t.neighbours, self.leaves, t.goal > 0, right)
        easy = (hard >= 0) & (hard == hard[hard >= 0].min(initial=10**9))
        first = easy & grown(t, self.space.problem.places, right, self.along)
        return first if first.any() else easy, easy

    def _window(self, state: State, busy: list[float]) -> tuple[Found, int]:
        """The first search and robot that finds a way."""
        spent, ended = 0, ""
        for robot, towards, weight, most in self._searches(state, busy):
            search = Search(self.space, towards, weight, most, self.stop)
            found = search.run(state)
            spent += found.expansions
            if found.way is not None:
                return Found(found.way, found.cost, 0.0, spent), robot
            ended = found.ended
            if ended == "stop":
                break
        return Found(None, math.inf, 0.0, spent, ended), 0

    def _searches(self, state: State, busy: list[float]) -> Iterator[tuple[int, Estimate, float, int]]:
        """Robot, what it is to do, and the search's weight and expansions."""
        space, pace = self.space, self.pace
        robots = sorted(range(len(busy)), key=lambda r: (busy[r], r))
        first, easy = self._ready(state)
        choices = (first,) if np.array_equal(first, easy) else (first, easy)
        for ready in choices:
            for weight in WEIGHTS:
                for robot in robots:
                    for cell, near in self._tasks(state, robot, ready):
                        yield robot, NextCell(space, state, robot, cell, pace, near), weight, TASK
            for robot in robots:
                yield robot, Vacate(space, state, robot, ready, pace), WEIGHTS[-1], TASK
        for ready in choices:
            for robot in robots:
                yield robot, NextCell(space, state, robot, ready, pace), WEIGHTS[-1], ANY
        for robot in robots:
            yield robot, Vacate(space, state, robot, easy, pace), WEIGHTS[-1], ANY
        for robot in robots:
            yield robot, NextCell(space, state, robot, easy, pace, wide=True), WEIGHTS[-1], ANY

    def _tasks(self, state: State, robot: int, ready: Flags) -> Iterator[tuple[Flags, Flags]]:
        """A cell to fill and the places that are about it and about a module for it, by what the pair promises."""
        beside, n = self.pace.beside, len(ready)
        for cell, place in NextCell(self.space, state, robot, ready, self.pace).pairs(state, TASKS):
            yield np.arange(n) == cell, beside[cell] | beside[place]
