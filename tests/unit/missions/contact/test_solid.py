"""Bodies of one shape: their inertia and the balls by which they touch."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import rpy_to_matrix
from freefloat.geometry.shape import Shape
from freefloat.missions.contact.solid import balls_of, below, inertia_of

SHAPES = (
    Shape("box", (0.07, 0.06, 0.04)),
    Shape("sphere", (0.06,)),
    Shape("cylinder", (0.05, 0.06)),
    Shape("capsule", (0.04, 0.06)),
)


def _inside(shape: Shape, p: np.ndarray) -> np.ndarray:
    x, y, z = p.T
    r = np.hypot(x, y)
    if shape.kind == "box":
        return (np.abs(p) <= shape.size).all(axis=1)
    if shape.kind == "sphere":
        return np.linalg.norm(p, axis=1) <= shape.size[0]
    if shape.kind == "cylinder":
        return (r <= shape.size[0]) & (np.abs(z) <= shape.size[1])
    return np.hypot(r, np.maximum(np.abs(z) - shape.size[1], 0.0)) <= shape.size[0]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.kind)
def test_the_inertia_is_that_of_points_spread_evenly(shape: Shape) -> None:
    axis = np.linspace(-0.1, 0.1, 101)
    p = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    p = p[_inside(shape, p)]
    expected = 2.0 * ((p**2).sum(axis=1).mean() - (p**2).mean(axis=0))
    np.testing.assert_allclose(inertia_of(shape, 2.0), expected, rtol=0.04)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.kind)
def test_a_turned_body_put_on_its_lowest_ball_touches_the_plane(shape: Shape) -> None:
    R, balls = rpy_to_matrix(0.3, 0.4, 0.5), balls_of(shape)
    lowest = min((R @ ball.p_BC)[2] - ball.radius for ball in balls)
    assert below(balls, R) == pytest.approx(-lowest)
    assert below(balls, R) > 0.03


def test_a_mesh_is_refused_by_name() -> None:
    mesh = Shape("mesh", (1.0, 1.0, 1.0), mesh="a.stl")
    with pytest.raises(InputError, match="mesh; allowed: box, sphere, cylinder, capsule"):
        inertia_of(mesh, 1.0)
    with pytest.raises(InputError, match="mesh; allowed"):
        balls_of(mesh)
