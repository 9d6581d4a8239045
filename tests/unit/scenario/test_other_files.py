"""Files that are no scenarios say what to do with them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from freefloat.scenario.files import load
from freefloat.scenario.problems import ScenarioError

DESIGN = """kind: design
schema: 1
catalogue: mosar
grid: {size: [2, 1, 2]}
modules:
  - {id: 1, type: bus, cell: [0, 0, 0]}
  - {id: 2, type: solar, cell: [1, 0, 0]}
  - {id: 3, type: payload, cell: [0, 0, 1]}
"""


def test_a_design_that_is_to_be_run_comes_with_a_scenario_that_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(DESIGN, encoding="utf-8")
    with pytest.raises(ScenarioError) as error:
        load("mine.yaml")
    text = str(error.value)
    assert text.startswith(
        "mine.yaml:1:7: kind: this is a design, not a scenario; check it with `freefloat check mine."
    )
    snippet = re.search(r"\{kind: rebuild.*\}", text)
    assert snippet is not None
    Path("run.yaml").write_text(snippet[0].replace("i, j, k", "1, 0, 1"), encoding="utf-8")
    scenario = load("run.yaml")
    assert scenario.kind == "rebuild"
    assert scenario.model_dump()["moves"] == ({"module": 3, "to": (1, 0, 1)},)


def test_a_design_without_modules_and_a_file_of_drives_are_told_too(tmp_path: Path) -> None:
    for kind, says in (("design", "moves: \\[{module: ID"), ("drives", "this is a file of drives")):
        file = tmp_path / f"{kind}.yaml"
        file.write_text(f"kind: {kind}\n", encoding="utf-8")
        with pytest.raises(ScenarioError, match=says):
            load(file)
