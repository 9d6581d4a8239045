"""Tables 5.4 and 5.5: means over seeds beside the published numbers; the runs themselves are replaced."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from freefloat.api import run
from freefloat.cli import main
from freefloat.errors import InputError
from freefloat.missions.platform import control as platform_control
from freefloat.missions.platform import tables as reacsa
from freefloat.scenario.files import load
from freefloat.workers.many import metrics_of

DONE: list[tuple[str, dict[str, Any]]] = []


def quick(runs: Any, workers: int, progress: Any) -> list[dict[str, float]]:
    """Numbers that tell seed and place: `rms_x_m` is the seed, and seed 1 misses the end."""
    found = []
    for name, changes in runs:
        DONE.append((name, changes))
        seed = float(changes["seed"])
        trajectory = name.removeprefix("reacsa-")
        numbers = {column: seed + 10.0 * len(trajectory) for column in (*reacsa.COLUMNS, *reacsa.THRUSTERS)}
        found.append({**numbers, "rms_x_m": seed, "end_reached": float(seed != 1.0), "another_m": 5.0})
        progress(len(found), len(runs))
    return found


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    DONE.clear()
    monkeypatch.setattr(reacsa, "metrics_of", quick)


def outcome(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    printed = capsys.readouterr()
    return int(end.value.code or 0), printed.out, printed.err


def test_every_trajectory_floor_controller_and_condition_is_a_cell_of_all_seeds() -> None:
    told: list[tuple[int, int]] = []
    cells = reacsa.make(
        ("paper", "best"), ("nominal", "robust"), seeds=3, progress=lambda done, of: told.append((done, of))
    )
    assert len(cells) == 3 * 2 * 2 * 2
    assert len(DONE) == 72
    assert told[-1] == (72, 72)
    assert len({(c.trajectory, c.floor, c.controller, c.condition) for c in cells}) == len(cells)
    for cell in cells:
        assert cell.seeds == 3
        assert cell.means["rms_x_m"] == 1.0
        assert cell.worst["rms_x_m"] == 2.0
        assert cell.means["end_reached"] == pytest.approx(2.0 / 3.0)
        assert cell.worst["end_reached"] == 0.0
        assert cell.means["rms_y_m"] == 1.0 + 10.0 * len(cell.trajectory), "a cell has its own runs"
        assert set(cell.means) == {*reacsa.COLUMNS, *reacsa.THRUSTERS}


def test_contact_and_floor_seed_reach_every_run() -> None:
    reacsa.make(("paper",), seeds=2, contact="three", floor_seed=7)
    assert {(changes["floor.contact"], changes["floor.seed"]) for _, changes in DONE} == {("three", 7)}
    assert {changes["seed"] for _, changes in DONE} == {0, 1}


def test_a_run_is_the_scenario_with_the_conditions_changes() -> None:
    name, changes = reacsa._run("circle", "uneven", "best", "robust", "three", 4, 9)
    assert (name, changes["seed"], changes["floor.seed"]) == ("reacsa-circle", 9, 4)
    assert changes["capture.delay"] == 0.02
    assert (changes["controller"], changes["floor.kind"], changes["floor.contact"]) == ("best", "uneven", "three")
    short = {**changes, "duration": 1.0}
    assert metrics_of([(name, short)]) == [run(name, short).metrics]


@pytest.mark.parametrize("condition", sorted(reacsa.CONDITIONS))
@pytest.mark.parametrize("trajectory", reacsa.TRAJECTORIES)
def test_every_condition_is_made_of_settings_that_exist(condition: str, trajectory: str) -> None:
    load(f"reacsa-{trajectory}", {"controller": "paper", **reacsa.CONDITIONS[condition]})


def test_the_controllers_of_the_tables_are_those_of_the_scenarios() -> None:
    assert set(reacsa.CONTROLLERS) == set(platform_control.ControllerName.__args__)


def test_the_published_numbers_are_those_of_the_paper() -> None:
    for (trajectory, floor), numbers in reacsa.PUBLISHED.items():
        x, y, both = (numbers[f"rms_{n}_m"] for n in ("x", "y", "position"))
        assert both == pytest.approx(np.hypot(x, y), rel=0.01), (trajectory, floor)
    assert reacsa.PUBLISHED["line", "flat"]["total_on_time_s"] == 7.90
    assert reacsa.PUBLISHED["s", "uneven"]["rms_angle_deg"] == 0.136


def test_lines_stand_under_the_published_ones_and_leave_unknown_numbers_out() -> None:
    lines = reacsa.rows(reacsa.make(("paper",), seeds=1))
    assert len(lines) == 12
    assert [line[2] for line in lines] == ["published", "paper"] * 6
    assert all(len(line) == 4 + len(reacsa.COLUMNS) for line in lines)
    assert lines[0][4:10] == ("0.0216", "0.0430", "0.0481", "3.42", "7.9", "1.72")
    assert lines[2][9] == "", "no optimum is published for the uneven floor"
    assert lines[0][10:] == ("", "")


def test_a_cell_as_json_has_the_published_numbers_and_no_gaps() -> None:
    cell = next(c for c in reacsa.make(("paper",), seeds=1) if c.floor == "uneven")
    data = json.loads(json.dumps(cell.to_json(), allow_nan=False))
    assert data["controller"] == "paper"
    assert "slope_on_time_s" not in data["published"]
    assert data["published"]["rms_x_m"] == 0.0531


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"controllers": ("papre",)}, r"controller 'papre' is unknown; allowed: paper, best, mpc"),
        ({"conditions": ("calm",)}, r"condition 'calm' is unknown; allowed: nominal, strength, robust"),
        ({"contact": "two"}, r"contact 'two' is unknown; allowed: single, three"),
        ({"seeds": 0}, r"0 seeds, 1 jobs; allowed: 1 or more"),
        ({"jobs": 0}, r"10 seeds, 0 jobs; allowed: 1 or more"),
    ],
)
def test_what_does_not_exist_is_refused_before_any_run(options: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        reacsa.make(**options)
    assert DONE == []


def test_the_command_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome(capsys, "tables", "--seeds", "1", "--controllers", "paper")
    assert code == 0
    assert len(DONE) == 6
    assert out.count("published") == 6 + 12  # Table 5.4, and twice in each block of Table 5.5
    assert "rms_position_m" in out
    for trajectory in reacsa.TRAJECTORIES:
        assert trajectory in out


def test_the_command_gives_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome(
        capsys, "tables", "--seeds", "2", "--controllers", "paper,mpc", "--conditions", "strength", "--json"
    )
    assert code == 0
    cells = json.loads(out)
    assert len(cells) == 12
    assert {c["condition"] for c in cells} == {"strength"}


def test_the_command_refuses_an_unknown_controller(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = outcome(capsys, "tables", "--seeds", "1", "--controllers", "papre")
    assert code == 2
    assert out == ""
    assert err.strip().splitlines()[-1] == "error: controller 'papre' is unknown; allowed: paper, best, mpc"
    assert DONE == []


def test_the_published_on_times_of_the_thrusters_sum_to_the_published_totals() -> None:
    for place, each in reacsa.ON_TIMES.items():
        assert sum(each) == pytest.approx(reacsa.PUBLISHED[place]["total_on_time_s"], rel=0.01), place
    for trajectory, each in reacsa.OPTIMA.items():
        assert sum(each) == pytest.approx(reacsa.PUBLISHED[trajectory, "flat"]["slope_on_time_s"], rel=0.01)
