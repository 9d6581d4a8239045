"""Grids: places, neighbours, orientations and connector frames."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.structure import Grid, cubic, hexagon_rings, hexagonal

HALF_TURN_X = np.diag([1.0, -1.0, -1.0])


def gappy_hexagons() -> Grid:
    cells = hexagon_rings(3)
    return hexagonal(np.delete(cells, [0, 5, 17], axis=0), 1.3, 0.2, (0.1, -0.2, 0.3))


GRIDS = {
    "cube": cubic(3, 3, 3),
    "slab": cubic(1, 4, 2, 0.35, (1.0, 2.0, 3.0)),
    "one": cubic(1, 1, 1),
    "hexagons": hexagonal(hexagon_rings(2)),
    "gappy": gappy_hexagons(),
}


@pytest.fixture(params=GRIDS, scope="module")
def grid(request: pytest.FixtureRequest) -> Grid:
    return GRIDS[request.param]


def test_a_cubic_grid_is_centred_and_numbered_in_c_order() -> None:
    grid = cubic(2, 3, 4, 0.5, (1.0, 0.0, 0.0))
    assert grid.n == 24
    assert np.allclose(grid.p_TP.mean(axis=0), (1.0, 0.0, 0.0), atol=1e-15)
    assert grid.index((1, 2, 3)) == 23
    assert grid.index((0, 1, 0)) == 4
    assert np.allclose(grid.p_TP[23], (1.25, 0.5, 0.75), atol=1e-15)


def test_rings_of_hexagons_have_the_known_number_of_cells() -> None:
    assert [len(hexagon_rings(k)) for k in range(5)] == [1, 7, 19, 37, 61]
    assert hexagon_rings(2)[0].tolist() == [0, 0]


def test_a_neighbour_is_one_spacing_away_across_its_side(grid: Grid) -> None:
    place, side = np.nonzero(grid.neighbours >= 0)
    other = grid.neighbours[place, side]
    normals = np.array([X.R[:, 2] for X in grid.X_PF])
    assert np.allclose(grid.p_TP[other] - grid.p_TP[place], grid.spacing * normals[side], atol=1e-14)


def test_neighbours_know_each_other_across_facing_sides(grid: Grid) -> None:
    place, side = np.nonzero(grid.neighbours >= 0)
    back = grid.neighbours[grid.neighbours[place, side], grid.facing[side]]
    assert np.array_equal(back, place)


def test_every_two_places_one_spacing_apart_are_neighbours(grid: Grid) -> None:
    distance = np.linalg.norm(grid.p_TP[:, None] - grid.p_TP[None], axis=2)
    assert (np.abs(distance - grid.spacing) < 1e-9).sum() == (grid.neighbours >= 0).sum()


def test_facing_connectors_are_a_half_turn_about_their_common_x_apart(grid: Grid) -> None:
    for side, facing in enumerate(grid.facing.tolist()):
        if facing >= 0:
            step = Pose(np.eye(3), grid.spacing * grid.X_PF[side].R[:, 2])
            X_FG = grid.X_PF[side].inverse() @ step @ grid.X_PF[facing]
            assert np.allclose(X_FG.p, 0.0, atol=1e-15)
            assert np.allclose(X_FG.R, HALF_TURN_X, atol=1e-15)


def test_connectors_sit_on_their_faces_and_look_outwards(grid: Grid) -> None:
    for X, face, normal in zip(grid.X_PF, grid.faces, grid.normals, strict=False):
        assert np.allclose(X.p, grid.outline[list(face)].mean(axis=0), atol=1e-15)
        assert np.allclose(X.R[:, 2], normal, atol=1e-15)
        assert X.p @ normal > 0.0


def test_faces_close_the_prism(grid: Grid) -> None:
    assert np.allclose(grid.areas @ grid.normals, 0.0, atol=1e-14)
    corners = np.concatenate([np.asarray(face) for face in grid.faces])
    assert (np.bincount(corners) == 3).all()


@pytest.mark.parametrize(("name", "count"), [("cube", 24), ("hexagons", 6)])
def test_orientations_are_a_group_with_the_identity_first(name: str, count: int) -> None:
    R = GRIDS[name].R_PM
    assert R.shape == (count, 3, 3)
    assert np.array_equal(R[0], np.eye(3))
    assert np.allclose(np.linalg.det(R), 1.0)
    products = np.einsum("aij,bjk->abik", R, R)
    hits = (np.abs(products[:, :, None] - R).max(axis=(3, 4)) < 1e-12).sum(axis=2)
    assert (hits == 1).all()


def test_a_turned_side_shows_where_side_at_says(grid: Grid) -> None:
    for R, shown in zip(grid.R_PM, grid.side_at, strict=True):
        assert sorted(shown.tolist()) == list(range(grid.sides))
        for own, place_side in enumerate(shown.tolist()):
            turned, fixed = Pose(R) @ grid.X_PF[own], grid.X_PF[place_side]
            assert np.allclose(turned.p, fixed.p, atol=1e-15)
            assert np.allclose(turned.R[:, 2], fixed.R[:, 2], atol=1e-15)


def rolls(grid: Grid, side: int) -> np.ndarray:
    """[deg] of the connector shown at a side in every orientation, against the grid's own."""
    found = []
    for R, shown in zip(grid.R_PM, grid.side_at, strict=True):
        own = int(np.flatnonzero(shown == side)[0])
        relative = grid.X_PF[side].R.T @ R @ grid.X_PF[own].R
        found.append(np.degrees(np.arctan2(relative[1, 0], relative[0, 0])))
    return np.array(found)


