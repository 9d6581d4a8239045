"""Plans for many modules: short searches, after each of which fewer transfers are left.

The measure is the bound on transfers (goal cells whose content is wrong, plus groups of types that have no free cell),
and second the number of goal cells in which there is a module of another type. A window is a search for operations
after which the measure is smaller: first only for a module that goes straight into a cell that is ready, from below and
inside out; then with modules parked and relayed; then for one goal cell less that is taken; at last with any module
moved anywhere, those in place too.

It cannot cycle: both numbers are whole and never negative, and with every window the first falls, or stays while the
second falls. So there are at most as many windows as the start's bound times the goal's cells, each bounded by its
expansions; either the measure gets to 0, which is the goal, or a window finds nothing, which is told. It is not
complete: what needs a longer window than its bound allows is given up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from freefloat.gnc.planning.reconfiguration.assembly_order import distance_from, ready_cells
from freefloat.gnc.planning.reconfiguration.astar import Found, Search, Step
from freefloat.gnc.planning.reconfiguration.next_cell import NextCell, Pace
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices
from freefloat.gnc.planning.reconfiguration.space import Space, State
from freefloat.gnc.planning.reconfiguration.tables import goal_content
from freefloat.gnc.planning.reconfiguration.vacating import Vacate, taken

VACATE = 3

WIDTHS = (0, 1, VACATE, 2)


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
    most: tuple[int, ...] = (60, 200, 800, 150)  # expansions of a window, by width; the last to vacate a cell
    weight: float = 2.0

    def run(self, start: State) -> Built:
        """Windows until the goal is reached, one after the other; with several robots the least busy goes next."""
        self._order(start)
        busy = [0.0] * len(start.feet)
        state, way, expansions = start, list[Step](), 0
        measures = [self._measure(state)]
        while measures[-1][0] > 0:
            found, robot = self._window(state, busy)
            expansions += found.expansions
            if found.way is None:
                stuck = tuple(
                    np.flatnonzero(ready_cells(self.space.tables, self.depth, self._right(state), 1)).tolist()
                )
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

    def _order(self, start: State) -> None:
        t = self.space.tables
        goal = goal_content(t)
        kept = (t.goal > 0) & (t.aim[start.content] == t.goal)
        away = distance_from(t, kept, goal, self.space.problem.places.p_TP)
        self.depth: Indices = np.floor(away).astype(np.int64)

    def _right(self, state: State) -> Flags:
        t = self.space.tables
        return (t.goal > 0) & (t.aim[state.content] == t.goal)

    def _window(self, state: State, busy: list[float]) -> tuple[Found, int]:
        """The first width and robot that finds a way."""
        ready, spent, ended = ready_cells(self.space.tables, self.depth, self._right(state), 1), 0, ""
        for wide in WIDTHS:
            for robot in sorted(range(len(busy)), key=lambda r: (busy[r], r)):
                if wide == VACATE:
                    towards = Vacate(self.space, state, robot, ready, self.pace)
                else:
                    towards = NextCell(self.space, state, robot, ready, self.depth, self.pace, wide)
                search = Search(self.space, towards, self.weight, self.most[wide], self.stop)
                found = search.run(state)
                spent += found.expansions
                if found.way is not None:
                    return Found(found.way, found.cost, 0.0, spent), robot
                ended = found.ended
                if ended == "stop":
                    return Found(None, math.inf, 0.0, spent, ended), robot
        return Found(None, math.inf, 0.0, spent, ended), 0
