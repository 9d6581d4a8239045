"""Bad scenario files, options and overrides: exit code 2 and one message that names the place; never a traceback.

Each kind of mistake has its message in `golden/`; FREEFLOAT_GOLDEN=write makes the files anew, for review.
"""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Literal

import pytest

from freefloat.cli import main
from freefloat.scenario import registry, yamltext
from freefloat.scenario.base import Scenario
from freefloat.scenario.describe import FieldRow, dump, rows
from freefloat.scenario.fields import Settings, Vector3, choice, quantity, setting
from freefloat.scenario.files import load
from freefloat.scenario.presets import presets
from freefloat.scenario.problems import ScenarioError

GOLDEN = Path(__file__).parent / "golden"
HEAD = "kind: bad-input\nschema: 1\n"


class Arm(Settings):
    length: float = quantity(1.0, "m", "reach", gt=0)
    mount: Vector3 = quantity((0.0, 0.0, 0.5), "m", "p_BA")
    joints: tuple[float, ...] = quantity((0.0, 0.0), "rad", "joint angles", ge=-4, le=4)


class PD(Settings):
    kind: Literal["pd"] = setting("pd", "spring and damper")
    stiffness: float = quantity(100.0, "N m/rad", "of every joint", ge=0)


class Wheels(Settings):
    kind: Literal["wheels"] = setting("wheels", "reaction wheels")
    speed: float = quantity(..., "rad/s", "largest speed", gt=0)


class BadInput(Scenario):
    kind: ClassVar[str] = "bad-input"
    title: ClassVar[str] = "A scenario to spoil"

    arm: Arm = setting(Arm(), "the arm")
    control: PD | Wheels = choice(PD(), "attitude control")
    sound: bool = setting(False, "in space")
    count: int = quantity(3, "-", "of things", ge=1)

    def build(self) -> Any:
        return object()


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Only the scenario of this file is registered, and the work is done in an empty folder."""
    fresh = registry.Registry("freefloat.tests-none")
    fresh.add("bad-input", BadInput)
    monkeypatch.setattr(registry, "scenarios", fresh)
    monkeypatch.chdir(tmp_path)
    yield
    assert not list(tmp_path.glob("runs*")), "bad input left a result behind"


@pytest.fixture
def stub_execute(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that must never start."""
    module = ModuleType("freefloat.missions.execute")
    module.execute = lambda *_, **__: pytest.fail("bad input was run")  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "freefloat.missions.execute", module)


FILES: dict[str, str | bytes] = {
    "missing-field": HEAD + "control: {kind: wheels}\n",
    "missing-kind": "schema: 1\nduration: 3\n",
    "missing-schema": "kind: bad-input\n",
    "name-of-other-choice": HEAD + "control: {speed: 3}\n",
    "type-number": HEAD + "duration: [1, 2]\n",
    "type-boolean-for-number": HEAD + "duration: true\n",
    "type-group": HEAD + "arm: 3\n",
    "type-list": HEAD + "arm: {mount: 3}\n",
    "type-switch": HEAD + "sound: perhaps\n",
    "type-whole-number": HEAD + "count: 2.5\n",
    "type-text": HEAD + "about: [a, b]\n",
    "type-null": HEAD + "duration:\n",
    "unit-dimension": HEAD + "arm:\n  length: 25 kg\n",
    "unit-unknown": HEAD + "arm:\n  length: 25 furlong\n",
    "unit-habit": HEAD + "control: {stiffness: 3 Nm}\n",
    "range": HEAD + "arm:\n  length: -25 mm\n",
    "range-element": HEAD + "arm:\n  joints: [0, 5, 1]\n",
    "range-not-finite": HEAD + "duration: .nan\n",
    "range-overflow": HEAD + "duration: 1e999\n",
    "length-short": HEAD + "arm: {mount: [1, 2]}\n",
    "length-long": HEAD + "arm: {mount: [1, 2, 3, 4]}\n",
    "name-field": HEAD + "arm:\n  lenght: 3\n",
    "name-far": HEAD + "zzz: 3\n",
    "name-kind": "kind: bad-imput\nschema: 1\n",
    "name-option": HEAD + "integrator: {method: rk5}\n",
    "name-tag": HEAD + "control: {kind: wheel}\n",
    "schema-number": "kind: bad-input\nschema: 2\n",
    "encoding-latin": HEAD.encode() + "about: Münch".encode("latin-1") + b"en\n",
    "encoding-utf16": (HEAD + "duration: 3\n").encode("utf-16"),
    "encoding-binary": b"\x7fELF\x02\x01\x01\x00\x00\xff\xfe",
    "encoding-control-character": HEAD + "about: \x07\n",
    "encoding-surrogate": HEAD + 'about: "\\ud83d"\n',
    "escape-outside-unicode": HEAD + 'about: "\\UFFFFFFFF"\n',
    "size": HEAD + "about: " + "x" * 1_000_001 + "\n",
    "size-digits": HEAD + "duration: " + "9" * 5000 + "\n",
    "size-depth": HEAD + "about: " + "[" * 1000 + "\n",
    "duplicate-key": HEAD + "duration: 3\narm: {length: 1}\nduration: 4\n",
    "yaml-tab": HEAD + "arm:\n\tlength: 3\n",
    "yaml-open-bracket": HEAD + "arm: {length: 3\n",
    "yaml-alias": HEAD + "duration: &d 3\nrecord_rate: *d\n",
    "yaml-merge": HEAD + "arm:\n  <<: {length: 3}\n",
    "yaml-tag": HEAD + "about: !!python/object/apply:os.system [ls]\n",
    "yaml-key": HEAD + "? [a, b]\n: 3\n",
    "yaml-two-documents": HEAD + "---\nduration: 3\n",
    "empty": "",
    "comment-only": "# nothing here\n",
    "top-level-list": "- kind: bad-input\n- schema: 1\n",
    "top-level-text": "hello\n",
    "several": HEAD + "duration: -1\narm: {lenght: 3}\nsound: perhaps\n",
}

