"""Rays against triangles: what closed forms say of a box, a sphere and nothing at all."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.frames import Pose
from freefloat.geometry.rays import RayCaster
from freefloat.geometry.shape import Shape
from freefloat.geometry.tessellation import assemble

ORIGIN = np.zeros(3)


def caster(*shapes: Shape, X_WL: Pose | None = None) -> RayCaster:
    return RayCaster(assemble({"a": shapes}, {"a": X_WL or Pose.identity()}, ORIGIN).points)


def rays(*rows: tuple[float, float, float]) -> np.ndarray:
    return np.array(rows, np.float32)


def test_a_ray_meets_the_near_face_of_a_turned_box_at_its_distance() -> None:
    X_WL = Pose.from_rpy([0.0, 0.0, np.pi / 4], [5.0, 0.0, 0.0])
    box = caster(Shape("box", (1.0, 1.0, 1.0)), X_WL=X_WL)
    hits = box.first(rays((0, 0, 0), (0, 0.5, 0), (0, 0, 0)), rays((1, 0, 0), (1, 0, 0), (-1, 0, 0)))
    assert hits.ray.tolist() == [0, 1]
    assert hits.distance == pytest.approx([5.0 - np.sqrt(2.0), 5.0 - np.sqrt(2.0) + 0.5], abs=1e-5)


def test_a_direction_of_another_length_measures_in_that_length() -> None:
    box = caster(Shape("box", (1.0, 1.0, 1.0)))
    assert box.first(rays((-5, 0.1, 0.2)), rays((2, 0, 0))).distance == pytest.approx([2.0], abs=1e-6)


def test_weights_of_the_corners_give_the_point_that_was_met() -> None:
    solid = assemble({"a": [Shape("sphere", (1.0,))]}, {"a": Pose.identity()}, ORIGIN)
    rng = np.random.default_rng(1)
    start = rng.normal(size=(200, 3))
    start *= 4.0 / np.linalg.norm(start, axis=1, keepdims=True)
    direction = (0.3 * rng.uniform(-1.0, 1.0, (200, 3)) - start).astype(np.float32)
    hits = RayCaster(solid.points).first(start.astype(np.float32), direction)
    assert len(hits.ray) == 200
    a, b, c = solid.points[hits.triangle].transpose(1, 0, 2)
    met = (1.0 - hits.u - hits.v)[:, None] * a + hits.u[:, None] * b + hits.v[:, None] * c
    np.testing.assert_allclose(met, start[hits.ray] + hits.distance[:, None] * direction[hits.ray], atol=1e-5)
    assert np.linalg.norm(met, axis=1) == pytest.approx(np.ones(200), abs=2e-3)


def test_a_way_is_clear_beside_and_behind_and_blocked_through() -> None:
    box = caster(Shape("box", (1.0, 1.0, 1.0)))
    start = rays((-5, 0, 0), (-5, 2, 0), (5, 0, 0))
    assert box.clear(start, np.array([1.0, 0.0, 0.0], np.float32)).tolist() == [False, True, True]


def test_nothing_stops_no_ray() -> None:
    nothing = RayCaster(np.zeros((0, 3, 3), np.float32))
    assert nothing.clear(rays((0, 0, 0)), rays((1, 0, 0))).tolist() == [True]
    assert len(nothing.first(rays((0, 0, 0)), rays((1, 0, 0))).ray) == 0
