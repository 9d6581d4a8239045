"""What modules cost: an integration step, a reconfiguration, and one orbit of their temperatures."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from statistics import median

from freefloat.bench.case import Figure, bench
from freefloat.bench.plants import STEP, TORQUE, Ours, Plant, bare
from freefloat.bench.race import Runner, race
from freefloat.bench.stacks import Heated, Naive, Rebuilt, Size, arm_on, stack
from freefloat.engine.upkeep import Upkeep
from freefloat.orbit.falling_frame import FallingFrame
from freefloat.scenario.files import load

ORBIT = 5544.0  # [s]


@dataclass(frozen=True)
class Effort:
    """How much is measured, on how large a stack."""

    one: Size = (1, 1, 1)
    many: Size = (10, 10, 10)
    most: Size = (20, 20, 25)
    steps: int = 500  # of 1 ms in a round of few against many modules
    rounds: int = 121
    naive_steps: int = 200  # of 1 ms in a round against one body per module
    naive_rounds: int = 31
    rebuild_rounds: int = 11
    rest: float = 0.3  # [s] before every rebuilding, until threads of linear algebra no longer spin
    orbit: float = ORBIT  # [s]
    stretches: int = 12  # of the orbit, in turns with the plant
    plant_steps: int = 4000  # of 1 ms in a stretch
    mission: float = 240.0  # [s] of pick-and-place
    mission_rounds: int = 3


@bench("structure")
def structure() -> Iterator[Figure]:
    """Tensor bodies: their steps against one body per module, reconfigurations, and an orbit of heat."""
    yield from figures(Effort())


def figures(effort: Effort) -> Iterator[Figure]:
    """All figures of modular spacecraft."""
    yield from step_figures(effort)
    yield from naive_figures(effort)
    yield from rebuild_figures(effort)
    yield from heat_figures(effort)
    yield from mission_figures(effort)


def step_figures(effort: Effort) -> Iterator[Figure]:
    """A step with many modules against one with a single module."""
    sizes = {"many": effort.many, "one": effort.one}
    plants: dict[str, Plant] = {name: Ours(arm_on(stack(size))) for name, size in sizes.items()}
    times = race(_runners(plants, effort.steps), effort.rounds)
    yield Figure(
        "step_ratio_1000_vs_1_modules",
        times.ratio("many", "one"),
        "a free tensor body of 10 x 10 x 10 modules with the 7-joint arm on it against one of 1 module; RK4 1 ms, "
        "audit, recorder at 100 Hz with all 5 signals per place (the default); "
        f"{effort.rounds} x {effort.steps} steps in turns, median ratio of CPU times",
    )
    for name, count in (("many", 1000), ("one", 1)):
        us = 1e6 * times.median(name) / effort.steps
        yield Figure(f"step_{count}_modules_us", us, "of the ratio above")


def naive_figures(effort: Effort) -> Iterator[Figure]:
    """One MuJoCo body per module against the tensor body, without and with contacts."""
    body = stack(effort.many)
    ours = Ours(arm_on(body))
    plants: dict[str, Plant] = {
        "ours": ours,
        "naive": Naive(ours, body, contacts=False),
        "contacts": Naive(ours, body, contacts=True),
    }
    times = race(_runners(plants, effort.naive_steps), effort.naive_rounds)
    how = f"{effort.naive_rounds} x {effort.naive_steps} steps in turns, median ratio of CPU times"
    yield Figure(
        "naive_vs_tensor_ratio_1000",
        times.ratio("naive", "ours"),
        "1000 jointless bodies on a free root and the arm in MuJoCo's mj_step, contacts off, against the tensor body "
        f"with the arm, audit and recorder; RK4 1 ms both; {how}",
    )
    yield Figure(
        "naive_contacts_vs_tensor_ratio_1000",
        times.ratio("contacts", "ours"),
        "the same with a box per module and the arm's cylinders in MuJoCo's collision search (nothing touches); "
        "ours without contacts",
    )
    for name, figure in (("naive", "naive_us_per_step"), ("contacts", "naive_contacts_us_per_step")):
        yield Figure(figure, 1e6 * times.median(name) / effort.naive_steps, "of the ratio above")


def rebuild_figures(effort: Effort) -> Iterator[Figure]:
    """A whole reconfiguration by size."""
    worlds = {"1000": Rebuilt(effort.many), "10000": Rebuilt(effort.most)}
    rest = partial(time.sleep, effort.rest)
    times = race({name: Runner(one.take_and_put_back, rest) for name, one in worlds.items()}, effort.rebuild_rounds)
    for name in worlds:
        yield Figure(
            f"reconfigure_{name}_ms",
            0.5e3 * times.median(name),
            f"a module of a full stack of {name} goes to the hand or back: connectivity, latches, transfer, mass "
            "properties, momentum, shapes, power search, network and its voltages and currents, exposed faces and heat "
            f"network; not the next step of heat; median CPU time of {effort.rebuild_rounds} x there and back, per "
            "transfer",
        )
    note = "of the two above, median ratio"
    yield Figure("reconfigure_10000_over_1000", times.ratio("10000", "1000"), note)


def heat_figures(effort: Effort) -> Iterator[Figure]:
    """One orbit of temperatures against the plant over the same time."""
    plant = Ours(arm_on(stack(effort.many)))
    stretch = effort.orbit / effort.stretches
    heats = {"heat": Heated(effort.many, 10.0), "often": Heated(effort.many, 2.0)}
    runners = {name: Runner(partial(one.go_on, stretch)) for name, one in heats.items()}
    times = race({**runners, **_runners({"plant": plant}, effort.plant_steps)}, effort.stretches).rounds
    simulated = effort.plant_steps * STEP
    plant_s = sum(times["plant"]) * stretch / simulated
    how = (
        f"{effort.stretches} stretches of {stretch:g} s in turns with {simulated:g} s of the plant (the 1000 modules "
        "and the arm, RK4 1 ms, audit and recorder), whose CPU time is scaled to the orbit"
    )
    yield Figure(
        "thermal_orbit_over_plant",
        sum(times["heat"]) / plant_s,
        f"{effort.orbit:g} s of a 1000-node network with exposed faces, shadows, eclipses, albedo and infrared anew "
        f"every 10 s, reference orbit included; {how}",
    )
    yield Figure(
        "thermal_orbit_every_2s_over_plant",
        sum(times["often"]) / plant_s,
        "the same every 2 s, as an assembly does by default",
    )
    yield Figure("thermal_orbit_s", sum(times["heat"]), "CPU time of the heat every 10 s, of the ratio above")
    yield Figure("plant_orbit_s", plant_s, "CPU time of the plant, scaled, of the ratio above")


def mission_figures(effort: Effort) -> Iterator[Figure]:
    """A whole mission against its plant alone."""
    mission = load("pick-and-place").build()
    times: dict[str, list[float]] = {"mission": [], "plant": []}
    for seed in range(effort.mission_rounds):
        sessions = {"mission": mission.session(seed), "plant": bare(mission, seed, _is_orbit)}
        for name, session in sessions.items():
            session.step(STEP)  # everything is compiled and drawn once
            start = time.process_time()
            session.step(effort.mission)
            session.finish()
            times[name].append(time.process_time() - start)
    yield Figure(
        "pick_and_place_over_plant_ratio",
        median(a / b for a, b in zip(times["mission"], times["plant"], strict=True)),
        f"pick-and-place, {effort.mission:g} s without a log: CPU time of everything over that of its world with the "
        f"orbit's upkeep alone; {effort.mission_rounds} rounds in turns, median ratio",
    )
    for name, seconds in times.items():
        yield Figure(f"pick_and_place_{name}_s", median(seconds), "CPU time, of the ratio above")


def _is_orbit(upkeep: Upkeep) -> bool:
    return isinstance(upkeep, FallingFrame)


def _runners(plants: dict[str, Plant], steps: int) -> dict[str, Runner]:
    return {name: Runner(partial(one.run, steps), partial(_start, one)) for name, one in plants.items()}


def _start(plant: Plant) -> None:
    plant.reset()
    plant.push(TORQUE)
