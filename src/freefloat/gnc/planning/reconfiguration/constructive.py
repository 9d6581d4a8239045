"""Plans for many modules: one goal cell after another is made right for good, by short searches.

Goal cells have an order of assembly (`assembly_order`). A cell is locked when it is right and all its neighbours that
come before it are locked. Each window is a search for operations after which all locked cells are right and at least
one more is: in between it may park modules, relay them and even move locked ones.

It cannot cycle: the number of goal cells that are not locked falls with every window, by one at least, and never rises,
since locked cells are right at the end of each window and so stay locked. With g goal cells there are at most g
windows, each bounded by its expansions; either all are locked, which is the goal, or a window finds nothing, which is
told. It is not complete: a window that is too short for its bound is given up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from freefloat.gnc.planning.reconfiguration.assembly_order import distance_from, supports, taken_apart
from freefloat.gnc.planning.reconfiguration.astar import Found, Search, Step
from freefloat.gnc.planning.reconfiguration.next_cell import NextCell, Pace, pace_of
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices
from freefloat.gnc.planning.reconfiguration.space import Space, State
from freefloat.gnc.planning.reconfiguration.tables import goal_content

WIDTHS = (0, 1, 2)


@dataclass(frozen=True)
class Built:
    """What came out: the way, the measure before each window and at the end, and cells that no window could fill."""

    way: tuple[Step, ...]
    measures: tuple[int, ...]
    stuck: tuple[int, ...] = ()
    ended: str = ""
    expansions: int = 0


@dataclass
class Constructive:
    """The planner under way."""

    space: Space
    stop: Callable[[], bool] = lambda: False
    most: tuple[int, ...] = (60, 400, 800)  # expansions of a window, by width
    weight: float = 2.0

    def run(self, start: State) -> Built:
        """Windows until the goal is reached, one after the other; with several robots the least busy goes next."""
        self.pace: Pace = pace_of(self.space)
        self.before: list[list[int]] = self._order(start)
        busy = [0.0] * len(start.feet)
        state, way, expansions = start, list[Step](), 0
        locked = self.locked(state)
        measures = [self._measure(locked)]
        while not self.space.reached(state):
            found, robot = self._window(state, locked, busy)
            expansions += found.expansions
            if found.way is None:
                return Built(tuple(way), tuple(measures), self._stuck(state, locked), found.ended, expansions)
            for step in found.way:
                state = state.after(step.act)
                busy[robot] += step.seconds
            way += found.way
            locked = self.locked(state)
            measures.append(self._measure(locked))
        return Built(tuple(way), tuple(measures), expansions=expansions)

    def _order(self, start: State) -> list[list[int]]:
        t = self.space.tables
        goal = goal_content(t)
        kept = (t.goal > 0) & (t.aim[start.content] == t.goal)
        rank = taken_apart(t, goal, distance_from(t, kept, goal, self.space.problem.places.p_TP))
        self.rank: Indices = rank
        return supports(t, rank)

    def locked(self, state: State) -> Flags:
        """(n,) cells that are right and stand on locked ones."""
        t = self.space.tables
        right = (t.goal > 0) & (t.aim[state.content] == t.goal)
        locked = np.zeros(len(right), np.bool_)
        for place in np.argsort(self.rank, kind="stable").tolist():
            locked[place] = right[place] and all(locked[q] for q in self.before[place])
        return locked

    def _ready(self, locked: Flags) -> Flags:
        ready = np.zeros(len(locked), np.bool_)
        for place in np.flatnonzero(self.space.tables.goal).tolist():
            ready[place] = not locked[place] and all(locked[q] for q in self.before[place])
        return ready

    def _measure(self, locked: Flags) -> int:
        return int((self.space.tables.goal > 0).sum() - locked.sum())

    def _stuck(self, state: State, locked: Flags) -> tuple[int, ...]:
        return tuple(np.flatnonzero(self._ready(locked)).tolist())

    def _window(self, state: State, locked: Flags, busy: list[float]) -> tuple[Found, int]:
        """The first width and robot that finds a way."""
        ready, spent, ended = self._ready(locked), 0, ""
        for wide in WIDTHS:
            for robot in sorted(range(len(busy)), key=lambda r: (busy[r], r)):
                towards = NextCell(self.space, state, robot, locked, ready, self.pace, wide)
                search = Search(self.space, towards, self.weight, self.most[wide], self.stop)
                found = search.run(state)
                spent += found.expansions
                if found.way is not None:
                    return Found(found.way, found.cost, 0.0, spent), robot
                ended = found.ended
                if ended == "stop":
                    return Found(None, math.inf, 0.0, spent, ended), robot
        return Found(None, math.inf, 0.0, spent, ended), 0
