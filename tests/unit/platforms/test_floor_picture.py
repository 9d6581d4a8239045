"""The drawn floor has the heights of its map, bright where it is high."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.geometry.scenery import Label, Line, Mesh
from freefloat.platforms.floor_picture import CELLS, MESH, floor_drawing
from freefloat.platforms.height_map import HeightMap, flat, synthetic

SIZE = (4.8, 9.0)


def test_corners_are_at_the_heights_of_the_map_and_brighter_where_it_is_higher() -> None:
    floor = synthetic(3, SIZE)
    mesh, grid, walls, label = floor_drawing(SIZE, floor).drawings
    assert isinstance(mesh, Mesh)
    heights = floor.at(mesh.points[:, :2])[0]
    np.testing.assert_allclose(mesh.points[:, 2] - mesh.points[:, 2].max(), heights - heights.max(), atol=1e-12)
    assert mesh.points[:, 2].max() == pytest.approx(MESH), "nothing sticks out of the floor"
    assert mesh.colours is not None
    bright = mesh.colours[:, :3] @ [0.3, 0.59, 0.11]
    assert np.all(np.diff(bright[np.argsort(heights)]) >= -1e-9)
    assert isinstance(label, Label)
    assert f"{1e3 * heights.max():+.2f} mm" in label.text
    assert isinstance(grid, Line)
    assert isinstance(walls, Line)
    np.testing.assert_allclose(np.abs(walls.points[:, :2]), np.tile([2.4, 4.5], (4, 1)))
    assert np.abs(grid.points[:, :2]).max(axis=0).tolist() == [2.4, 4.5]


def test_triangles_look_up_and_cover_the_floor() -> None:
    (mesh, *_) = floor_drawing(SIZE, flat(SIZE)).drawings
    assert isinstance(mesh, Mesh)
    a, b, c = np.moveaxis(mesh.points[mesh.triangles][..., :2], 1, 0)
    area = 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])
    assert (area > 0.0).all()
    assert area.sum() == pytest.approx(4.8 * 9.0)
    assert mesh.colours is None, "a level floor has one colour"


def test_a_fine_map_is_drawn_coarsely() -> None:
    fine = HeightMap(np.random.default_rng(0).standard_normal((2000, 2000)), 0.01)
    (mesh, *_) = floor_drawing((20.0, 20.0), fine).drawings
    assert isinstance(mesh, Mesh)
    assert len(mesh.points) <= (CELLS + 1) ** 2
