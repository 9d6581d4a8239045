"""Colours of module types are told apart."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from freefloat.structure import load_catalogue
from freefloat.structure.catalogue.colours import APART, distance, distinct
from freefloat.structure.catalogue.file import shipped_catalogues


def test_the_distance_is_that_of_lab() -> None:
    assert distance((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)) == pytest.approx(100.0, abs=0.1)
    assert distance((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) == pytest.approx(170.6, abs=0.5)


@pytest.mark.parametrize("n", [2, 9, 24])
def test_colours_that_nobody_chose_are_apart(n: int) -> None:
    assert min(distance(a, b) for a, b in combinations(distinct([None] * n), 2)) >= APART


def test_a_colour_stays_as_it_was_given_and_its_like_gets_another() -> None:
    grey, near, red = (0.75, 0.75, 0.78), (0.70, 0.70, 0.72), (0.9, 0.1, 0.1)
    first, second, third = distinct([grey, near, red])
    assert (first, third) == (grey, red)
    assert min(distance(second, grey), distance(second, red)) >= APART


@pytest.mark.parametrize("name", shipped_catalogues())
def test_the_shipped_catalogues_have_colours_of_their_own(name: str) -> None:
    colours = [kind.colour[:3] for kind in load_catalogue(name).types]
    assert distinct(colours) == colours


def test_types_without_a_colour_in_the_file_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "plain.yaml"
    file.write_text("schema: 1\nmodules:\n" + "".join(f"  m{i}: {{mass: 1}}\n" for i in range(6)), encoding="utf-8")
    colours = [kind.colour[:3] for kind in load_catalogue(file).types]
    assert min(distance(a, b) for a, b in combinations(colours, 2)) >= APART
