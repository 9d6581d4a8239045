"""Plans of reconfigurations: `plan` takes a problem and a robot's motions and gives the operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.admission import admit, place_name
from freefloat.gnc.planning.reconfiguration.astar import Found, Search, Step
from freefloat.gnc.planning.reconfiguration.bound import walking_table
from freefloat.gnc.planning.reconfiguration.constructive import Constructive
from freefloat.gnc.planning.reconfiguration.estimate import WholeGoal
from freefloat.gnc.planning.reconfiguration.improvement import improved
from freefloat.gnc.planning.reconfiguration.motions import Motions
from freefloat.gnc.planning.reconfiguration.partial_order import ordered
from freefloat.gnc.planning.reconfiguration.problem import Operation, Plan, Problem
from freefloat.gnc.planning.reconfiguration.refusal import RefusedError
from freefloat.gnc.planning.reconfiguration.space import Space, State

SMALL = 30  # [-] places, below which it pays to ask for every transfer
LARGE = 1500  # [-] faces of a grid, above which walking is not bounded
Mode = Literal["anytime", "optimal"]
Progress = Callable[[float, float], None]  # best cost and proven bound [s]; infinite while there is no plan


@dataclass(frozen=True)
class Limits:
    """How far a search goes, in counts: the same on every machine."""

    expansions: int = 4_000  # of states, for each weight of `anytime`
    weights: tuple[float, ...] = (3.0, 2.0, 1.5, 1.2, 1.0)
    many: int = 30  # modules, beyond which the plan is constructed


def plan(
    problem: Problem,
    motions: Motions,
    mode: Mode = "anytime",
    seed: int = 0,
    limits: Limits | None = None,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
) -> Plan:
    """Operations from the problem's start to its goal, each with a verified motion.

    `optimal` ends with a plan that no other beats in predicted time, by operations that motions verify; `anytime` with
    the best that it finds within the limits. Ctrl-C, or `stop` when it says so, ends a search with the best plan so
    far. A problem that cannot be solved, or for which the limits do not suffice, is a `RefusedError`. `seed` is for
    choices that are drawn; there is none so far.
    """
    space = Space(problem, motions)
    admit(problem, space.setting)
    least = quickest_transfer(space, exactly=mode == "optimal")
    search = _Attempt(space, least, limits or Limits(), progress or (lambda cost, bound: None), stop or (lambda: False))
    try:
        search.optimal() if mode == "optimal" else search.anytime()
    except KeyboardInterrupt:
        if search.way is None:
            raise
    return search.plan()


class _Attempt:
    """A search under way: the best plan so far, and what is proven."""

    def __init__(
        self, space: Space, least: float, limits: Limits, progress: Progress, stop: Callable[[], bool]
    ) -> None:
        self.space, self.limits, self.progress, self.stop = space, limits, progress, stop
        self.way: tuple[Step, ...] | None = None
        self.cost, self.bound = math.inf, 0.0
        self.expansions = 0
        self.estimate = WholeGoal(space, least, self._walking())
        self.ended = ""
        self.stuck: tuple[int, ...] = ()

    def _walking(self) -> Array | None:
        """Least walks, where the grid is not too large to look at all of them."""
        places = self.space.problem.places
        return walking_table(self.space.reach) if places.n * places.sides <= LARGE else None

    def optimal(self) -> None:
        """A* to the end."""
        self._take(self._search(1.0, 10**12))

    def anytime(self) -> None:
        """Weights down to 1, each bounded by expansions; many modules and several robots by construction."""
        start = self.space.start
        self.bound = self.estimate.at(start)
        if (start.content > 0).sum() > self.limits.many or len(start.feet) > 1:
            self._construct()
            return
        for weight in self.limits.weights:
            found = self._search(weight, self.limits.expansions)
            self._take(found)
            if self.cost <= self.bound + 1e-9 or found.ended == "stop":
                break
            if found.way is None and not found.ended:  # all has been looked at
                break
        if self.way is None and self.ended == "expansions":
            self._construct()

    def _construct(self) -> None:
        built = Constructive(self.space, self.stop).run(self.space.start)
        self.expansions += built.expansions
        if self.space.reached(after_all(self.space.start, built.way)):
            self.way, self.cost = built.way, sum(s.seconds for s in built.way)
            self.progress(self.cost, self.bound)
            way, more = improved(self.space, built.way, self.estimate.least, stop=self.stop)
            self.way, self.cost = way, sum(s.seconds for s in way)
            self.expansions += more
        else:
            self.ended, self.stuck = built.ended, built.stuck
        self.progress(self.cost, self.bound)

    def _search(self, weight: float, most: int) -> Found:
        def told(bound: float) -> None:
            self.bound = max(self.bound, min(bound, self.cost))
            self.progress(self.cost, self.bound)

        search = Search(self.space, self.estimate, weight, most, self.stop, below=self.cost, told=told)
        try:
            return search.run(self.space.start)
        finally:
            self.expansions += search.expansions

    def _take(self, found: Found) -> None:
        self.ended = found.ended
        if found.way is not None and found.cost < self.cost:
            self.way, self.cost = found.way, found.cost
        self.bound = max(self.bound, min(found.bound, self.cost))
        self.progress(self.cost, self.bound)

    def plan(self) -> Plan:
        """The best plan, or why there is none."""
        if self.way is None:
            self._refuse()
        assert self.way is not None
        return Plan(
            operations=ordered(self.space, self.way, operations_of(self.space, self.way)),
            cost=self.cost,
            bound=self.bound,
            transfers_bound=self.space.least_transfers(self.space.start),
            motion_checks=self.space.checks,
            expansions=self.expansions,
        )

    def _refuse(self) -> None:
        t, start = self.space.tables, self.space.start
        wrong = self.stuck or tuple(np.flatnonzero((t.goal > 0) & (t.aim[start.content] != t.goal)).tolist())
        told = ", ".join(place_name(self.space.problem, p) for p in wrong[:8])
        if self.ended == "stop":
            raise RefusedError("stopped", f"no plan was found before the search ended; to fill: {told}")
        tried = f" ({self.expansions} states were tried)"
        raise RefusedError("out-of-reach", f"no operations were found that fill {told}{tried}", places=wrong)


def after_all(state: State, way: tuple[Step, ...]) -> State:
    """What a way leaves."""
    for step in way:
        state = state.after(step.act)
    return state


def quickest_transfer(space: Space, exactly: bool) -> float:
    """[s] no transfer is faster: by the ways to faces and back; exactly, on a small grid, by asking for every one."""
    if not exactly or space.problem.places.n > SMALL:
        return space.reach.quickest()
    turns = np.unique(space.tables.turns[..., 0])
    return space.reach.least_of_all(turns[turns >= 0])


def operations_of(space: Space, way: tuple[Step, ...]) -> tuple[Operation, ...]:
    """The way as operations one after the other, with the identities of the modules."""
    identity = np.array(space.problem.start.identity)
    state: State = space.start
    operations: list[Operation] = []
    for n, (act, seconds) in enumerate(way, 1):
        stance = state.feet[act.robot]
        module = int(identity[act.source])
        operations.append(Operation(n, act.robot, stance, act.to, act.carry, module, (), seconds))
        if act.target >= 0:
            identity[act.source] = 0
            identity[act.target] = module
        state = state.after(act)
    return tuple(operations)
