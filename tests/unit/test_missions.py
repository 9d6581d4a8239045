"""Our missions in the registry: every class has its kind, and each is imported alone."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys

from freefloat import missions
from freefloat.scenario import registry
from freefloat.scenario.base import Scenario


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


def test_the_titles_that_a_list_reads_from_our_sources_are_those_of_the_classes():
    fresh = registry.Registry("freefloat.tests-none")
    for kind, place in missions.KINDS.items():
        fresh.add_origin(kind, f"freefloat.missions.{place}")
        assert fresh.title(kind) == registry.get(kind).title
        assert not fresh._classes, f"{kind}: its title is no plain text in the class"


def test_a_scenario_imports_no_other_mission():
    """In a new process: here, other tests have imported them all."""
    script = "import sys; from freefloat.scenario.files import load; load('free-floating-arm').build(); "
    script += "print(*(m for m in sys.modules if m.startswith('freefloat.missions.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    others = {f"freefloat.missions.{place.rpartition('.')[0]}" for place in missions.KINDS.values()}
    assert others & set(done.stdout.split()) == {"freefloat.missions.arm.free_floating_arm"}
