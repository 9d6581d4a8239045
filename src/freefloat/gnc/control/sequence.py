"""A plan carried out step by step: joint motion and orders to hands, and a safe stop when something goes wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.control.joint_modes import JointModes
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits, Path


@dataclass(frozen=True, eq=False)
class Follow:
    """Move along a path, then wait for `settle`."""

    name: str
    path: Path
    settle: float = 1.0  # [s]


@dataclass(frozen=True)
class Ask:
    """Give a hand an order and wait until it says `state`; with `comply` the joints give way meanwhile."""

    name: str
    hand: str
    order: int
    state: int
    comply: bool = False


@dataclass(frozen=True, eq=False)
class Know:
    """From now on the onboard model is this: which end stands, and the masses of stack and payload."""

    name: str
    base: str
    stack: Mass
    payload: Mass = field(default_factory=Mass.none)


Step = Follow | Ask | Know


class Sequencer:
    """Runs steps in order, and leads the joint controller `modes`, which is a task of its own, declared after this one.

    Reads q, `HAND.state` of every hand and `alarms`; returns `HAND.order` of every hand and `step`: the number of the
    present step, 1 when all are done, 1 after a safe stop. An alarm, or a hand that fails, is a safe stop: brake within
    `limits`, hold, and give no further order. Where it reads `collisions`, and one is told, the joints give way at once
    instead: to brake would press on.
    """

    def __init__(
        self,
        modes: JointModes,
        steps: Sequence[Step],
        hands: Sequence[str],
        limits: MotionLimits,
        period: float = 0.02,  # [s] between updates
    ) -> None:
        self.modes, self.steps, self.limits, self.period = modes, tuple(steps), limits, period
        self.orders = dict.fromkeys(hands, 0.0)
        self.at = 0
        self.began: float | None = None  # [s] of the present step
        self.stopped: float | None = None  # [s] of the safe stop
        self.started_at: list[float] = []  # [s] of each step so far

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.at >= len(self.steps)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Orders for the next period; the joints' reference goes to `modes`."""
        if self.stopped is None and float(meas["alarms"][0]) > 0.0:
            self.stopped = t
            if "collisions" in meas and float(meas["collisions"][0]) > 0.0:
                self.modes.comply(meas["q"])
            else:
                self.modes.stop(t, self.limits)
        while self.stopped is None and not self.finished and self._go(t, meas):
            self.at, self.began = self.at + 1, None
        orders = {f"{hand}.order": np.array([order]) for hand, order in self.orders.items()}
        flags = np.array([float(self.at), float(self.finished), float(self.stopped is not None)])
        return {"step": flags, **orders}

    def _go(self, t: float, meas: Mapping[str, Array]) -> bool:
        """Begin the present step or go on with it; True when it is done."""
        step = self.steps[self.at]
        begin = self.began is None
        if begin:
            self.began = t
            self.started_at.append(t)
        match step:
            case Follow():
                if begin:
                    self.modes.follow(step.path, t)
                assert self.began is not None
                return t >= self.began + step.path.duration + step.settle
            case Ask():
                if begin:
                    self.orders[step.hand] = float(step.order)
                    if step.comply:
                        self.modes.comply(meas["q"])
                return round(float(meas[f"{step.hand}.state"][0])) == step.state
            case Know():
                self.modes.stand_on(step.base)
                self.modes.footing.set_stack(step.stack)
                self.modes.footing.set_payload(step.payload)
                return True
