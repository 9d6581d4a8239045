"""Closing a connection onto a target pose, holding it one way or the other, and feet that open one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.frames import so3_exp, so3_log

CLOSING = 0.5  # [s]
ETA = 25.0 / CLOSING
OFFSET = 0.010  # [m]
ANGLE = float(np.deg2rad(5.0))
SPIN = (0.05, -0.08, 0.06)
APART = ff.Pose.from_rpy((0.2, -0.4, 0.3), (0.8, 0.1, -0.2))


def pair(
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0),
    step: float = 2.5e-4,
    X_AB: ff.Pose = APART,
) -> ff.Mission:
    """Two bodies that move as one and are not connected yet; b is 0.8 m away from a and turned."""
    w = np.array(spin)
    v = np.array([0.1, -0.3, 0.2]) if any(spin) else np.zeros(3)
    a = ff.RigidBody("a", 20.0, (3.0, 2.0, 2.5), motion=ff.Motion(w_WL_L=spin, v_WL=tuple(v)))
    motion = ff.Motion(X_AB, tuple(X_AB.R.T @ w), tuple(v + np.cross(w, X_AB.p)))
    b = ff.RigidBody("b", 8.0, (0.7, 0.5, 0.9), motion=motion)
    return ff.Mission([a, b], connections=[ff.Connection("dock", "a", "b")], integrator=ff.RK4(step))


def off_by(session: ff.Session, e0: np.ndarray) -> ff.Pose:
    """The target X_AB against which b is now off by e0 = [shift; turn], in a's axes."""
    X_AB = session.world.pose("a").inverse() @ session.world.pose("b")
    return ff.Pose(so3_exp(e0[3:]), e0[:3]).inverse() @ X_AB


def left(session: ff.Session, target: ff.Pose) -> np.ndarray:
    """[shift; turn] that is left, from poses alone, in a's axes."""
    X_AP = session.world.pose("a").inverse() @ session.world.pose("b") @ target.inverse()
    return np.concatenate([X_AP.p, so3_log(X_AP.R)])


def draw_in(session: ff.Session, target: ff.Pose, eta: float = ETA) -> float:
    return session.world.attach("dock", target, "constraint", eta)


def skewed(size: float) -> np.ndarray:
    return size * np.array([2.0, -1.0, 2.0]) / 3.0


BOTH = np.concatenate([skewed(OFFSET), skewed(ANGLE)])
SHIFT = np.concatenate([skewed(OFFSET), np.zeros(3)])
TURN = np.concatenate([np.zeros(3), skewed(ANGLE)])
TURN_Z = np.array([0.0, 0.0, 0.0, 0.0, 0.0, ANGLE])


