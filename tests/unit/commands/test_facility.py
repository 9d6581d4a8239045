"""`freefloat facility check`, and `freefloat log export --format epos`: messages and exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from freefloat.cli import main
from freefloat.facility.trajectory import Trajectory, write_trajectory
from freefloat.facility.user_tool import FIG24, write_user_tools

Outcome = Callable[..., tuple[int, str, str]]


def _rows() -> np.ndarray:
    values = np.zeros((50, 22))
    values[:, 0], values[:, 7], values[:, 21] = 5.0, 1.9, 1.5
    return values


def _write(name: str, values: np.ndarray) -> None:
    write_trajectory(name, Trajectory(np.full(len(values), 2), values))


@pytest.fixture
def outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Outcome:
    monkeypatch.chdir(tmp_path)
    _write("good.txt", _rows())
    jump = _rows()
    jump[20:, 0] += 0.1
    _write("jump.txt", jump)
    far = _rows()
    far[9:, 7] = 4.5
    _write("far.txt", far)
    write_user_tools("user_tool.val", FIG24)
    lines = Path("good.txt").read_text(encoding="utf-8").splitlines()
    Path("columns.txt").write_text("\n".join([*lines[:4], lines[4].rsplit(" ", 1)[0]]), encoding="utf-8")
    Path("frame.txt").write_text("\n".join([*lines[:4], "7" + lines[4][1:]]), encoding="utf-8")
    Path("nan.txt").write_text(lines[0].replace("1.5", "nan"), encoding="utf-8")
    Path("empty.txt").write_text("", encoding="utf-8")
    Path("bad.val").write_text("USER_ROB1_TOOL_X=0\n", encoding="utf-8")

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return call


def test_a_trajectory_that_is_executed_is_ok(outcome: Outcome) -> None:
    code, out, err = outcome("facility", "check", "good.txt", "--tool", "user_tool.val")
    assert (code, err) == (0, "")
    assert "smallest clearance: " in out
    assert out.splitlines()[-1] == "good.txt: ok (GLC, 50 lines, 0.196 s)"
    found = json.loads(outcome("facility", "check", "good.txt", "--json")[1])
    assert (found["ok"], found["lines"], found["frames"], found["findings"]) == (True, 50, ["GLC"], [])
    assert found["clearance"]["distance_m"] > 0.05
    assert found["extremes"]["rail E1"]["most"] == pytest.approx(6.55)


def test_a_trajectory_that_is_not_executed_ends_with_1_and_says_where(outcome: Outcome) -> None:
    code, out, err = outcome("facility", "check", "jump.txt")
    assert (code, err) == (1, "")
    assert "jump.txt:21: rail E1 speed 25 m/s; allowed: at most 1.45 m/s\n" in out
    assert out.splitlines()[-1] == "jump.txt: not executable: 3 limits broken (GLC, 50 lines, 0.196 s)"
    code, out, _ = outcome("facility", "check", "far.txt", "--json")
    assert code == 1
    (finding,) = json.loads(out)["findings"]
    assert (finding["kind"], finding["device"], finding["line"], finding["lines"]) == ("reach", "rob2", 10, 41)
    assert (finding["unit"], finding["limit"]) == ("m", 0.0)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("columns.txt",), "columns.txt:5: 22 columns; allowed: 23, a frame and 22 numbers"),
        (("frame.txt",), "frame.txt:5: frame '7'; allowed: 1 = CLW, 2 = GLC, 3 = IJT, 4 = IDC"),
        (("nan.txt",), "nan.txt:1: column 23 (data lin) 'nan'; allowed: a finite number"),
        (("empty.txt",), "empty.txt: no line; allowed: one or more, of 23 columns"),
        (("none.txt",), "none.txt: trajectory cannot be read: No such file or directory"),
        (("good.txt", "--tool", "bad.val"), "bad.val: missing USER_ROB1_TOOL_Y"),
        (("good.txt", "--margin", "-1"), "clearance: margin -1.0 m; allowed: from 0 to below 10"),
    ],
)
def test_bad_input_is_one_message_and_2(outcome: Outcome, arguments: tuple[str, ...], told: str) -> None:
    code, out, err = outcome("facility", "check", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"error: {told}")


def test_mock_ups_can_be_left_out(outcome: Outcome) -> None:
    near = _rows()
    near[:, 0] = 1.9 + 0.1
    _write("near.txt", near)
    code, out, _ = outcome("facility", "check", "near.txt")
    assert code == 1
    assert "clearance of rob1 " in out
    assert outcome("facility", "check", "near.txt", "--bare")[0] == 0


def test_a_log_without_a_facility_has_no_trajectory(outcome: Outcome, tmp_path: Path) -> None:
    import freefloat as ff

    ff.Mission([ff.RigidBody("bus")]).run(0.01, log=tmp_path / "log.mcap")
    code, out, err = outcome("log", "export", str(tmp_path), "--format", "epos")
    assert (code, out) == (2, "")
    assert err.endswith("no signal cmd.mode; allowed: the log of a run of the docking facility\n")
