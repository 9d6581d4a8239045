"""`freefloat facility calibrate`: what it prints, the file it writes, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from freefloat.cli import main
from freefloat.facility.model_file import read_model


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["facility", "calibrate", *arguments])
    captured = capsys.readouterr()
    code = end.value.code
    return (code if isinstance(code, int) else 0), captured.out, captured.err


def test_json_has_the_figures_and_the_file_is_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "model.yaml"
    code, text, _ = call(capsys, "--seed", "7", "--out", str(out), "--json")
    data = json.loads(text)
    assert code == 0
    assert data["seed"] == 7
    assert data["model"] == str(out)
    assert data["modelled_3sigma_m"] < data["calibrated_3sigma_m"] < data["raw_3sigma_m"]
    assert data["robot2_parameters"] == 54
    assert read_model(out).geometry.arms == ("kr100-ha", "kr240-2")
    code, _, told = call(capsys, "--seed", "7", "--out", str(out))
    assert code == 2
    assert "there is such a file" in told


def test_the_table_tells_both_robots(capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = call(capsys, "--seed", "7")
    assert code == 0
    assert "robot 1 on the rail" in text
    assert "model: not written" in text


@pytest.mark.parametrize(("option", "value"), [("--seed", "-1"), ("--poses", "3"), ("--out", "/nowhere/model.yaml")])
def test_wrong_options_are_refused(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, told = call(capsys, option, value)
    assert code == 2
    assert value in told
