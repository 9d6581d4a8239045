"""Hard constraints by multipliers: they hold, share loads fairly, and do what a re-rooted tree does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.graph import Joint
from freefloat.engine.tree import WORLD
from freefloat.robots import asset

LENGTH = 0.1  # [m] that weighs torques against forces
SPOTS = {"f1": (0.4, 0.1, -0.2), "f2": (-0.3, 0.2, 0.1)}
PUSH = np.array([0.3, -0.5, 0.4, 6.0, -4.0, 3.0])


def pair(*connections: ff.Connection, spin: float = 0.3) -> ff.Session:
    """Two bodies 1 m apart that turn as one, pushed on the first."""
    frames = {n: ff.Pose(np.eye(3), p) for n, p in SPOTS.items()}
    w, apart = np.array([0.2, -0.1, spin]), np.array([1.0, 0.2, 0.0])
    a = ff.RigidBody("a", 20.0, (3.0, 2.0, 2.5), frames=frames, motion=ff.Motion(w_WL_L=tuple(w)))
    b_motion = ff.Motion(ff.Pose(np.eye(3), apart), tuple(w), tuple(np.cross(w, apart)))
    session = ff.Mission(
        [a, ff.RigidBody("b", 8.0, (0.5, 0.7, 0.9), motion=b_motion)], connections=connections
    ).session()
    session.write("a.wrench", PUSH)
    return session


def held(name: str, frame: str, hold: str = "constraint", **options: Any) -> ff.Connection:
    return ff.Connection(name, frame, "b", hold=hold, closed=True, **options)


def total_load(session: ff.Session, loads: dict[str, str]) -> np.ndarray:
    """[force; torque about b's origin] of several connections on b, in W."""
    out = np.zeros(6)
    for connection, frame in loads.items():
        load = session.read(f"{connection}.load")
        arm = session.read(f"a.{frame}.p_WF") - session.read("b.p_WB")
        out += np.concatenate([load[:3], load[3:] + np.cross(arm, load[:3])])
    return out


def test_a_weld_by_constraint_moves_as_the_tree_does() -> None:
    by_tree, by_constraint = pair(held("c", "a.f1", "tree")), pair(held("c", "a.f1"))
    for session in (by_tree, by_constraint):
        session.step(2.0)
    for name in ("a.p_WB", "a.q_WB", "a.w_WB_B", "b.p_WB", "b.q_WB", "b.v_WB"):
        assert np.allclose(by_tree.read(name), by_constraint.read(name), rtol=0.0, atol=1e-9), name
    assert np.abs(by_constraint.read("c.error")).max() < 1e-10
    assert np.isnan(by_tree.read("c.load")).all()


def test_the_load_of_a_weld_is_what_accelerates_the_body_behind_it() -> None:
    session = pair(held("c", "a.f1"))
    session.step(0.7)
    load = total_load(session, {"c": "f1"})
    small = 1e-4
    v0, R0, w0 = session.read("b.v_WB"), session.world.pose("b").R, session.read("b.w_WB_B")
    session.step(small)
    v1, R1, w1 = session.read("b.v_WB"), session.world.pose("b").R, session.read("b.w_WB_B")
    inertia = np.diag([0.5, 0.7, 0.9])
    assert np.allclose(8.0 * (v1 - v0) / small, load[:3], rtol=0.0, atol=1e-3)
    assert np.allclose((R1 @ inertia @ w1 - R0 @ inertia @ w0) / small, load[3:], rtol=0.0, atol=1e-3)


def test_a_body_held_twice_moves_as_held_once_and_its_loads_have_least_norm() -> None:
    once, twice = pair(held("c", "a.f1")), pair(held("c", "a.f1"), held("d", "a.f2"))
    for session in (once, twice):
        session.step(1.0)
    for name in ("a.p_WB", "a.q_WB", "b.p_WB", "b.q_WB"):
        assert np.allclose(once.read(name), twice.read(name), rtol=0.0, atol=1e-9), name
    total = total_load(once, {"c": "f1"})
    assert np.allclose(total, total_load(twice, {"c": "f1", "d": "f2"}), rtol=0.0, atol=1e-7)
    # the loads [f1, tau1 / l, f2, tau2 / l] of least norm that add up to the same wrench on b
    G = np.zeros((6, 12))
    for k, frame in enumerate(("f1", "f2")):
        x, y, z = twice.read(f"a.{frame}.p_WF") - twice.read("b.p_WB")
        G[:3, 6 * k : 6 * k + 3] = np.eye(3)
        G[3:, 6 * k : 6 * k + 3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
        G[3:, 6 * k + 3 : 6 * k + 6] = LENGTH * np.eye(3)
    least = np.linalg.pinv(G) @ total
    found = np.concatenate([twice.read(f"{c}.load") * [1, 1, 1, 10, 10, 10] for c in "cd"])
    assert np.allclose(found, least, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("eta", [20.0, 50.0, 100.0, 200.0])
def test_a_violation_decays_as_baumgartes_closed_form_says(eta: float) -> None:
    bodies = [ff.RigidBody("a", 20.0), ff.RigidBody("b", 8.0)]
    session = ff.Mission(bodies, connections=[ff.Connection("c", "a", "b", hold="constraint", eta=eta)]).session()
    session.attach("c")
    e0 = np.array([1e-3, -2e-3, 0.5e-3])
    session.set_motion("b", ff.Pose(np.eye(3), e0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for _ in range(5):
        session.step(0.02)
        t = session.time
        expected = e0 * (1.0 + eta * t) * np.exp(-eta * t)
        assert np.allclose(session.read("c.error")[:3], expected, rtol=0.0, atol=3e-4 * np.abs(e0).max())
    session.step(1.0)
    assert np.abs(session.read("c.error")).max() < 1e-9


@pytest.mark.parametrize("eta", [20.0, 200.0])
def test_a_turned_violation_decays_and_makes_no_momentum(eta: float) -> None:
    bodies = [ff.RigidBody("a", 20.0), ff.RigidBody("b", 8.0)]
    weld = ff.Connection("c", "a", "b", hold="constraint", eta=eta)
    mission = ff.Mission(bodies, connections=[weld], integrator=ff.RK4(1e-4))
    session = mission.session()
    session.attach("c")
    turned = ff.Pose.from_rpy((0.3, -0.2, 0.5), (0.05, -0.02, 0.01))
    session.set_motion("b", turned, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    result = mission.complete(session, 2.0)
    assert np.abs(session.read("c.error")).max() < 1e-9
    assert result["audit.angular_momentum_held"].max() > 1.0
    assert result.audit.drifts["linear_momentum_drift"] < 1e-12
    assert result.audit.drifts["angular_momentum_drift"] < 1e-11


def test_an_arm_held_at_both_ends_keeps_its_tool_and_balances_its_energy(law: Any) -> None:
    graph = ff.load_urdf(asset("arm7"))
    q = {
        j.name: v
        for j, v in zip(
            [j for j in graph.joints if j.kind != "fixed"], (0.3, -0.5, 0.2, 1.0, 0.1, 0.4, 0.0), strict=True
        )
    }
    moving = ff.Arm("arm", graph, on="ground.top", q=tuple(q.values()))

    class Ground:
        name = "ground"

        def build(self, b: Any) -> None:
            from freefloat.engine.graph import Link

            top = {"top": ff.Pose.identity()}
            b.body(Link("", 1.0, np.zeros(3), np.eye(3), (), top))
            b.anchor("", ff.Pose.identity())

    last = next(link.name for link in graph.links if "tool" in link.frames)
    X_WL = ff.Mission([Ground(), moving]).session().world.motion(f"arm.{last}")[0]

    class Clamp:
        name = "clamp"

        def build(self, b: Any) -> None:
            b.blueprint.joints["clamp.weld"] = Joint("clamp.weld", "fixed", WORLD, f"arm.{last}", X_WL)

    size = np.array([20.0, 20.0, 20.0, 20.0, 2.0, 2.0, 0.5])
    task = ff.Task(law(lambda t, m: {"tau": size * np.sin(3.0 * t + np.arange(7))}), 0.01, writes={"tau": "arm.tau"})
    mission = ff.Mission([Ground(), moving, Clamp()], [task], rows=[ff.uniform_gravity((0.0, 0.0, -2.0))])
    session = mission.session()
    assert [edge.name for edge in session.world.compiled().loops] == ["clamp.weld"]
    result = mission.complete(session, 1.0)
    assert np.abs(result["arm.q"][-1] - result["arm.q"][0]).max() > 1e-3, "one freedom is left, and it moves"
    assert np.allclose(session.world.motion(f"arm.{last}")[0].matrix(), X_WL.matrix(), rtol=0.0, atol=1e-9)
    assert result.audit.drifts["energy_drift"] < 1e-8


def test_a_body_fixed_to_the_ground_twice_stays_there() -> None:
    class Post:
        name = "post"

        def build(self, b: Any) -> None:
            from freefloat.engine.graph import Link

            b.body(Link("", 1.0, np.zeros(3), np.eye(3)))
            b.anchor("", ff.Pose.identity())
            b.joint(Joint("again", "fixed", WORLD, "", ff.Pose.identity()))

    mission = ff.Mission([Post(), ff.RigidBody("bus")], rows=[ff.uniform_gravity((0.0, 0.0, -2.0))])
    result = mission.run(0.1)
    assert not result["post.p_WB"].any()
    assert result["bus.p_WB"][-1, 2] == pytest.approx(-0.01)