COMMANDS: dict[str, list[str]] = {
    "no-such-file": ["check", "absent.yaml"],
    "folder-for-file": ["check", "./folder.yaml"],
    "unknown-scenario": ["show", "bad-imput"],
    "unknown-path": ["show", "bad-input", "arm.lenght"],
    "set-without-equals": ["run", "bad-input", "--set", "duration"],
    "set-empty-step": ["run", "bad-input", "--set", "arm..length=3"],
    "set-unknown-name": ["run", "bad-input", "--set", "arm.lenght=3"],
    "set-into-value": ["run", "bad-input", "--set", "duration.x=3"],
    "set-index": ["run", "bad-input", "--set", "arm.joints.7=1"],
    "set-index-name": ["run", "bad-input", "--set", "arm.joints.first=1"],
    "set-unit": ["run", "bad-input", "--set", "arm.length=3 s"],
    "set-range": ["run", "bad-input", "--set", "arm.joints.1=9"],
    "set-yaml": ["run", "bad-input", "--set", "arm.joints=[1"],
    "set-encoding": ["run", "bad-input", "--set", "about=\udcff"],
    "set-kind": ["run", "bad-input", "--set", "kind=other"],
    "seed-type": ["run", "bad-input", "--seed", "x"],
    "duration-range": ["run", "bad-input", "--duration", "-3"],
    "out-not-empty": ["run", "bad-input", "--out", "full"],
    "out-is-file": ["run", "bad-input", "--out", "full/file"],
    "unknown-command": ["rum"],
    "unknown-option": ["run", "bad-input", "--sett", "x=1"],
    "no-scenario": ["run"],
}


