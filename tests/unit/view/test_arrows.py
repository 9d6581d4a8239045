"""Arrows of forces in pictures."""

from __future__ import annotations

import numpy as np

from freefloat.engine.pushes import Push
from freefloat.view.arrows import arrows_of
from freefloat.view.camera import Camera
from freefloat.view.raycast import render

PUSH = Push("touch.0", "", np.array([1.0, 2.0, 3.0]), np.array([0.0, -999.0, 0.0]))


def test_an_arrow_goes_from_where_the_force_acts_along_it() -> None:
    solids = arrows_of([PUSH], np.array([1.0, 2.0, 3.0]), decade=0.1)
    points = solids.points.reshape(-1, 3)
    np.testing.assert_allclose(points[:, 1].min(), -0.3, atol=1e-6)
    np.testing.assert_allclose(points[:, 1].max(), 0.0, atol=1e-6)
    assert np.abs(points[:, [0, 2]]).max() < 0.02


def test_a_picture_without_forces_is_the_same_and_with_them_another() -> None:
    camera = Camera((2.0, 2.0, 3.2), (1.0, 2.0, 3.0), width=60, height=40)
    bare = render({}, {}, camera, "white")
    np.testing.assert_array_equal(bare, render({}, {}, camera, "white", pushes=()))
    shown = render({}, {}, camera, "white", pushes=[PUSH])
    assert (shown != bare).any(axis=-1).sum() > 10
