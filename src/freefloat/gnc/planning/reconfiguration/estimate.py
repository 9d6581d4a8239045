"""The admissible estimate of a whole problem: transfers that are left, and walking."""

from __future__ import annotations

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.bound import bound_at, bounds_after
from freefloat.gnc.planning.reconfiguration.space import Act, Feet, Space, State


class WholeGoal:
    """Every operation that the rules allow, towards all of the goal."""

    def __init__(self, space: Space, least: float, walk: Array | None) -> None:
        """`least` [s]: no transfer is faster; `walk` as of `bound.walking_table`, or no walking is counted."""
        self.space, self.least, self.walk = space, least, walk
        self._near: dict[Feet, Array] = {}

    def reached(self, state: State) -> bool:
        return self.space.reached(state)

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
