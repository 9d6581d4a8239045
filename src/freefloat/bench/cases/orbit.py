"""The price of the orbital environment: gravity differences and gradient torque on every body at every stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from freefloat.bench.case import Figure, bench
from freefloat.bench.plants import MOUNT, START, STEP, TORQUE, Ours, tree
from freefloat.bench.race import Runner, race
from freefloat.engine.mission import Mission
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.falling_frame import FallingFrame
from freefloat.orbit.gravity import GravityField
from freefloat.orbit.reference import GravityOnly, ReferenceOrbit
from freefloat.robots import asset, load_urdf
from freefloat.robots.arm import Arm
from freefloat.structure import RigidBody

EPOCH = "2026-03-20T12:00:00Z"
DEGREE = 20


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    steps: int = 500  # of 1 ms in a round
    rounds: int = 121
    table_seconds: float = 900.0  # of the reference orbit in a round
    table_rounds: int = 5


@bench("orbit")
def orbit() -> Iterator[Figure]:
    """The arm on its bus in orbit against the same world in empty space."""
    yield from figures(Effort())


def figures(effort: Effort) -> Iterator[Figure]:
    """Cost of a step in orbit and in empty space, and of the reference orbit ahead of it."""
    plants = {"orbit": Underway(in_orbit()), "space": Underway(tree())}
    runners = {name: Runner(partial(one.run, effort.steps), partial(_start, one)) for name, one in plants.items()}
    times = race(runners, effort.rounds)
    in_orbit_s, in_space_s = (times.median(name) / effort.steps for name in ("orbit", "space"))
    table_s = _table_time(effort) * STEP
    yield Figure(
        "environment_ratio",
        times.ratio("orbit", "space") + table_s / in_space_s,
        f"1000 kg free bus + 7-joint arm, RK4 1 ms, audit and recorder at 100 Hz, in a 400 km orbit (degree {DEGREE}, "
        "Sun, Moon; gravity and gradient torque on every body at every stage; the table of the reference included) "
        f"against empty space; {effort.rounds} x {effort.steps} steps in turns, median ratio of CPU times",
    )
    yield Figure("orbit_us_per_step", 1e6 * in_orbit_s, "in orbit, of the ratio above")
    yield Figure("space_us_per_step", 1e6 * in_space_s, "in empty space, of the ratio above")
    note = f"integrating and tabulating the reference orbit, of the ratio above; median of {effort.table_rounds}"
    yield Figure("reference_us_per_step", 1e6 * table_s, note)


class Underway(Ours):
    """A session that starts after its first step, when the table of the reference is made."""

    def __init__(self, mission: Mission) -> None:
        super().__init__(mission)
        self.run(1)
        self._start = self.session.snapshot()


def _table_time(effort: Effort) -> float:
    """Time to make one simulated second of the reference table [s]."""
    orbits: list[ReferenceOrbit] = []
    runner = Runner(lambda: orbits[-1].extend(effort.table_seconds), lambda: orbits.append(_reference()))
    return race({"table": runner}, effort.table_rounds).median("table") / effort.table_seconds


def in_orbit() -> Mission:
    """The world of `plants.tree` in a falling frame."""
    frame = FallingFrame(_reference(), ahead=60.0)
    bus = RigidBody("bus", frames={"mount": MOUNT})
    arm = Arm("arm", load_urdf(asset("arm7")), on="bus.mount", q=START)
    return Mission([frame, bus, arm])


def _reference() -> ReferenceOrbit:
    return ReferenceOrbit.from_preset(Epoch(EPOCH), "leo-400", GravityOnly(GravityField(degree=DEGREE)))


def _start(plant: Ours) -> None:
    plant.reset()
    plant.push(TORQUE)
