"""Towards fewer transfers that are left: what the constructive planner's windows search for.

The estimate is no bound. For every goal cell that is ready and every module that could fill it: modules in the way of
the module and of the cell (in line with the freest face, or hanging on it), one more where the module does not leave
its place and the cell by the same of its sides, steps until a robot reaches both, transfers by distance, and what the
choice costs all others by the prices of the best assignment.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.hanging import come_off
from freefloat.gnc.planning.reconfiguration.matching import prices
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices, Stance
from freefloat.gnc.planning.reconfiguration.rules import Tables
from freefloat.gnc.planning.reconfiguration.space import Act, Feet, Space, State

FAR = 1e6  # [s] price of a module that does not fit
BESIDE = 2.3  # [-] of the least distance between places: so far a module may be in the way
NEARER = 0.3  # [-] of a transfer, for all that it goes: among equals, the near one first
LOOKS = 6  # [-] pairs that are looked at more closely
PARKING, RELAYS = 4, 2  # [-] places that are tried for a module


@dataclass(frozen=True, eq=False)
class Pace:
    """Typical times and distances of a robot."""

    transfer: float  # [s]
    step: float  # [s]
    span: float  # [m] that a module goes in one transfer
    stride: float  # [m] that a step brings a robot nearer
    table: Array  # [s] (n, n) from place to place: longer ways are several transfers, with steps between
    apart: Array  # [m] (n, n)
    beside: Flags  # (n, n) places so near that a module at one may be in the way at the other


@inner
def covers(t: Tables, content: Indices, place: int) -> int:
    """Modules in line over the freest face of a place that has an interface there."""
    fewest = 9
    for side in range(t.facing.shape[0]):
        if content[place] > 0 and not t.grip[t.shown[content[place], side]]:
            continue
        count, at = 0, t.neighbours[place, side]
        while at >= 0 and content[at] > 0 and count < 9:
            count += 1
            at = t.neighbours[at, side]
        fewest = min(fewest, count)
    return fewest


@onboard
def fill_costs(
    t: Tables, content: Indices, ready: Flags, locked: Flags, steps: Array, carry: Array, regret: Array,
    transfer: float, step: float, root: int,
) -> Array:  # fmt: skip
    """[s] (n, n) until a ready cell is right with the module at a place; infinite where none of these fits.

    steps (n,) of the robot until it serves a place; carry (n, n) [s] from, to; regret (n, n) [s] cell, module's place.
    """
    n = content.shape[0]
    costs = np.full((n, n), np.inf)
    over = come_off(t, content, root)
    for place in range(n):
        if content[place] > 0 and not locked[place]:
            over[place] = max(over[place], covers(t, content, place))
    for cell in range(n):
        if not ready[cell] or t.aim[content[cell]] == t.goal[cell]:
            continue
        in_the_way = 0.0
        if content[cell] > 0 and t.label[content[cell]] != t.goal_label[cell]:
            in_the_way = transfer * (1.0 + over[cell])
        for place in range(n):
            if content[place] == 0 or locked[place] or t.label[content[place]] != t.goal_label[cell]:
                continue
            if place != cell and t.aim[content[place]] == t.goal[place] and t.goal[place] > 0:
                continue  # it is right where it is
            walk = step * max(steps[cell], steps[place])
            costs[cell, place] = in_the_way + transfer * over[place] + walk + carry[place, cell] + regret[cell, place]
    return costs


def worth(t: Tables, rows: Indices, apart: Array, towards: Flags | None = None) -> Flags:
    """Transfers that make a cell right, and for each module the nearest places to park it, by two faces each.

    apart (n, n) tells how far places are from each other, in any measure. Where it is told where modules shall go
    (n,), also places that are nearest to there.
    """
    fills = t.aim[rows[:, 4]] == t.goal[rows[:, 1]]
    rather_not = 1e6 * (t.goal[rows[:, 1]] > 0)  # in the goal's cells
    kept = fills | _nearest(rows, apart[rows[:, 0], rows[:, 1]] + rather_not, ~fills, PARKING)
    if towards is not None and towards.any():
        nearer = apart[towards].min(axis=0)
        goes = ~fills & (nearer[rows[:, 1]] < nearer[rows[:, 0]])
        kept |= _nearest(rows, nearer[rows[:, 1]] + rather_not, goes, RELAYS)
    return kept


def _nearest(rows: Indices, far: Array, asked: Flags, many: int) -> Flags:
    """For each module the places that are least far, of the rows that are asked for, by two faces each."""
    kept = np.zeros(len(rows), np.bool_)
    chosen: dict[int, dict[int, int]] = {}
    for k in np.argsort(far, kind="stable").tolist():
        if not asked[k]:
            continue
        places = chosen.setdefault(int(rows[k, 0]), {})
        target = int(rows[k, 1])
        if (target in places and places[target] < 2) or (target not in places and len(places) < many):
            places[target] = places.get(target, 0) + 1
            kept[k] = True
    return kept


class NextCell:
    """Operations of one robot, and what is left until fewer transfers are left at least.

    `ready` are the cells that may be filled, `near` the places from which modules are taken, besides places that were
    empty. Modules that are right stay, unless `wide`; others go into ready cells or to the nearest places to park,
    where they are `wide` anywhere.
    """

    def __init__(
        self, space: Space, state: State, robot: int, ready: Flags, pace: Pace,
        near: Flags | None = None, wide: bool = False,
    ) -> None:  # fmt: skip
        t = space.tables
        locked = (t.goal > 0) & (t.aim[state.content] == t.goal)
        self.space, self.robot, self.locked, self.ready = space, robot, locked, ready
        self.near = space.everywhere if near is None else near | (state.content == 0)
        self.pace, self.wide, self.before = pace, wide, space.least_transfers(state)
        self.carry: Array = pace.table
        self.regret: Array = self._regret(state)
        self.root: int = int(np.argmax(locked)) if locked.any() else state.feet[robot].place
        self._steps: dict[Feet, Array] = {}

    def reached(self, state: State) -> bool:
        return self.space.least_transfers(state) < self.before

    def cost(self, act: Act, seconds: float) -> float:
        return seconds

    def at(self, state: State) -> float:
        """[s] by the pair that promises most; one that cannot pass needs a transfer more."""
        if self.reached(state):
            return 0.0
        costs = self._costs(state)
        looked: set[tuple[int, int]] = set()
        while len(looked) < LOOKS:
            cell, place = divmod(int(np.argmin(costs)), len(costs))
            if (cell, place) in looked or not math.isfinite(costs[cell, place]):
                break
            if self.space.passes(state, place, cell):
                break
            looked.add((cell, place))
            costs[cell, place] += self.pace.transfer
        return float(costs.min())

    def pairs(self, state: State, many: int) -> list[tuple[int, int]]:
        """Ready cells and the places of modules for them, those that promise most first."""
        costs, n = self._costs(state).ravel(), len(self.ready)
        some = np.argsort(costs, kind="stable")[: 4 * many]
        some = some[np.isfinite(costs[some])]
        shut = np.array([not self.space.passes(state, *divmod(k, n)[::-1]) for k in some.tolist()], np.float64)
        order = np.argsort(costs[some] + self.pace.transfer * shut, kind="stable")
        return [divmod(k, n) for k in some[order[:many]].tolist()]

    def _costs(self, state: State) -> Array:
        """[s] (n, n) until a ready cell is right, by each pair of cell and module's place."""
        root = self.root if state.content[self.root] else state.feet[self.robot].place
        return fill_costs(
            self.space.tables, state.content, self.ready, self.locked | ~self.near, self._steps_from(state.feet),
            self.carry, self.regret, self.pace.transfer, self.pace.step, root,
        )  # fmt: skip

    def options(self, state: State) -> tuple[list[Act], Array, Array]:
        t, robot = self.space.tables, self.robot
        misplaced = (state.content > 0) & (t.aim[state.content] != t.goal)
        sources = self.near if self.wide else misplaced & self.near
        rows, seconds = self.space.transfers(state, robot, sources, self.space.everywhere)
        fills = (t.aim[rows[:, 4]] == t.goal[rows[:, 1]]) & misplaced[rows[:, 0]]
        kept = ~fills | (self.ready | self.locked)[rows[:, 1]]
        if not self.wide:
            kept &= worth(t, rows, self.pace.apart, self.ready)
        rows, seconds, fills = rows[kept], seconds[kept], fills[kept]
        acts = [Act(robot, *row) for row in rows.tolist()]
        left = np.array(
            [
                self.regret[act.target, act.source] if done else self.at(state.after(act)) + 1e-3
                for act, done in zip(acts, fills.tolist(), strict=True)
            ]
        )
        seconds = seconds * self.space.slowness(step=False)
        steps, walking = self.space.steps(state, robot)
        walking = walking * self.space.slowness(step=True)
        after = np.array([self.at(state.after(act)) for act in steps])
        return acts + steps, np.concatenate([seconds, walking]), np.concatenate([left, after])

    def _steps_from(self, feet: Feet) -> Array:
        """(n,) until the robot serves each place, by distance."""
        steps = self._steps.get(feet)
        if steps is None:
            steps = self._steps[feet] = served(self.space, feet[self.robot], self.pace)
        return steps

    def _regret(self, state: State) -> Array:
        """[s] (n, n) cell, module's place: what taking this module for this cell costs the others."""
        t, n = self.space.tables, self.space.problem.places.n
        content = state.content
        wrong = (t.goal > 0) & (t.aim[content] != t.goal)
        cells = np.flatnonzero(wrong)
        free = (content > 0) & ~self.locked & (wrong | (t.goal == 0))
        places = np.flatnonzero(free)
        out = np.zeros((n, n))
        if cells.size == 0 or places.size < cells.size:
            return out
        cost = self.carry[np.ix_(places, cells)].T.copy()
        cost[t.label[content[places]][None, :] != t.goal_label[cells][:, None]] = FAR
        to, of = prices(np.ascontiguousarray(cost))
        regret = np.maximum(cost - to[:, None] - of[None, :], 0.0)
        out[np.ix_(cells, places)] = np.minimum(regret, FAR)
        return out


