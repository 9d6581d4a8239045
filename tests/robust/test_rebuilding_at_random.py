"""Random small jobs flown by the executive while random faults strike: no module is lost or doubled, the structure is
never in two pieces, and every run ends, at its goal or by a safe stop that says why.

Motions, plans and remedies are the real ones; the plant has no dynamics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from tests.unit.gnc.control.executive.kinematic_plant import Joints, Plant, PlantRobot

from freefloat.gnc.control.executive.belief import Modules
from freefloat.gnc.control.executive.executive import Executive
from freefloat.gnc.control.executive.job import Planning, reached
from freefloat.gnc.control.executive.onboard_models import ModelKeeper
from freefloat.gnc.control.executive.robot import Robot
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.planning.reconfiguration.limb_homing import way_home
from freefloat.gnc.planning.reconfiguration.limb_motions import LimbMotions, with_locked
from freefloat.gnc.planning.reconfiguration.limb_parking import put_down
from freefloat.gnc.planning.reconfiguration.motions import Motions
from freefloat.gnc.planning.reconfiguration.planner import Limits, plan
from freefloat.gnc.planning.reconfiguration.problem import Contents, Plan, Problem
from freefloat.structure.catalogue.catalogue import load_catalogue
from freefloat.structure.grid import cubic
from freefloat.verify.limb_rig import motions
from freefloat.verify.rebuild_jobs import FOUR, small_job

SIZE = (3, 3, 2)
CREWS = (FOUR, (*FOUR, "payload"), (*FOUR, "bus", "bat"))
SOON = Limits(expansions=60, weights=(3.0,), few=0)  # no bound is proven
ENDS = {"a": "wm_a", "b": "wm_b"}
PERIOD, AFTER, LONGEST = 0.1, 10.0, 6000.0  # [s]: of updates, looked at after the end, of a run
FOR_GOOD = 10**6
NAMED = re.compile(r"(module|source|joint) \d|\bwm\b|'wm_[ab]'")


@cache
def known_motions() -> LimbMotions:
    """Answers are kept from case to case."""
    return motions(cubic(*SIZE))


@cache
def masses() -> Sequence[Mass]:
    types = load_catalogue("mosar").types
    return [Mass.none(), *(Mass(float(t.mass), np.array(t.p_MMcm), np.array(t.I_MMcm_M)) for t in types)]


def planned(problem: Problem, motions: Motions) -> Plan:
    return plan(problem, motions, limits=SOON)


class Flight:
    """The executive at a random job on a kinematic plant; `strikes` are faults by the instant at which they come."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng([seed, 20])
        names = CREWS[int(self.rng.integers(len(CREWS)))]
        self.problem = problem = small_job(seed, known_motions(), SIZE, 3, names)
        self.plan = planned(problem, known_motions())
        stance = problem.robots[0]
        home = known_motions().home(problem.start.type > 0, stance)
        assert home is not None
        self.joints = Joints(home)
        robot = PlantRobot("wm", self.joints, ENDS, known_motions().limb.pose)
        self.plant = Plant(problem.places, problem.kinds, problem.start, [robot], [stance])
        planning = Planning(problem, known_motions(), planned, way_home, parking=put_down, locking=with_locked)
        there = problem.start.identity > 0
        types = dict(zip(problem.start.identity[there].tolist(), problem.start.type[there].tolist(), strict=True))
        led = Robot("wm", self.joints, ENDS, stance)  # pyright: ignore[reportArgumentType]
        modules = Modules(problem.places, types, masses())
        self.executive = Executive(planning, self.plan, [led], modules, ModelKeeper(0.2))
        self.t, self.struck = 0.0, list[str]()

    def fly(self, strikes: Sequence[tuple[float, str]]) -> None:
        """Until the end, and a while after it; the plant is looked at in every period."""
        left, end = sorted(strikes), np.inf
        while self.t < min(end, LONGEST):
            while left and left[0][0] <= self.t:
                name = left.pop(0)[1]
                self.struck.append(f"{self.t:.1f} s {name}: {FAULTS[name](self)}")
            out = self.executive.update(self.t, self.plant.measure(self.t))
            self.plant.obey(self.t, out)
            self.plant.check()
            if end == np.inf and (self.executive.finished or self.executive.stopped):
                end = self.t + AFTER
            self.t = round(self.t + PERIOD, 10)

    @property
    def reached(self) -> bool:
        plant = self.plant
        now = Contents(plant.type, plant.orientation, plant.identity)
        return reached(self.problem.goal, now, self.problem.match)

    def one_of(self, options: Sequence[int]) -> int:
        return options[int(self.rng.integers(len(options)))]

    def face(self) -> tuple[int, int]:
        """A module and its own side; mostly one on which what is left of the plan grips or stands."""
        agenda, now = self.executive.agenda, self.problem.start
        left = [o for o in agenda.operations if o.n not in agenda.done]
        if not left or self.rng.random() > 0.7:
            return self.one_of(self.plant.modules), self.one_of(range(6))
        o = left[int(self.rng.integers(len(left)))]
        side = o.carry.grip if o.carry is not None else o.to.side if o.to is not None else 0
        turn = int(now.orientation[now.identity == o.module][0])
        return o.module, self.plant.own_at[turn][side]

    def module(self) -> int:
        """Mostly one that what is left of the plan moves or stands on."""
        return self.face()[0]


