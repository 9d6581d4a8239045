"""A robot with a joint that stands for good: what it is from either end, and that its motions leave the joint alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.gnc.planning.reconfiguration.limb_locked import END_A, END_B
from freefloat.gnc.planning.reconfiguration.limb_motions import LimbMotions, with_locked
from freefloat.gnc.planning.reconfiguration.problem import Stance
from freefloat.verify.limb_rig import chain, motions, slab

GRID, OCCUPIED = slab()
WHOLE = motions(GRID)
FOOT = Stance(GRID.index((2, 1, 1)), 4, END_A)
NEAR = [Stance(GRID.index(cell), 4) for cell in ((3, 1, 1), (4, 1, 1), (1, 1, 1), (0, 1, 1), (2, 2, 1), (3, 2, 1))]


def locked(joint: int, angle: float) -> LimbMotions:
    q = WHOLE.home(OCCUPIED, FOOT)
    assert q is not None
    rest = q.copy()
    rest[joint] = angle
    return with_locked(WHOLE, joint, angle, END_A, rest)


@pytest.mark.parametrize("joint", [0, 2, 4, 5])
def test_homes_from_both_ends_have_the_joint_where_it_stands(joint: int) -> None:
    six = locked(joint, 0.3)
    for end, at in ((END_A, joint), (END_B, 6 - joint)):
        home = six.home(OCCUPIED, Stance(FOOT.place, FOOT.side, end))
        assert home is not None
        assert home[at] == pytest.approx(0.3, abs=1e-12)


def test_the_ends_see_each_other_as_the_limb_from_its_other_end() -> None:
    six = locked(1, 0.4)
    a, b = (six.ground_of(Stance(FOOT.place, FOOT.side, end)) for end in (END_A, END_B))
    assert a.turned is b
    assert b.turned is a
    stuck = [np.flatnonzero(g.body.lower == g.body.upper).tolist() for g in (a, b)]
    assert stuck == [[1], [5]]


def test_a_step_with_six_joints_leaves_the_seventh_alone_and_changes_the_end() -> None:
    six, joint, angle = locked(4, 0.2), 4, 0.2
    to = next(s for s in NEAR if not six.step(OCCUPIED, FOOT, s).refused)
    first, second = six.legs_of_step(OCCUPIED, FOOT, to)
    for leg, at in ((first, joint), (second, 6 - joint)):
        there = np.array([leg.path.at(float(t))[0][at] for t in np.linspace(0.0, leg.path.duration, 50)])
        assert np.abs(there - angle).max() < 1e-9
    end, begin = first.path.at(math.inf)[0], second.path.at(0.0)[0]
    assert np.abs(end - begin[::-1]).max() < 1e-9
    p = GRID.p_TP[to.place] + GRID.X_PF[4].p - GRID.p_TP[FOOT.place] - GRID.X_PF[4].p
    X_AE = chain().pose(end)
    assert np.linalg.norm(X_AE.p) == pytest.approx(float(np.linalg.norm(p)), abs=1e-9)


def test_a_stuck_elbow_finds_no_step_at_all() -> None:
    six = locked(3, math.radians(110.0))
    assert all(six.step(OCCUPIED, FOOT, s).refused for s in NEAR)
