"""Every scenario that is registered, ours and other packages'."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

from freefloat import missions
from freefloat.scenario import registry
from freefloat.scenario.base import Scenario
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


def test_the_table_of_our_kinds_names_every_scenario_class_of_the_missions():
    modules = [importlib.import_module(m.name) for m in pkgutil.walk_packages(missions.__path__, "freefloat.missions.")]
    classes = [
        cls
        for module in modules
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if cls.__module__ == module.__name__ and issubclass(cls, Scenario) and not inspect.isabstract(cls)
    ]
    found = {c.kind: f"{c.__module__}.{c.__qualname__}" for c in classes if "kind" in vars(c)}
    assert found == {kind: f"freefloat.missions.{place}" for kind, place in missions.KINDS.items()}


def test_a_scenario_imports_no_other_mission():
    """In a new process: here, other tests have imported them all."""
    script = "import sys; from freefloat.scenario.files import load; load('free-floating-arm').build(); "
    script += "print(*(m for m in sys.modules if m.startswith('freefloat.missions.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    others = {f"freefloat.missions.{place.rpartition('.')[0]}" for place in missions.KINDS.values()}
    assert others & set(done.stdout.split()) == {"freefloat.missions.arm.free_floating_arm"}
