"""How fast a closed-loop episode of the floating platform runs, with each of its controllers."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from freefloat.bench.case import Figure, bench
from freefloat.bench.plants import bare
from freefloat.engine.session import Session
from freefloat.scenario.base import Scenario
from freefloat.scenario.files import load

DECISION = 0.1  # [s] between two searches of the model predictive controller


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    rounds: int = 9
    duration: float = 104.0  # [s] of the line
    mpc_rounds: int = 3


@dataclass
class Timed:
    """A controller with a stop watch."""

    controller: Any
    seconds: list[float] = field(default_factory=list)  # of every update at which valves are decided

    def update(self, t: float, meas: Mapping[str, Any]) -> Any:
        """The controller's answer."""
        start = time.perf_counter()
        out = self.controller.update(t, meas)
        if round(t / DECISION) * DECISION - 1e-9 < t < round(t / DECISION) * DECISION + 1e-9:
            self.seconds.append(time.perf_counter() - start)
        return out


@bench("reacsa")
def reacsa() -> Iterator[Figure]:
    """The line on the uneven floor with each controller, and what planning to the origin takes."""
    yield from figures(Effort())


def figures(effort: Effort) -> Iterator[Figure]:
    """All figures of the floating platform."""
    slowest = math.inf
    for controller in ("paper", "best", "mpc"):
        rounds = effort.mpc_rounds if controller == "mpc" else effort.rounds
        episodes = _episodes(_line(controller), effort.duration, rounds)
        factors = [effort.duration / seconds for seconds in episodes.closed]
        yield Figure(
            f"real_time_factor_{controller}",
            max(factors),
            f"reacsa-line, uneven floor, {effort.duration:g} s; plant, sensors, recorder at 100 Hz, audit and "
            f"controller={controller} on one core, no log, no pictures; simulated over CPU time, "
            f"fastest of {rounds} rounds: other programs only slow it",
        )
        yield Figure(f"real_time_factor_{controller}_median", median(factors), "of the same rounds")
        if controller != "mpc":
            slowest = min(slowest, max(factors))
            yield Figure(
                f"{controller}_over_plant_ratio",
                median(a / b for a, b in zip(episodes.closed, episodes.bare, strict=True)),
                "CPU time of the same episodes over that of their world without tasks, in turns; median ratio",
            )
        else:
            yield from _searches([s for session in episodes.sessions for s in session.tasks[0].controller.seconds])
    yield Figure("real_time_factor", slowest, "the smaller of paper and best")
    yield from _planning()


def _line(controller: str) -> Scenario:
    return load("reacsa-line", {"controller": controller, "floor.contact": "single"})


@dataclass(frozen=True)
class Episodes:
    """CPU times [s] of closed-loop episodes and of their world without tasks, and the sessions of the first."""

    closed: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)


def _episodes(scenario: Scenario, duration: float, rounds: int) -> Episodes:
    """Each round with another seed, after a short one that compiles."""
    mission = scenario.build()
    mission.session(0).step(1.0)
    found = Episodes()
    for seed in range(rounds):
        session = mission.session(seed)
        onboard = session.tasks[0]
        if scenario.controller == "mpc":  # pyright: ignore[reportAttributeAccessIssue]
            onboard.controller = Timed(onboard.controller)
        found.closed.append(_cpu_time(session, duration))
        found.sessions.append(session)
        found.bare.append(_cpu_time(bare(mission, seed), duration))
    return found


def _cpu_time(session: Session, duration: float) -> float:
    start = time.process_time()
    session.step(duration)
    session.finish()
    return time.process_time() - start


def _searches(seconds: list[float]) -> Iterator[Figure]:
    ms = 1e3 * np.array(seconds)
    note = f"of {len(ms)} decisions at 10 Hz in the episodes above, wall time of the whole update"
    yield Figure("mpc_solve_p99_ms", float(np.percentile(ms, 99)), note)
    yield Figure("mpc_solve_mean_ms", float(ms.mean()), note)
    yield Figure("mpc_solve_max_ms", float(ms.max()), note)


def _planning() -> Iterator[Figure]:
    times = []
    for seed in range(5):
        scenario = load("reacsa-to-origin", {"seed": seed})
        start = time.perf_counter()
        scenario.build()
        times.append(time.perf_counter() - start)
    yield Figure(
        "planning_s",
        median(times[1:]),
        "of an episode to the origin, time-optimal and then propellant-optimal, with the plant's building; wall time, "
        "median of 4 starts after one that compiles",
    )
