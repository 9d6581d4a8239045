"""`freefloat check` on a design: tables, a drawing, and exit code 2 where the design has errors."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from freefloat.cli import main
from freefloat.view.configuration import is_configuration

Outcome = Callable[..., tuple[int, str, str]]
GOOD = """kind: design
schema: 1
catalogue: mosar
grid: {size: [1, 1, 2]}
modules:
  - {id: 1, type: solar, cell: [0, 0, 0]}
  - {id: 2, type: payload, cell: [0, 0, 1]}
loads: {push: {acceleration: [0, 0, 1]}}
"""


@pytest.fixture
def outcome(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Outcome:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr("freefloat.view.design_picture.WIDE", 120)  # pixels; what is drawn is tested elsewhere
    monkeypatch.setattr("freefloat.view.design_picture.HIGH", 140)
    (tmp_path / "good.yaml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(GOOD.replace("cell: [0, 0, 1]", "cell: [0, 0, 0]"), encoding="utf-8")

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        captured = capsys.readouterr()
        return int(end.value.code or 0), captured.out, captured.err

    return call


def test_a_good_design_prints_its_tables_and_draws_itself(outcome: Outcome) -> None:
    code, out, err = outcome("check", "good.yaml")
    assert (code, err) == (0, "")
    assert out.endswith("drawing: good.png\ngood.yaml: ok (design)\n")
    for words in ("mass [kg]", "cm in T [m]", "principal moments", "demand [W]", "loads push, pushed at module 1"):
        assert words in out
    assert is_configuration("good.png")
    assert sorted(p.name for p in Path().iterdir()) == ["bad.yaml", "good.png", "good.yaml"]


def test_a_bad_design_ends_with_2_and_still_shows_what_was_found(outcome: Outcome) -> None:
    code, out, err = outcome("check", "bad.yaml", "--picture", "drawn/it.png")
    assert (code, err) == (2, "error: bad.yaml: the design has 1 error\n")
    assert "bad.yaml:7:5  module 2 (payload) in cell (0, 0, 0)  overlaps module 1" in out
    assert Path("drawn/it.png").exists()


def test_a_foreign_picture_of_that_name_is_left_alone_and_an_own_one_replaced(outcome: Outcome) -> None:
    Path("good.png").write_bytes(b"holiday")
    code, out, err = outcome("check", "good.yaml")
    assert code == 0
    assert err.startswith("warning: good.png exists and is no drawing")
    assert "drawing: not written" in out
    assert Path("good.png").read_bytes() == b"holiday"
    Path("good.png").unlink()
    assert outcome("check", "good.yaml")[2] == ""
    assert outcome("check", "good.yaml")[::2] == (0, "")


def test_json_is_the_whole_report_and_nothing_else(outcome: Outcome) -> None:
    code, out, err = outcome("check", "good.yaml", "--json")
    data = json.loads(out)
    assert (code, err, data["ok"], data["kind"], data["picture"]) == (0, "", True, "design", "good.png")
    assert data["mass_kg"] == 17.0
    assert [m["power"] for m in data["modules"]] == ["powered", "powered"]
    assert data["loads"]["push"][0]["axial_N"] == pytest.approx(8.0)
    code, out, _ = outcome("check", "bad.yaml", "--json")
    assert code == 2
    assert json.loads(out)["findings"][0]["message"] == "overlaps module 1"


def test_the_schema_of_a_design_needs_no_valid_design(outcome: Outcome) -> None:
    Path("stub.yaml").write_text("kind: design\n", encoding="utf-8")
    code, out, _ = outcome("check", "stub.yaml", "--schema")
    assert code == 0
    assert json.loads(out)["properties"]["kind"]["const"] == "design"
    assert outcome("check", "stub.yaml")[0] == 2


def test_scenarios_have_no_picture_but_json(outcome: Outcome) -> None:
    code, _, err = outcome("check", "planar-two-link", "--picture", "a.png")
    assert code == 2
    assert "only a design is drawn" in err
    code, out, _ = outcome("check", "planar-two-link", "--json")
    told = {"file": "planar-two-link", "kind": "planar-two-link", "ok": True, "notes": []}
    assert (code, json.loads(out)) == (0, told)


def test_a_picture_that_cannot_be_written_is_an_error_only_when_asked_for(outcome: Outcome) -> None:
    code, _, err = outcome("check", "good.yaml", "--picture", "good.yaml/x.png")
    assert code == 2
    assert "cannot be written" in err
    Path("good.png").mkdir()
    code, _, err = outcome("check", "good.yaml")
    assert code == 0
    assert err.startswith("warning: ")
