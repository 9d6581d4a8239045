"""The planner of the floating platform: the fastest plan, and the cheapest one in a given time (REACSA sec. 4.2).

    plan((0.0, 0.0, 0.0), (1.0, 2.0, math.pi)).reference()

A plan that does not hold is never returned (`check` says what is checked): `PlanError` tells what failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError, unknown_name
from freefloat.gnc.planning.platform.collocation import COSTS
from freefloat.gnc.planning.platform.model import PlatformModel
from freefloat.gnc.planning.platform.plan import Plan
from freefloat.gnc.planning.platform.problem import Obstacle, PlanError, PlanLimits, SlopeMap, WayPoint, full_state
from freefloat.gnc.planning.platform.search import Question, answer

ALPHA = 12.0  # [-] duration over the least possible, eq. 4.7


@dataclass(frozen=True, eq=False)
class Planner:
    """Plans for one platform and floor. The same question gives the same plan."""

    model: PlatformModel = field(default_factory=PlatformModel)
    limits: PlanLimits = field(default_factory=PlanLimits)
    knots: int = 100
    starts: int = 1  # guesses that are solved; the best plan is returned
    turns: tuple[int, ...] = (0,)  # whole turns that may be added to the goal's angle
    obstacles: Sequence[Obstacle] = ()
    slope: SlopeMap | None = None

    def __post_init__(self) -> None:
        if self.knots < 5 or self.starts < 1 or not self.turns:
            raise InputError(
                f"planner with {self.knots} knots, {self.starts} starts, turns {self.turns};"
                " allowed: 5 knots or more, 1 start or more, one turn or more"
            )

        object.__setattr__(self, "starts", max(self.starts, len(self.turns)))

    def time_optimal(
        self, start: ArrayLike, goal: ArrayLike, way: Sequence[WayPoint] = (), warm: Plan | None = None
    ) -> Plan:
        """The fastest plan. Poses (3,) mean at rest; whole states (7,) may be given. `warm` is the first guess."""
        return answer(self.question("time", start, goal, None, way, warm))

    def in_duration(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        duration: float,  # [s]
        cost: str = "propellant",
        way: Sequence[WayPoint] = (),
        warm: Plan | None = None,
    ) -> Plan:
        """The plan with the least cost in a given time: `propellant` (thrust itself) or `quadratic` (eq. 4.8)."""
        if cost not in COSTS[1:]:
            raise unknown_name("cost", cost, COSTS[1:])
        if not (np.isfinite(duration) and duration > 0.0):
            raise InputError(f"plan duration: {duration!r} s; allowed: a positive number")
        try:
            return answer(self.question(cost, start, goal, duration, way, warm))
        except PlanError as failed:
            try:
                least = self.time_optimal(start, goal, way).duration
            except PlanError:
                raise failed from None
            if duration < least:
                raise PlanError(f"plan duration: {duration:g} s; the fastest plan takes {least:.4g} s") from None
            raise

    def plan(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        alpha: float = ALPHA,
        cap: float | None = None,  # [s]
        cost: str = "propellant",
        way: Sequence[WayPoint] = (),
    ) -> Plan:
        """The plan with the least cost in alpha times the least possible duration (eq. 4.7), at most `cap`."""
        if not alpha >= 1.0:
            raise InputError(f"plan alpha: {alpha!r}; allowed: 1 or more")
        least = self.time_optimal(start, goal, way).duration
        if cap is not None and not cap >= least:
            raise PlanError(f"plan cap: {cap!r} s; the fastest plan takes {least:.3f} s")
        duration = alpha * least if cap is None else min(alpha * least, cap)
        return self.in_duration(start, goal, duration, cost, way)

    def question(
        self,
        cost: str,
        start: ArrayLike,
        goal: ArrayLike,
        duration: float | None = None,
        way: Sequence[WayPoint] = (),
        warm: Plan | None = None,
    ) -> Question:
        """All of it in one, for `answer`; `duration` None asks for the fastest."""
        return Question(
            model=self.model,
            limits=self.limits,
            knots=self.knots,
            starts=self.starts,
            turns=self.turns,
            obstacles=tuple(self.obstacles),
            slope=self.slope,
            cost=cost,
            start=full_state(start, "start"),
            goal=full_state(goal, "goal"),
            duration=duration,
            way=tuple(way),
            warm=warm,
        )


def plan(start: ArrayLike, goal: ArrayLike, alpha: float = ALPHA, cap: float | None = None, **options: Any) -> Plan:
    """`Planner(**options).plan(...)`: least propellant in min(alpha t*, cap)."""
    return Planner(**options).plan(start, goal, alpha, cap)
