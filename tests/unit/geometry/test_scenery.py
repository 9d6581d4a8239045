"""Drawings refuse what cannot be drawn."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.geometry.scenery import Drawn, Line, Mesh

GREY = (0.5, 0.5, 0.5, 1.0)
CORNERS = np.eye(3)


def test_points_are_a_copy_that_nobody_can_write() -> None:
    given = np.zeros((2, 3))
    line = Line(given, GREY)
    given[:] = 1.0
    assert not line.points.any()
    with pytest.raises(ValueError, match="read-only"):
        line.points[0] = 1.0


@pytest.mark.parametrize("points", [np.zeros((2, 2)), np.zeros((0, 3)), np.full((2, 3), np.nan), np.zeros(3)])
def test_points_that_are_no_places_are_refused(points: np.ndarray) -> None:
    with pytest.raises(InputError, match=r"line: points .*allowed: \(n, 3\)"):
        Line(points, GREY)


@pytest.mark.parametrize(
    ("triangles", "colours"),
    [([[0, 1, 3]], None), ([[0, 1, -1]], None), ([[0, 1]], None), ([[0, 1, 2]], np.ones((2, 4)))],
)
def test_a_mesh_refuses_corners_and_colours_that_are_not_there(triangles: list[list[int]], colours: object) -> None:
    with pytest.raises(InputError, match=r"mesh: .*allowed"):
        Mesh(CORNERS, np.array(triangles), GREY, colours)  # pyright: ignore[reportArgumentType]
    Mesh(CORNERS, np.array([[0, 1, 2]]), GREY, np.ones((3, 4)))


def test_an_unknown_layer_is_refused() -> None:
    with pytest.raises(InputError, match=r"layer 'sky'.*floor, paths, contact"):
        Drawn("sky", ())  # pyright: ignore[reportArgumentType]