def outcome(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> str:
    """Standard error of a command that must end with exit code 2 and an empty standard output."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    printed = capsys.readouterr()
    assert end.value.code == 2, printed.err
    assert printed.out == ""
    assert "Traceback" not in printed.err
    return printed.err


def compare(name: str, message: str) -> None:
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("FREEFLOAT_GOLDEN") == "write":
        file.write_text(message, encoding="utf-8")
    assert message == file.read_text(encoding="utf-8")


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("name", FILES)
def test_a_spoilt_file_is_refused_with_its_golden_message(name: str, capsys: pytest.CaptureFixture[str]):
    content = FILES[name]
    Path("case.yaml").write_bytes(content.encode() if isinstance(content, str) else content)
    message = outcome(capsys, ["check", "case.yaml"])
    assert "case.yaml" in message
    assert len(message.splitlines()) == (3 if name == "several" else 1)
    compare(name, message)


@pytest.mark.usefixtures("alone", "stub_execute")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_bad_command_is_refused_with_its_golden_message(name: str, capsys: pytest.CaptureFixture[str]):
    Path("folder.yaml").mkdir()
    Path("full").mkdir()
    Path("full/file").write_text("kept")
    message = outcome(capsys, COMMANDS[name])
    assert len(message.splitlines()) == 1
    assert Path("full/file").read_text() == "kept"
    compare(name, message)


def test_every_golden_message_belongs_to_a_case():
    assert {file.stem for file in GOLDEN.glob("*.txt")} == FILES.keys() | COMMANDS.keys()


def mutations(unit: str) -> Iterator[tuple[str, Any]]:
    """Values that no field of a scenario takes, by kind of mistake."""
    yield "type", [[[{"no": "thing"}]]]
    yield "group", {"no": {"no": []}}
    if unit:
        yield "unit unknown", "1 furlong"
        yield "dimension", "1 kg" if unit != "kg" else "1 s"
        yield "not finite", float("nan")
        yield "text", "many"
        yield "switch", True
        yield "size", "9" * 5000
        yield "overflow", 10**400


@cache
def parsed(text: str) -> Any:
    return yamltext.parse(text, "text").value


def with_field(scenario: Scenario, path: str, change: Callable[[Any, Any], None], file: Path) -> Path:
    """A file of what holds the field at a dotted path, after `change(holder, key)`; the rest is left to defaults."""
    data = copy.deepcopy(parsed(dump(scenario)))
    *steps, last = path.split(".")
    holder = data
    for step in steps:
        holder = holder[int(step) if isinstance(holder, list) else step]
    change(holder, int(last) if isinstance(holder, list) else last)
    kept = [k for k in data if k in ("kind", "schema", path.split(".")[0])]
    file.write_text("".join(f"{k}: {yamltext.write_scalar(data[k])}\n" for k in kept), encoding="utf-8")
    return file


@pytest.fixture(params=[True, False], ids=["file", "override"])
def spoil(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Scenario, str, Any], None]:
    """Load a scenario with one value replaced, in a file or by an override."""

    def by_file(scenario: Scenario, path: str, value: Any) -> None:
        load(with_field(scenario, path, lambda holder, key: holder.__setitem__(key, value), tmp_path / "spoilt.yaml"))

    def by_override(scenario: Scenario, path: str, value: Any) -> None:
        load(scenario.kind, {path: value})

    return by_file if request.param else by_override


@pytest.fixture(params=["distinct", pytest.param("all", marks=pytest.mark.slow)])
def fields(request: pytest.FixtureRequest) -> Iterator[list[tuple[Scenario, FieldRow]]]:
    """The fields of every scenario that is registered and of the one of this file.

    Scenarios share settings; of fields with the same path, unit, limits and meaning the first is enough.
    """
    registry.register(BadInput)
    found: dict[Any, tuple[Scenario, FieldRow]] = {}
    for name in presets():
        scenario = load(name)
        for row in (r for r in rows(scenario) if not r.when):
            same = (row.path, row.unit, row.allowed, row.meaning)
            found.setdefault(same if request.param == "distinct" else (name, row.path), (scenario, row))
    yield list(found.values())
    registry.scenarios.remove("bad-input")


def test_every_field_of_every_scenario_refuses_every_kind_of_mistake(
    fields: list[tuple[Scenario, FieldRow]], spoil: Callable[[Scenario, str, Any], None]
):
    for scenario, row in fields:
        for kind, value in mutations(row.unit):
            with pytest.raises(ScenarioError) as error:
                spoil(scenario, row.path, value)
            lines = str(error.value).splitlines()
            assert all(f": {row.path}" in line for line in lines), f"{scenario.kind} {row.path} {kind}: {lines}"
            assert len(lines) == 1, f"{scenario.kind} {row.path} {kind}: {lines}"


def test_every_field_of_every_scenario_suggests_itself_for_a_misspelt_name(fields: list[tuple[Scenario, FieldRow]]):
    for scenario, row in fields:
        name = row.path.split(".")[-1]
        if not name.isdigit():
            with pytest.raises(ScenarioError, match=f"unknown field; did you mean '{name}'"):
                load(scenario.kind, {f"{row.path}_": 1})


def test_a_field_left_out_takes_its_default_or_is_named(fields: list[tuple[Scenario, FieldRow]], tmp_path: Path):
    for scenario, row in fields:
        try:
            load(with_field(scenario, row.path, lambda holder, key: holder.pop(key), tmp_path / "spoilt.yaml"))
        except ScenarioError as error:
            assert f"{row.path}: missing" in str(error)  # noqa: PT017


def mistakes(row: FieldRow) -> list[str]:
    """Texts that no number of a scenario takes."""
    wrong = "1 kg" if row.unit != "kg" else "1 s"
    return ["many", "1 furlong", "nan", "[[1]]", "{no: thing}", "9" * 400, "'", "\udcff", wrong, ""]


def test_every_number_of_every_scenario_refuses_every_mistaken_text_in_one_line(
    fields: list[tuple[Scenario, FieldRow]],
):
    for scenario, row in ((s, r) for s, r in fields if r.unit):
        for value in mistakes(row):
            with pytest.raises(ScenarioError) as error:
                load(scenario.kind, [f"{row.path}={value}"])
            assert "\n" not in str(error.value), (scenario.kind, row.path, value)
            assert row.path.split(".")[0] in str(error.value), (scenario.kind, row.path, value)


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["two", "all"])
@pytest.mark.parametrize("name", presets())
def test_a_mistaken_number_of_a_shipped_scenario_ends_the_command_with_2_and_one_message(
    name: str,
    every: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    """The first and the last number, which may stand in a group; the test above has them all."""
    monkeypatch.chdir(tmp_path)
    found = [r for r in rows(load(name)) if r.unit and not r.when]
    for row in found if every else (found[0], found[-1]):
        for value in mistakes(row):
            err = outcome(capsys, ["run", name, "--set", f"{row.path}={value}", "--json"])
            assert err.startswith("error: "), (row.path, value, err)
            assert err.count("\n") == 1, (row.path, value, err)
            assert row.path.split(".")[0] in err, (row.path, value, err)
    assert not list(tmp_path.iterdir())
