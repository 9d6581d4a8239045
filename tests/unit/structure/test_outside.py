"""What of modules looks outside: faces, edges and corners by their neighbours."""

from __future__ import annotations

import pytest

from freefloat.structure import TensorBody, load_catalogue
from freefloat.structure.grid import cubic, hexagonal
from freefloat.structure.module import Module
from freefloat.structure.outside import hidden_features, places_of


def cubes(*cells: tuple[int, int, int]) -> TensorBody:
    body = TensorBody("stack", cubic(2, 2, 2, 0.4), load_catalogue("mosar"))
    for n, cell in enumerate(cells):
        body.insert(body.grid.index(cell), Module(n + 1, body.catalogue.type("bus")))
    return body


def features(mask: float) -> set[tuple[int, int, int]]:
    return {(f // 9 - 1, f // 3 % 3 - 1, f % 3 - 1) for f in range(27) if int(mask) >> f & 1}


def test_a_module_alone_pushes_everywhere_and_an_empty_place_is_none() -> None:
    masks = hidden_features(cubes((0, 0, 0)))
    assert masks[0] == 0.0
    assert (masks[1:] == -1.0).all()


def test_all_of_a_face_that_two_modules_share_is_hidden() -> None:
    body = cubes((0, 0, 0), (1, 0, 0))
    mask = hidden_features(body)[body.grid.index((0, 0, 0))]
    assert features(mask) == {(1, y, z) for y in (-1, 0, 1) for z in (-1, 0, 1)}


def test_of_modules_that_share_an_edge_or_a_corner_only_that_is_hidden() -> None:
    edge = cubes((0, 0, 0), (1, 1, 0))
    assert features(hidden_features(edge)[0]) == {(1, 1, z) for z in (-1, 0, 1)}
    corner = cubes((0, 0, 0), (1, 1, 1))
    assert features(hidden_features(corner)[0]) == {(1, 1, 1)}


def test_hexagonal_modules_hide_a_side_with_its_edges_and_never_their_ends() -> None:
    body = TensorBody("tiles", hexagonal([(0, 0), (0, 1)]), load_catalogue("mirror"))
    kind = body.catalogue.types[0]
    for n in range(2):
        body.insert(n, Module(n + 1, kind))
    mask = int(hidden_features(body)[0])
    hidden = {(f // 13 - 1, f % 13) for f in range(39) if mask >> f & 1}
    assert hidden == {(z, k) for z in (-1, 0, 1) for k in (1, 6, 7)}, "side 1 and the edges beside it"


def test_places_have_the_full_pitch_less_a_clearance() -> None:
    assert places_of(cubes((0, 0, 0))).size == pytest.approx((0.2, 0.2, 0.2))
    assert places_of(cubes((0, 0, 0)), 0.002).size == pytest.approx((0.198, 0.198, 0.198))
    tiles = TensorBody("tiles", hexagonal([(0, 0)], 1.0, 0.1), load_catalogue("mirror"))
    assert places_of(tiles).outline == "prism"
    assert places_of(tiles).size == pytest.approx((0.5, 0.05))
