"""A search for a plan under way: the best so far, what is proven, and why it ended."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.admission import place_name
from freefloat.gnc.planning.reconfiguration.astar import Estimate, Found, Search, Step
from freefloat.gnc.planning.reconfiguration.bound import walking_table
from freefloat.gnc.planning.reconfiguration.constructive import Constructive
from freefloat.gnc.planning.reconfiguration.estimate import Likely, WholeGoal
from freefloat.gnc.planning.reconfiguration.improvement import improved
from freefloat.gnc.planning.reconfiguration.next_cell import pace_of
from freefloat.gnc.planning.reconfiguration.refusal import RefusedError
from freefloat.gnc.planning.reconfiguration.space import Act, Space, State
from freefloat.gnc.planning.reconfiguration.tables import turns_from

Progress = Callable[[float, float], None]  # best cost and proven bound [s]; infinite while there is no plan

SMALL = 30  # [-] places, below which it pays to ask for every transfer
LARGE = 1500  # [-] faces of a grid, above which walking is not bounded
SAMPLES = 60  # [-] operations that are asked for to know typical times
GENEROUS = 1.25  # [-] of a typical transfer's time, for one that is not needed brings others
SLOW = 4.0  # [-] times the least, where none of these has a motion


@dataclass(frozen=True)
class Limits:
    """How far a search goes, in counts: the same on every machine."""

    weights: tuple[float, ...] = (3.0, 2.0, 1.5, 1.3)  # of `anytime`, one search each
    expansions: int = 6_000  # of states, for each weight
    proof: int = 1_500  # expansions of the search that proves a bound, for few modules
    few: int = 6  # modules
    many: int = 30  # modules, beyond which the plan is constructed
    window: int = 100  # expansions for each stretch that is improved; 0: none is


class Attempt:
    """A search under way."""

    def __init__(self, space: Space, limits: Limits, progress: Progress, stop: Callable[[], bool]) -> None:
        self.space, self.limits, self.progress, self.stop = space, limits, progress, stop
        self.way: tuple[Step, ...] | None = None
        self.cost, self.bound = math.inf, 0.0
        self.expansions = 0
        self.ended = ""
        self.stuck: tuple[int, ...] = ()

    def optimal(self) -> None:
        """A* to the end."""
        exactly = self.space.problem.places.n <= SMALL
        turns = turns_from(self.space.tables, self.space.start.content)
        least = self.space.reach.least_of_all(turns) if exactly else self.space.reach.quickest()
        self._search(WholeGoal(self.space, least, walking_table(self.space.reach)), 1.0, 10**12, proves=True)

    def anytime(self) -> None:
        """Weights down, then stretch by stretch; many modules, or several robots, by construction."""
        start = self.space.start
        modules = int((start.content > 0).sum())
        self._likely()
        if self.way is None and self.ended != "stop":
            self._construct()
        if self.way is not None and not self.stop():
            self._improve()
        self.bound = max(self.bound, min(self.cost, self.proven.at(start)))
        if modules <= self.limits.few and not self.stop():
            self._search(self.proven, 1.0, self.limits.proof, self.cost, proves=True)
        self.progress(self.cost, self.bound)

    @cached_property
    def proven(self) -> WholeGoal:
        """The estimate that is a bound."""
        places = self.space.problem.places
        walk = walking_table(self.space.reach) if places.n * places.sides <= LARGE else None
        return WholeGoal(self.space, self.space.reach.quickest(), walk)

    @cached_property
    def typical(self) -> tuple[float, float]:
        """[s] of a transfer and of a step, by some from the start; of transfers rather more, for they shall be few."""
        rows, least = self.space.transfers(self.space.start, 0)
        transfer = self._mean([Act(0, *row) for row in rows.tolist()], least, 60.0)
        steps, least = self.space.steps(self.space.start, 0)
        return GENEROUS * transfer, self._mean(steps, least, 0.5 * transfer)

    def _mean(self, acts: list[Act], least: Array, otherwise: float) -> float:
        """[s] of those that have a motion, of some spread over all."""
        spread = np.unique(np.linspace(0, len(acts) - 1, SAMPLES).astype(np.int64)) if acts else []
        times = [self.space.seconds(self.space.start, acts[int(k)]) for k in spread]
        found = [t for t in times if math.isfinite(t)]
        if found:
            return sum(found) / len(found)
        return SLOW * float(least.mean()) if len(least) else otherwise

    def _likely(self) -> None:
        start = self.space.start
        if (start.content > 0).sum() > self.limits.many or len(start.feet) > 1:
            return
        below = math.inf
        for weight in self.limits.weights:
            found = self._search(Likely(self.space, *self.typical), weight, self.limits.expansions, below)
            below = min(below, found.cost)
            if found.ended == "stop":
                break

    def _construct(self) -> None:
        pace = pace_of(self.space, *self.typical)
        built = Constructive(self.space, pace, self.stop).run(self.space.start)
        self.expansions += built.expansions
        if self.space.reached(after_all(self.space.start, built.way)):
            self._take(built.way)
        else:
            self.ended, self.stuck = built.ended, built.stuck

    def _improve(self) -> None:
        if self.limits.window == 0 or self.way is None:
            return
        way, more = improved(self.space, self.way, 0.9 * self.typical[0], most=self.limits.window, stop=self.stop)
        self.expansions += more
        self._take(way)

    def _search(
        self, estimate: Estimate, weight: float, most: int, below: float = math.inf, proves: bool = False
    ) -> Found:
        def told(bound: float) -> None:
            if proves:
                self.bound = max(self.bound, min(bound, self.cost))
            self.progress(self.cost, self.bound)

        search = Search(self.space, estimate, weight, most, self.stop, below=below, told=told)
        try:
            found = search.run(self.space.start)
        finally:
            self.expansions += search.expansions
        self.ended = found.ended
        if found.way is not None:
            self._take(found.way)
        if proves:
            self.bound = max(self.bound, min(found.bound, self.cost))
        return found

    def _take(self, way: tuple[Step, ...]) -> None:
        cost = math.fsum(s.seconds for s in way)
        if cost < self.cost:
            self.way, self.cost = way, cost
        self.progress(self.cost, self.bound)

    def refuse(self) -> RefusedError:
        """Why there is no plan."""
        t, start = self.space.tables, self.space.start
        wrong = self.stuck or tuple(np.flatnonzero((t.goal > 0) & (t.aim[start.content] != t.goal)).tolist())
        told = ", ".join(place_name(self.space.problem, p) for p in wrong[:8])
        if self.ended == "stop":
            return RefusedError("stopped", f"no plan was found before the search ended; to fill: {told}", places=wrong)
        tried = f" ({self.expansions} states were tried)"
        return RefusedError("out-of-reach", f"no operations were found that fill {told}{tried}", places=wrong)


def after_all(state: State, way: tuple[Step, ...]) -> State:
    """What a way leaves."""
    for step in way:
        state = state.after(step.act)
    return state
