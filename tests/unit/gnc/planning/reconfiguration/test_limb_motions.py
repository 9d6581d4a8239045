"""The walking manipulator on a slab of 5 x 2 x 2 modules, its foot on top of (2, 1, 1)."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

from freefloat.frames import Pose
from freefloat.gnc.planning.arm.curve_proof_step import shares
from freefloat.gnc.planning.arm.flown_curve import limit_table
from freefloat.gnc.planning.reconfiguration.limb_motions import NoMotionError
from freefloat.gnc.planning.reconfiguration.problem import Carry, Stance
from freefloat.structure.grid import cubic, hexagon_rings, hexagonal
from freefloat.structure.interface import mated_rotation
from freefloat.verify.cases.limb_motion import flights
from freefloat.verify.limb_rig import X_EM, chain, motions, slab, walker

GRID, OCCUPIED = slab()
MOTIONS = motions(GRID)
FOOT = Stance(GRID.index((2, 1, 1)), 4)
CARRY = Carry(GRID.index((4, 1, 1)), GRID.index((2, 2, 2)), 4)
TO = Stance(GRID.index((4, 1, 1)), 4)


def standing(stance: Stance) -> Pose:
    """X_TA of the end that stands."""
    return Pose(np.eye(3), GRID.p_TP[stance.place]) @ GRID.X_PF[stance.side] @ Pose(mated_rotation(0))


def test_a_step_ends_on_the_face_in_roll_0_and_goes_on_from_there() -> None:
    first, second = MOTIONS.legs_of_step(OCCUPIED, FOOT, TO)
    q = first.path.at(math.inf)[0]
    X = standing(FOOT) @ chain().pose(q)
    assert np.abs(X.p - standing(TO).p).max() < 1e-10
    assert np.abs(X.R - standing(TO).R).max() < 1e-10
    assert np.abs(second.path.at(0.0)[0] - q[::-1]).max() < 1e-9
    homes = [MOTIONS.home(OCCUPIED, s) for s in (FOOT, TO)]
    assert first.path.at(0.0)[0].tolist() == pytest.approx(homes[0], abs=0.0)
    assert second.path.at(math.inf)[0].tolist() == pytest.approx(homes[1], abs=0.0)


def test_a_transfer_brings_the_module_to_its_place() -> None:
    pick, carry, back = MOTIONS.legs_of_transfer(OCCUPIED, FOOT, CARRY)
    grip, goal = carry.path.at(0.0)[0], carry.path.at(math.inf)[0]
    assert np.abs(pick.path.at(math.inf)[0] - grip).max() < 1e-9
    assert np.abs(back.path.at(0.0)[0] - goal).max() < 1e-9
    X_TM = standing(FOOT) @ chain().pose(goal) @ X_EM(GRID, grip, FOOT, CARRY.source)
    assert np.abs(X_TM.p - GRID.p_TP[CARRY.target]).max() < 1e-10
    assert np.abs(X_TM.R - np.eye(3)).max() < 1e-10


def test_a_turned_transfer_turns_the_module() -> None:
    carry = Carry(CARRY.source, CARRY.target, 4, turn=next(o for o in range(1, 24) if GRID.R_PM[o][2, 2] == 1.0))
    _, over, _ = MOTIONS.legs_of_transfer(OCCUPIED, FOOT, carry)
    X = X_EM(GRID, over.path.at(0.0)[0], FOOT, carry.source)
    X_TM = standing(FOOT) @ chain().pose(over.path.at(math.inf)[0]) @ X
    assert np.abs(X_TM.R - GRID.R_PM[carry.turn]).max() < 1e-10


def test_verdicts_are_the_legs_and_the_orders_and_not_below_their_bound() -> None:
    told = MOTIONS.transfer(OCCUPIED, FOOT, CARRY)
    legs = MOTIONS.legs_of_transfer(OCCUPIED, FOOT, CARRY)
    orders = 2.0 * (MOTIONS.orders.close + MOTIONS.orders.open)
    assert told.seconds == pytest.approx(sum(leg.path.duration for leg in legs) + orders, abs=1e-9)
    assert 0.0 < MOTIONS.least_transfer(FOOT, CARRY) <= told.seconds
    assert 0.0 < MOTIONS.least_step(FOOT, TO) <= MOTIONS.step(OCCUPIED, FOOT, TO).seconds


def test_limits_of_joints_speed_acceleration_and_jerk_hold() -> None:
    for leg in MOTIONS.legs_of_transfer(OCCUPIED, FOOT, CARRY):
        assert max(shares(*leg.path.knots, limit_table(walker().limits))) <= 1.0
        assert chain().within_limits(leg.path.knots[1][:, 0].max(axis=0), 1e-9)
        assert chain().within_limits(leg.path.knots[1][:, 0].min(axis=0), 1e-9)


def test_the_same_question_elsewhere_in_a_grid_has_the_same_answer() -> None:
    wide = cubic(9, 6, 6)
    moved = np.zeros(wide.n, bool)
    shift = np.array([3, 1, 0])
    for place in np.flatnonzero(OCCUPIED):
        moved[wide.index(GRID.cells[place] + shift)] = True
    other = motions(wide)

    def at(place: int) -> int:
        return wide.index(GRID.cells[place] + shift)

    told = other.transfer(moved, Stance(at(FOOT.place), 4), Carry(at(CARRY.source), at(CARRY.target), 4))
    assert told == MOTIONS.transfer(OCCUPIED, FOOT, CARRY)


def test_refusals_say_which_leg_and_why() -> None:
    def told(**change: int) -> str:
        return MOTIONS.transfer(OCCUPIED, FOOT, Carry(**{**vars(CARRY), **change})).refused

    assert told(grip=5) == "grip: the face is covered"
    assert told(source=FOOT.place) == "grip: a robot stands on it"
    assert told(target=GRID.index((0, 1, 0))) == "goal: the place is taken"
    assert told(target=GRID.index((2, 1, 2))) == "goal: a robot's foot is there"
    assert MOTIONS.step(OCCUPIED, FOOT, Stance(GRID.index((0, 1, 0)), 5)).refused == "step: out of reach"
    with pytest.raises(NoMotionError, match="a robot stands on it"):
        MOTIONS.legs_of_transfer(OCCUPIED, FOOT, Carry(FOOT.place, CARRY.target, 4))


def test_another_robot_at_rest_is_kept_clear_of() -> None:
    other = Stance(GRID.index((2, 2, 1)), 4)
    assert MOTIONS.transfer(OCCUPIED, FOOT, CARRY, [other]).refused == "goal: a robot's foot is there"
    assert MOTIONS.step(OCCUPIED, FOOT, other, [other]).refused == "step: another robot stands there"
    alone = MOTIONS.home(OCCUPIED, FOOT)
    beside = [Stance(GRID.index((i, j, 1)), 4) for i in (1, 3) for j in (1, 2)]
    found = [MOTIONS.home(OCCUPIED, FOOT, [b]) for b in beside]
    assert alone is not None
    assert any(q is not None and not np.array_equal(q, alone) for q in found)


def test_copies_and_pickles_answer_the_same() -> None:
    for other in (copy.deepcopy(MOTIONS), pickle.loads(pickle.dumps(MOTIONS))):
        assert other.step(OCCUPIED, FOOT, TO) == MOTIONS.step(OCCUPIED, FOOT, TO)


def test_short_form_of_the_verify_case_of_transfers_passes() -> None:
    failed = [f"{c.quantity}: {c.ours}" for c in flights(1, 1, 20.0) if not c.passed]
    assert not failed


def test_hexagonal_modules_are_carried_too() -> None:
    grid = hexagonal(hexagon_rings(2), across_flats=0.5, height=0.2)
    occupied = np.zeros(grid.n, bool)
    occupied[:7] = True
    planner, foot = motions(grid), Stance(0, 6)
    told = {
        (source, target): planner.transfer(occupied, foot, Carry(source, target, 6))
        for source in range(1, 7)
        for target in range(7, grid.n)
    }
    found = [key for key, verdict in told.items() if not verdict.refused]
    assert found
    source, target = found[0]
    _, carry, _ = planner.legs_of_transfer(occupied, foot, Carry(source, target, 6))
    X_TA = Pose(np.eye(3), grid.p_TP[0]) @ grid.X_PF[6] @ Pose(mated_rotation(0))
    X_TM = X_TA @ chain().pose(carry.path.at(math.inf)[0]) @ X_EM(grid, carry.path.at(0.0)[0], foot, source)
    assert np.abs(X_TM.p - grid.p_TP[target]).max() < 1e-10