def test_turning_a_cube_rolls_its_connectors_by_quarter_turns() -> None:
    for side in range(6):
        found = rolls(GRIDS["cube"], side)
        assert np.allclose(found, 90.0 * np.round(found / 90.0), atol=1e-12)
        assert len(set(np.round(found % 360.0).tolist())) == 4


def test_turning_a_hexagon_rolls_only_the_connector_on_top() -> None:
    grid = GRIDS["hexagons"]
    for side in range(6):
        assert np.allclose(rolls(grid, side), 0.0, atol=1e-12)
    assert sorted(np.round(rolls(grid, 6) % 360.0).tolist()) == [0.0, 60.0, 120.0, 180.0, 240.0, 300.0]


def test_a_slightly_turned_module_finds_its_orientation(grid: Grid) -> None:
    rng = np.random.default_rng(0)
    for o, R in enumerate(grid.R_PM):
        tilt = Pose.from_rpy(rng.normal(scale=0.1, size=3))
        assert grid.nearest_orientation(tilt.R @ R) == o


def test_arrays_cannot_be_written(grid: Grid) -> None:
    with pytest.raises(ValueError, match="read-only"):
        grid.p_TP[0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        grid.neighbours[0, 0] = 3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: cubic(0, 1, 1), "nx 0; allowed: a whole number >= 1"),
        (lambda: cubic(2.5, 1, 1), "nx 2.5"),  # pyright: ignore[reportArgumentType]
        (lambda: cubic(True, 1, 1), "nx True"),
        (lambda: cubic(1000, 1000, 1000), "too many places"),
        (lambda: cubic(1, 1, 1, float("nan")), "pitch nan; allowed: > 0 m"),
        (lambda: cubic(1, 1, 1, 0.4, (0.0, float("inf"), 0.0)), r"origin\[1\] inf m; allowed"),
        (lambda: hexagonal([(0, 0), (0, 0)]), r"\(0, 0\) is given twice"),
        (lambda: hexagonal([(0.5, 0)]), "whole numbers"),
        (lambda: hexagonal([]), r"table \(n, 2\)"),
        (lambda: hexagonal([(0, 0)], height=0.0), "height 0.0 m"),
        (lambda: hexagonal([(10**7, 0)]), "coordinates up to 1000000"),
        (lambda: hexagon_rings(-1), "-1 rings; allowed"),
        (lambda: cubic(2, 2, 2).index((2, 0, 0)), r"\(2, 0, 0\) is not in the cubic grid; allowed: 2 x 2 x 2"),
        (lambda: cubic(2, 2, 2).index(3), "3 is not in the cubic grid"),
        (lambda: cubic(2, 2, 2).check_place(8), "place 8 is not in the grid; allowed: 0 to 7"),
        (lambda: cubic(2, 2, 2).check_place(-1), "place -1"),
    ],
)
def test_bad_grids_and_places_are_refused_with_what_is_allowed(make, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()