def lost_order(flight: Flight) -> str:
    flight.plant.lost += (times := flight.one_of((1, 2, 5)))
    return f"{times} times"


def no_close_of_a_face(flight: Flight) -> str:
    face = flight.face()
    flight.plant.no_close[face] = times = flight.one_of((1, 2, FOR_GOOD))
    return f"{face}, {times} times"


def no_close_of_a_pair(flight: Flight) -> str:
    one = flight.module()
    pair = frozenset({one, flight.one_of([m for m in flight.plant.modules if m != one])})
    flight.plant.no_join[pair] = times = flight.one_of((1, 2, FOR_GOOD))
    return f"{sorted(pair)}, {times} times"


def no_close_of_a_hand(flight: Flight) -> str:
    hand = ENDS["ab"[flight.one_of((0, 1))]]
    flight.plant.no_grip[hand] = times = flight.one_of((1, 2, FOR_GOOD))
    return f"{hand}, {times} times"


def no_open(flight: Flight) -> str:
    module = flight.module()
    flight.plant.no_open[module] = times = flight.one_of((1, FOR_GOOD))
    return f"module {module}, {times} times"


def overload(flight: Flight) -> str:
    flight.plant.overload_at = flight.t
    return "in the next carry"


def misplaced(flight: Flight) -> str:
    """Another place, where it hangs on to the others and does not bury the robot's foot."""
    plant, foot = flight.plant, flight.problem.robots[0]
    buried = int(plant.places.neighbours[foot.place, foot.side])
    free = [p for p in np.flatnonzero(plant.type == 0).tolist() if p != buried]
    for here in flight.rng.permutation(np.flatnonzero(plant.type)).tolist():
        for there in flight.rng.permutation(free).tolist() if here != foot.place else ():
            _swap(plant, here, there)
            if plant.pieces() == 1:
                return f"module {plant.identity[there]} at {plant.places.cells[there].tolist()}"
            _swap(plant, here, there)
    return "nowhere"


def _swap(plant: Plant, here: int, there: int) -> None:
    for array in (plant.type, plant.identity, plant.orientation):
        array[[here, there]] = array[[there, here]]


def dead_module(flight: Flight) -> str:
    flight.plant.dead.add(module := flight.module())
    return f"module {module}"


def joint_locked(flight: Flight) -> str:
    joint = flight.one_of(range(7))
    flight.joints.locked[joint] = float(flight.joints.q[joint])
    return f"joint {joint + 1}"


FAULTS: dict[str, Callable[[Flight], str]] = {
    "lost-order": lost_order,
    "no-close-face": no_close_of_a_face,
    "no-close-pair": no_close_of_a_pair,
    "no-close-hand": no_close_of_a_hand,
    "no-open": no_open,
    "overload": overload,
    "misplaced": misplaced,
    "dead-module": dead_module,
    "joint-locked": joint_locked,
}


@dataclass(frozen=True)
class End:
    """How a run went."""

    faults: tuple[str, ...]
    reached: bool
    stopped: str
    recoveries: int
    replans: int


def flown(seed: int) -> End:
    """A job with one to three faults at random instants, and the laws that hold whatever they are."""
    flight = Flight(seed)
    names = [str(n) for n in flight.rng.choice(list(FAULTS), int(flight.rng.integers(1, 4)))]
    instants = flight.rng.uniform(0.0, 0.7 * flight.plan.cost, len(names)).tolist()
    flight.fly([(0.0 if name == "misplaced" else at, name) for at, name in zip(instants, names, strict=True)])
    executive = flight.executive
    told = f"seed {seed}, {flight.struck}: {executive.stopped or 'no stop'}"
    assert executive.finished == flight.reached, told
    assert executive.finished != bool(executive.stopped), told
    assert executive.finished or NAMED.search(executive.stopped), told
    return End(tuple(flight.struck), flight.reached, executive.stopped, executive.recoveries, executive.replans)


def test_whatever_strikes_nothing_is_lost_and_the_structure_stays_whole() -> None:
    ends = [flown(seed) for seed in (0, 2, 3, 4, 6, 7)]
    assert {e.reached for e in ends} == {True, False}
    assert all(e.recoveries + e.replans > 0 for e in ends), "every run has a fault that bites"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(120))
def test_whatever_strikes_everything_is_kept_in_many_cases(seed: int) -> None:
    flown(seed)
