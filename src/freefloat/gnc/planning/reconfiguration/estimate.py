"""Estimates of what a whole problem still takes: one that is proven, one that is likely."""

from __future__ import annotations

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.bound import bound_at, bounds_after
from freefloat.gnc.planning.reconfiguration.candidates import can_fill
from freefloat.gnc.planning.reconfiguration.next_cell import worth
from freefloat.gnc.planning.reconfiguration.space import Act, Feet, Space, State


class WholeGoal:
    """Every operation that the rules allow, towards all of the goal."""

    def __init__(self, space: Space, least: float, walk: Array | None) -> None:
        """`least` [s]: no transfer is faster; `walk` as of `bound.walking_table`, or no walking is counted."""
        self.space, self.least, self.walk = space, least, walk
        self._near: dict[Feet, Array] = {}

    def reached(self, state: State) -> bool:
        return self.space.reached(state)

    def cost(self, act: Act, seconds: float) -> float:
        return seconds

    def at(self, state: State) -> float:
        return float(
            bound_at(self.space.tables, state.content, self.space.setting.labels, self._walk(state.feet), self.least)
        )

    def options(self, state: State) -> tuple[list[Act], Array, Array]:
        acts: list[Act] = []
        least: list[Array] = []
        left: list[Array] = []
        t, labels = self.space.tables, self.space.setting.labels
        for robot in range(len(state.feet)):
            rows, seconds = self.space.transfers(state, robot)
            acts += [Act(robot, *row) for row in rows.tolist()]
            least.append(seconds)
            left.append(bounds_after(t, state.content, labels, rows, self._walk(state.feet), self.least))
            steps, seconds = self.space.steps(state, robot)
            acts += steps
            least.append(seconds)
            left.append(np.array([self.at(state.after(act)) for act in steps]))
        return acts, np.concatenate(least), np.concatenate(left)

    def _walk(self, feet: Feet) -> Array:
        """[s] (n,) until some robot can reach each place."""
        near = self._near.get(feet)
        if near is None:
            n, sides = self.space.problem.places.n, self.space.problem.places.sides
            if self.walk is None:
                near = np.zeros(n)
            else:
                near = np.min([self.walk[f.place * sides + f.side] for f in feet], axis=0)
            self._near[feet] = near
        return near


class Likely:
    """Towards the whole goal with typical times, not proven ones: for plans that are wanted soon.

    Least times are far below verified ones, so a search that trusts them looks at everything; here every transfer
    counts the same, and every step, so that among equals the search goes on where it is nearest to the goal. Modules
    that are right stay, and others are parked at few places only. Where the robots can fill no goal cell from where
    they stand, there is a step to come. `transfer` and `step` [s] are typical.
    """

    def __init__(self, space: Space, transfer: float, step: float) -> None:
        self.space, self.transfer, self.step = space, transfer, step
        places = space.problem.places
        self._stride = 2.5 * float(np.ptp(places.outline, axis=0).max())
        self._near: dict[Feet, Array] = {}
        self._apart: Array = np.linalg.norm(places.p_TP[:, None] - places.p_TP[None], axis=2)

    def reached(self, state: State) -> bool:
        return self.space.reached(state)

    def cost(self, act: Act, seconds: float) -> float:
        return self.step if act.target < 0 else self.transfer

    def at(self, state: State) -> float:
        t, labels = self.space.tables, self.space.setting.labels
        left = float(bound_at(t, state.content, labels, self._walk(state.feet), self.transfer))
        return left if left == 0.0 or self._can_fill(state) else left + self.step

    def options(self, state: State) -> tuple[list[Act], Array, Array]:
        acts: list[Act] = []
        least: list[Array] = []
        left: list[Array] = []
        t, labels = self.space.tables, self.space.setting.labels
        misplaced = (state.content > 0) & (t.aim[state.content] != t.goal)
        for robot in range(len(state.feet)):
            rows, _ = self.space.transfers(state, robot, sources=misplaced)
            kept = worth(t, rows, self._apart)
            rows = rows[kept]
            acts += [Act(robot, *row) for row in rows.tolist()]
            least.append(np.full(len(rows), self.transfer))
            left.append(bounds_after(t, state.content, labels, rows, self._walk(state.feet), self.transfer))
            steps, _ = self.space.steps(state, robot)
            acts += steps
            least.append(np.full(len(steps), self.step))
            left.append(np.array([self.at(state.after(act)) for act in steps]))
        return acts, np.concatenate(least), np.concatenate(left)

    def _can_fill(self, state: State) -> bool:
        """Whether some robot can make a cell right from where it stands, by rules and reach."""
        t = self.space.tables
        wrong = (t.goal > 0) & (t.aim[state.content] != t.goal)
        misplaced = (state.content > 0) & (t.aim[state.content] != t.goal)
        for foot in state.feet:
            hand = self.space.reach.hand(foot)
            if can_fill(t, state.content, state.standing, hand, misplaced, wrong):
                return True
        return False

    def _walk(self, feet: Feet) -> Array:
        """[s] (n,) by distance, until some robot can reach each place."""
        near = self._near.get(feet)
        if near is None:
            places = self.space.problem.places
            walks = []
            for foot in feet:
                serves = self.space.reach.hand(foot).reshape(places.n, places.sides).any(axis=1)
                away = np.linalg.norm(places.p_TP - places.p_TP[foot.place] - places.X_PF[foot.side].p, axis=1)
                walks.append(np.where(serves, 0.0, self.step * np.maximum(np.ceil(away / self._stride) - 1.0, 1.0)))
            near = self._near[feet] = np.min(walks, axis=0)
        return near
