"""The walking manipulator as a spherical-elbow-spherical limb."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError, ModelError
from freefloat.frames import Pose
from freefloat.gnc.planning.arm.chain import Chain, Frame
from freefloat.gnc.planning.arm.limb import Limb
from freefloat.gnc.planning.arm.six_axis import OutOfReachError
from freefloat.verify.cases.limb import kinematics
from freefloat.verify.limb_rig import walker

CHAIN = walker().chain("a", "b")
LIMB = Limb.of(CHAIN)
BENT = np.array([0.3, 0.7, -0.4, 1.1, 0.2, 0.6, -0.5])


def test_short_form_of_the_verify_case_passes() -> None:
    failed = [c.quantity for c in kinematics(60, 10) if not c.passed]
    assert not failed


def test_lengths_come_from_the_chain() -> None:
    assert LIMB.l1 == pytest.approx(0.65, abs=1e-12)
    assert LIMB.l2 == pytest.approx(0.65, abs=1e-12)
    assert LIMB.reach == pytest.approx((0.336465, 1.3), abs=1e-6)


def test_the_robot_is_its_own_image_from_the_other_end() -> None:
    other = Limb.of(walker().chain("b", "a"))
    X, Y = LIMB.pose(BENT), other.pose(BENT[::-1])
    assert np.abs(X.p - Y.p).max() < 1e-12
    assert np.abs(X.R - Y.R).max() < 1e-12


def test_joints_listed_from_the_tip_give_the_same_poses() -> None:
    model = walker().model
    (la, Xa), (lb, Xb) = walker().ends["a"], walker().ends["b"]
    listed = Chain(model, CHAIN.joints[::-1], Frame(la, Xa), Frame(lb, Xb))
    limb = Limb.of(listed)
    assert np.abs(limb.pose(BENT[::-1]).p - LIMB.pose(BENT).p).max() < 1e-12
    found = limb.inverse(LIMB.pose(BENT), limb.swivel(BENT[::-1]))
    assert min(np.abs(p.q - BENT[::-1]).max() for p in found) < 1e-10


def test_eight_branches_are_distinct_and_lead_to_one_pose() -> None:
    X = LIMB.pose(BENT)
    rows, told = LIMB.branches(X, 0.4)
    assert (told == 0).all()
    assert len({tuple(np.round(r, 6)) for r in rows}) == 8
    for r in rows:
        assert np.abs(CHAIN.pose(r).p - X.p).max() < 1e-12


def test_copies_of_the_rolls_stay_within_the_limits() -> None:
    turned = BENT + np.array([2.0, 0.0, 0.0, 0.0, 2.5, 0.0, 0.0])
    found = LIMB.inverse(LIMB.pose(turned), LIMB.swivel(turned))
    assert all(CHAIN.within_limits(p.q, 1e-9) for p in found)
    first = [p.q for p in found if p.branch == 0]
    turns = {tuple(np.round((q - first[0]) / (2 * np.pi), 9) + 0.0) for q in first}
    assert len(turns) == len(first) == 4
    assert all(t == round(t) for row in turns for t in row)


def test_a_pose_too_far_is_told_with_its_distance_and_what_is_allowed() -> None:
    X = Pose(LIMB.pose(np.zeros(7)).R, (0.0, 0.0, -1.7))
    with pytest.raises(OutOfReachError, match=r"1\.4 m from the shoulder; allowed: 0\.3365 to 1\.3 m") as e:
        LIMB.inverse(X)
    assert e.value.distance == pytest.approx(0.1, abs=1e-9)
    assert "out of reach" in LIMB.why_not(X)


def test_a_pose_beyond_the_limits_names_the_joints() -> None:
    folded = LIMB.pose([0.0, 0.5, 0.0, 2.8, 0.0, 0.5, 0.0])
    assert LIMB.inverse(folded) == []
    assert "pitch_4" in LIMB.why_not(folded)
    assert LIMB.why_not(LIMB.pose(BENT)) == ""


@pytest.mark.parametrize("q", [np.zeros(7), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.2, 0.7, 0.1, 0.0, 0.3, 0.4, 0.5]])
def test_singular_postures_are_told_and_solved_the_same_way_every_time(q) -> None:
    X, psi = LIMB.pose(q), LIMB.swivel(q)
    first, again = LIMB.inverse(X, psi), LIMB.inverse(X, psi)
    assert first
    assert any(p.singular for p in first)
    for p, r in zip(first, again, strict=True):
        assert np.array_equal(p.q, r.q)
        assert np.abs(CHAIN.pose(p.q).p - X.p).max() < 1e-10
        assert np.abs(CHAIN.pose(p.q).R - X.R).max() < 1e-10


@pytest.mark.parametrize("joint", ["roll_1", "pitch_2", "roll_3", "roll_5", "pitch_6", "roll_7"])
def test_a_locked_joint_keeps_its_angle(joint: str) -> None:
    k = CHAIN.joints.index(joint)
    X = LIMB.pose(BENT)
    found = LIMB.locked(X, joint, float(BENT[k]))
    assert any(np.abs(p.q - BENT).max() < 1e-6 for p in found)
    for p in found:
        assert p.q[k] == pytest.approx(BENT[k], abs=1e-10)
        assert np.abs(CHAIN.pose(p.q).p - X.p).max() < 1e-10


def test_a_chain_of_other_geometry_is_refused() -> None:
    model = walker().model
    (la, Xa), (lb, Xb) = walker().ends["a"], walker().ends["b"]
    with pytest.raises(ModelError, match="6 joints, 6 of them turn; allowed: 7 that turn"):
        Limb.of(Chain(model, CHAIN.joints[:6], Frame(la, Xa), Frame(lb, Xb)))
    spec = CHAIN.spec()
    spec.joint("pitch_4").pos = spec.joint("pitch_4").pos + np.array([1e-6, 0.0, 0.0])
    off = Chain(spec.compile(), CHAIN.joints, Frame("segment0"), Frame("tip"))
    with pytest.raises(ModelError, match="axis 4 misses"):
        Limb.of(off)


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="7 finite numbers"):
        LIMB.pose(np.zeros(6))
