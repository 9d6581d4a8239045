"""`freefloat drives`, and `freefloat check` on files of drives."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from freefloat.cli import main

Outcome = Callable[..., tuple[int, str, str]]
ONE = "kind: drives\nschema: 1\ndrives:\n  elbow: {about: mine, gear: {ratio: 100}}\n"
TWO = ONE + "  hip: {motor: {kind: ideal}, friction: {bristle_damping: 100 N m s/rad}}\n"


@pytest.fixture
def outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Outcome:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    Path("one.yaml").write_text(ONE, encoding="utf-8")
    Path("two.yaml").write_text(TWO, encoding="utf-8")
    Path("bad.yaml").write_text(TWO.replace("ratio: 100", "ratio: -1").replace("ideal", "idle"), encoding="utf-8")

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return call


def test_without_a_name_the_shipped_drives_are_listed(outcome: Outcome) -> None:
    code, out, err = outcome("drives")
    assert (code, err) == (0, "")
    lines = {line.split()[0]: line.split() for line in out.splitlines()}
    assert lines["spider-shoulder"][1:4] == ["160", "160", "3"]
    assert {"spider-wrist", "walker", "industrial-axis"} <= set(lines)
    rows = json.loads(outcome("drives", "--json")[1])
    assert rows[0]["stall_torque_Nm"] == pytest.approx(160.0)


def test_a_drive_shows_parameters_equations_and_what_follows(outcome: Outcome) -> None:
    code, out, err = outcome("drives", "spider-shoulder", "--inertia", "70 kg m^2")
    assert (code, err) == (0, "")
    for words in ("parameters:", "SPIDER (Ferretti and others 2004)", "equations:", "tau_s = k1 ds + k3 ds^3"):
        assert words in out
    lines = {line.split()[0]: line.split() for line in out.splitlines() if line}
    assert lines["gear.stiffness"][1:4] == ["10000", "N", "m/rad"]
    assert lines["load_inertia"][1] == "70"
    assert lines["locked_resonance"][1:3] == ["1.90227", "Hz"]


def test_json_of_a_drive_is_one_object_without_infinities(outcome: Outcome) -> None:
    code, out, err = outcome("drives", "two.yaml:hip", "--json")
    data = json.loads(out)
    assert (code, err, data["name"]) == (0, "", "hip")
    assert set(data) == {"name", "about", "source", "parameters", "equations", "behaviour", "remarks"}
    values = {row["name"]: row["value"] for row in data["behaviour"]}
    assert values["joint_speed"] is None
    assert {row["name"]: row["source"] for row in data["parameters"]}["gear.ratio"] == "default"
    assert "the friction may give energy" in data["remarks"][0]


def test_a_file_with_one_drive_shows_it_and_one_with_several_lists_them(outcome: Outcome) -> None:
    assert outcome("drives", "one.yaml")[1].startswith("elbow: mine\n")
    code, out, _ = outcome("drives", "two.yaml")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["drive", "elbow", "hip"]
    code, out, err = outcome("drives", "two.yaml:hip")
    assert code == 0
    assert err.startswith("warning: drive 'hip': the friction may give energy")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("spider-sholder",), "error: unknown drive 'spider-sholder'. Did you mean 'spider-shoulder'?"),
        (("walker", "--inertia", "70 kg"), "error: --inertia: '70 kg' has the wrong dimension"),
        (("walker", "--inertia", "-1"), "error: --inertia -1; allowed: > 0 kg m^2"),
        (("two.yaml", "--inertia", "1"), "error: --inertia 1: of one drive only; allowed: a name of elbow, hip"),
        (("two.yaml:hop",), "error: unknown drive of two.yaml 'hop'. Did you mean 'hip'?"),
        (("none.yaml",), "error: none.yaml: no such file"),
    ],
)
def test_bad_input_ends_with_2_and_says_what_is_allowed(
    outcome: Outcome, arguments: tuple[str, ...], words: str
) -> None:
    code, out, err = outcome("drives", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(words)


def test_check_knows_files_of_drives(outcome: Outcome) -> None:
    assert outcome("check", "one.yaml") == (0, "one.yaml: ok (drives: elbow)\n", "")
    code, out, err = outcome("check", "two.yaml")
    assert (code, out) == (0, "two.yaml: ok (drives: elbow, hip)\n")
    assert err.startswith("warning: two.yaml: drive 'hip': the friction may give energy")
    found = json.loads(outcome("check", "two.yaml", "--json")[1])
    assert (found["kind"], found["ok"], found["drives"]) == ("drives", True, ["elbow", "hip"])
    assert json.loads(outcome("check", "bad.yaml", "--schema")[1])["properties"]["kind"]["const"] == "drives"


def test_check_names_every_error_of_a_file_of_drives_with_its_place(outcome: Outcome) -> None:
    code, out, err = outcome("check", "bad.yaml")
    assert (code, out) == (2, "")
    first, second = err.splitlines()
    assert first.startswith("error: bad.yaml:4:38: drives.elbow.gear.ratio: -1 is out of range; allowed: > 0")
    assert second.startswith("error: bad.yaml:5:23: drives.hip.motor.kind: 'idle' is not known; did you mean 'ideal'?")
    assert "only a design is drawn" in outcome("check", "one.yaml", "--picture", "a.png")[2]
