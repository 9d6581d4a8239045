"""Towards a goal cell that no wrong module is in any more: what the constructive planner does where nothing fits in.

The estimate is no bound: for every such cell the steps until a robot reaches it, and transfers of what hangs on its
module and of the module itself.
"""

from __future__ import annotations

import numpy as np

from freefloat.compiled import onboard
from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.hanging import come_off
from freefloat.gnc.planning.reconfiguration.next_cell import Pace, served, worth
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices
from freefloat.gnc.planning.reconfiguration.rules import Tables
from freefloat.gnc.planning.reconfiguration.space import Act, Feet, Space, State


def taken(t: Tables, content: Indices) -> int:
    """Goal cells in which there is a module of another type."""
    return int(((t.goal > 0) & (content > 0) & (t.label[content] != t.goal_label)).sum())


@onboard
def nearest_leave(t: Tables, content: Indices, steps: Array, transfer: float, step: float, root: int) -> float:
    """[s] until a module of another type is out of a goal cell; steps (n,) of the robot until it serves a place."""
    over = come_off(t, content, root)
    best = np.inf
    for cell in range(content.shape[0]):
        if t.goal[cell] > 0 and content[cell] > 0 and t.label[content[cell]] != t.goal_label[cell]:
            best = min(best, transfer * (1.0 + over[cell]) + step * steps[cell])
    return best


class Vacate:
    """Operations of one robot until no more transfers are left than before, and fewer goal cells are `taken`."""

    def __init__(self, space: Space, state: State, robot: int, ready: Flags, pace: Pace) -> None:
        self.space, self.robot, self.ready, self.pace = space, robot, ready, pace
        self.before = space.least_transfers(state), taken(space.tables, state.content)
        self._steps: dict[Feet, Array] = {}

    def reached(self, state: State) -> bool:
        return (self.space.least_transfers(state), taken(self.space.tables, state.content)) < self.before

    def cost(self, act: Act, seconds: float) -> float:
        return seconds

    def at(self, state: State) -> float:
        if self.reached(state):
            return 0.0
        t, foot = self.space.tables, state.feet[self.robot]
        if state.feet not in self._steps:
            self._steps[state.feet] = served(self.space, foot, self.pace)
        steps, pace = self._steps[state.feet], self.pace
        return float(nearest_leave(t, state.content, steps, pace.transfer, pace.step, foot.place))

    def options(self, state: State) -> tuple[list[Act], Array, Array]:
        t = self.space.tables
        misplaced = (state.content > 0) & (t.aim[state.content] != t.goal)
        rows, seconds = self.space.transfers(state, self.robot, sources=misplaced)
        fills = t.aim[rows[:, 4]] == t.goal[rows[:, 1]]
        kept = worth(t, rows, self.pace.apart) & (~fills | self.ready[rows[:, 1]])
        acts = [Act(self.robot, *row) for row in rows[kept].tolist()]
        steps, walking = self.space.steps(state, self.robot)
        slow = self.space.slowness(step=False), self.space.slowness(step=True)
        least = np.concatenate([slow[0] * seconds[kept], slow[1] * walking])
        return acts + steps, least, np.array([self.at(state.after(act)) for act in acts + steps])
