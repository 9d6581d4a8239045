from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from freefloat.errors import InputError
from freefloat.scenario.base import IntegratorSettings
from freefloat.scenario.fields import Settings, Vector3, allowed, incomplete, quantity, setting


class Box(Settings):
    mass: float = quantity(1.0, "kg", "mass", gt=0)
    size: Vector3 = quantity((1.0, 1.0, 1.0), "m", "edges", gt=0)
    count: int = quantity(1, "-", "number of boxes", ge=0)
    limit: float | None = quantity(None, "N", "largest force")


def test_a_number_is_in_the_fields_unit_and_a_text_is_converted():
    box = Box(mass=2, size=["25 mm", 1, "1 km"])  # pyright: ignore[reportArgumentType]
    assert box.mass == 2.0
    assert isinstance(box.mass, float)
    assert box.size == (0.025, 1.0, 1000.0)


def test_arrays_from_a_notebook_are_accepted():
    assert Box(size=np.array([1.0, 2.0, 3.0]), mass=np.float64(3.0)).size == (1.0, 2.0, 3.0)  # pyright: ignore[reportArgumentType]


def test_a_default_may_be_written_as_a_quantity():
    class Wheel(Settings):
        speed: float = quantity("60 rpm", "rad/s", "speed")

    assert Wheel().speed == pytest.approx(2 * math.pi, rel=1e-15)


@pytest.mark.parametrize("bad", ["25 mm", "1 furlong", "a", True, math.nan, math.inf, -1, 0, "0 g", [1.0], {}, None])
def test_a_quantity_refuses_other_dimensions_types_ranges_and_numbers_that_are_not_finite(bad: Any):
    with pytest.raises(ValidationError):
        Box(mass=bad)


@pytest.mark.parametrize("bad", [2.5, True, "2.5", "many", 10**400])
def test_a_count_is_a_whole_number(bad: Any):
    with pytest.raises(ValidationError):
        Box(count=bad)


def test_a_large_count_keeps_its_digits():
    assert Box(count=2**60 + 1).count == 2**60 + 1


def test_every_bad_element_of_a_list_is_reported_with_its_index():
    with pytest.raises(ValidationError) as error:
        Box(size=("1 s", 1.0, -2.0))  # pyright: ignore[reportArgumentType]
    assert [e["loc"] for e in error.value.errors()] == [("size", 0), ("size", 2)]


def test_null_is_only_for_optional_fields():
    assert Box(limit=None).limit is None
    with pytest.raises(ValidationError):
        Box(mass=None)  # pyright: ignore[reportArgumentType]


def test_settings_are_frozen_and_a_changed_copy_is_validated():
    box = Box()
    with pytest.raises(ValidationError):
        box.mass = 2.0
    assert box.changed(mass="3 g").mass == 0.003
    with pytest.raises(ValidationError):
        box.changed(mass=-1.0)


def test_a_field_with_an_unknown_unit_cannot_be_declared():
    with pytest.raises(InputError, match="furlong"):
        quantity(1.0, "furlong", "distance")


def test_allowed_says_what_a_field_accepts():
    fields = Box.model_fields
    assert allowed(fields["mass"]) == "> 0 kg"
    assert allowed(fields["size"]) == "a list of 3: > 0 m"
    assert allowed(fields["count"]) == "a whole number >= 0"
    assert allowed(fields["limit"]) == "any number in N | null"


def test_fields_without_unit_or_meaning_and_choices_without_tag_are_listed():
    class Careless(Settings):
        mass: float = 1.0
        speed: float = setting(1.0, "speed")
        name: str = setting("a", "name")
        inner: Box | Settings = setting(Box(), "two groups")

    assert incomplete(Careless) == [
        "mass: no meaning",
        "mass: no unit",
        "speed: no unit",
        "inner: several groups without a tag; use choice()",
    ]


def test_every_field_of_a_complete_scenario_has_unit_and_meaning(probe: Any):
    assert incomplete(probe) == []


def test_a_mapping_for_a_group_changes_only_what_it_names(probe: Any):
    scenario = probe.model_validate({"integrator": {"rtol": 1e-6}, "bus": {"size": [1, 2, 3]}})
    assert scenario.integrator.step == 0.01  # the scenario's default, not the group's
    assert scenario.bus.mass == 500.0
    assert scenario.bus.size == (1.0, 2.0, 3.0)


def test_a_number_with_a_unit_may_be_a_word_too(probe: Any):
    assert probe.model_validate({"integrator": {"step": "auto"}}).integrator.step == "auto"
    assert probe.model_validate({"integrator": {"step": "2 ms"}}).integrator.step == 0.002
    assert allowed(IntegratorSettings.model_fields["step"]) == "auto | >= 1e-09 and <= 10 s"
    for bad in ("fast", "2 kg", 20.0):
        with pytest.raises(ValidationError, match="also allowed: auto"):
            probe.model_validate({"integrator": {"step": bad}})


def test_a_choice_keeps_its_default_group_unless_another_kind_is_named(probe: Any):
    assert probe.model_validate({"control": {"stiffness": 7}}).control.kind == "pd"
    assert probe.model_validate({"control": {"kind": "pd"}}).control.stiffness == 50.0
    assert probe.model_validate({"control": {"kind": "wheels", "speed": "60 rpm"}}).control.kind == "wheels"
