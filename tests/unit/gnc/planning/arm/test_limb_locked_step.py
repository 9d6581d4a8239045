"""A limb with a stuck joint: the swivels that it leaves, and straight ways on which it stays at its angle."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.limb import Limb
from freefloat.gnc.planning.arm.limb_body import LimbBody, limb_body
from freefloat.gnc.planning.arm.limb_locked_step import AT, kept_branch, stuck_joint, stuck_swivels
from freefloat.gnc.planning.arm.limb_planner import across
from freefloat.gnc.planning.arm.limb_step import branch_at, frames, swivel
from freefloat.verify.limb_rig import chain, walker

LIMB = Limb.of(chain())
BODY = limb_body(chain(), LIMB, {link.name: link.shapes for link in walker().graph.links})
Q = np.array([0.4, 0.7, -0.5, 1.3, 0.6, 0.9, -0.3])  # as compiled steps count joints
WAY = np.array([0.0, 0.0, -1.0])  # in H, straight off a face


def stuck(joint: int, angle: float) -> LimbBody:
    lower, upper = BODY.lower.copy(), BODY.upper.copy()
    lower[joint] = upper[joint] = angle
    return BODY._replace(lower=lower, upper=upper)


def hand(q: Array) -> Pose:
    axes, centres = np.empty((8, 3, 3)), np.empty((8, 3))
    frames(LIMB.l1, LIMB.l2, q, axes, centres)
    return Pose(axes[7], centres[7])


def branch(X: Pose, up: Array, q: Array) -> int:
    """The branch that q is of."""
    psi, out = swivel(LIMB.l1, LIMB.l2, q, up), np.empty(7)
    for b in range(8):
        if branch_at(LIMB.l1, LIMB.l2, X.p, X.R, up, psi, b, np.zeros(7), out) >= 0 and np.abs(out - q).max() < 1e-9:
            return b
    raise AssertionError("no branch has these angles")


def test_which_joint_is_stuck_is_told_by_its_limits() -> None:
    assert stuck_joint(BODY) == -1
    assert [stuck_joint(stuck(j, 0.1)) for j in range(7)] == list(range(7))


@pytest.mark.parametrize("joint", [0, 1, 2, 4, 5, 6])
def test_the_swivels_that_a_stuck_joint_leaves_have_it_at_its_angle(joint: int) -> None:
    X, body = hand(Q), stuck(joint, float(Q[joint]))
    up, out = across(X), np.empty(7)
    found = stuck_swivels(body, X.p, X.R, up)
    assert np.abs(found - swivel(LIMB.l1, LIMB.l2, Q, up)).min() < 1e-9
    for psi in found:
        rows = []
        for b in range(8):
            branch_at(LIMB.l1, LIMB.l2, X.p, X.R, up, float(psi), b, np.zeros(7), out)
            rows.append(abs((out[joint] - Q[joint] + np.pi) % (2.0 * np.pi) - np.pi))
        assert min(rows) < 1e-9


@pytest.mark.parametrize("joint", [0, 1, 2, 4, 5, 6])
def test_on_a_straight_way_the_stuck_joint_stays_and_the_hand_keeps_to_the_line(joint: int) -> None:
    X, body = hand(Q), stuck(joint, float(Q[joint]))
    up = across(X)
    b, psi, now = branch(X, up, Q), swivel(LIMB.l1, LIMB.l2, Q, up), Q.copy()
    for k in range(11):
        p = X.p + 0.004 * k * X.R @ WAY
        q = np.empty(7)
        psi, there = kept_branch(body, p, X.R, up, psi, b, now, k, q)
        assert there
        assert q[joint] == Q[joint]
        assert np.abs(hand(q).p - p).max() < 1e-9
        assert np.abs(hand(q).R - X.R).max() < 1e-9
        assert np.abs(q - now).max() < 0.2
        now = q
    assert np.abs(now - Q).max() > 0.01


def test_a_way_cannot_begin_where_the_stuck_joint_is_elsewhere() -> None:
    X, up, q = hand(Q), across(hand(Q)), np.empty(7)
    b, psi = branch(X, up, Q), swivel(LIMB.l1, LIMB.l2, Q, up)
    for off, begins in ((0.5 * AT, True), (10.0 * AT, False)):
        assert kept_branch(stuck(1, float(Q[1]) + off), X.p, X.R, up, psi, b, Q, 0, q)[1] == begins


def test_a_stuck_elbow_has_no_way_straight_towards_the_shoulder() -> None:
    X, body, q = hand(Q), stuck(3, float(Q[3])), np.empty(7)
    up = across(X)
    b, psi = branch(X, up, Q), swivel(LIMB.l1, LIMB.l2, Q, up)
    assert kept_branch(body, X.p, X.R, up, psi, b, Q, 0, q)[1]
    assert not kept_branch(body, 0.99 * X.p, X.R, up, psi, b, Q, 1, q)[1]
