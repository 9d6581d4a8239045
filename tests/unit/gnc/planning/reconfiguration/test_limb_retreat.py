"""Straight ways off: away from all neighbours within their cones, and from wherever a hand has come to rest."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.limb_retreat import careful, hand_pose, starts, ways
from freefloat.gnc.planning.reconfiguration.limb_ways_out import needed
from freefloat.gnc.planning.reconfiguration.problem import Carry, Stance
from freefloat.gnc.planning.reconfiguration.ways_out import CONE, within_cones
from freefloat.verify.limb_rig import motions, slab

GRID, OCCUPIED = slab()
MOTIONS = motions(GRID)
FOOT = Stance(GRID.index((2, 1, 1)), 4)
CARRY = Carry(GRID.index((4, 1, 1)), GRID.index((2, 2, 2)), 4)
DOWN = np.diag([1.0, -1.0, -1.0])  # R_TH of a hand on a face +z
MIDDLE = GRID.index((2, 1, 2))


def around(*cells: tuple[int, int, int]) -> np.ndarray:
    full = np.zeros(GRID.n, bool)
    full[[GRID.index(c) for c in cells]] = True
    return full


def off(*cells: tuple[int, int, int], R_TH: Array = DOWN) -> Array:
    """(k, 3) in T, of a module at (2, 1, 2) that is gripped from above."""
    ground = MOTIONS.ground
    return within_cones(ground.view.directions, needed(ground, R_TH, around(*cells), MIDDLE))


def test_a_module_leaves_a_wall_at_45_and_a_corner_at_55_deg() -> None:
    wall, corner = off((2, 1, 1), (1, 1, 2))[0], off((2, 1, 1), (1, 1, 2), (2, 0, 2))[0]
    assert wall == pytest.approx(np.array([1.0, 0.0, 1.0]) / math.sqrt(2.0), abs=1e-12)
    assert corner == pytest.approx(np.array([1.0, 1.0, 1.0]) / math.sqrt(3.0), abs=1e-12)
    assert math.acos(corner[2]) < CONE


def test_on_top_it_leaves_to_any_side_and_out_of_a_slot_by_the_face_alone() -> None:
    top = off((2, 1, 1))
    assert len(top) == 8
    assert (top[:, 2] >= math.cos(CONE)).all()
    assert len(off((2, 1, 1), (1, 1, 2), (3, 1, 2))) == 0


def test_errors_of_the_joints_do_not_turn_the_way() -> None:
    c, s = math.cos(1e-3), math.sin(1e-3)
    tilted = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]) @ DOWN
    assert np.array_equal(off((2, 1, 1), (1, 1, 2), R_TH=tilted), off((2, 1, 1), (1, 1, 2)))


def test_a_posture_that_is_clear_needs_no_way_off() -> None:
    ground, home = MOTIONS.ground, MOTIONS.home(OCCUPIED, FOOT)
    assert home is not None
    stand = ground.scenes.stand(OCCUPIED, FOOT)
    q = MOTIONS.limb.to_steps(home)
    found = list(starts(ground, stand, stand.room(ground.body, ground.keep, ground.own), q))
    assert len(found) == 1
    assert found[0][1] is None
    assert np.array_equal(found[0][0], q)


def test_a_hand_on_a_face_leaves_it_straight() -> None:
    ground = MOTIONS.ground
    q = MOTIONS.limb.to_steps(MOTIONS.legs_of_transfer(OCCUPIED, FOOT, CARRY)[0].path.at(math.inf)[0])
    stand = ground.scenes.stand(OCCUPIED, FOOT)
    found = list(starts(ground, stand, stand.room(ground.body, ground.keep, ground.own), q))
    assert found
    for away, way in found:
        assert way is not None
        moved, X = hand_pose(ground, away).p - hand_pose(ground, q).p, hand_pose(ground, q)
        assert X.R.T @ moved == pytest.approx([0.0, 0.0, -way[0].retreat.off], abs=1e-9)


def test_ways_of_a_load_are_the_faces_own_and_then_off_all_neighbours() -> None:
    ground = MOTIONS.ground
    stand = ground.scenes.stand(OCCUPIED, FOOT)
    face = ground.scenes.face(stand, MIDDLE, 4)
    found = ways(ground, face, around((2, 1, 1), (1, 1, 2)), MIDDLE)
    assert [w.off for w in found] == pytest.approx([0.1, 0.2, 0.45, 0.1, 0.2, *8 * [0.55]])
    assert [w.out == (0.0, 0.0, -1.0) for w in found] == [True, True, True, False, False, *8 * [True]]


def test_a_careful_planner_keeps_a_share_of_the_margin() -> None:
    planner = MOTIONS.ground.planner
    assert careful(planner, 0.5).tries.margin == 0.5 * planner.tries.margin
    assert planner.tries.margin == 0.02
