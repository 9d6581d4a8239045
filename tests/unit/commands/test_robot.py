"""`freefloat check` on a robot's file: tables, notes, a picture, and exit code 2 with all problems."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from freefloat.cli import main
from freefloat.view.configuration import is_configuration

Outcome = Callable[..., tuple[int, str, str]]
PAGE = Path(__file__).parents[3] / "docs" / "howto" / "bring-your-own-robot.md"


@pytest.fixture
def outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Outcome:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr("freefloat.view.robot_picture.WIDE", 120)  # pixels; what is drawn is tested elsewhere
    monkeypatch.setattr("freefloat.view.robot_picture.HIGH", 140)
    page = PAGE.read_text(encoding="utf-8")
    text = page.split("```xml\n")[1].split("```")[0]
    Path("picker.urdf").write_text(text, encoding="utf-8")
    bad = text.replace('<mass value="8"/>', '<mass value="heavy"/>').replace("<transmission", "<wings/><transmission")
    Path("bad.urdf").write_text(bad, encoding="utf-8")

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return call


def test_a_robot_prints_its_tables_and_what_the_page_shows_and_draws_itself(outcome: Outcome) -> None:
    code, out, err = outcome("check", "picker.urdf")
    assert (code, err) == (0, "")
    shown = PAGE.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    assert shown in out
    for words in ("mass [kg]", "upper_arm", "wrist_roll   revolute   upper_arm, in series", "grip: 1 q", "frames:"):
        assert words in out
    assert out.endswith("picture: picker.png\npicker.urdf: ok (robot)\n")
    assert is_configuration("picker.png")


def test_json_holds_the_same_as_numbers(outcome: Outcome) -> None:
    code, out, _ = outcome("check", "picker.urdf", "--json", "--picture", "drawn/it.png")
    data = json.loads(out)
    assert (code, data["kind"], data["picture"]) == (0, "robot", "drawn/it.png")
    assert data["mass_kg"] == pytest.approx(13.4)
    assert data["joints"][0]["effort"] is None
    assert data["couplings"] == [{"joint": "grip_mirror", "leader": "grip", "coefficients": [0.0, 1.0, 0.0, 0.0, 0.0]}]
    assert len(data["notes"]) == 10


def test_a_robot_with_problems_ends_with_2_and_a_line_for_each(outcome: Outcome) -> None:
    code, out, err = outcome("check", "bad.urdf")
    assert (code, out) == (2, "")
    assert [line.split(": ")[:2] for line in err.splitlines()] == [["error", "bad.urdf:60"], ["error", "bad.urdf:5"]]
    code, _, err = outcome("check", "bad.urdf", "--unsupported", "skip")
    assert (code, len(err.splitlines())) == (2, 1)


def test_what_was_left_out_is_listed(outcome: Outcome) -> None:
    Path("bad.urdf").write_text(Path("bad.urdf").read_text(encoding="utf-8").replace("heavy", "8"), encoding="utf-8")
    code, out, _ = outcome("check", "bad.urdf", "--unsupported", "skip", "--balance", "--search", ".")
    assert code == 0
    assert "left out:\n  bad.urdf:60: <wings>: unknown element\n" in out


def test_a_foreign_file_is_not_replaced_by_the_picture(outcome: Outcome) -> None:
    Path("picker.png").write_bytes(b"mine")
    code, out, err = outcome("check", "picker.urdf")
    assert (code, "picture: not written" in out) == (0, True)
    assert err.startswith("warning: picker.png exists and is no drawing of ours")
    assert Path("picker.png").read_bytes() == b"mine"


def test_options_of_robots_are_refused_elsewhere_and_unknown_values_named(outcome: Outcome) -> None:
    code, _, err = outcome("check", "free-floating-arm", "--balance")
    assert (code, "are for robots" in err) == (2, True)
    code, _, err = outcome("check", "picker.urdf", "--unsupported", "ignore")
    assert (code, err) == (2, "error: unsupported = 'ignore'; allowed: refuse, skip\n")
