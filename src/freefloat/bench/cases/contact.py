"""What contact costs: the arm on its bus with twenty pairs of capsules, and the kinds of pairs beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

import numpy as np

from freefloat.bench.case import Figure, bench
from freefloat.bench.plants import TORQUE, Ours, arm_on_bus
from freefloat.bench.race import Runner, race
from freefloat.bench.rehearsing import AHEAD, CYCLE, DURATION, facility
from freefloat.contact.contact import Side, contact_row
from freefloat.contact.laws import NO_FRICTION, HuntCrossley
from freefloat.contact.pairs import Solid, pairs_of
from freefloat.contact.surfaces import Ball, Ground, Plane, cone
from freefloat.engine.blueprint import Builder
from freefloat.engine.mission import Mission
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.platforms.height_map import synthetic

PAIRS = 20
LINK = "arm.wrist"
ROD = (0.01, 0.2)  # [m] radius and half length


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    steps: int = 500  # of 1 ms in a round
    rounds: int = 61
    kind_rounds: int = 21


@dataclass(frozen=True)
class Beside:
    """Part: pairs between the bus and a link of the arm, whose shapes stand at `apart` [m] from each other."""

    solids: tuple[Solid, Solid]
    apart: Array  # [m]
    name: str = "beside"

    def build(self, b: Builder) -> None:
        """Rows alone: what is measured is the plant, not the recorder."""
        law = HuntCrossley(1.0, 1.0, 1.0).columns() | NO_FRICTION
        X_WL = Mission(arm_on_bus("bus", "arm")).session().pose(LINK)
        for apart in self.apart:
            first, second = Side("bus", moved(self.solids[0], X_WL, apart)), Side(LINK, self.solids[1])
            for pair in pairs_of(first.solid, second.solid):
                sides = (second, first) if pair.swapped else (first, second)
                b.add(contact_row(b.full(str(len(b.blueprint.rows))), *sides, pair, law))


def moved(solid: Solid, X_WL: Pose, apart: float) -> Solid:
    """A solid of the bus, `apart` along x from where the link is at the start."""
    X = X_WL @ Pose(np.eye(3), [apart, 0.0, 0.0])
    if isinstance(solid, Shape):
        return Shape(solid.kind, solid.size, X @ solid.X_LG, mesh=solid.mesh)
    assert not isinstance(solid, Ball)
    return type(solid)(**{**solid.__dict__, "X_LS": X @ solid.X_LS})


@bench("contact")
def contact() -> Iterator[Figure]:
    """Twenty pairs of capsules on the arm, far, near and touching; the price of a pair by its kind."""
    yield from figures(Effort())


def figures(effort: Effort) -> Iterator[Figure]:
    """All figures of contact."""
    rod = Shape("capsule", ROD)
    spread = np.linspace(0.0, 2e-3, PAIRS)
    plants = {
        "free": _plant(()),
        "far": _plant((Beside((rod, rod), 2.0 + spread),)),
        "contact": _plant((Beside((rod, rod), 0.05 + spread),)),
        "touching": _plant((Beside((rod, rod), 0.010 + spread),)),
    }
    times = _race(plants, effort.steps, effort.rounds)
    how = f"{PAIRS} pairs, RK4 1 ms, {effort.rounds} x {effort.steps} steps in turns, median ratio of CPU times"
    free = times.median("free") / effort.steps
    yield Figure("contact_over_free_ratio", times.ratio("contact", "free"), f"arm with capsules in range; {how}")
    yield Figure("far_over_free_ratio", times.ratio("far", "free"), f"arm with capsules out of range; {how}")
    yield Figure(
        "touching_over_free_ratio", times.ratio("touching", "free"), f"all of them push, at every stage; {how}"
    )
    yield Figure("free_us_per_step", 1e6 * free, "the arm without pairs, of the ratios above")
    yield from _rehearsed(effort.kind_rounds)
    for kind, solids in _kinds().items():
        pair = {"free": plants["free"], "one": _plant((Beside(solids, np.full(4, 0.004)),))}
        times = _race(pair, effort.steps, effort.kind_rounds)
        rows = 4 * len(pairs_of(*solids))
        cost = (times.median("one") - times.median("free")) / effort.steps / rows
        yield Figure(f"{kind}_us_per_step", 1e6 * cost, "one pair in range, guards and settling included")


def _rehearsed(rounds: int) -> Iterator[Figure]:
    """The price of a cycle in which the whole contact is done again, over one in which it goes on."""
    missions = {"redo": facility(again=True), "on": facility(again=False)}
    starts = {name: session.snapshot() for name, session in missions.items()}
    runners = {
        name: Runner(partial(session.step, DURATION), partial(session.restore, starts[name]))
        for name, session in missions.items()
    }
    times, cycles = race(runners, rounds), DURATION / CYCLE
    cost = [1e3 * (a - b) / cycles for a, b in zip(times.rounds["redo"], times.rounds["on"], strict=True)]
    how = f"mean over a contact of {DURATION:g} s, cycle {1e3 * CYCLE:g} ms, 1 ms steps; median of {rounds} rounds"
    what = f"two free bodies: look {1e3 * AHEAD:g} ms ahead and do the contact again from its begin"
    yield Figure("redo_ms_per_cycle", median(cost), f"{what}; {how}")


def _plant(parts: Sequence[Beside]) -> Ours:
    plant = Ours(Mission([*arm_on_bus("bus", "arm"), *parts]))
    plant.push(TORQUE)
    return plant


def _race(plants: dict[str, Ours], steps: int, rounds: int):
    runners = {name: Runner(partial(plant.run, steps), partial(_again, plant)) for name, plant in plants.items()}
    return race(runners, rounds)


def _again(plant: Ours) -> None:
    plant.reset()
    plant.push(TORQUE)


def _kinds() -> dict[str, tuple[Solid, Solid]]:
    ball, rod, box = Ball((0.0, 0.0, 0.0), 0.01), Shape("capsule", ROD), Shape("box", (0.02, 0.02, 0.02))
    can = Shape("cylinder", (0.02, 0.02))
    return {
        "sphere_plane": (Plane(), ball),
        "sphere_sphere": (Shape("sphere", (0.01,)), ball),
        "sphere_capsule": (rod, ball),
        "sphere_box": (box, ball),
        "sphere_cylinder": (can, ball),
        "sphere_cone": (cone(0.6, 0.36, 0.004, (0.02, 0.03))[0], ball),
        "sphere_ground": (Ground(synthetic(1, (3.0, 3.0))), ball),
        "capsule_capsule": (rod, rod),
        "capsule_box": (box, rod),
        "box_box": (box, box),
        "box_cylinder": (can, box),
        "cylinder_cylinder": (can, can),
    }
