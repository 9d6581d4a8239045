"""Which operations of a plan must wait for which: as few as the rules and motions allow, for two robots.

With two robots, what has been done is told by two counts (a, b), and every order in which a plan can run is a path over
such pairs. From no order at all, every pair that can come up is looked at: what each robot does next must be allowed
and have its motion there, and both at once must leave the structure whole whichever ends first. Where not, the one that
comes later in the sequence has to wait for the other. The sequence itself keeps every order that is asked for in this
way, so this ends, and then no way to run the plan breaks a rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from freefloat.gnc.planning.reconfiguration.astar import Step
from freefloat.gnc.planning.reconfiguration.candidates import step_allowed, transfer_allowed
from freefloat.gnc.planning.reconfiguration.problem import Indices, Operation
from freefloat.gnc.planning.reconfiguration.rules import WHOLE, standing
from freefloat.gnc.planning.reconfiguration.space import Act, Space, State


def waits(space: Space, way: tuple[Step, ...]) -> list[tuple[int, ...]]:
    """For each operation of a way the numbers (from 1) of those that must have ended before."""
    robots = len(space.problem.robots)
    if robots != 2:
        return [(n,) if n else () for n in range(len(way))]
    return _Pairs(space, way).waits()


def makespan(operations: tuple[Operation, ...]) -> float:
    """[s] until the last has ended, where each begins as soon as those before it have."""
    end: dict[int, float] = {}
    for o in operations:
        end[o.n] = max((end[k] for k in o.after), default=0.0) + o.seconds
    return max(end.values(), default=0.0)


def ordered(space: Space, way: tuple[Step, ...], operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
    """The operations with what they wait for."""
    return tuple(replace(o, after=after) for o, after in zip(operations, waits(space, way), strict=True))


@dataclass
class _Pairs:
    space: Space
    way: tuple[Step, ...]
    need: tuple[list[int], list[int]] = field(init=False)  # how many of the other's must have ended, by own count

    def __post_init__(self) -> None:
        self.own = tuple([n for n, s in enumerate(self.way) if s.act.robot == r] for r in range(2))
        self.need = ([0] * len(self.own[0]), [0] * len(self.own[1]))

    def waits(self) -> list[tuple[int, ...]]:
        while not self._settled():
            pass
        after: list[tuple[int, ...]] = [()] * len(self.way)
        for r in range(2):
            known = 0  # of the other's, by what this robot waited for before
            for k, n in enumerate(self.own[r]):
                waited = [self.own[r][k - 1] + 1] if k else []
                if self.need[r][k] > known:
                    known = self.need[r][k]
                    waited.append(self.own[1 - r][known - 1] + 1)
                after[n] = tuple(sorted(waited))
        return after

    def _settled(self) -> bool:
        """Look at every pair of counts that can come up; False where an order had to be added."""
        seen, todo = {(0, 0)}, [(0, 0)]
        while todo:
            done = todo.pop()
            free = [r for r in range(2) if self._may_begin(r, done)]
            if not self._look(done, free):
                return False
            for r in free:
                then = (done[0] + (r == 0), done[1] + (r == 1))
                if then not in seen:
                    seen.add(then)
                    todo.append(then)
        return True

    def _may_begin(self, robot: int, done: tuple[int, int]) -> bool:
        own = done[robot]
        return own < len(self.own[robot]) and self.need[robot][own] <= done[1 - robot]

    def _look(self, done: tuple[int, int], free: list[int]) -> bool:
        state = self._state(done)
        for r in free:
            if not self._alone(state, self.way[self.own[r][done[r]]].act):
                self._order(r, done)
                return False
        if len(free) == 2:
            acts = [self.way[self.own[r][done[r]]].act for r in range(2)]
            if not self._together(state, acts[0], acts[1]):
                late = int(self.own[0][done[0]] < self.own[1][done[1]])
                self.need[late][done[late]] = done[1 - late] + 1
                return False
        return True

    def _order(self, r: int, done: tuple[int, int]) -> None:
        """The next operation of a robot is not allowed here: it waits for the other's, or they for it."""
        own, other = self.own[r], self.own[1 - r]
        if done[1 - r] < len(other) and other[done[1 - r]] < own[done[r]]:
            self.need[r][done[r]] = done[1 - r] + 1
        else:  # the other has run ahead
            self.need[1 - r][done[1 - r] - 1] = done[r] + 1

    def _state(self, done: tuple[int, int]) -> State:
        """After so many of each robot's operations, in the sequence's order."""
        state = self.space.start
        for n in sorted([*self.own[0][: done[0]], *self.own[1][: done[1]]]):
            state = state.after(self.way[n].act)
        return state

    def _alone(self, state: State, act: Act) -> bool:
        return _allowed(self.space, state.content, state.standing, act) and math.isfinite(
            self.space.seconds(state, act)
        )

    def _share(self, content: Indices, one: Act, two: Act) -> bool:
        """Whether two transfers take or bring modules that would close on each other: nobody does that at once."""
        t = self.space.tables
        for place, variant in _places(content, one):
            for other, beside in _places(content, two):
                for side in np.flatnonzero(t.neighbours[place] == other).tolist():
                    if t.mates[t.shown[variant, side], t.shown[beside, t.facing[side]]]:
                        return True
        return False

    def _together(self, state: State, one: Act, two: Act) -> bool:
        """Whether both may be under way at once."""
        t, content = self.space.tables, state.content
        if self._share(content, one, two):
            return False
        feet = np.array([*state.standing.tolist(), *([a.source, a.grip] for a in (one, two) if a.target < 0)], np.int64)
        lifted = content.copy()
        for a in (one, two):
            if a.target >= 0:
                lifted[a.source] = 0
        if standing(t, lifted, feet) != WHOLE:
            return False
        for act, other in ((one, two), (two, one)):
            around = content.copy()
            if other.target >= 0:
                around[other.source] = 0
            if not _allowed(self.space, around, feet, act, begun=True):
                return False
        return True


def _places(content: Indices, act: Act) -> list[tuple[int, int]]:
    """Where a transfer takes and brings its module, with its variant there."""
    return [(act.source, int(content[act.source])), (act.target, act.variant)] if act.target >= 0 else []


def _allowed(space: Space, content: Indices, feet: Indices, act: Act, begun: bool = False) -> bool:
    """Whether the rules allow an operation; `begun`: its own new foot is among the feet."""
    if act.target >= 0:
        return bool(transfer_allowed(space.tables, content, feet, act.source, act.target, act.grip, act.turn))
    others = feet[~((feet[:, 0] == act.source) & (feet[:, 1] == act.grip))] if begun else feet
    return bool(step_allowed(space.tables, content, others, act.source, act.grip))