def faded(e0: np.ndarray, t: float) -> np.ndarray:
    return e0 * (1.0 + ETA * t) * np.exp(-ETA * t)


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), SPIN])
def test_the_tolerance_of_an_interface_is_drawn_in_below_1e_9_within_the_closing_time(spin: Any) -> None:
    session = pair(spin, step=1e-3).session()
    target = off_by(session, BOTH)
    draw_in(session, target)
    assert np.linalg.norm(left(session, target)[:3]) == pytest.approx(OFFSET, rel=1e-12)
    assert np.linalg.norm(left(session, target)[3:]) == pytest.approx(ANGLE, rel=1e-12)
    session.step(CLOSING)
    rest = left(session, target)
    assert np.linalg.norm(rest[:3]) < 1e-9
    assert np.linalg.norm(rest[3:]) < 1e-9
    R_WA, error = session.world.pose("a").R, session.read("dock.error")
    np.testing.assert_allclose(np.concatenate([R_WA.T @ error[:3], R_WA.T @ error[3:]]), rest, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("e0", [SHIFT, TURN_Z], ids=["shift", "turn"])
def test_an_offset_at_rest_fades_as_the_closed_form_with_the_integrators_order(e0: np.ndarray) -> None:
    """Two bodies with one centre, so that a shift makes no turn and a turn about a principal axis no shift."""
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        session = pair(step=step, X_AB=ff.Pose.identity()).session()
        target = off_by(session, e0)
        draw_in(session, target)
        worst = 0.0
        for _ in range(10):
            session.step(0.02)
            worst = max(worst, float(np.abs(left(session, target) - faded(e0, session.time)).max()))
        errors.append(worst)
    assert np.log2(errors[0] / errors[1]) > 3.7
    assert np.log2(errors[1] / errors[2]) > 3.7
    assert errors[2] < 1e-8 * np.linalg.norm(e0)


@pytest.mark.parametrize("e0", [SHIFT, TURN, BOTH], ids=["shift", "turn", "both"])
def test_any_offset_fades_as_the_closed_form_to_first_order(e0: np.ndarray) -> None:
    """Bodies apart turn each other while they are drawn: what that adds is of second order in the offset."""
    off = []
    for share in (1.0, 0.1):
        session = pair().session()
        target = off_by(session, share * e0)
        draw_in(session, target)
        worst = 0.0
        for _ in range(10):
            session.step(0.02)
            worst = max(worst, float(np.abs(left(session, target) - faded(share * e0, session.time)).max()))
        off.append(worst / (share * np.linalg.norm(e0)))
    assert off[0] < 2e-3
    assert off[1] == pytest.approx(0.1 * off[0], rel=0.05)


def test_the_work_of_drawing_is_in_the_audit_and_makes_no_momentum() -> None:
    found = []
    for step in (5e-4, 2.5e-4):
        mission = pair(SPIN, step)
        session = mission.session()
        assert abs(draw_in(session, off_by(session, BOTH))) < 1e-14, "it moves as one: nothing is lost at closing"
        result = mission.complete(session, 1.2 * CLOSING, strict=True)
        assert np.abs(result["audit.constraint_work"]).max() > 1e-3, "drawing is work"
        found.append(result.audit.drifts)
    coarse, fine = found
    for name in ("linear_momentum_drift", "angular_momentum_drift"):
        assert fine[name] < 1e-10, name
    assert fine["energy_drift"] < 1e-7
    assert coarse["energy_drift"] / fine["energy_drift"] > 2.0**3.7, "what is left is the integrator's"


def test_a_tree_cannot_draw() -> None:
    session = pair().session()
    target = off_by(session, SHIFT)
    with pytest.raises(InputError, match="a tree keeps a pose, only a constraint can draw to another one"):
        session.world.attach("dock", target)
    assert session.world.closed == {}


def test_closing_without_a_target_holds_the_pose_of_now_by_either_hold() -> None:
    for hold in ("tree", "constraint"):
        session = pair(SPIN).session()
        X_AB = session.world.pose("a").inverse() @ session.world.pose("b")
        session.world.attach("dock", hold=hold)  # pyright: ignore[reportArgumentType]
        session.step(0.3)
        now = session.world.pose("a").inverse() @ session.world.pose("b")
        np.testing.assert_allclose(now.matrix(), X_AB.matrix(), rtol=0.0, atol=1e-11)


def test_a_drawn_connection_taken_over_by_the_tree_keeps_the_pose_of_that_instant() -> None:
    session = pair(SPIN).session()
    world = session.world
    target = off_by(session, BOTH)
    draw_in(session, target)
    session.step(0.4 * CLOSING)
    here = world.pose("a").inverse() @ world.pose("b")
    assert np.linalg.norm(left(session, target)) > 1e-6, "it is on its way"
    world.hold("dock", "tree")
    assert world.compiled().loops == ()
    session.step(0.3)
    now = world.pose("a").inverse() @ world.pose("b")
    np.testing.assert_allclose(now.matrix(), here.matrix(), rtol=0.0, atol=1e-12)


def test_a_tree_handed_to_a_constraint_is_held_where_it_is_with_the_rate_asked_for() -> None:
    session = pair(SPIN).session()
    session.world.attach("dock")
    session.world.hold("dock", "constraint", 120.0)
    assert session.world.closed["dock"].eta == 120.0
    assert np.abs(session.read("dock.error")).max() < 1e-14
    session.step(0.5)
    assert np.abs(session.read("dock.error")).max() < 1e-10


@pytest.mark.parametrize("opened", ["foot_a", "foot_b"])
@pytest.mark.parametrize("hold", ["tree", "constraint"])
def test_a_robot_on_two_feet_that_lifts_one_goes_on_without_a_jump(opened: str, hold: str) -> None:
    """Two feet close a loop: one is the tree's, the other is held by multipliers; either may open."""
    session = standing(hold)
    world = session.world
    session.write("arm.tau", [0.4, -0.2, 0.3, 0.2, -0.3, 0.1, 0.05])
    session.step(0.2)
    assert len(world.compiled().loops) == (1 if hold == "tree" else 2)
    before = {n: (world.pose(n).matrix(), np.concatenate(world.motion(n)[1:])) for n in world.links}
    world.detach(opened)
    other = "foot_b" if opened == "foot_a" else "foot_a"
    assert [loop.name for loop in world.compiled().loops] == ([] if hold == "tree" else [other])
    for name, (pose, twist) in before.items():
        np.testing.assert_allclose(world.pose(name).matrix(), pose, rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(np.concatenate(world.motion(name)[1:]), twist, rtol=0.0, atol=1e-10)
    X_kept = world.pose("ground" if other == "foot_a" else "wall").inverse() @ world.pose(f"arm.end_{other[-1]}")
    session.step(0.2)
    X_now = world.pose("ground" if other == "foot_a" else "wall").inverse() @ world.pose(f"arm.end_{other[-1]}")
    np.testing.assert_allclose(X_now.matrix(), X_kept.matrix(), rtol=0.0, atol=1e-12 if hold == "tree" else 1e-8)
    X_free = world.pose(f"arm.end_{opened[-1]}").p
    session.step(0.2)
    assert np.linalg.norm(world.pose(f"arm.end_{opened[-1]}").p - X_free) > 1e-5, "the other end is free"


def standing(hold: str) -> ff.Session:
    """The walking manipulator between two rigid ends of one free body, at rest, both of its feet closed."""
    from freefloat.robots import asset

    graph = ff.load_urdf(asset("walking_manipulator"))
    q = (0.1, 0.6, -0.2, -1.2, 0.3, 0.6, 0.1)
    alone = ff.Mission([ff.Arm("arm", graph, q=q)]).session().world
    frames = {"foot": alone.pose("arm.end_a"), "top": alone.pose("arm.end_b")}
    ground = ff.RigidBody("ground", 300.0, frames=frames)
    arm = ff.Arm("arm", graph, q=q)
    wall = ff.RigidBody("wall", 50.0, motion=ff.Motion(frames["top"]))
    connections = [
        ff.Connection("beam", "ground", "wall", closed=True),
        ff.Connection("foot_a", "ground", "arm.end_a", hold=hold, closed=True),
        ff.Connection("foot_b", "wall", "arm.end_b", hold=hold, closed=True),
    ]
    return ff.Mission([ground, wall, arm], connections=connections).session()
