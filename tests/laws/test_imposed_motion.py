"""Joints that follow a course: on it, with the effort of inverse dynamics, work booked, and momentum left alone."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.polynomial import Polynomial

import freefloat as ff
from freefloat.contact import Contact, Impulse
from freefloat.engine.graph import Joint, Link
from freefloat.engine.tree import WORLD
from freefloat.robots import load_robot
from freefloat.verify.oracles.plastic import lost_velocity_energy
from freefloat.verify.parts import FreeBall
from freefloat.verify.readings import all_motions

QUINTIC = (0.3, 0.1, 0.2, -0.05, 0.03, 0.01)
STEADY = (0.3, 0.4)
START = (0.3, -0.5)


def arm(course: Any = QUINTIC, integrator: Any = None, rate: float = 100.0, **options: Any) -> ff.Mission:
    """The planar two-link arm on its floating base, which turns; the shoulder follows a course, the elbow is free."""
    base = ff.Motion(w_WL_L=(0.02, -0.03, 0.1), v_WL=(0.1, 0.0, -0.05))
    parts = [ff.Arm("arm", load_robot("planar_two_link"), q=START, motion=base)]
    parts.append(ff.ImposedMotion("drive", "arm.shoulder", course, **options))  # pyright: ignore[reportArgumentType]
    return ff.Mission(parts, integrator=integrator or ff.RK4(1e-3), record_rate=rate)


@pytest.mark.parametrize("course", [QUINTIC, STEADY], ids=["quintic", "steady"])
def test_the_trajectory_is_the_polynomial_and_the_books_close(course: Any) -> None:
    mission = arm(course)
    session = mission.session()
    result = mission.complete(session, 2.0, strict=True)
    path, t = Polynomial(course), result.time("arm.q")
    assert np.abs(result["arm.q"][:, 0] - path(t)).max() < 1e-9
    assert np.abs(result["arm.qd"][:, 0] - path.deriv()(t)).max() < 1e-8
    assert np.abs(result["drive.error"]).max() < 1e-9
    assert result["drive.error"][-1, 0] == pytest.approx(result["arm.q"][-1, 0] - path(t[-1]), abs=1e-15)
    assert abs(result.metrics["audit.work_supplied_J"]) > 1e-3, "it takes work"
    assert result.audit.drifts["energy_drift"] < 1e-9
    assert result.audit.drifts["linear_momentum_drift"] < 1e-10
    assert result.audit.drifts["angular_momentum_drift"] < 1e-10
    assert np.all(result["audit.constraint_work"] == 0.0), "its work is supplied, not the constraints'"


def inverse_dynamics(session: ff.Session, acceleration: float | None = None) -> np.ndarray:
    """Efforts by mj_inverse: with the accelerations of now, or those of a free system whose shoulder has this one."""
    tree = session.world.compiled()
    m, d = tree.model, tree.data
    if acceleration is not None:
        M, bias, i = np.zeros((m.nv, m.nv)), d.qfrc_bias.copy(), tree.rate["arm.shoulder"]
        mujoco.mj_fullM(m, d, M)
        others = [k for k in range(m.nv) if k != i]
        d.qacc[i] = acceleration
        d.qacc[others] = np.linalg.solve(M[np.ix_(others, others)], -bias[others] - M[others, i] * acceleration)
    mujoco.mj_inverse(m, d)
    return d.qfrc_inverse.copy()


def test_the_effort_is_that_of_inverse_dynamics() -> None:
    session = arm(integrator=ff.Dopri5(1e-3)).session()
    for _ in range(4):
        session.step(0.4)
        effort, i = session.read("drive.effort")[0], session.world.compiled().rate["arm.shoulder"]
        expected = np.zeros(8)
        expected[i] = effort
        assert abs(effort) > 0.1
        assert inverse_dynamics(session) == pytest.approx(expected, abs=1e-12 * abs(effort))
        known = inverse_dynamics(session, float(Polynomial(QUINTIC).deriv(2)(session.time)))
        assert known[i] == pytest.approx(effort, rel=1e-9)


def test_what_the_arm_does_converges_with_the_integrators_order() -> None:
    for integrator, order in ((ff.RK4, 4.0), (ff.Dopri5, 5.0)):
        found = []
        for step in (0.04, 0.02, 0.01, 0.00125):
            session = arm(integrator=integrator(step), rate=1.0, eta=5.0).session()
            session.step(2.0)
            found.append(np.concatenate([session.read("arm.q"), session.read("arm.qd"), session.read("arm.base.p_WB")]))
        errors = [float(np.abs(x - found[-1]).max()) for x in found[:-1]]
        assert np.log2(errors[0] / errors[1]) > order - 0.4, integrator
        assert np.log2(errors[1] / errors[2]) > order - 0.4, integrator


def test_an_offset_at_rest_fades_as_baumgartes_closed_form_says() -> None:
    eta, off = 20.0, 1e-3
    session = arm(None, eta=eta).session()
    session.set_joint("arm.shoulder", START[0] + off, 0.0)
    for _ in range(5):
        session.step(0.03)
        t = session.time
        expected = off * (1.0 + eta * t) * np.exp(-eta * t)
        assert session.read("drive.error")[0] == pytest.approx(expected, abs=1e-6 * off)


class Ground:
    name = "ground"

    def build(self, b: Any) -> None:
        b.body(Link("", 1.0, np.zeros(3), np.eye(3), (), {"top": ff.Pose.identity()}))
        b.anchor("", ff.Pose.identity())


def test_a_loop_held_by_a_weld_follows_the_one_joint_that_is_imposed() -> None:
    """The seven-joint arm held at both ends has one freedom, which the fifth joint's course takes away."""
    graph = load_robot("arm7")
    fifth = [j.name for j in graph.joints if j.kind != "fixed"][4]
    parts = [Ground(), ff.Arm("arm", graph, on="ground.top", q=(0.3, -0.5, 0.2, 1.0, 0.1, 0.4, 0.0))]
    last = next(link.name for link in graph.links if "tool" in link.frames)
    X_WL = ff.Mission(parts).session().world.motion(f"arm.{last}")[0]

    class Clamp:
        name = "clamp"

        def build(self, b: Any) -> None:
            b.blueprint.joints["clamp.weld"] = Joint("clamp.weld", "fixed", WORLD, f"arm.{last}", X_WL)

    course = (0.1, 0.0, 0.0, 0.5, -0.75, 0.3)  # by 0.05 rad and at rest again, after a second
    drive = ff.ImposedMotion("drive", f"arm.{fifth}", course)
    mission = ff.Mission([*parts, Clamp(), drive], rows=[ff.uniform_gravity((0.0, 0.0, -2.0))])
    session = mission.session()
    result = mission.complete(session, 1.0, strict=True)
    t = result.time("arm.q")
    assert np.abs(result["arm.q"][:, 4] - Polynomial(course)(t)).max() < 1e-9
    assert np.abs(result["arm.q"][-1] - result["arm.q"][0]).max() > 0.02
    assert np.allclose(session.world.motion(f"arm.{last}")[0].matrix(), X_WL.matrix(), rtol=0.0, atol=1e-9)
    assert np.abs(result["arm.qd"][-1]).max() < 1e-7, "all joints stand where the course ends"
    assert result.audit.drifts["energy_drift"] < 1e-8
    work = result["audit.work_supplied"]
    assert np.ptp(work) > 100.0 * np.ptp(result["audit.constraint_work"])


