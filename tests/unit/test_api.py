"""Scenarios from Python: folders are new unless the reader says otherwise, and none is made by the way."""

from __future__ import annotations

from pathlib import Path

import pytest

import freefloat as ff
from freefloat.errors import InputError

SHORT = "20 ms"
pytestmark = pytest.mark.usefixtures("undrawn")


def test_a_run_folder_is_replaced_only_when_asked_and_only_that_of_a_run(tmp_path: Path) -> None:
    out = tmp_path / "run"
    ff.run("planar-two-link", duration=SHORT, out=out)
    (out / "plots" / "old.png").touch()
    with pytest.raises(InputError, match="the folder is not empty; give another one, or overwrite=True"):
        ff.run("planar-two-link", duration=SHORT, out=out)
    ff.run("planar-two-link", duration="30 ms", out=out, overwrite=True)
    assert '"duration_s": 0.03' in (out / "metrics.json").read_text(encoding="utf-8")
    assert not (out / "plots" / "old.png").exists()
    other = tmp_path / "mine"
    other.mkdir()
    (other / "scenario.yaml").touch()
    (other / "thesis.txt").touch()
    with pytest.raises(InputError, match=r"it holds 'thesis.txt'"):
        ff.run("planar-two-link", duration=SHORT, out=other, overwrite=True)
    assert (other / "thesis.txt").exists()


def test_no_folder_is_made_on_the_way_to_that_of_a_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*no; make it"):
        ff.run("planar-two-link", duration=SHORT, out=tmp_path / "no" / "run")
    assert not list(tmp_path.iterdir())


def test_a_result_says_which_scenario_ran() -> None:
    assert str(ff.run("planar-two-link", duration=SHORT)).startswith("planar-two-link: 0.02 s in ")


def test_a_picture_that_fails_is_a_warning_and_the_rest_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise InputError("nothing to see")

    monkeypatch.setattr("freefloat.engine.result.Result.picture", fail)
    with pytest.warns(UserWarning, match=r"no .*picture\.png: nothing to see"):
        ff.run("planar-two-link", duration=SHORT, out=tmp_path / "run")
    assert (tmp_path / "run" / "metrics.json").is_file()
    assert (tmp_path / "run" / "plots" / "audit.png").is_file()
