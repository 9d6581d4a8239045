"""Shapes as triangles: closed, of the right volume, with normals that point outward."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.geometry.tessellation import tessellate

X_LG = Pose.from_rpy([0.3, -0.5, 1.1], [0.2, -0.4, 0.7])


def volume(shape: Shape) -> float:
    a, b, c = tessellate(shape).points.transpose(1, 0, 2)
    return abs(float(np.sum(a * np.cross(b, c)))) / 6.0


@pytest.mark.parametrize(
    ("shape", "exact"),
    [
        (Shape("box", (0.5, 1.0, 1.5), X_LG), 6.0),
        (Shape("sphere", (0.8,), X_LG), 4.0 / 3.0 * np.pi * 0.8**3),
        (Shape("cylinder", (0.4, 0.9), X_LG), np.pi * 0.4**2 * 1.8),
        (Shape("capsule", (0.3, 0.5), X_LG), np.pi * 0.3**2 * 1.0 + 4.0 / 3.0 * np.pi * 0.3**3),
    ],
    ids=lambda v: v.kind if isinstance(v, Shape) else "",
)
def test_a_tessellated_solid_is_closed_and_has_its_volume(shape: Shape, exact: float) -> None:
    assert volume(shape) == pytest.approx(exact, rel=5e-3)
    mesh = trimesh.Trimesh(*_merged(tessellate(shape).points), process=False)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent


def _merged(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    keys, inverse = np.unique(np.round(points.reshape(-1, 3), 9), axis=0, return_inverse=True)
    faces = inverse.reshape(-1, 3)
    a, b, c = faces.T
    return keys, faces[(a != b) & (b != c) & (a != c)]


def test_normals_are_unit_and_point_outward() -> None:
    for shape in (Shape("box", (1.0, 2.0, 3.0)), Shape("sphere", (2.0,)), Shape("capsule", (0.3, 0.5))):
        points, normals = tessellate(shape)
        assert np.allclose(np.linalg.norm(normals, axis=-1), 1.0)
        assert np.all(np.sum(points * normals, axis=-1) > 0.0)
