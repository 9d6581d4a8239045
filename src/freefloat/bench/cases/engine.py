"""The plant against MuJoCo's own RK4, the price of a Python controller, and how soon the command line answers."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import mujoco
import numpy as np

from freefloat.bench.case import Figure, bench
from freefloat.bench.plants import STEP, TORQUE, Mujoco, Ours, Plant, controller_task, tree, two_worlds, welded
from freefloat.bench.race import Runner, race
from freefloat.engine.event import Event
from freefloat.engine.graph import Vector
from freefloat.errors import FreefloatError


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    steps: int = 500  # of 1 ms in a round of the plant
    rounds: int = 121  # of tree and constraint
    controlled_steps: int = 1000  # of 1 ms in a round with a controller
    controlled_rounds: int = 61
    help_rounds: int = 9
    drift_seconds: int = 20  # simulated for drift and violation
    logged_seconds: tuple[int, int] = (20, 200)  # simulated for the memory of runs that only log


@bench("engine")
def engine() -> Iterator[Figure]:
    """Trees, constraints and a Python controller at 1 ms RK4 steps; start of the command line."""
    yield from figures(Effort())


def figures(effort: Effort) -> Iterator[Figure]:
    """All figures of the engine."""
    yield from tree_figures(effort)
    yield from constraint_figures(effort)
    yield from controller_figures(effort)
    yield from world_figures(effort)
    yield memory_figure(effort)
    yield help_figure(effort)


def tree_figures(effort: Effort) -> Iterator[Figure]:
    """The arm on its bus: time per step and momentum drift of both."""
    plant = Ours(tree())
    ours, theirs = _times_per_step(plant, effort)
    how = f"1000 kg free bus + 7-joint arm, RK4 1 ms, {effort.rounds} x {effort.steps} steps in turns, median CPU times"
    yield Figure("tree_ratio_vs_mujoco_rk4", ours / theirs, f"{how}; ours with audit and recorder at 100 Hz")
    yield Figure("tree_us_per_step", 1e6 * ours, "ours, of the ratio above")
    yield Figure("mujoco_rk4_us_per_step", 1e6 * theirs, "MuJoCo's RK4 in C on the same model, of the ratio above")
    plant.reset()
    for name, one in {"tree": plant, "mujoco_rk4": Mujoco(plant)}.items():
        P, L = _momentum_drift(one, plant.session.world.compiled().model, effort.drift_seconds)
        swing = f"largest drift over {effort.drift_seconds} s of swinging arm, total momentum 0"
        yield Figure(f"{name}_linear_momentum_drift_N_s", P, swing)
        yield Figure(f"{name}_angular_momentum_drift_N_m_s", L, f"{swing}, about the centre of mass")


def constraint_figures(effort: Effort) -> Iterator[Figure]:
    """The arm on a second free body welded to the bus: time per step and violation of both."""
    plant = Ours(welded())
    ours, theirs = _times_per_step(plant, effort)
    how = f"the arm on a free 200 kg body welded to the bus; {effort.rounds} x {effort.steps} steps, median CPU times"
    yield Figure("constraint_ratio_vs_mujoco_rk4", ours / theirs, f"{how}; ours multipliers, theirs an equality")
    yield Figure("constraint_us_per_step", 1e6 * ours, "ours, of the ratio above")
    yield Figure("mujoco_constraint_us_per_step", 1e6 * theirs, "MuJoCo's RK4 with its default solver")
    plant.reset()
    for name, one in {"constraint": plant, "mujoco_constraint": Mujoco(plant)}.items():
        gap = _largest_gap(one, plant.session.world.compiled().model, effort.drift_seconds)
        note = f"largest displacement of the welded body over {effort.drift_seconds} s of swinging arm"
        yield Figure(f"{name}_violation_m", gap, note)


def controller_figures(effort: Effort) -> Iterator[Figure]:
    """The same mission without a controller, with one in Python, and with onboard code in the compiled loop."""
    tasks = {"python": (controller_task(),), "compiled": (controller_task(compiled=True),), "none": ()}
    plants = {name: Ours(tree(own)) for name, own in tasks.items()}
    runners = {name: Runner(partial(one.run, effort.controlled_steps), one.reset) for name, one in plants.items()}
    times = race(runners, effort.controlled_rounds)
    seconds = effort.controlled_steps * STEP
    how = f"{effort.controlled_rounds} x {seconds:g} s in turns, median CPU times"
    for name, what in (("python", "NumPy PD"), ("compiled", "PD as a tick")):
        note = f"{what} of 7 joints at 250 Hz, noisy quantised q and q', against no task; {how}"
        yield Figure(f"{name}_controller_250hz_ratio", times.ratio(name, "none"), note)
        update = (times.median(name) - times.median("none")) / (250.0 * seconds)
        yield Figure(f"{name}_controller_us_per_update", 1e6 * update, "what one update costs, sensors and PD included")


def world_figures(effort: Effort) -> Iterator[Figure]:
    """Two arms in one mission of two worlds, against two missions."""
    never = Event("never", lambda session: None, signal="bus.p_WB", level=1e6)
    seconds = effort.controlled_steps * STEP
    how = f"{effort.controlled_rounds} x {seconds:g} s in turns, median CPU times"
    for name, compiled, events, note in (
        ("", True, (), "a compiled PD at 250 Hz in one of them"),
        ("python_", False, (), "a Python PD at 250 Hz in one of them"),
        ("watched_", True, (never,), "the first, and an event watches one: both stand at every instant of the PD"),
    ):
        task = (controller_task(compiled),)
        together = Ours(two_worlds(task, events))
        apart = [Ours(tree(task, events=events)), Ours(tree((), "other_bus", "other_arm"))]
        runners = {
            "together": Runner(partial(together.run, effort.controlled_steps), together.reset),
            "apart": Runner(partial(_each, apart, effort.controlled_steps), partial(_reset, apart)),
        }
        ratio = race(runners, effort.controlled_rounds).ratio("together", "apart")
        yield Figure(f"two_worlds_{name}over_two_missions_ratio", ratio, f"two arms; {note}; {how}")


def _reset(plants: list[Ours]) -> None:
    for one in plants:
        one.reset()


def _each(plants: list[Ours], steps: int) -> None:
    for one in plants:
        one.run(steps)


_LOGGED = """
import resource, sys, tempfile
from pathlib import Path
from freefloat.scenario.files import load
mission = load("free-floating-arm", {"record_rate": 1000.0}).build()
with tempfile.TemporaryDirectory() as folder:
    mission.run(float(sys.argv[1]), log=Path(folder) / "log.mcap", keep=False)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def memory_figure(effort: Effort) -> Figure:
    """Peak memory of a run that only logs, long over short."""
    short, long = (
        float(
            subprocess.run([sys.executable, "-c", _LOGGED, str(s)], capture_output=True, check=True, text=True).stdout
        )
        for s in effort.logged_seconds
    )
    seconds = "{1:d} s over {0:d} s".format(*effort.logged_seconds)
    note = f"peak resident size of free-floating-arm at 1 kHz records, log only, {seconds}, each in a new process"
    return Figure("logged_memory_ratio", long / short, note)


