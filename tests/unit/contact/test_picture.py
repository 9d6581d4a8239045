"""Solids of contacts as drawings: where they touch, and only those that are not seen anyway."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.contact import Ball, Contact, SpringDamper, cone
from freefloat.contact.picture import contact_drawings
from freefloat.contact.surfaces import Ground, Plane, Prism
from freefloat.frames import Pose
from freefloat.geometry.scenery import Mesh
from freefloat.geometry.shape import Shape
from freefloat.platforms.height_map import synthetic

X_LS = Pose.from_rpy((0.3, -0.4, 0.5), (1.0, -2.0, 0.5))


def _mesh(solid: object) -> np.ndarray:
    """Corners of the first drawing of a solid, in its own frame S."""
    first = contact_drawings([("link", solid)], ())["link"].drawings[0]  # pyright: ignore[reportArgumentType]
    assert isinstance(first, Mesh)
    return (first.points - X_LS.p) @ X_LS.R


def test_planes_cones_prisms_and_uneven_ground_lie_where_they_touch() -> None:
    assert np.abs(_mesh(Plane(X_LS))[:, 2]).max() <= 1e-12
    (wall,) = cone(0.5, 1.0, 0.01, X_LS=X_LS)
    points = _mesh(wall)
    inner = points @ [0.0, 0.0, 1.0] * np.sin(0.5) - np.hypot(points[:, 0], points[:, 1]) * np.cos(0.5)
    np.testing.assert_allclose(inner, -0.005, atol=1e-9)  # the middle of the wall
    corners = _mesh(Prism(0.4, 0.6, X_LS))
    across = np.array([np.cos(np.radians(60.0)), np.sin(np.radians(60.0)), 0.0])
    assert (corners @ across).max() == pytest.approx(0.2)
    assert np.abs(corners[:, 2]).max() == pytest.approx(0.3)
    floor = synthetic(2, (2.0, 3.0))
    ground = _mesh(Ground(floor, X_LS))
    np.testing.assert_allclose(floor.at(ground[:, :2])[0], ground[:, 2], atol=1e-9)


def test_balls_and_shapes_keep_their_place_and_what_is_seen_is_not_drawn_again() -> None:
    box, ball = Shape("box", (0.1, 0.2, 0.3), X_LS), Ball((1.0, 2.0, 3.0), 0.25)
    drawn = contact_drawings([("a", box), ("a", box), ("b", ball)], [])
    (shape,), (sphere,) = drawn["a"].drawings, drawn["b"].drawings
    assert isinstance(shape, Shape)
    assert (shape.kind, shape.size, shape.X_LG) == (box.kind, box.size, box.X_LG)
    assert isinstance(sphere, Shape)
    assert (sphere.size, sphere.X_LG.p.tolist()) == ((0.25,), [1.0, 2.0, 3.0])
    assert contact_drawings([("a", box)], [box]) == {}


def test_a_contact_with_the_ground_shows_it_and_one_of_seen_shapes_shows_nothing() -> None:
    box = ff.RigidBody("box", 1.0, motion=ff.Motion(Pose(np.eye(3), [0.0, 0.0, 2.0])))
    drawn = ff.Mission([box, Contact("touch", "world", "box", SpringDamper(1e3))]).blueprint.seen.drawn
    assert {name: (d.layer, d.link) for name, d in drawn.items()} == {"touch:world": ("contact", "world")}
    other = ff.RigidBody("other", 1.0)
    assert not ff.Mission([box, other, Contact("touch", "other", "box", SpringDamper(1e3))]).blueprint.seen.drawn
