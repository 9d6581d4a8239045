"""A module in the hand of a robot that has stopped on its way goes to the first place that has a motion, and the robot
home from there."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.frames import Pose
from freefloat.gnc.planning.reconfiguration.limb_motions import NoMotionError
from freefloat.gnc.planning.reconfiguration.limb_parking import put_down
from freefloat.gnc.planning.reconfiguration.problem import Carry, Stance
from freefloat.structure.interface import mated_rotation
from freefloat.verify.limb_rig import X_EM, Judge, beside, chain, motions, sampled, slab

GRID, OCCUPIED = slab()
MOTIONS = motions(GRID)
FOOT = Stance(GRID.index((2, 1, 1)), 4)
CARRY = Carry(GRID.index((4, 1, 1)), GRID.index((2, 2, 2)), 4)
WAY = MOTIONS.legs_of_transfer(OCCUPIED, FOOT, CARRY)[1].path
GRIPPED, STOPPED = WAY.at(0.0)[0], WAY.at(0.5 * WAY.duration)[0]
REST = OCCUPIED & (np.arange(GRID.n) != CARRY.source)  # without the module


def to(*cell: int) -> Carry:
    return Carry(CARRY.source, GRID.index(cell), CARRY.grip)


def test_a_module_is_put_where_it_is_offered_and_the_robot_goes_home() -> None:
    offer, carry, back = put_down(MOTIONS, REST, FOOT, STOPPED, GRIPPED, [to(3, 2, 2)])
    assert offer == to(3, 2, 2)
    assert np.abs(carry.path.at(0.0)[0] - STOPPED).max() < 1e-9
    goal = carry.path.at(math.inf)[0]
    X_TA = Pose(np.eye(3), GRID.p_TP[FOOT.place]) @ GRID.X_PF[FOOT.side] @ Pose(mated_rotation(0))
    X_TM = X_TA @ chain().pose(goal) @ X_EM(GRID, GRIPPED, FOOT, CARRY.source)
    assert np.abs(X_TM.p - GRID.p_TP[offer.target]).max() < 1e-9
    assert np.abs(X_TM.R - np.eye(3)).max() < 1e-9
    assert np.abs(back.path.at(0.0)[0] - goal).max() < 1e-9
    after = REST | (np.arange(GRID.n) == offer.target)
    assert back.path.at(math.inf)[0] == pytest.approx(MOTIONS.home(after, FOOT), abs=1e-12)


def test_the_way_there_keeps_the_margin_by_mujocos_distances() -> None:
    offer, carry, _ = put_down(MOTIONS, REST, FOOT, STOPPED, GRIPPED, [to(3, 2, 2)])
    judge = Judge(GRID, REST, FOOT, X_EM(GRID, GRIPPED, FOOT, CARRY.source))
    near = beside(GRID, REST, offer.target)
    least = min(judge.distance(q, load=near, most=0.1) for _, q, _, _ in sampled(carry.path, 5.0))
    assert least >= 0.02 - 1e-6


def test_what_has_no_motion_is_passed_over_for_the_next_offer() -> None:
    buried, far = to(2, 1, 0), to(0, 3, 5)
    offer, *_ = put_down(MOTIONS, REST, FOOT, STOPPED, GRIPPED, [far, buried, to(4, 1, 1)])
    assert offer == to(4, 1, 1)


def test_where_no_offer_has_a_motion_that_is_said() -> None:
    with pytest.raises(NoMotionError, match="no motion to any of 1 places"):
        put_down(MOTIONS, REST, FOOT, STOPPED, GRIPPED, [to(2, 1, 0)])
    with pytest.raises(NoMotionError, match="any of 0"):
        put_down(MOTIONS, REST, FOOT, STOPPED, GRIPPED, [])


def test_a_module_that_did_not_close_in_a_corner_gets_out_again() -> None:
    """Beside a wall it stays 2 mm from it along its gripped face, however far it goes."""
    full = OCCUPIED.copy()
    full[[GRID.index((3, 2, 2)), GRID.index((3, 2, 3))]] = True
    corner = Carry(GRID.index((4, 1, 1)), GRID.index((3, 1, 2)), 4)
    answer = MOTIONS.transfer(full, FOOT, corner)
    assert not answer.refused
    path = MOTIONS.legs_of_transfer(full, FOOT, corner)[1].path
    rest = full & (np.arange(GRID.n) != corner.source)
    offer, carry, _ = put_down(MOTIONS, rest, FOOT, path.at(math.inf)[0], path.at(0.0)[0], [to(4, 1, 1)])
    assert offer == to(4, 1, 1)
    assert np.abs(carry.path.at(0.0)[0] - path.at(math.inf)[0]).max() < 1e-9
