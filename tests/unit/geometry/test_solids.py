"""Distances of solids in MuJoCo against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Pose, so3_exp
from freefloat.geometry.shape import Shape
from freefloat.geometry.solids import Prism, SolidModel, core_of, radius_of
from freefloat.structure.grid import hexagonal

BOX, CYLINDER = Shape("box", (0.1, 0.2, 0.3)), Shape("cylinder", (0.05, 0.4))


def put(model: SolidModel, k: int, X: Pose) -> None:
    model.xpos[k], model.xmat[k] = X.p, X.R.ravel()


def test_a_box_and_a_cylinder_are_apart_by_what_their_sizes_leave() -> None:
    model = SolidModel([BOX, CYLINDER])
    put(model, 1, Pose(np.eye(3), (0.35, 0.0, 0.0)))
    assert model.distance(0, 1) == pytest.approx(0.35 - 0.1 - 0.05, abs=1e-7)
    put(model, 1, Pose(so3_exp((0.0, np.pi / 2, 0.0)), (0.6, 0.0, 0.0)))
    assert model.distance(0, 1) == pytest.approx(0.6 - 0.1 - 0.4, abs=1e-7)
    put(model, 1, Pose(np.eye(3), (0.13, 0.0, 0.0)))
    assert model.distance(0, 1) == pytest.approx(-0.02, abs=1e-6)


def test_a_hexagonal_prism_stays_as_its_corners_say() -> None:
    """MuJoCo would turn it into principal axes of its own choice."""
    prism = Prism(hexagonal([(0, 0)], 1.0, 0.1).outline)
    model = SolidModel([prism, Shape("sphere", (0.1,))])
    for angle, flat in ((0.0, 0.5), (np.pi / 6, 1.0 / 3.0**0.5), (np.pi / 3, 0.5)):
        put(model, 1, Pose(np.eye(3), (np.cos(angle), np.sin(angle), 0.0)))
        assert model.distance(0, 1) == pytest.approx(1.0 - flat - 0.1, abs=1e-6)
    put(model, 1, Pose(np.eye(3), (0.0, 0.0, 0.3)))
    assert model.distance(0, 1) == pytest.approx(0.3 - 0.05 - 0.1, abs=1e-6)


@pytest.mark.parametrize("solid", [BOX, CYLINDER, Shape("capsule", (0.1, 0.2)), Shape("sphere", (0.1,))])
def test_the_ball_and_the_line_with_a_radius_hold_the_solid(solid: Shape) -> None:
    rng = np.random.default_rng(3)
    model = SolidModel([solid, Shape("sphere", (1e-3,))])
    half, radius = core_of(solid)
    for direction in rng.normal(size=(50, 3)):
        p = direction / np.linalg.norm(direction)
        put(model, 1, Pose(np.eye(3), p))
        gap = model.distance(0, 1)
        assert gap >= 1.0 - 1e-3 - radius_of(solid) - 1e-6
        to_line = np.linalg.norm(p - [0.0, 0.0, np.clip(p[2], -half, half)])
        assert gap >= to_line - radius - 1e-3 - 1e-6


def test_a_shape_without_a_distance_is_refused() -> None:
    with pytest.raises(InputError, match=r"'mesh' has no distance; allowed: box"):
        SolidModel([Shape("mesh", (1.0, 1.0, 1.0), mesh="some.stl")])
