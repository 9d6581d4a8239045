"""Design files: what they say is what is built, in any of the ways to say it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.scenario.fields import incomplete
from freefloat.scenario.yamltext import parse
from freefloat.structure.design.design import Design
from freefloat.structure.design.file import design_from, design_schema, load_design
from freefloat.structure.design.settings import DesignSettings

HEAD = "kind: design\nschema: 1\ncatalogue: mosar\n"


def read(text: str) -> Design:
    return design_from(parse(HEAD + text, "here.yaml"))


def test_every_field_has_a_meaning_and_a_unit() -> None:
    assert incomplete(DesignSettings) == []


def test_units_defaults_and_places_are_read() -> None:
    design = read(
        "grid: {size: [1, 1, 2], pitch: 350 mm}\n"
        "modules:\n"
        "  - {id: 1, type: bus, cell: [0, 0, 0]}\n"
        "  - {id: 7, type: bat, cell: [0, 0, 1], orientation: 5}\n"
        "interfaces: [{module: 7, side: -z, state: failed}]\n"
        "environments: {hot: {sun: [0, 1, 0], infrared: 0.2 kW/m^2}}\n"
        "loads: {slew: {rate: [0, 0, 180 deg/s], pushed: 7}}\n"
    )
    assert design.name == "here"
    assert design.grid.size == (1, 1, 2)
    assert design.grid.spacing == 0.35
    assert [m.where for m in design.modules] == ["here.yaml:6:5", "here.yaml:7:5"]
    assert design.modules[1].orientation == 5
    assert (design.held[0].identity, design.held[0].side, design.held[0].state) == (7, "-z", "failed")
    assert design.environments["hot"].infrared == 200.0
    assert design.manoeuvres["slew"].rate[2] == pytest.approx(np.pi)
    assert design.manoeuvres["slew"].pushed == 7


def test_named_axes_are_where_the_module_points() -> None:
    design = read("modules: [{id: 1, type: bus, cell: [0, 0, 0], axes: {x: -z, y: +x}}]\n")
    R = design.grid.R_PM[design.modules[0].orientation]
    assert np.array_equal(R[:, 0], [0.0, 0.0, -1.0])
    assert np.array_equal(R[:, 1], [1.0, 0.0, 0.0])


def test_hexagonal_cells_come_by_rings_or_as_a_list() -> None:
    tile = "modules: [{id: 1, type: tile, cell: [1, -1]}]\n"
    text = HEAD.replace("mosar", "mirror") + tile
    rings = design_from(parse(text + "grid: {kind: hexagonal, rings: 2}\n", "a.yaml"))
    assert rings.grid.n == 19
    listed = design_from(parse(text + "grid: {kind: hexagonal, cells: [[0, 0], [1, -1]]}\n", "a.yaml"))
    assert listed.grid.cells.tolist() == [[0, 0], [1, -1]]
    with pytest.raises(InputError, match="by rings or by a list"):
        design_from(parse(text + "grid: {kind: hexagonal}\n", "a.yaml"))


def test_a_catalogue_beside_the_design_is_found_from_anywhere(tmp_path: Path) -> None:
    own = "schema: 1\nmodules:\n  brick: {mass: 3 kg, sides: {all: null}, heat_capacity: 1000 J/K}\n"
    (tmp_path / "own.yaml").write_text(own, encoding="utf-8")
    file = tmp_path / "d.yaml"
    file.write_text(HEAD.replace("mosar", "own.yaml") + "modules: [{id: 1, type: brick, cell: [0, 0, 0]}]\n", "utf-8")
    assert [t.name for t in load_design(file).catalogue.types] == ["brick"]


def test_the_schema_describes_kind_schema_and_every_field() -> None:
    schema = design_schema()
    assert schema["properties"]["kind"] == {"const": "design", "description": "a design"}
    assert set(DesignSettings.model_fields) <= set(schema["properties"])
    assert schema["required"] == ["kind", "schema", "catalogue", "modules"]