def grip(hold: str) -> ff.Mission:
    """The arm of above beside a body that drifts past; `catch` closes between the forearm and the body."""
    target = ff.Motion(ff.Pose.from_rpy((0.2, 0.1, -0.3), (1.5, 0.4, 0.1)), (0.1, -0.2, 0.15), (-0.1, 0.05, 0.2))
    parts = [
        ff.Arm("arm", load_robot("planar_two_link"), q=START, motion=ff.Motion(w_WL_L=(0.02, -0.03, 0.1))),
        ff.RigidBody("target", 6.0, (0.4, 0.5, 0.3), motion=target),
        ff.ImposedMotion("drive", "arm.shoulder", STEADY),
    ]
    last = load_robot("planar_two_link").joints[-1].child
    connections = [ff.Connection("catch", f"arm.{last}", "target", hold=hold)]
    return ff.Mission(parts, connections=connections)


@pytest.mark.parametrize("hold", ["tree", "constraint"])
def test_latching_on_the_moving_link_keeps_the_imposed_rate_and_the_momentum(hold: str, momenta: Any) -> None:
    mission = grip(hold)
    session = mission.session()
    session.step(0.5)
    P, L, T = momenta(session)
    before, work = all_motions(session), float(session.world.audit()["work_supplied"][0])
    lost = session.attach("catch")
    rate = session.world.joint("arm.shoulder")[1]
    assert rate == pytest.approx(STEADY[1], abs=1e-12)
    P_after, L_after, T_after = momenta(session)
    assert P_after == pytest.approx(P, abs=1e-12 * np.abs(P).max())
    assert L_after == pytest.approx(L, abs=1e-12 * np.abs(L).max())
    supplied = float(session.world.audit()["work_supplied"][0]) - work
    assert abs(supplied) > 1e-3, "the drive pushes in that instant"
    assert lost == pytest.approx(lost_velocity_energy(before, all_motions(session)), rel=1e-10)
    assert lost == pytest.approx(T + supplied - T_after, rel=1e-12)
    result = mission.complete(session, 1.0, strict=True)
    assert np.abs(result["drive.error"]).max() < 1e-9
    session.reroot("target")
    assert session.world.joint("arm.shoulder")[1] == pytest.approx(STEADY[1], abs=1e-9)
    session.step(0.2)
    session.detach("catch")
    session.step(0.2)
    assert abs(session.read("drive.error")[0]) < 1e-9
    assert session.read("drive.effort").shape == (1,)


