"""The floating platform's planner on REACSA Table 4.1, with pydrake's collocation beside it where that is installed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from freefloat.bench.case import Figure, bench
from freefloat.bench.drake_plan import available, drake_plan
from freefloat.gnc.planning.platform.plan import Plan
from freefloat.gnc.planning.platform.planner import Planner
from freefloat.units import RPM

LINE, LINE_DURATION = 1, 104.0  # [s]
TRAJECTORIES = {  # of Table 4.1: start, goal
    1: ((0.0, 0.0, 0.0), (1.0, 2.0, math.pi)),
    2: ((0.0, 0.0, 0.0), (0.2, 3.0, 0.0, 0.0, 0.0, 0.0, 250.0 * RPM)),
    3: ((1.0, 1.0, 0.0), (0.0, 1.0, -1.0)),
}


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    knots: int = 100
    knot_counts: tuple[int, ...] = (25, 50, 100, 200)  # of Fig. 4.4
    rounds: int = 5
    drake: bool = True


@bench("planner")
def planner() -> Iterator[Figure]:
    """Plans of Table 4.1: durations, on-times, solve time against knots, and against pydrake."""
    yield from figures(Effort())


def figures(effort: Effort) -> Iterator[Figure]:
    """Durations and on-times, then times."""
    ours = Planner(knots=effort.knots)
    fastest = {n: ours.time_optimal(*ends) for n, ends in TRAJECTORIES.items()}
    for n, plan in fastest.items():
        yield Figure(f"trajectory_{n}_least_s", plan.duration, f"time-optimal, {effort.knots} knots, 0.5 m/s, 1 rad/s")
    start, goal = TRAJECTORIES[LINE]
    for cost in ("quadratic", "propellant"):
        line = ours.in_duration(start, goal, LINE_DURATION, cost)
        yield Figure(f"line_on_time_{cost}_s", line.on_time, f"trajectory 1 in {LINE_DURATION:g} s, {cost} cost")
    durations = {n: plan.duration * 12.0 for n, plan in fastest.items()} | {LINE: LINE_DURATION}
    yield from _against_knots(effort, durations)
    if effort.drake and available():
        yield from _against_drake(effort, durations)


def _against_knots(effort: Effort, durations: dict[int, float]) -> Iterator[Figure]:
    """Fig. 4.4."""
    note = f"solvers' CPU time for the time-optimal and the quadratic plan, median of {effort.rounds}"
    for knots in effort.knot_counts:
        ours = Planner(knots=knots)
        for n in TRAJECTORIES:
            both = [_seconds(ours, n, effort.rounds, duration) for duration in (None, durations[n])]
            yield Figure(f"trajectory_{n}_with_{knots}_knots_s", sum(both), note)


def _seconds(ours: Planner, n: int, rounds: int, duration: float | None) -> float:
    """Median CPU time of the solver [s], after one plan that does not count: it builds the program."""
    _planned(ours, n, duration)
    return median(_planned(ours, n, duration).solve_time for _ in range(rounds))


def _planned(ours: Planner, n: int, duration: float | None) -> Plan:
    start, goal = TRAJECTORIES[n]
    if duration is None:
        return ours.time_optimal(start, goal)
    return ours.in_duration(start, goal, duration, "quadratic")


def _against_drake(effort: Effort, durations: dict[int, float]) -> Iterator[Figure]:
    ours = Planner(knots=effort.knots)
    for name, cost in (("time_optimal", "time"), ("quadratic", "quadratic")):
        for n, (start, goal) in TRAJECTORIES.items():
            duration = None if cost == "time" else durations[n]
            before = _seconds(ours, n, effort.rounds, duration)
            theirs = drake_plan(ours.question(cost, start, goal, duration))
            seconds = 0.5 * (before + _seconds(ours, n, effort.rounds, duration))
            how = "same scaled plant, guess, cost and tolerance; construction excluded"
            end = f"{theirs.status}, {theirs.duration:.4f} s" if theirs.solved else f"FAILED ({theirs.status})"
            prefix = f"drake_trajectory_{n}_{name}"
            yield Figure(
                f"{prefix}_speed_up", theirs.seconds / seconds, f"pydrake DirectCollocation + IPOPT: {end}; {how}"
            )
            yield Figure(f"{prefix}_s", theirs.seconds, "pydrake's solver, of the ratio above")
            yield Figure(f"{prefix}_ours_s", seconds, f"our solver, of the ratio above; median of {effort.rounds}")
            yield Figure(f"{prefix}_solved", float(theirs.solved), "1 where pydrake found a plan")
