"""The walking robot on its stack, with fast joints: the whole job, and settings that make no plan."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from freefloat.api import run
from freefloat.engine.result import Result
from freefloat.errors import FreefloatError, InputError
from freefloat.missions.stack_reconfiguration import starting_stack
from freefloat.scenario.files import load
from freefloat.structure.hand import HandState


@pytest.fixture(scope="module")
def job() -> Result:
    return run("pick-and-place", {"joint_speed": 0.349}, duration=138.0, strict=True)


def test_the_module_is_placed_well_and_the_robot_walks(job: Result) -> None:
    m = job.metrics
    assert m["place_position_error_m"] <= 1e-3
    assert m["place_attitude_error_deg"] <= 0.1
    assert m["picks"] == m["places"] == m["walked"] == m["plan_completed"] == 1.0
    assert m["safe_stop"] == m["alarms"] == 0.0
    told = [e.name for e in job.events]
    work = ["b.latch", "b.closed", "b.picked", "b.place", "b.placed", "b.opened"]
    assert told == [*work, "b.latch", "b.closed", "a.opened"]


def test_no_module_is_lost_doubled_or_dark_and_every_balance_holds(job: Result) -> None:
    m = job.metrics
    assert m["modules_lost"] == m["modules_doubled"] == m["modules_unpowered"] == 0.0
    assert m["modules_powered"] == 27.0
    for name in ("linear_momentum_drift", "angular_momentum_drift", "energy_drift", "mass_drift"):
        assert m[f"audit.{name}"] <= 1e-9, name
    assert m["heat_balance_error"] <= 1e-8
    assert m["constraint_violation_m"] <= 1e-9


def test_the_carried_module_stays_powered_through_the_robot(job: Result) -> None:
    state = job["modules.b.state"][:, 0]
    carried = state == HandState.CARRYING
    assert np.unique(job["load_b.identity"][carried][5:, 0]).tolist() == [26.0]
    assert job["load_b.powered"][carried][:, 0].min() == 1.0
    mass = job["modules.mass"]
    assert np.ptp(mass[:, 0]) == 0.0
    assert not mass[:, 1].any(), "nothing free is empty"


def test_the_contents_end_as_planned(job: Result) -> None:
    grid, end = starting_stack().grid, job["stack.identity"][-1]
    assert end[grid.index((0, 1, 3))] == 26.0
    assert end[grid.index((2, 1, 2))] == 0.0


def test_the_temperature_of_the_module_goes_with_it(job: Result) -> None:
    when = next(e.t for e in job.events if e.name == "b.picked")
    t = job.time("stack.temperature")
    before = job["stack.temperature"][np.searchsorted(t, when) - 1, starting_stack().grid.index((2, 1, 2))]
    after = job["load_b.temperature"][np.searchsorted(t, when) + 1, 0]
    assert after == pytest.approx(before, abs=0.1)


@pytest.mark.parametrize(
    "changes",
    [
        {"place": (2, 2, 2)},  # occupied
        {"pick": (0, 0, 4)},  # empty
        {"place": (9, 9, 9)},  # outside of the grid
    ],
)
def test_a_job_that_cannot_be_planned_is_one_clear_error(changes: dict[str, Any]) -> None:
    with pytest.raises((InputError, FreefloatError), match=r"place|cell|grid|no module"):
        load("pick-and-place", changes).build()


@pytest.mark.parametrize(
    "changes",
    [
        {"foot": [1, 1, 3]},
        {"walk": [1, 2, 3]},
        {"walk": [2, 1, 2]},
        {"walk": [1, 1, 2]},
        {"place": [2, 1, 3]},
        {"pick": [1, 1, 2]},
    ],
)
def test_what_cannot_be_done_is_refused_before_the_run(changes: dict[str, list[int]]) -> None:
    with pytest.raises(InputError, match=next(iter(changes))):
        load("pick-and-place", changes).build()


def test_the_placing_error_is_measured_against_the_plan() -> None:
    result = run("pick-and-place", {"joint_speed": 0.349, "record_rate": 10.0}, duration=92.0)
    planned, other = load("pick-and-place", {"joint_speed": 0.349}), load("pick-and-place", {"place": [0, 2, 3]})
    assert planned.metrics(result)["place_position_error_m"] < 1e-3
    assert planned.metrics(result)["place_attitude_error_deg"] < 0.1
    assert other.metrics(result)["place_position_error_m"] > 0.1
    assert other.metrics(result)["modules_misplaced"] > 0
