"""A plan made better piece by piece: a few operations are searched for anew, from the state before them to after."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.astar import Search, Step
from freefloat.gnc.planning.reconfiguration.bound import bound_at, bounds_after
from freefloat.gnc.planning.reconfiguration.rules import Tables
from freefloat.gnc.planning.reconfiguration.space import Act, Space, State


class SameEnd:
    """Operations of one robot towards a given state: the same contents and the same feet."""

    def __init__(self, space: Space, end: State, robot: int, least: float) -> None:
        self.space, self.end, self.robot, self.least = space, end, robot, least
        t = space.tables
        self.tables: Tables = t._replace(goal=t.aim[end.content], goal_label=t.label[end.content])
        self._near: Array = np.zeros(len(end.content))

    def reached(self, state: State) -> bool:
        return state.feet == self.end.feet and bool((state.content == self.end.content).all())

    def cost(self, act: Act, seconds: float) -> float:
        return seconds

    def at(self, state: State) -> float:
        labels = self.space.setting.labels
        return float(bound_at(self.tables, state.content, labels, self._near, self.least)) + self._back(state)

    def _back(self, state: State) -> float:
        """[s] the least time of the step back to where it should end, if it stands elsewhere."""
        if state.feet == self.end.feet:
            return 0.0
        foot = self.end.feet[self.robot]
        steps = self.space.reach.least_steps(state.feet[self.robot])
        direct = float(steps[foot.place * self.space.problem.places.sides + foot.side])
        quickest = float(steps[np.isfinite(steps)].min(initial=np.inf))
        return min(direct, 2.0 * quickest) * self.space.slowness(step=True)

    def options(self, state: State) -> tuple[list[Act], Array, Array]:
        rows, seconds = self.space.transfers(state, self.robot)
        left = bounds_after(self.tables, state.content, self.space.setting.labels, rows, self._near, self.least)
        steps, walking = self.space.steps(state, self.robot)
        after = np.array([self.at(state.after(act)) for act in steps])
        acts = [Act(self.robot, *row) for row in rows.tolist()] + steps
        seconds = seconds * self.space.slowness(step=False)
        walking = walking * self.space.slowness(step=True)
        return acts, np.concatenate([seconds, walking]), np.concatenate([left + self._back(state), after])


def improved(
    space: Space,
    way: tuple[Step, ...],
    least: float,
    length: int = 6,
    most: int = 120,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[tuple[Step, ...], int]:
    """The way with every stretch of `length` operations of one robot searched anew, and the expansions it took.

    `least` [s]: what a transfer takes, rather less than more; times are taken as they turn out, so a stretch may be
    missed. A stretch that has become cheaper is looked at again.
    """
    states = [space.start]
    for step in way:
        states.append(states[-1].after(step.act))
    at, expansions = 0, 0
    steps = list(way)
    while at < len(steps) - 1 and not stop():
        end = at + 1
        while end < len(steps) and end < at + length and steps[end].act.robot == steps[at].act.robot:
            end += 1
        cost = sum(s.seconds for s in steps[at:end])
        towards = SameEnd(space, states[end], steps[at].act.robot, least)
        found = Search(space, towards, 1.2, most, stop, below=cost - 1e-6).run(states[at])
        expansions += found.expansions
        if found.way is None:
            at += max(1, length // 2)
            continue
        steps[at:end] = found.way
        between = [states[at]]
        for step in found.way:
            between.append(between[-1].after(step.act))
        states[at : end + 1] = between
    return tuple(steps), expansions