def test_two_ways_of_holding_what_was_caught_take_the_same_effort() -> None:
    efforts = []
    for hold in ("tree", "constraint"):
        session = grip(hold).session()
        session.step(0.5)
        session.attach("catch")
        session.step(0.5)
        efforts.append(session.read("drive.effort")[0])
    assert efforts[0] == pytest.approx(efforts[1], rel=1e-6)


class Carriage:
    """A ball on a slide along x."""

    name = "carriage"

    def build(self, b: Any) -> None:
        shape = ff.Shape("sphere", (0.1,), ff.Pose.identity())
        b.body(Link("rail", 1.0, np.zeros(3), np.eye(3)))
        b.anchor("rail", ff.Pose.identity())
        b.body(Link("", 3.0, np.zeros(3), 0.1 * np.eye(3), (shape,)))
        b.joint(Joint("slide", "prismatic", "rail", "", ff.Pose.identity(), np.array([1.0, 0.0, 0.0])))


def test_a_ball_struck_by_an_imposed_body_leaves_as_from_a_moving_wall() -> None:
    e, v, mass = 0.5, 0.1, 2.0
    away = ff.Motion(ff.Pose.from_rpy((0, 0, 0), (0.21, 0.0, 0.0)))
    strike = Contact("strike", "carriage", "ball", Impulse(e, 1e3))
    drive = ff.ImposedMotion("drive", "carriage.slide", (0.0, v))
    mission = ff.Mission([Carriage(), FreeBall("ball", mass, motion=away), drive, strike])
    session = mission.session()
    result = mission.complete(session, 0.4, strict=True)
    assert session.read("ball.v_WB")[0] == pytest.approx((1.0 + e) * v, rel=1e-12)
    assert session.world.joint("carriage.slide") == pytest.approx((0.4 * v, v), abs=1e-14)
    assert result.metrics["audit.work_supplied_J"] == pytest.approx((1.0 + e) * v * mass * v, rel=1e-12)
    assert result.audit.drifts["energy_drift"] < 1e-12
