"""The executive on a plant without dynamics, with real motions and plans, and with faults."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freefloat.gnc.control.executive.executive import Executive
from freefloat.gnc.control.executive.job import Planning, reached
from freefloat.gnc.control.executive.onboard_models import ModelKeeper
from freefloat.gnc.control.executive.robot import Robot
from freefloat.gnc.planning.reconfiguration.limb_homing import way_home
from freefloat.gnc.planning.reconfiguration.limb_motions import LimbMotions, with_locked
from freefloat.gnc.planning.reconfiguration.limb_parking import put_down
from freefloat.gnc.planning.reconfiguration.motions import Motions
from freefloat.gnc.planning.reconfiguration.planner import Limits, plan
from freefloat.gnc.planning.reconfiguration.problem import Contents, Excluded, Plan, Problem
from freefloat.gnc.planning.reconfiguration.refusal import RefusedError
from freefloat.hand_words import HandState
from freefloat.missions.modular.design_pair import DesignPair, pair_of
from freefloat.missions.modular.planning import motions_of
from freefloat.missions.modular.reconfiguration import known_modules
from freefloat.structure.design.file import load_design

from .kinematic_plant import Joints, Plant, PlantRobot

SOON = Limits(expansions=60, weights=(3.0,))
SPEED = float(np.deg2rad(20.0))
BELOW = "bus 0 1 0, bus 1 1 0, bus 2 1 0, solar 0 2 0, bus 1 2 0"
TOPS = [(0, 1, 1), (2, 1, 1), (1, 2, 1), (2, 2, 0)]
ENDS = {"a": "wm_a", "b": "wm_b"}


def design(folder: Path, name: str, payload: tuple[int, int, int], robot: bool) -> Path:
    cells = [row.split() for row in BELOW.split(", ")] + [["payload", *map(str, payload)]]
    modules = "\n".join(
        f"  - {{id: {k}, type: {kind}, cell: [{', '.join(cell)}]}}" for k, (kind, *cell) in enumerate(cells, 1)
    )
    head = "kind: design\nschema: 1\ncatalogue: mosar\ngrid: {kind: cubic, size: [3, 3, 2], pitch: 0.4 m}\nmodules:\n"
    stands = "\nrobots:\n  - {name: wm, kind: walking_manipulator, stands: {module: 2, side: +z}}\n" if robot else "\n"
    file = folder / f"{name}.yaml"
    file.write_text(head + modules + stands, encoding="utf-8")
    return file


@cache
def motions() -> LimbMotions:
    return motions_of(job(0, 1)[0], SPEED)


@pytest.fixture(scope="session", autouse=True)
def _folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    FOLDER.append(tmp_path_factory.mktemp("designs"))


FOLDER: list[Path] = []


@cache
def job(start: int, goal: int) -> tuple[DesignPair]:
    files = [design(FOLDER[0], f"{k}{n}", TOPS[n], k == "s") for k, n in (("s", start), ("g", goal))]
    return (pair_of(load_design(files[0]), load_design(files[1]), 1, "type"),)


@cache
def planned(start: int, goal: int) -> Plan:
    return plan(job(start, goal)[0].problem, motions(), limits=SOON)


def replanned(problem: Problem, motions: Motions) -> Plan:
    return plan(problem, motions, limits=SOON)


class Flight:
    """An executive on a kinematic plant."""

    def __init__(self, start: int, goal: int) -> None:
        pair = job(start, goal)[0]
        self.problem = problem = pair.problem
        stance = problem.robots[0]
        home = motions().home(problem.start.type > 0, stance)
        assert home is not None
        self.joints = Joints(home)
        limb = motions().limb
        self.plant = Plant(
            problem.places, problem.kinds, problem.start, [PlantRobot("wm", self.joints, ENDS, limb.pose)], [stance]
        )
        robot = Robot("wm", self.joints, ENDS, stance)  # pyright: ignore[reportArgumentType]
        planning = Planning(problem, motions(), replanned, way_home, parking=put_down, locking=with_locked)
        self.executive = Executive(
            planning, planned(start, goal), [robot], known_modules(pair.body()), ModelKeeper(0.2)
        )
        self.told: list[tuple[float, str, str]] = []
        self.struck = False

    def fly(self, longest: float = 2000.0) -> Flight:
        t = 0.0
        while t < longest and not (self.executive.finished or self.executive.stopped):
            out = self.executive.update(t, self.plant.measure(t))
            self.told += [(t, *told) for told in out["told"]]  # pyright: ignore[reportGeneralTypeIssues]
            self.plant.obey(t, out)
            self.plant.check()
            t = round(t + 0.1, 10)
        return self

    @property
    def reached(self) -> bool:
        plant, goal = self.plant, self.problem.goal
        return reached(goal, Contents(plant.type, plant.orientation, plant.identity), "type")


def test_a_plan_is_flown_to_its_goal() -> None:
    flight = Flight(3, 0).fly()
    assert flight.reached
    assert flight.executive.finished
    assert flight.executive.recoveries == flight.executive.replans == 0


def test_a_lost_order_is_given_again() -> None:
    flight = Flight(3, 0)
    flight.plant.lost = 1
    assert flight.fly().reached
    assert flight.executive.recoveries == 1
    assert "did not begin" in flight.told[0][2]


def test_a_hand_that_does_not_hear_for_a_while_goes_back_and_comes_again() -> None:
    flight = Flight(3, 0)
    flight.plant.lost = 4
    assert flight.fly().reached
    assert flight.executive.replans == 1
    assert flight.executive.excluded == Excluded()


def test_a_hand_that_never_hears_is_a_safe_stop_that_names_it() -> None:
    flight = Flight(3, 0)
    flight.plant.lost = 10**6
    flight.fly()
    assert "hand 'wm_b' does not hear" in flight.executive.stopped
    assert "module 6" in flight.executive.stopped
    assert flight.executive.replans == 1


def test_a_module_is_not_blamed_for_an_order_to_take_it_out_that_was_lost() -> None:
    flight = Flight(3, 0)
    plant, obey = flight.plant, flight.plant.obey

    def deaf_once(t: float, out: Any) -> None:
        if plant.hands["wm_b"].state is HandState.CLOSED and not flight.struck:
            plant.lost, flight.struck = 4, True
        obey(t, out)

    plant.obey = deaf_once  # pyright: ignore[reportAttributeAccessIssue]
    assert flight.fly().reached
    assert any("take module 6 out" in text for _, _, text in flight.told)
    assert flight.executive.excluded.opens == frozenset()


def test_a_face_that_failed_is_tried_once_more_where_there_is_no_plan_without_it() -> None:
    carry = planned(3, 0).operations[0].carry
    assert carry is not None

    def only_with_it(problem: Problem, motions: Motions) -> Plan:
        if problem.excluded.faces:
            raise RefusedError("out-of-reach", "none without it")
        return planned(3, 0)

    for times, passes in ((2, True), (4, False)):
        flight = Flight(3, 0)
        flight.executive.planning.replan = only_with_it
        flight.plant.no_close[6, carry.grip] = times
        assert flight.fly().reached == passes
        assert [event for _, event, _ in flight.told].count("plan.forgiven") == 1


def test_an_overload_is_answered_by_half_the_pace() -> None:
    fast, slow = Flight(3, 0).fly(), Flight(3, 0)
    slow.plant.overload_at = 0.0
    assert slow.fly().reached
    assert slow.executive.recoveries == 1
    assert slow.told[-1][0] > fast.told[-1][0] + 5.0


def test_a_module_that_does_not_let_go_once_is_picked_the_second_time() -> None:
    flight = Flight(3, 0)
    flight.plant.no_open[6] = 1
    assert flight.fly().reached
    assert flight.executive.replans == 0


def test_a_module_that_never_lets_go_is_a_safe_stop_that_names_it() -> None:
    flight = Flight(3, 0)
    flight.plant.no_open[6] = 10**6
    flight.fly()
    assert "module 6" in flight.executive.stopped
    assert not flight.reached


def test_a_grip_that_does_not_close_is_replaced_by_another_one() -> None:
    flight = Flight(3, 0)
    carry = planned(3, 0).operations[0].carry
    assert carry is not None
    flight.plant.no_close[6, carry.grip] = 10**6
    flight.fly()
    assert flight.executive.replans >= 1
    assert flight.reached or "module" in flight.executive.stopped


def test_a_module_elsewhere_is_planned_for() -> None:
    flight = Flight(3, 0)
    plant, other = flight.plant, flight.problem.places
    here = int(np.flatnonzero(plant.identity == 6)[0])
    there = int(np.flatnonzero((other.cells == TOPS[2]).all(axis=1))[0])
    for array in (plant.type, plant.identity, plant.orientation):
        array[there], array[here] = array[here], 0
    assert flight.fly().reached
    assert flight.executive.replans == 1


def test_a_joint_that_does_not_follow_is_a_safe_stop_that_names_it() -> None:
    flight = Flight(3, 0)
    flight.joints.locked[1] = float(flight.joints.q[1])
    flight.fly()
    assert "joint 2" in flight.executive.stopped


def test_a_dead_source_is_a_safe_stop() -> None:
    flight = Flight(3, 0)
    flight.plant.dead = {4}
    flight.fly()
    assert "power" in flight.executive.stopped
    assert "4" in flight.executive.stopped


def test_a_dead_module_on_which_nothing_depends_does_not_change_the_plan() -> None:
    flight = Flight(3, 0)
    flight.plant.dead = {3}
    assert flight.fly().reached
    assert flight.executive.excluded.dead == {3}
    assert flight.executive.replans == 0


CASES = st.tuples(
    st.sampled_from([(a, b) for a in range(4) for b in range(4) if a != b]),
    st.integers(0, 2),
    st.dictionaries(st.tuples(st.integers(1, 6), st.integers(0, 5)), st.sampled_from([1, 2, 10**6]), max_size=3),
    st.dictionaries(st.integers(1, 6), st.sampled_from([1, 10**6]), max_size=2),
    st.floats(0.0, 100.0),
)


def keeps_everything(
    case: tuple[tuple[int, int], int, dict[tuple[int, int], int], dict[int, int], float],
) -> None:
    """No module is lost or doubled, the structure is never in pieces, every robot holds on, and an end is told."""
    ends, lost, no_close, no_open, overload = case
    flight = Flight(*ends)
    plant = flight.plant
    plant.lost, plant.overload_at = lost, overload
    plant.no_close, plant.no_open = dict(no_close), dict(no_open)
    flight.fly(3000.0)  # the plant checks itself in every period
    assert flight.executive.finished == flight.reached
    assert flight.executive.finished != bool(flight.executive.stopped)


@settings(max_examples=4, deadline=None, derandomize=True)
@given(CASES)
def test_whatever_fails_no_module_is_lost_or_doubled_and_the_structure_stays_whole(case: Any) -> None:
    keeps_everything(case)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(CASES)
def test_whatever_fails_everything_is_kept_in_many_cases(case: Any) -> None:
    keeps_everything(case)