def served(space: Space, foot: Stance, pace: Pace) -> Array:
    """(n,) steps until a robot that stands here serves each place, by distance."""
    places = space.problem.places
    serves = space.reach.hand(foot).reshape(places.n, places.sides).any(axis=1)
    away = np.linalg.norm(places.p_TP - places.p_TP[foot.place] - places.X_PF[foot.side].p, axis=1)
    return np.where(serves, 0.0, np.maximum(away / pace.stride - 1.0, 1.0))


def pace_of(space: Space, transfer: float, step: float) -> Pace:
    """From typical times [s], and what is in reach where the first robot stands."""
    places, foot = space.problem.places, space.problem.robots[0]
    serves = space.reach.hand(foot).reshape(places.n, places.sides).any(axis=1)
    at = places.p_TP[foot.place] + places.X_PF[foot.side].p
    reach = float(np.linalg.norm(places.p_TP[serves] - at, axis=1).max()) if serves.any() else math.inf
    span = 1.4 * reach
    apart = np.linalg.norm(places.p_TP[:, None] - places.p_TP[None], axis=2)
    far = apart / span
    table = transfer * (1.0 + NEARER * np.minimum(far, 1.0)) + (transfer + step) * np.maximum(far - 1.0, 0.0)
    beside = apart < BESIDE * float(apart[apart > 0.0].min())
    return Pace(transfer, step, span, 0.8 * reach, np.ascontiguousarray(table), apart, beside)
