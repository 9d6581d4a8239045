"""The walking robot on its stack, with fast joints: the whole job, and settings that make no plan."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.log.reader import read_log
from freefloat.engine.result import Result
from freefloat.engine.session import Session
from freefloat.errors import FreefloatError, InputError
from freefloat.frames import Pose, so3_exp
from freefloat.hand_words import HandState
from freefloat.missions.modular.stack import starting_stack
from freefloat.scenario.files import load
from freefloat.structure.assembly import Assembly
from freefloat.structure.tensor_body import TensorBody

INSTANTS = np.linspace(12.0, 129.0, 10)  # [s], where records are


class Stops:
    """Runs as fast as it can and looks into the tensor bodies at some instants."""

    def __init__(self) -> None:
        self.contents: list[dict[str, TensorBody]] = []

    def advance(self, session: Session, end_ns: int) -> int:
        (assembly,) = (u for u in session.upkeeps if isinstance(u, Assembly))
        for t in INSTANTS:
            session.advance_to(round(1e9 * t))
            self.contents.append({name: body.copy() for name, body in assembly.bodies.items()})
        session.advance_to(end_ns)
        return 0


@pytest.fixture(scope="module")
def logged_job(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, list[dict[str, TensorBody]]]:
    scenario, stops = load("pick-and-place", {"joint_speed": 0.349, "duration": 138.0}), Stops()
    mission = scenario.build()
    log = tmp_path_factory.mktemp("job") / "log.mcap"
    result = mission.complete(mission.session(scenario.seed), scenario.duration, log, pace=stops, strict=True)
    result.metrics = {**mission.judge(result), **result.metrics}
    return result, stops.contents


@pytest.fixture(scope="module")
def shown(logged_job: tuple[Result, list[dict[str, TensorBody]]], shown_by: Any) -> Any:
    return shown_by(logged_job[0].log)


@pytest.fixture(scope="module")
def job(logged_job: tuple[Result, list[dict[str, TensorBody]]]) -> Result:
    return logged_job[0]


def test_the_module_is_placed_well_and_the_robot_walks(job: Result) -> None:
    m = job.metrics
    assert m["place_position_error_m"] <= 1e-3
    assert m["place_attitude_error_deg"] <= 0.1
    assert m["picks"] == m["places"] == m["walked"] == m["plan_completed"] == 1.0
    assert m["safe_stop"] == m["alarms"] == 0.0
    told = [e.name for e in job.events if not e.name.startswith("review.")]
    work = ["b.latch", "b.closed", "b.picked", "b.place", "b.placed", "b.opened"]
    assert told == [*work, "b.latch", "b.closed", "a.opened"]


def test_the_review_is_in_metrics_events_and_log(job: Result) -> None:
    """The planner, which has a clearance of its own, was asked for 20 mm."""
    told = {e.name.removeprefix("review."): e for e in job.events if e.name.startswith("review.")}
    assert told.keys() <= job.metrics.keys()
    assert job.metrics["clearance_min_m"] >= 0.02
    assert job.metrics["approach_clearance_min_m"] == pytest.approx(0.002, abs=1e-4)
    assert 0.99 <= job.metrics["joint_speed_share_max"] <= 1.001
    assert 0.0 < job.metrics["interface_load_share_max"] < 0.1
    assert 0.0 < job.metrics["wheel_momentum_share_max"] < 1.0
    assert job.log is not None
    logged = read_log(job.log).events
    named = {name: (t, text) for t, name, text in logged.iter_rows()}
    for name, event in told.items():
        assert named[f"review.{name}"] == (pytest.approx(event.t, abs=1e-9), event.result)


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


def modules(bodies: dict[str, TensorBody], X_WT: dict[str, Pose]) -> dict[int, tuple[np.ndarray, np.ndarray, str]]:
    """Identity -> p_WM, R_WM and body of every module, from the arrays of the contents alone."""
    found = {}
    for name, body in bodies.items():
        for place in np.flatnonzero(body.shape):
            identity, off = int(body.identity[place]), body.offset[place]
            assert identity not in found
            R_TM = so3_exp(off[:3]) @ body.grid.R_PM[body.orientation[place]]
            p_TM = body.grid.p_TP[place] + off[3:]
            found[identity] = X_WT[name].R @ p_TM + X_WT[name].p, X_WT[name].R @ R_TM, name
    return found


def test_the_log_shows_every_module_where_the_contents_say_at_ten_instants(
    logged_job: tuple[Result, list[dict[str, TensorBody]]], shown: Any
) -> None:
    job, contents = logged_job
    t, homes = job.time("stack.p_WB"), []
    for instant, bodies in zip(INSTANTS, contents, strict=True):
        row = int(np.argmin(np.abs(t - instant)))
        assert t[row] == pytest.approx(instant, abs=1e-9)
        X_WT = {n: Pose.from_quat(job[f"{n}.q_WB"][row], job[f"{n}.p_WB"][row]) for n in bodies}
        there = modules(bodies, X_WT)
        assert len(there) == 27
        scene = shown.at(instant)
        boxes = [(kind, X, size, name) for name in bodies for kind, X, size in scene.get(name, [])]
        assert len(boxes) == 27
        free = set(range(27))
        for identity, (p_WM, R_WM, name) in there.items():
            nearest = min(free, key=lambda k: float(np.linalg.norm(boxes[k][1].p - p_WM)))
            free.remove(nearest)
            kind, X, size, link = boxes[nearest]
            assert (kind, link) == ("cube", name), identity
            assert np.linalg.norm(X.p - p_WM) <= 1e-9
            assert np.abs(X.R - R_WM).max() <= 1e-9
            assert size == pytest.approx([0.99 * 0.4] * 3)
        homes.append(there[26][2])
    assert set(homes) == {"stack", "load_b"}, "the instants are before, amid and after the move"
    assert homes[0] == homes[-1] == "stack"


def test_the_log_has_every_named_frame_where_its_signals_say(job: Result, shown: Any) -> None:
    named = [name.removesuffix(".p_WF") for name in job.signals if name.endswith(".p_WF")]
    assert {"wm.end_a", "wm.end_b", "wm.tool"} <= set(named)
    t = job.time("stack.p_WB")
    for instant in INSTANTS:
        row = int(np.argmin(np.abs(t - instant)))
        for name in named:
            X = shown.X(name, round(1e9 * instant))
            there = Pose.from_quat(job[f"{name}.q_WF"][row], job[f"{name}.p_WF"][row])
            assert np.abs(X.matrix() - there.matrix()).max() <= 1e-9, name


def test_the_scene_is_written_again_at_the_instants_of_the_changes_and_only_then(job: Result, shown: Any) -> None:
    updates = shown.updates
    moved = [e.t for e in job.events if e.name in ("b.picked", "b.placed")]
    assert [stamp for stamp, _, _ in updates] == [0, *(round(1e9 * t) for t in moved)]
    (_, _, start), (_, gone, carried), (_, left, end) = updates
    assert [len(e.get("stack", [])) for e in (start, carried, end)] == [27, 26, 27]
    assert ("load_b" in start, len(carried["load_b"]), "load_b" in end) == (False, 1, False)
    assert (gone, left) == ([], ["load_b"])
    assert start.keys() | {"load_b"} == carried.keys(), "every message is whole"


def test_a_result_knows_what_was_where(logged_job: tuple[Result, list[dict[str, TensorBody]]]) -> None:
    job, contents = logged_job
    for instant, bodies in zip(INSTANTS, contents, strict=True):
        scene = job.scene_at(instant)
        there = modules(bodies, {n: scene.poses[n] for n in bodies})
        drawn = np.array([X.p for _, link, _, X in scene if link in bodies])
        assert len(drawn) == 27
        for p_WM, _, _ in there.values():
            assert np.linalg.norm(drawn - p_WM, axis=1).min() <= 1e-9


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


def test_the_placing_error_is_measured_against_the_plan(job: Result) -> None:
    changes = {"joint_speed": 0.349}, {"place": [0, 2, 3]}
    planned, other = (load("pick-and-place", changed).build().judge(job) for changed in changes)
    assert planned["place_position_error_m"] < 1e-3
    assert planned["place_attitude_error_deg"] < 0.1
    assert other["place_position_error_m"] > 0.1
    assert other["modules_misplaced"] > 0


@pytest.mark.parametrize(
    ("changes", "step"),
    [({}, 4e-3), ({"eta": 1000.0}, 2.5e-3), ({"fault": "collision"}, 1e-3), ({"integrator.step": 2e-3}, 2e-3)],
)
def test_it_steps_as_long_as_its_parts_allow(changes: dict[str, Any], step: float) -> None:
    assert load("pick-and-place", changes).build().session().world.step == step


@pytest.mark.parametrize(("changes", "least", "most"), [({}, 0.0, 0.01), ({"onboard_mass_error": 0.05}, 0.02, 0.1)])
def test_feedforward_keeps_the_stack_still_while_the_module_is_carried(
    changes: dict[str, float], least: float, most: float
) -> None:
    """The first minute; the whole run stays within the same limits."""
    result = ff.run("pick-and-place", changes, duration=60.0)
    assert result["modules.b.state"][-1, 0] == HandState.CARRYING
    assert least <= result.metrics["pointing_error_max_deg"] <= most
    assert result.metrics["tracking_error_max_rad"] < 1e-3
    assert np.abs(result["wheels.tau_applied"]).max() < 0.4, "wheels do not saturate"
