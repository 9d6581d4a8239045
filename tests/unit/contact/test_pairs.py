"""Which row two solids make, and that what no pair covers is refused by name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from freefloat.contact import Ball, Ground, Plane, Wall, cone
from freefloat.contact.pairs import pairs_of
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.kernels.contact_row import BALL, CAPSULES, CONVEX
from freefloat.platforms.height_map import flat

BALL_SHAPE, ROD = Shape("sphere", (0.1,)), Shape("capsule", (0.05, 0.2))
BOX, CAN = Shape("box", (0.1, 0.2, 0.3)), Shape("cylinder", (0.1, 0.2))
CORNER = Ball((0.1, 0.0, 0.0), 0.02)


@pytest.mark.parametrize(
    ("a", "b", "kind", "rows", "swapped"),
    [
        (BOX, BALL_SHAPE, BALL, 1, False),
        (BALL_SHAPE, BOX, BALL, 1, True),
        (BALL_SHAPE, BALL_SHAPE, BALL, 1, False),
        (CORNER, CAN, BALL, 1, True),
        (CORNER, CORNER, BALL, 1, False),
        (ROD, ROD, CAPSULES, 1, False),
        (ROD, BOX, CONVEX, 1, False),
        (BOX, CAN, CONVEX, 1, False),
        (Plane(), BOX, BALL, 8, False),
        (BOX, Plane(), BALL, 8, True),
        (Plane(), ROD, BALL, 2, False),
        (Plane(), CAN, BALL, 32, False),
        (cone(0.6, 0.4, 0.01)[0], BALL_SHAPE, BALL, 1, False),
        (BALL_SHAPE, Ground(flat((1.0, 1.0))), BALL, 1, True),
    ],
)
def test_closed_forms_come_first(a: Any, b: Any, kind: int, rows: int, swapped: bool) -> None:
    pairs = pairs_of(a, b)
    assert len(pairs) == rows
    assert {pair.columns["pair"] for pair in pairs} == {kind}
    assert {pair.swapped for pair in pairs} == {swapped}


def test_a_box_on_a_plane_stands_on_its_corners_wherever_it_is() -> None:
    turned = Pose.from_rpy((0.3, 0.2, 0.1), (1.0, 2.0, 3.0))
    found = np.array([pair.columns["p_BC"] for pair in pairs_of(Plane(), Shape("box", BOX.size, turned))])
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    assert found == pytest.approx(np.array([turned.apply(s * BOX.size) for s in signs]))


def test_the_reach_holds_both() -> None:
    (pair,) = pairs_of(BOX, CORNER)
    assert pair.columns["reach"] == pytest.approx(np.linalg.norm(BOX.size) + CORNER.radius)
    assert pairs_of(Plane(), CORNER)[0].columns["reach"] == math.inf


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        (Wall([(0.1, 0.0), (0.1, 0.1)], 0.01), BOX, "contact of a Wall with a box: no pair; allowed: spheres"),
        (Ground(flat((1.0, 1.0))), ROD, "contact of a Ground with a capsule: no pair; allowed: spheres"),
        (Plane(), Plane(), "contact of a Plane with a Plane: no pair"),
        (Shape("mesh", (1.0, 1.0, 1.0), mesh="nowhere.stl"), BOX, "nowhere.stl"),
    ],
)
def test_what_no_pair_covers_is_refused_by_name(a: Any, b: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        pairs_of(a, b)
