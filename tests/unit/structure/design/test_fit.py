"""Modules that do not have the size of their cells, and centres of mass outside."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from freefloat.structure import Catalogue, InterfaceType, Module, ModuleType, TensorBody, cubic, hexagonal
from freefloat.structure.design.check import check_design
from freefloat.structure.design.file import load_design
from freefloat.structure.design.fit import centre_inside, fit_findings

SI = InterfaceType("si")
CUBE = ModuleType("cube", 5.0, np.eye(3), (SI,) * 6)
PLATE = replace(CUBE, name="plate", size=(0.3, 0.4, 0.4))
TILE = ModuleType("tile", 5.0, np.eye(3), (SI,) * 7, size=(1.0, 1.0, 0.1))


def column(*kinds: ModuleType, axis: int = 0, orientation: int = 0, pitch: float = 0.4) -> TensorBody:
    size = [1, 1, 1]
    size[axis] = len(kinds)
    body = TensorBody("column", cubic(*size, pitch), Catalogue(dict.fromkeys(kinds)))
    for i, kind in enumerate(kinds):
        body.insert(i, Module(i + 1, kind), orientation if kind is not CUBE else 0)
    return body


def test_modules_of_the_size_of_their_cells_are_left_alone() -> None:
    assert list(fit_findings(column(CUBE, CUBE))) == []
    assert list(fit_findings(column(CUBE, replace(CUBE, name="near", size=(0.4004, 0.4, 0.4))))) == []


@pytest.mark.parametrize(
    ("size", "says"), [(0.3, "smaller .* along x, a gap of 0.05 m"), (0.5, "larger .* along x, overlaps .* 0.05 m")]
)
def test_a_gap_or_an_overlap_beside_a_neighbour_is_an_error_with_its_size(size: float, says: str) -> None:
    (found,) = fit_findings(column(CUBE, replace(CUBE, name="other", size=(size, 0.4, 0.4))))
    assert found.severity == "error"
    assert (found.value, found.allowed, found.module) == (f"{size:g} m", "0.4 m", 2)
    assert re.search(says, found.message)


def test_another_size_where_nobody_is_beside_is_a_warning() -> None:
    (found,) = fit_findings(column(CUBE, PLATE, axis=2))
    assert (found.severity, found.message) == ("warning", "smaller than the cell along x")


def test_the_size_turns_with_the_module() -> None:
    grid = cubic(1, 1, 1)
    quarter = next(o for o, R in enumerate(grid.R_PM) if np.array_equal(R @ [1, 0, 0], [0, 1, 0]) and R[2, 2] == 1)
    (found,) = fit_findings(column(CUBE, PLATE, axis=1, orientation=quarter))
    assert (found.severity, found.message) == ("error", "smaller than the cell along y, a gap of 0.05 m to the next")


def test_modules_that_fail_to_fit_alike_are_one_finding() -> None:
    (found, aside) = fit_findings(column(CUBE, CUBE, CUBE, pitch=0.5))
    assert (found.place, found.value) == ("modules 1 (cube), 2 (cube), 3 (cube)", "0.4 m")
    assert aside.message == "smaller than the cell along y and z"


def test_hexagons_are_measured_across_their_flats_and_in_height() -> None:
    body = TensorBody("tiles", hexagonal([[0, 0], [1, 0]], 1.1, 0.2), Catalogue([TILE]))
    for i in range(2):
        body.insert(i, Module(i + 1, TILE))
    flats, height = fit_findings(body)
    assert (flats.severity, flats.message) == (
        "error",
        "smaller than the cell across its flats, a gap of 0.05 m to the next",
    )
    assert (height.severity, height.message) == ("warning", "smaller than the cell in height")


@pytest.mark.parametrize(
    ("kind", "centre", "inside"),
    [
        (CUBE, (0.2, -0.2, 0.2), True),
        (CUBE, (0.0, 0.0, 0.21), False),
        (TILE, (0.0, 0.57, 0.0), True),  # towards a corner, 0.577 m away
        (TILE, (0.51, 0.0, 0.0), False),  # through a flat
        (TILE, (0.0, 0.0, 0.06), False),
    ],
)
def test_a_centre_of_mass_must_be_inside_its_prism(
    kind: ModuleType, centre: tuple[float, float, float], inside: bool
) -> None:
    assert centre_inside(replace(kind, p_MMcm=centre)) is inside


def test_a_centre_of_mass_outside_is_told_with_the_line_of_the_catalogue(tmp_path: Path) -> None:
    (tmp_path / "off.yaml").write_text(
        "schema: 1\nmodules:\n  lone:\n    mass: 5 kg\n    centre_of_mass: [0, 0, 0.3]\n", encoding="utf-8"
    )
    (tmp_path / "design.yaml").write_text(
        "kind: design\nschema: 1\ncatalogue: off.yaml\ngrid: {size: [1, 1, 1]}\n"
        "modules:\n  - {id: 1, type: lone, cell: [0, 0, 0]}\n",
        encoding="utf-8",
    )
    (found,) = check_design(load_design(tmp_path / "design.yaml")).errors
    assert found.where.endswith("off.yaml:3:3")
    assert (found.value, found.message) == ("(0, 0, 0.3) m", "the centre of mass is outside the module")
