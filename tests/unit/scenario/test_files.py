from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import model_validator

from freefloat.errors import InputError
from freefloat.scenario.describe import FieldRow, dump, json_schema, rows
from freefloat.scenario.files import load
from freefloat.scenario.overrides import Override
from freefloat.scenario.problems import ScenarioError

pytestmark = pytest.mark.usefixtures("only")

HEAD = "kind: probe\nschema: 1\n"


def write(folder: Path, text: str) -> Path:
    file = folder / "case.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_kind_without_a_file_loads_with_its_defaults(probe: Any):
    assert load("probe") == probe()


def test_a_file_fills_the_tree(tmp_path: Path):
    scenario: Any = load(write(tmp_path, HEAD + "duration: 2 min\nbus: {mass: 3}\njoints: [30 deg]\n"))
    assert scenario.duration == 120.0
    assert scenario.bus.mass == 3.0
    assert scenario.joints == pytest.approx((0.5235987755982988,), rel=1e-15)


@pytest.mark.parametrize(
    ("override", "path", "value"),
    [
        ("duration=5", ("duration",), 5.0),
        ("integrator.step=2 ms", ("integrator", "step"), 0.002),
        ("bus.size.1=30 cm", ("bus", "size"), (1.0, 0.3, 1.2)),
        ("joints.0=-1", ("joints",), (-1.0, 0.2)),
        ("joints=[1, 2, 3]", ("joints",), (1.0, 2.0, 3.0)),
        ("control.stiffness=7", ("control", "stiffness"), 7.0),
        ("control={kind: wheels, speed: 10 rpm}", ("control", "kind"), "wheels"),
        ("gains.pitch=2", ("gains",), {"roll": 1.0, "pitch": 2.0}),
        ("limit=null", ("limit",), None),
        ("about=a b", ("about",), "a b"),
    ],
)
def test_an_override_changes_one_value_and_keeps_the_rest(override: str, path: tuple[str, ...], value: Any):
    scenario: Any = load("probe", [override])
    found = scenario
    for step in path:
        found = getattr(found, step)
    assert found == value
    assert scenario.bus.mass == 500.0


def test_an_override_goes_into_a_list_of_groups():
    scenario: Any = load("probe", {"targets.0.at": 4.0})
    assert scenario.targets[0].name == "a"
    assert scenario.targets[0].at == 4.0


def test_later_overrides_win_and_options_of_their_own_name_themselves():
    assert load("probe", ["seed=1", "seed=2"]).seed == 2
    with pytest.raises(ScenarioError, match=r"^--seed x: seed: "):
        load("probe", [Override.named("--seed", "seed", "x")])


def test_an_override_can_fill_a_required_field(tmp_path: Path):
    file = write(tmp_path, HEAD + "control: {kind: wheels}\n")
    with pytest.raises(ScenarioError, match=r"control\.speed: missing"):
        load(file)
    assert load(file, ["control.speed=10"]).control.speed == 10.0  # pyright: ignore[reportAttributeAccessIssue]


def test_every_error_is_reported_in_the_order_of_the_file(tmp_path: Path):
    file = write(tmp_path, HEAD + "duration: -1\nbus: {masss: 1}\nsound: 3.5\n")
    with pytest.raises(ScenarioError) as error:
        load(file, ["count=x", "cout=1"])
    assert [(e.place.removeprefix(str(file)), e.path) for e in error.value.errors] == [
        ("--set cout=1", "cout"),
        ("--set count=x", "count"),
        (":3:11", "duration"),
        (":4:7", "bus.masss"),
        (":5:8", "sound"),
    ]
    assert str(error.value).count("\n") == 4


def test_a_refused_override_leaves_no_trace():
    with pytest.raises(ScenarioError) as error:
        load("probe", ["count.x=1"])
    assert len(error.value.errors) == 1


def test_a_name_is_suggested_for_a_misspelt_scenario():
    with pytest.raises(ScenarioError, match=r"unknown scenario 'prob'; did you mean 'probe'\?"):
        load("prob")


text_values = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(
    plain=st.fixed_dictionaries(
        {
            "about": text_values,
            "bus": st.fixed_dictionaries({"mass": st.floats(1e-6, 1e9)}),
            "joints": st.lists(st.floats(-4, 4), max_size=5),
            "limit": st.none() | st.floats(1e-3, 1e300),
        }
    ),
    names=st.lists(text_values, max_size=3),
    wheels=st.booleans(),
)
def test_a_dumped_scenario_loads_back_equal(
    tmp_path: Path, probe: Any, plain: dict[str, Any], names: list[str], wheels: bool
):
    control = {"kind": "wheels", "speed": 0.1, "axes": names} if wheels else {}
    targets = [{"name": name, "at": i} for i, name in enumerate(names)]
    scenario = probe.model_validate(plain | {"targets": targets, "control": control})
    assert load(write(tmp_path, dump(scenario))) == scenario


def test_rows_have_value_unit_default_allowed_and_meaning():
    found = {row.path: row for row in rows(load("probe", ["bus.mass=3", "control.stiffness=7"])) if not row.when}
    mass = found["bus.mass"]
    assert mass == FieldRow("bus.mass", "3.0", "kg", "500.0", "> 0 kg", "dry mass")
    assert found["control.kind"].allowed == "pd | wheels"
    assert found["targets.0.at"].value == "1.0"
    assert found["integrator.step"].default == "0.01"


def test_rows_show_the_fields_of_a_choice_that_is_not_in_force():
    row = next(row for row in rows(load("probe"), "control") if row.path == "control.speed")
    assert row.when == "kind: wheels"
    assert row.value == ""


def test_rows_of_a_group_and_of_an_unknown_path():
    assert [row.path for row in rows(load("probe"), "bus")] == ["bus.mass", "bus.size", "bus.attitude"]
    with pytest.raises(InputError, match=r"bus.mas: unknown field; did you mean 'bus.mass'\?"):
        rows(load("probe"), "bus.mas")


def test_the_json_schema_has_kind_units_bounds_and_takes_quantities_as_text(probe: Any):
    schema = json_schema(probe)
    json.dumps(schema, allow_nan=False)
    assert schema["properties"]["kind"]["const"] == "probe"
    assert schema["required"][:2] == ["kind", "schema"]
    duration = schema["properties"]["duration"]
    assert duration["unit"] == "s"
    assert {"type": "number", "exclusiveMinimum": 0, "maximum": 1e9} in duration["anyOf"]
    assert "string" in [option.get("type") for option in duration["anyOf"]]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("error", [InputError, ValueError])
def test_what_a_scenarios_own_validator_refuses_is_a_scenario_error(
    probe: Any, only: Any, tmp_path: Path, error: type[Exception]
):
    class Picky(probe):
        kind: ClassVar[str] = "picky"

        @model_validator(mode="after")
        def _check(self) -> Any:
            if self.count > 5:
                raise error("count does not fit the joints")
            return self

    only.add("picky", Picky)
    file = write(tmp_path, "kind: picky\nschema: 1\ncount: 6\n")
    with pytest.raises(ScenarioError, match=r"case.yaml.*count does not fit the joints"):
        load(file)