def help_figure(effort: Effort) -> Figure:
    """How soon the command line answers."""
    command = [sys.executable, "-m", "freefloat.cli", "--help"]
    times = race({"help": Runner(partial(_succeed, command))}, effort.help_rounds, clock=time.perf_counter)
    note = f"freefloat --help in a new process, median wall time of {effort.help_rounds}"
    return Figure("startup_help_s", times.median("help"), note)


def _times_per_step(ours: Ours, effort: Effort) -> tuple[float, float]:
    """Median time of a step [s], ours and MuJoCo's; every round starts at the same state under the same torques."""
    plants: dict[str, Plant] = {"ours": ours, "theirs": Mujoco(ours)}
    runners = {name: Runner(partial(one.run, effort.steps), partial(_start, one)) for name, one in plants.items()}
    times = race(runners, effort.rounds)
    return times.median("ours") / effort.steps, times.median("theirs") / effort.steps


def _start(plant: Plant) -> None:
    plant.reset()
    plant.push(TORQUE)


def _swing(plant: Plant, seconds: int) -> Iterator[tuple[Vector, Vector]]:
    """States at every second under torques of signs + - - +: the arm swings and stays slow."""
    plant.reset()
    yield plant.state()
    for second in range(seconds):
        plant.push(TORQUE * (1.0, -1.0, -1.0, 1.0)[second % 4])
        plant.run(round(1.0 / STEP))
        yield plant.state()


def _momentum_drift(plant: Plant, model: mujoco.MjModel, seconds: int) -> tuple[float, float]:
    """Largest change of linear momentum [N s] and of angular momentum about the centre of mass [N m s]."""
    data = mujoco.MjData(model)
    momenta: list[Vector] = []
    for data.qpos[:], data.qvel[:] in _swing(plant, seconds):
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_subtreeVel(model, data)
        momenta.append(np.array([model.body_subtreemass[0] * data.subtree_linvel[0], data.subtree_angmom[0]]))
    drift = np.linalg.norm(np.array(momenta) - momenta[0], axis=2).max(axis=0)
    return float(drift[0]), float(drift[1])


def _largest_gap(plant: Plant, model: mujoco.MjModel, seconds: int) -> float:
    """Largest change of the carrier's origin in the bus frame [m]."""
    data = mujoco.MjData(model)
    bus, carrier = model.body("bus").id, model.body("carrier").id
    places: list[Vector] = []
    for data.qpos[:], data.qvel[:] in _swing(plant, seconds):
        mujoco.mj_kinematics(model, data)
        places.append(data.xmat[bus].reshape(3, 3).T @ (data.xpos[carrier] - data.xpos[bus]))
    return float(np.linalg.norm(np.array(places) - places[0], axis=1).max())


def _succeed(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        raise FreefloatError(f"{' '.join(command[1:])} ended with {done.returncode}")
