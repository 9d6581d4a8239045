from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from freefloat.errors import InputError
from freefloat.scenario import registry
from freefloat.scenario.describe import dump
from freefloat.scenario.files import load
from freefloat.scenario.origin import told_of

pytestmark = pytest.mark.usefixtures("only")

TANK = """
from typing import ClassVar
from freefloat.scenario.base import Scenario
from freefloat.scenario.fields import quantity

class Tank(Scenario):
    kind: ClassVar[str] = "my-tank"
    title: ClassVar[str] = "A tank"
    mass: float = quantity(80.0, "kg", "mass", gt=0)

    def build(self):
        return self.mass / 0
"""
FULL = f"""{TANK}
class Full(Tank):
    kind: ClassVar[str] = "full-tank"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_scenario_class_of_a_file_is_loaded_with_its_overrides():
    Path("tank.py").write_text(TANK)
    scenario: Any = load("tank.py", ["mass=60 kg"])
    assert (scenario.kind, scenario.mass) == ("my-tank", 60.0)
    with pytest.raises(InputError, match=r"--set mass=-1: mass: -1 is out of range; allowed: > 0 kg"):
        load("tank.py", ["mass=-1"])
    with pytest.raises(InputError, match=r"^tank.py:12: ZeroDivisionError: float division by zero$"), told_of(scenario):
        scenario.build()


def test_of_several_classes_one_is_chosen_by_its_name_or_kind():
    Path("tanks.py").write_text(FULL)
    assert load("tanks.py:Full").kind == "full-tank"
    assert load("tanks.py:my-tank").kind == "my-tank"
    with pytest.raises(
        InputError, match=r"^tanks.py: 2 scenarios \(Full, Tank\); allowed: one, such as tanks.py:Full$"
    ):
        load("tanks.py")
    with pytest.raises(InputError, match=r"^tanks.py: no scenario 'Half' in it; allowed: Full, Tank$"):
        load("tanks.py:Half")


def test_what_a_run_writes_loads_the_class_again_from_anywhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
):
    Path("tank.py").write_text(TANK)
    text = dump(load("tank.py", ["mass=60"]))
    monkeypatch.setattr(registry, "scenarios", registry.Registry("freefloat.tests-none"))
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    Path("scenario.yaml").write_text(text)
    assert dump(load("scenario.yaml")) == text
    own = folder / "own.yaml"
    own.write_text("kind: tank.py\nschema: 1\nmass: 5\n")
    scenario: Any = load(own)
    assert scenario.mass == 5.0
    own.write_text("schema: 1\nkind: tank.py:Other\n")
    with pytest.raises(InputError, match=r"own.yaml:2:7: kind: .*tank.py: no scenario 'Other' in it; allowed: Tank$"):
        load(own)


def test_a_file_may_import_its_neighbours():
    Path("neighbour_of_it.py").write_text("TITLE = 'From beside'\n")
    Path("own.py").write_text("from neighbour_of_it import TITLE\n" + TANK.replace('"A tank"', "TITLE"))
    assert load("own.py").title == "From beside"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import numpy\n\nx = 1 / 0\n", r"bad.py:3: ZeroDivisionError: division by zero"),
        ("class (:\n", r"bad.py:1: SyntaxError: invalid syntax"),
        ("import nothing_like_it\n", r"bad.py:1: ModuleNotFoundError: No module named 'nothing_like_it'"),
        ("x = 1\nimport sys; sys.exit(3)\n", r"bad.py:2: SystemExit: 3"),
        ("x = 1\n", r"bad.py: no scenario in it; allowed: a class of Scenario with kind, title and build"),
        (
            TANK.replace("def build", "def bild"),
            r"bad.py: no scenario .* \(Tank has no method `build`\); allowed: .*",
        ),
        (TANK.replace("    kind:", "    kin:"), r"bad.py:6: scenario Tank has no kind; allowed: .*"),
        (TANK.replace("my-tank", "probe"), r"bad.py:6: scenario kind 'probe' is already registered by .*"),
        (None, r"bad.py: no such file"),
    ],
)
def test_a_mistake_in_the_file_is_told_in_one_line_with_its_place(text: str | None, told: str):
    if text is not None:
        Path("bad.py").write_text(text)
    with pytest.raises(InputError, match=f"^{told}$"):
        load("bad.py")


def test_an_edited_file_is_read_again_and_names_alike_are_two_files():
    Path("my-s.py").write_text(TANK)
    Path("my_s.py").write_text(TANK.replace("my-tank", "other-tank"))
    assert [load(file).kind for file in ("my-s.py", "my_s.py", "my-s.py")] == ["my-tank", "other-tank", "my-tank"]
    assert type(load("my-s.py")) is type(load("my-s.py"))
    Path("my-s.py").write_text(TANK.replace("80.0", "90.0"))  # of the same size, within a second
    scenario: Any = load("my-s.py")
    assert scenario.mass == 90.0
    again: Any = load("my-s.py", ["mass=3"])
    assert (again.mass, type(again)) == (3.0, registry.get("my-tank"))


def test_the_place_is_in_the_file_and_not_in_a_package_below_it():
    package = Path(".venv/site-packages")
    package.mkdir(parents=True)
    (package / "below_it.py").write_text("def fail():\n    raise ValueError('deep')\n")
    head = f"import sys\nsys.path.append({str(package.resolve())!r})\nimport below_it\nsys.path.pop()\n"
    Path("own.py").write_text(f"{head}below_it.fail()\n")
    with pytest.raises(InputError, match=r"^own.py:5: ValueError: deep$"):
        load("own.py")


def test_a_build_that_exits_is_an_error_with_its_place():
    Path("tank.py").write_text(TANK.replace("return self.mass / 0", "raise SystemExit(3)"))
    scenario: Any = load("tank.py")
    with pytest.raises(InputError, match=r"^tank.py:12: SystemExit: 3$"), told_of(scenario):
        scenario.build()
