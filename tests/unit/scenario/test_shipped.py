"""Every scenario that is registered, ours and other packages'."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from freefloat.scenario import registry
from freefloat.scenario.describe import dump, json_schema, rows
from freefloat.scenario.fields import incomplete
from freefloat.scenario.files import load
from freefloat.scenario.presets import presets


@pytest.mark.parametrize("kind", registry.names())
def test_every_field_of_every_kind_has_a_unit_and_a_meaning(kind: str):
    assert incomplete(registry.get(kind)) == []


@pytest.mark.parametrize("kind", registry.names())
def test_every_kind_has_a_json_schema(kind: str):
    assert (
        json.loads(json.dumps(json_schema(registry.get(kind)), allow_nan=False))["properties"]["kind"]["const"] == kind
    )


@pytest.mark.parametrize("name", presets())
def test_every_named_scenario_loads_shows_and_survives_a_dump(name: str, tmp_path: Path):
    scenario = load(name)
    assert all(row.meaning for row in rows(scenario))
    file = tmp_path / "again.yaml"
    file.write_text(dump(scenario), encoding="utf-8")
    assert load(file) == scenario
