"""Ways of a module in the walking manipulator's hand off what stands around its place, on 5 x 5 modules."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.frames import Pose
from freefloat.gnc.planning.reconfiguration.limb_motions import LimbMotions
from freefloat.gnc.planning.reconfiguration.limb_ways_out import ways_out
from freefloat.gnc.planning.reconfiguration.problem import Carry, Flags, Stance
from freefloat.structure.grid import cubic
from freefloat.structure.interface import mated_rotation
from freefloat.verify.limb_rig import GAP, X_EM, Judge, beside, chain, motions, sampled

GRID = cubic(6, 6, 6)
UP = 4


@pytest.fixture(scope="module")
def limb() -> LimbMotions:
    return motions(GRID)


def floor(*others: tuple[int, int, int]) -> Flags:
    """Two layers of 5 x 5, and others."""
    found = np.zeros(GRID.n, np.bool_)
    for cell in (*((i, j, k) for i in range(5) for j in range(5) for k in range(2)), *others):
        found[GRID.index(cell)] = True
    return found


def wall(j: int) -> tuple[tuple[int, int, int], ...]:
    """Along a row of the upper layer, two modules high."""
    return tuple((i, j, k) for i in range(5) for k in (2, 3))


def ways(limb: LimbMotions, occupied: Flags, cell: tuple[int, int, int], side: int) -> list[tuple[float, float]]:
    """Length and how far aside [m]."""
    place, ground = GRID.index(cell), limb.ground
    rest = occupied.copy()
    rest[place] = False
    stand = ground.scenes.stand(rest, Stance(place, side))
    room = stand.room(ground.scenes.held(side), ground.keep, ground.own)
    found = ways_out(ground, room, ground.scenes.face(stand, place, side), rest, place)
    assert bool(found) == limb.leaves(rest, place, side)
    return [(r.off, float(np.linalg.norm(r.side))) for r in found]


def test_out_of_a_floor_a_module_goes_straight_past_its_neighbours(limb: LimbMotions) -> None:
    assert ways(limb, floor(), (2, 2, 1), UP)[0] == (0.45, 0.0)


def test_beside_a_wall_it_goes_aside_once_it_is_past_them(limb: LimbMotions) -> None:
    found = ways(limb, floor(*wall(3)), (2, 2, 1), UP)
    assert found
    assert all(off == pytest.approx(0.55) and side > 0.05 for off, side in found)


def test_between_two_walls_it_does_not_leave(limb: LimbMotions) -> None:
    assert ways(limb, floor(*wall(3), *wall(1)), (2, 2, 1), UP) == []


def test_a_covered_face_is_no_way(limb: LimbMotions) -> None:
    assert ways(limb, floor(), (2, 2, 0), UP) == []


def test_a_way_aside_is_flown_clear_of_the_wall(limb: LimbMotions) -> None:
    """By MuJoCo's distances: past its neighbours it stays the gap from them, then it is clear of everything."""
    occupied = floor(*wall(3))
    source, target = GRID.index((2, 2, 1)), GRID.index((1, 0, 2))
    stances = [Stance(GRID.index((i, j, 1)), UP) for i in range(5) for j in range(3)]
    carry = Carry(source, target, UP)
    foot = next(s for s in stances if s.place != source and not limb.transfer(occupied, s, carry).refused)
    leg = limb.legs_of_transfer(occupied, foot, carry)[1].path
    rest = occupied.copy()
    rest[source] = False
    q0 = leg.at(0.0)[0]
    judge = Judge(GRID, rest, foot, X_EM(GRID, q0, foot, source))
    X_TA = Pose(np.eye(3), GRID.p_TP[foot.place]) @ GRID.X_PF[foot.side] @ Pose(mated_rotation(0))
    walls = [GRID.index(cell) for cell in wall(3)]
    nearest, gone = 1.0, False
    for _, q, _, _ in sampled(leg, 50.0):
        p = (X_TA @ chain().pose(q)).p - (X_TA @ chain().pose(q0)).p
        gone = gone or float(np.linalg.norm(p)) > 0.6
        free = beside(GRID, rest, source) + walls if not gone else beside(GRID, rest, target)
        assert judge.distance(q, load=free) >= 0.0199
        nearest = min(nearest, judge.distance(q, load=beside(GRID, rest, target) if gone else ()))
    assert 0.5 * GAP < nearest < 2.0 * GAP


def test_what_does_not_leave_has_no_motion(limb: LimbMotions) -> None:
    """Of random heaps on a floor: transfers whose module does not leave both places are refused by the whole search."""
    rng, refused = np.random.default_rng(4), 0
    while refused < 40:
        occupied = floor(*(c for c in np.ndindex(5, 5, 4) if c[2] > 1 and rng.random() < 0.35))
        source, target = (int(p) for p in rng.choice(np.flatnonzero(occupied), 2, replace=False))
        rest = occupied.copy()
        rest[source] = False
        target = source if rng.random() < 0.2 else int(rng.choice(np.flatnonzero(~rest)))
        carry = Carry(source, target, int(rng.integers(6)), int(rng.integers(24)))
        ends = (source, carry.grip), (target, int(GRID.side_at[carry.turn, carry.grip]))
        if all(limb.leaves(rest, *end) for end in ends):
            continue
        foot = Stance(int(rng.choice(np.flatnonzero(rest))), UP)
        assert limb.transfer(occupied, foot, carry).refused
        refused += 1
