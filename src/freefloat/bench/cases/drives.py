"""What joint drives cost: elastic and full ones beside ideal torques and MuJoCo's own RK4; SPIDER at work with them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from freefloat.bench.case import Figure, bench
from freefloat.bench.plants import STEP, TORQUE, Mujoco, Ours, Plant
from freefloat.bench.race import Runner, Times, race
from freefloat.bench.sessions import again, under_way
from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.graph import Vector
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.errors import StepWarning
from freefloat.verify.driven_arm import (
    arm_drives,
    driven_mission,
    driven_parts,
    motor_law,
    quiet_session,
    reference,
)

SOFT, STIFF = 1e4, 1e7  # [N m/rad] bristles
ACCELERATION = 0.08  # [rad/s^2] of ideal and elastic joints, as in the race of the engine
HARD = 1e7  # [N/m] of an elastic plate beside a rigid one
HARD_DAMPING = 1.4e4  # [N s/m] of it: half of critical for the 20 kg of SPIDER behind the stylus
SURPLUS = 1.5  # of stiction and cogging: what full drives push with


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    steps: int = 500  # of 1 ms in a round
    rounds: int = 61
    motion: float = 2.0  # [s] compared with the reference
    compared: float = 2.0  # [s] of it
    begin: float = 2.5  # [s] from when on SPIDER is timed: it meets the plate at 2.15 s
    pressing: float = 0.5  # [s] of SPIDER on a plate in a round
    contact_rounds: int = 11
    shuttle: float = 10.0  # [s] of SPIDER on the station in a round
    shuttle_rounds: int = 5


@bench("drives")
def drives() -> Iterator[Figure]:
    """Seven joints at 1 ms RK4 steps: ideal, elastic, full, and how far off the full ones are."""
    yield from figures(Effort())


def figures(effort: Effort) -> Iterator[Figure]:
    """All figures of drives."""
    yield from cost_figures(effort)
    yield from error_figures(effort)
    yield from spider_figures(effort)


def cost_figures(effort: Effort) -> Iterator[Figure]:
    """The levels and two stiffnesses of bristles in one race."""
    times = _raced(effort)
    how = (
        f"7-joint arm on a free 1000 kg bus, RK4 1 ms, {effort.rounds} x {effort.steps} steps in turns, constant "
        "torques that move every joint, median over the rounds of ratios of CPU times"
    )
    full = "spider-shoulder x 4, spider-wrist x 3, all imperfections of the catalogue, sub-steps as needed"
    yield Figure("full_over_ideal_ratio", times.ratio("full", "ideal"), f"{full}, against ideal torques; {how}")
    rotors = "the same rotors and gears behind ideal motors, against ideal torques"
    yield Figure("elastic_over_ideal_ratio", times.ratio("elastic", "ideal"), f"{rotors}; {how}")
    theirs = "full drives against MuJoCo's RK4 in C on the ideal arm, which has none"
    yield Figure("full_ratio_vs_mujoco_rk4", times.ratio("full", "mujoco"), f"{theirs}; {how}")
    bristles = f"full drives with bristles of {STIFF:g} N m/rad over the same with {SOFT:g}"
    yield Figure("lugre_stiffness_cost_ratio", times.ratio("stiff", "soft"), f"{bristles}; {how}")
    note = "full drives, median CPU time of a step, of the ratios above"
    yield Figure("full_us_per_step", 1e6 * times.median("full") / effort.steps, note)


def error_figures(effort: Effort) -> Iterator[Figure]:
    """The same plant, step and sub-steps under a motor-side PD, against CVODE."""
    own = arm_drives()
    law = motor_law(own, effort.motion)
    truth = reference(own, law, effort.compared)
    mission = driven_mission(own, law, RK4(STEP))
    session = quiet_session(mission)
    session.step(effort.compared)
    session.finish()
    result = mission.result(session, 0.0)
    how = (
        f"largest error over {effort.compared:g} s of start, stop and reversal, motor-side PD at 250 Hz, step and "
        "sub-steps as timed, against CVODE 1e-10 with rotors as bodies"
    )
    for name, signal, expected in (("link", "arm.q", truth.q), ("motor", "arm.motor_q", truth.motor_q)):
        yield Figure(f"{name}_error_rad", float(np.abs(result[signal] - expected).max()), how)


def spider_figures(effort: Effort) -> Iterator[Figure]:
    """Whole scenarios with full drives: a rigid contact beside a stiff one, and work on the station."""
    begin = effort.begin
    elastic = {"surface.kind": "elastic", "surface.stiffness": HARD, "surface.damping": HARD_DAMPING}
    plates = {
        "rigid": under_way("spider-force-control", {}, begin),
        "elastic": under_way("spider-force-control", elastic, begin),
        "coarse": under_way("spider-force-control", {**elastic, "integrator.step": STEP}, begin),
    }
    steps = {name: f"steps of {1e3 * session.fixed_steps()[0]:.3g} ms" for name, session in plates.items()}
    times = race({name: again(session, effort.pressing) for name, session in plates.items()}, effort.contact_rounds)
    how = (
        f"spider-force-control, {effort.pressing:g} s from {begin:g} s on, when it presses under control: rigid plate, "
        f"{steps['rigid']}, over elastic one of {HARD:g} N/m and {HARD_DAMPING:g} N s/m, {{}}; "
        f"{effort.contact_rounds} rounds in turns, median ratio of CPU times"
    )
    advised = f"{steps['elastic']} as its stiffness advises"
    yield Figure("rigid_over_elastic_ratio", times.ratio("rigid", "elastic"), how.format(advised))
    forced = f"{steps['coarse']}, longer than advised but stable here"
    yield Figure("rigid_over_elastic_same_step_ratio", times.ratio("rigid", "coarse"), how.format(forced))
    work = under_way("spider-microgravity", {}, begin)
    times = race({"work": again(work, effort.shuttle)}, effort.shuttle_rounds)
    yield Figure(
        "microgravity_real_time_factor",
        effort.shuttle / times.median("work"),
        f"spider-microgravity, {effort.shuttle:g} s from {begin:g} s on, records at 1 kHz kept in memory, over the "
        f"median CPU time of {effort.shuttle_rounds} rounds",
    )


def _raced(effort: Effort) -> Times:
    full = arm_drives()
    loose = [ACCELERATION * d.motor.inertia * d.gear.ratio**2 for d in full]
    push = np.array([SURPLUS * (d.friction.stiction + d.gear.ratio * d.motor.cogging) for d in full])
    ideal = _plant(None)
    plants: dict[str, tuple[Plant, Vector]] = {
        "ideal": (ideal, TORQUE),
        "mujoco": (Mujoco(ideal), TORQUE),
        "elastic": (_plant([d.at("elastic") for d in full]), TORQUE + loose),
        "full": (_plant(full), push),
        "soft": (_plant([_bristled(d, SOFT) for d in full]), push),
        "stiff": (_plant([_bristled(d, STIFF) for d in full]), push),
    }
    runners = {
        name: Runner(partial(plant.run, effort.steps), partial(_start, plant, torque))
        for name, (plant, torque) in plants.items()
    }
    return race(runners, effort.rounds)


def _plant(own: Sequence[JointDrive] | None) -> Ours:
    """The arm with these drives at 1 ms, where full ones would rather have 0.5 ms."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StepWarning)
        return Ours(Mission(driven_parts(own), integrator=RK4(STEP)))


def _bristled(drive: JointDrive, stiffness: float) -> JointDrive:
    return replace(drive, friction=replace(drive.friction, bristle_stiffness=stiffness))


def _start(plant: Plant, torque: Vector) -> None:
    plant.reset()
    plant.push(torque)
