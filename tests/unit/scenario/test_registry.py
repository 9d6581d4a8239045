from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, ClassVar

import pytest

from freefloat.errors import InputError
from freefloat.scenario import presets, registry
from freefloat.scenario.base import Scenario
from freefloat.scenario.files import load

PLUGIN = """
from typing import ClassVar
from freefloat.scenario.base import Scenario
from freefloat.scenario.registry import register

@register
class Foreign(Scenario):
    kind: ClassVar[str] = "foreign"
    title: ClassVar[str] = "From another package"

    def build(self):
        return object()
"""


@pytest.fixture
def plugin(only: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A package of another maker, with two YAML files, found by its entry point."""
    package = tmp_path / "acme_sim"
    package.mkdir()
    (package / "__init__.py").write_text(PLUGIN)
    (package / "slow.yaml").write_text("kind: foreign\nschema: 1\nduration: 1 h\nabout: An hour of it\n")
    (package / "fast.yaml").write_text("kind: foreign\nschema: 1\nduration: 1\n")
    (package / "other.yaml").write_text("something: else\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == "freefloat.tests-none" else [])
    points = [EntryPoint("acme", "acme_sim", "freefloat.tests-none")]
    yield package
    sys.modules.pop("acme_sim", None)


def test_another_packages_scenarios_are_found_by_entry_point(plugin: Path):
    assert registry.names() == ["foreign", "probe"]
    assert registry.get("foreign").title == "From another package"


def test_yaml_files_beside_a_module_are_scenarios_by_their_stem(plugin: Path):
    found = presets.presets()
    assert list(found) == ["fast", "probe", "slow"]
    assert found["slow"].title == "An hour of it"
    assert found["fast"].title == "From another package"
    assert load("slow").duration == 3600.0


def test_a_plugin_that_fails_is_a_warning_and_nothing_else(plugin: Path):
    (plugin / "__init__.py").write_text("import nothing_of_that_name\n")
    with pytest.warns(registry.PluginWarning, match="acme_sim.*ModuleNotFoundError"):
        assert registry.names() == ["probe"]


def test_a_broken_file_beside_a_module_is_a_warning_and_the_rest_is_listed(plugin: Path):
    (plugin / "broken.yaml").write_text("kind: [")
    with pytest.warns(UserWarning, match="broken.yaml"):
        assert list(presets.presets()) == ["fast", "probe", "slow"]


def test_a_kind_belongs_to_one_class_but_a_reloaded_class_replaces_itself(only: Any, probe: Any):
    class Other(Scenario):
        kind: ClassVar[str] = "probe"
        title: ClassVar[str] = "Another"

        def build(self) -> Any:
            return object()

    with pytest.raises(InputError, match="already registered by"):
        registry.register(Other)
    registry.register(probe)


def test_a_scenario_without_kind_or_with_a_bad_name_is_refused(only: Any):
    class Nameless(Scenario):
        def build(self) -> Any:
            return object()

    with pytest.raises(InputError, match="no kind"):
        registry.register(Nameless)
    with pytest.raises(InputError, match="lower-case words"):
        registry.register_at("Bad Name", "somewhere.Nameless")


def test_unknown_names_suggest_the_nearest(only: Any):
    with pytest.raises(InputError, match=r"unknown scenario kind 'prob'. Did you mean 'probe'\?"):
        registry.get("prob")


def test_a_kind_whose_place_is_told_is_imported_when_it_is_asked_for(only: Any, plugin: Path):
    (plugin / "__init__.py").write_text(
        "from freefloat.scenario.registry import register_at\nregister_at('foreign', 'acme_sim.later.Foreign')\n"
    )
    (plugin / "later.py").write_text(PLUGIN)
    assert registry.names() == ["foreign", "probe"]
    assert list(presets.presets()) == ["fast", "probe", "slow"]
    assert presets.presets()["slow"].title == "An hour of it"
    assert presets.presets()["fast"].title == "From another package"
    assert "acme_sim.later" not in sys.modules
    assert load("slow").kind == "foreign"
    assert sys.modules.pop("acme_sim.later").Foreign is registry.get("foreign")


@pytest.mark.parametrize("title", ['("From " + "afar")', "TITLE"])
def test_a_title_that_is_no_plain_text_is_asked_of_the_class(only: Any, plugin: Path, title: str):
    (plugin / "__init__.py").write_text(
        "from freefloat.scenario.registry import register_at\nregister_at('foreign', 'acme_sim.later.Foreign')\n"
    )
    (plugin / "later.py").write_text("TITLE = 'From afar'\n" + PLUGIN.replace('"From another package"', title))
    assert registry.title("foreign") == "From afar"
    sys.modules.pop("acme_sim.later")


@pytest.mark.parametrize("header", ["about: 'An: hour'\nkind: foreign\n", "{kind: foreign, about: 'An: hour'}"])
def test_a_header_that_is_no_plain_line_is_read_with_care(plugin: Path, header: str):
    (plugin / "odd.yaml").write_text(header)
    assert presets.presets()["odd"].title == "An: hour"


def test_a_kind_whose_place_is_told_is_taken_before_it_is_imported(only: Any):
    class Other(Scenario):
        kind: ClassVar[str] = "later"
        title: ClassVar[str] = "Another"

        def build(self) -> Any:
            return object()

    registry.register_at("later", "nowhere.Later")
    with pytest.raises(InputError, match=r"already registered by nowhere\.Later"):
        registry.register(Other)
    with pytest.raises(InputError, match="Did you mean 'later'"):
        registry.get("latr")
