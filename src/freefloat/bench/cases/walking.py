"""What a mission with a walking robot costs: everything against its plant alone, and a tick against Python."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from freefloat.bench.case import Figure, bench
from freefloat.bench.joint_law import PythonLaw
from freefloat.bench.plants import bare
from freefloat.bench.race import Runner, race
from freefloat.engine.mission import Mission
from freefloat.engine.onboard import OnboardCode
from freefloat.engine.upkeep import Upkeep
from freefloat.frames import Array
from freefloat.gnc.control.inverse_dynamics import MEASURED
from freefloat.gnc.control.joint_modes import JointModes
from freefloat.gnc.planning.arm.joint_path import QuinticPath
from freefloat.orbit.falling_frame import FallingFrame
from freefloat.scenario.files import load

PERIOD = 0.004  # [s] of the joint controller


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    scenario: str = "reconfiguration"
    mission: float = 300.0  # [s] of it
    stretches: int = 10  # in turns with the plant
    rounds: int = 3
    ticks: int = 2000
    tick_rounds: int = 31


@bench("walking")
def walking() -> Iterator[Figure]:
    """A mission with a walking robot: everything against its plant alone; its joint control against Python."""
    yield from figures(Effort())


def figures(effort: Effort) -> Iterator[Figure]:
    """All figures of walking robots."""
    mission = load(effort.scenario).build()
    yield from mission_figures(mission, effort)
    yield from tick_figures(_modes(mission), effort)


def mission_figures(mission: Mission, effort: Effort) -> Iterator[Figure]:
    """Everything against the plant alone, stretch by stretch in turns."""
    times: dict[str, list[float]] = {"mission": [], "plant": []}
    for seed in range(effort.rounds + 1):
        spent = _in_turns(mission, seed, effort)
        if seed > 0:  # the first round compiles
            for name, seconds in spent.items():
                times[name].append(seconds)
    yield Figure(
        "mission_over_plant_ratio",
        median(a / b for a, b in zip(times["mission"], times["plant"], strict=True)),
        f"{effort.scenario}, its first {effort.mission:g} s without a log: CPU time of all tasks, hands, power, heat "
        "and recorder over that of its world alone (the orbit's upkeep and the recorder in it), the same step; "
        f"{effort.rounds} rounds of {effort.stretches} stretches in turns, median ratio",
    )
    for name, seconds in times.items():
        yield Figure(f"mission_{name}_s", median(seconds), "CPU time, of the ratio above")
    rate = effort.mission / median(times["mission"])
    yield Figure("mission_real_time_factor", rate, "simulated time over the mission's CPU time above")


def tick_figures(modes: JointModes, effort: Effort) -> Iterator[Figure]:
    """The joint controller's tick against the same law in NumPy."""
    n = len(modes.footing.joints)
    q = np.linspace(0.3, -0.4, n)
    modes.follow(QuinticPath(q, q + 0.5, PERIOD * effort.ticks), 0.0)
    now = q, np.full(n, 0.01), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), np.array([1e-4, 0.0, 0.0])
    meas: dict[str, Array] = dict(zip(MEASURED, now, strict=True))
    tick = partial(_tick, OnboardCode("bench", modes, meas, compiled=True), effort.ticks)
    python = partial(_update, PythonLaw(modes), meas, effort.ticks)
    times = race({"tick": Runner(tick), "python": Runner(python)}, effort.tick_rounds)
    yield Figure(
        "tick_over_python_ratio",
        times.ratio("tick", "python"),
        f"joint control of {n} joints on a floating structure, position mode: the compiled tick, called one by one "
        "from Python, over the same law in NumPy with MuJoCo's Python bindings; "
        f"{effort.tick_rounds} x {effort.ticks} updates in turns, median ratio of CPU times",
    )
    for name in ("tick", "python"):
        yield Figure(f"joint_control_{name}_us", 1e6 * times.median(name) / effort.ticks, "of the ratio above")


def _in_turns(mission: Mission, seed: int, effort: Effort) -> dict[str, float]:
    """CPU time of everything and of the plant alone [s]."""
    begun = {"mission": mission.session(seed), "plant": bare(mission, seed, _is_orbit)}
    spent = dict.fromkeys(begun, 0.0)
    for session in begun.values():
        session.step(PERIOD)  # everything is compiled and drawn once
    for _ in range(effort.stretches):
        for name, session in begun.items():
            start = time.process_time()
            session.step(effort.mission / effort.stretches)
            spent[name] += time.process_time() - start
    for name, session in begun.items():
        start = time.process_time()
        session.finish()
        spent[name] += time.process_time() - start
    return spent


def _tick(code: OnboardCode, ticks: int) -> None:
    for k in range(ticks):
        code.run(PERIOD * k)


def _update(law: PythonLaw, meas: dict[str, Array], ticks: int) -> None:
    for k in range(ticks):
        law.update(PERIOD * k, meas)


def _modes(mission: Mission) -> JointModes:
    """The mission's first joint controller."""
    controllers: Iterator[Any] = (task.controller for task in mission.tasks)
    return next(c for c in controllers if isinstance(c, JointModes))


def _is_orbit(upkeep: Upkeep) -> bool:
    return isinstance(upkeep, FallingFrame)
