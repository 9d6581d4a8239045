from pathlib import Path

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.facility.trajectory import Trajectory, write_trajectory
from freefloat.missions.facility.courses import Approach
from freefloat.scenario.files import load

SHORT = {"approach.far": "2 m", "approach.near": "1.5 m", "approach.speed": "0.5 m/s", "duration": "9 s"}


@pytest.mark.parametrize("joints", ["rigid", "elastic"])
def test_an_approach_is_executed_row_by_row_a_delay_later(joints: str) -> None:
    m = ff.run("epos-approach", {**SHORT, "facility.joints": joints, "facility.delay": "10.3 ms"}, strict=True).metrics
    assert m["rows_missing"] == 0.0
    assert m["tracking_error_m"] < 1e-8
    assert m["distance_end_m"] == pytest.approx(1.5, abs=1e-6 if joints == "rigid" else 0.02)


def test_rows_that_were_not_executed_are_counted() -> None:
    m = ff.run("epos-approach", {**SHORT, "duration": "8 s"}).metrics
    assert 50.0 < m["rows_missing"] < m["rows"]


def test_a_file_beyond_a_limit_stops_in_the_line_that_breaks_it(tmp_path: Path) -> None:
    rows = Approach(far=2.0, near=1.5, speed=0.5).trajectory()
    values = np.array(rows.values)
    values[300:, 0] += 0.1  # a jump of the rail
    write_trajectory(tmp_path / "jump.txt", Trajectory(rows.frames, values))
    result = ff.run("epos-approach", {"trajectory": str(tmp_path / "jump.txt"), "duration": "9 s"})
    operation = result.controllers["fmc"].operation
    assert result.metrics["rows_missing"] == len(rows) - 300
    assert operation.reason.cause == "jump"
    assert operation.state == "idle"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"approach.near": "3 m"}, r"approach\.near: 3 m; allowed: below approach\.far 2 m"),
        ({"trajectory": "none.txt"}, r"trajectory: .*none\.txt"),
        ({"facility.tool": "none.val"}, r"facility\.tool: .*none\.val"),
        (
            {"facility.equipment1": [{"name": "anvil", "mass": "60 kg"}]},
            r"facility: .*equipment1.* kg.*allowed",
        ),
        (
            {"facility.equipment2": [{"name": "heater", "outlet": "24 V", "current": "3 A"}]},
            r"facility\.equipment2\.0: .*heater.*3 A.*2\.5 A",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_place_value_and_what_is_allowed(changes: dict, told: str) -> None:
    with pytest.raises(InputError, match=told):
        load("epos-approach", {**SHORT, **changes}).build()


def test_errors_of_the_robots_show_in_the_links_and_a_calibration_takes_most_of_them() -> None:
    off = {}
    for kind in ("raw", "calibrated"):
        m = ff.run("epos-approach", {**SHORT, "facility.accuracy": kind}, strict=True).metrics
        assert m["tracking_error_m"] < 1e-9  # encoders are where they are told to be
        off[kind] = m["executed_error_m"]
    assert off["raw"] > 3e-3
    assert off["calibrated"] < 0.3 * off["raw"]
