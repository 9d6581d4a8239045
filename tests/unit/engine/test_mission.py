"""A mission is made of parts or of their blueprint, and comes with what becomes of its runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

import freefloat as ff
from freefloat.api import execute
from freefloat.engine.blueprint import Blueprint, draw
from freefloat.errors import InputError, SimulationError
from freefloat.scenario.base import Scenario


def parts() -> list[ff.Part]:
    bus = ff.RigidBody("bus", frames={"port": ff.Pose.identity()}, motion=ff.Motion(w_WL_L=(0.1, 0.2, 0.3)))
    return [bus, ff.RigidBody("load", motion=ff.Motion(ff.Pose.from_rpy((0, 0, 0), (3.0, 0.0, 0.0))))]


DOCK = ff.Connection("dock", "bus.port", "load")


def test_a_blueprint_gives_the_mission_of_its_parts() -> None:
    rows = [ff.uniform_gravity((0.0, 0.0, -1.0))]
    drawn = ff.Mission(draw(parts(), [DOCK], rows)).run(1.0)
    listed = ff.Mission(parts(), connections=[DOCK], rows=rows).run(1.0)
    assert set(drawn.signals) == set(listed.signals)
    assert drawn["bus.q_WB"].tobytes() == listed["bus.q_WB"].tobytes()
    assert drawn["load.v_WB"][-1, 2] == pytest.approx(-1.0)


def test_a_blueprint_may_be_one_of_several_worlds_and_its_parts_count_as_its_own() -> None:
    a, b = draw([ff.RigidBody("a")]), draw([ff.RigidBody("b")])
    worlds = [ff.WorldSetup("one", a), ff.WorldSetup("two", b)]
    assert ff.Mission(worlds=worlds).run(0.1).duration == pytest.approx(0.1)
    with pytest.raises(InputError, match="'a' is in the worlds 'one' and 'two'"):
        ff.Mission(worlds=[ff.WorldSetup("one", a), ff.WorldSetup("two", [ff.RigidBody("a")])])


@pytest.mark.parametrize("more", [{"connections": [DOCK]}, {"rows": [ff.uniform_gravity((0.0, 0.0, -1.0))]}])
def test_connections_and_rows_beside_a_blueprint_are_refused(more: dict) -> None:
    with pytest.raises(InputError, match="those with which it was drawn"):
        ff.Mission(draw(parts()), **more)


class Judged(Scenario):
    """A scenario whose mission is given."""

    kind: ClassVar[str] = "judged"
    title: ClassVar[str] = "for tests"
    mission: ClassVar[ff.Mission]

    def build(self) -> ff.Mission:
        return self.mission


def judged(**settings: object) -> Judged:
    Judged.mission = ff.Mission(parts(), **settings)
    return Judged(duration=0.1)


@pytest.mark.usefixtures("undrawn")
def test_a_run_calls_the_judge_and_the_writers_with_its_folder(tmp_path: Path) -> None:
    def write(result: ff.Result, out: Path) -> None:
        (out / "own.txt").write_text(f"{result.metrics['last']:.1f}")

    scenario = judged(judge=lambda result: {"last": result.duration}, plots=["bus.q_WB[0]"], writers=[write])
    result = execute(scenario, out=tmp_path)
    assert result.metrics["last"] == pytest.approx(0.1)
    assert (tmp_path / "own.txt").read_text() == "0.1"
    assert (tmp_path / "plots" / "bus.q_WB[0].png").exists()
    assert "last" not in scenario.build().run(0.1).metrics


@pytest.mark.parametrize("name", ["bus.q", "bus.q_WB[4]"])
def test_a_plot_of_what_is_no_signal_is_refused_before_the_run(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"bus\.q"):
        execute(judged(plots=[name]), out=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_result_tells_whether_a_signal_was_recorded() -> None:
    result = ff.Mission(parts()).run(0.1)
    assert "bus.q_WB" in result
    assert "bus.x" not in result


@pytest.mark.parametrize("given", [Blueprint(), []])
def test_a_mission_without_a_body_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match="no part with a body"):
        ff.Mission(given)


def test_a_blueprint_among_parts_is_refused() -> None:
    with pytest.raises(InputError, match="in their place"):
        ff.Mission([draw(parts())])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "given",
    [{"judge": 3}, {"plots": "bus.q_WB"}, {"plots": [3]}, {"plots": None}, {"writers": print}, {"writers": ["x"]}],
)
def test_what_would_fail_after_the_run_is_refused_before_it(given: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(given))} .*allowed"):
        ff.Mission(parts(), **given)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("answer", [None, [1.0], {"a": "3"}, {"a": None}, {"a": [1.0, 2.0]}, {3: 1.0}])
def test_a_judge_that_returns_no_numbers_ends_in_one_message_and_the_files_stay(answer: Any, tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="metrics of 'judged'"):
        execute(judged(judge=lambda result: answer), out=tmp_path)
    assert {"metrics.json", "log.mcap", "plots"} <= {p.name for p in tmp_path.iterdir()}


@pytest.mark.usefixtures("undrawn")
def test_a_writer_that_fails_is_named_and_the_others_still_write(tmp_path: Path) -> None:
    def broken(result: ff.Result, out: Path) -> None:
        raise OSError("disk full")

    with pytest.raises(SimulationError, match="broken of 'judged': OSError: disk full"):
        execute(judged(writers=[broken, lambda result, out: (out / "kept.txt").touch()]), out=tmp_path)
    assert (tmp_path / "kept.txt").exists()


def test_a_scenario_that_builds_no_mission_is_told() -> None:
    scenario = judged()
    Judged.mission = None  # type: ignore[assignment]
    with pytest.raises(InputError, match=r"build\(\) returned None"):
        execute(scenario)


@pytest.mark.parametrize("name", ["metrics", "plots", "write", "modules", "track"])
def test_a_scenario_with_a_method_that_nobody_calls_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"Old: method '{name}'.*judge, plots, writers"):
        type("Old", (Scenario,), {name: lambda self: None, "__module__": __name__})
