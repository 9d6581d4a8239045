"""Joints in series, joints that another one leads, and actuators of a robot's file: motion by the laws of the rest."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import freefloat as ff
from freefloat.drives import load_drive
from freefloat.engine.graph import WORLD, Actuator, Coupling, Joint, Link, LinkGraph
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape

POLYNOMIAL = (0.1, 0.5, 0.3, -0.1, 0.05)


def robot(root: str = "base", **of_graph: object) -> LinkGraph:
    """A base, a link on three joints in series, and two more behind it."""
    rng = np.random.default_rng(3)

    def pose() -> Pose:
        return Pose.exp(0.4 * rng.normal(size=6))

    def joint(name: str, kind: str, parent: str, child: str, axis: tuple[float, ...], series: bool = False) -> Joint:
        return Joint(name, kind, parent, child, pose(), np.array(axis), pose(), series=series)  # pyright: ignore[reportArgumentType]

    joints = (
        joint("a", "revolute", root, "l1", (0.0, 0.0, 1.0)),
        joint("b", "revolute", root, "l1", (0.0, 1.0, 0.0), series=True),
        joint("c", "prismatic", root, "l1", (1.0, 0.0, 0.0), series=True),
        joint("d", "revolute", "l1", "l2", (1.0, 0.0, 0.0)),
        joint("e", "revolute", "l2", "l3", (0.0, 0.6, 0.8)),
    )
    names = ("l1", "l2", "l3") if root == WORLD else ("base", "l1", "l2", "l3")
    links = [Link(n, 2.0, 0.1 * rng.normal(size=3), np.diag([0.02, 0.03, 0.04])) for n in names]
    return LinkGraph(tuple(links), joints, root, **of_graph)  # pyright: ignore[reportArgumentType]


def started(graph: LinkGraph, rates: dict[str, float], **of_arm: object) -> tuple[ff.Mission, ff.Session]:
    mission = ff.Mission([ff.Arm("r", graph, **of_arm)])  # pyright: ignore[reportArgumentType]
    session = mission.session()
    for name, rate in rates.items():
        session.world.set_joint(f"r.{name}", session.world.joint(f"r.{name}")[0], rate)
    return mission, session


@pytest.mark.parametrize("root", ["base", "l3"])
def test_joints_in_series_are_the_product_of_their_motions_whichever_link_is_the_root(root: str) -> None:
    graph = robot()
    _, session = started(LinkGraph(graph.links, graph.joints, root), {}, q=(0.4, -0.5, 0.2, 0.3, -0.7))
    X_PC = Pose.identity()
    for j, q in zip(graph.joints[:3], (0.4, -0.5, 0.2), strict=True):
        twist = np.concatenate([j.axis, np.zeros(3)] if j.kind == "revolute" else [np.zeros(3), j.axis])
        X_PC = X_PC @ j.X_PJ @ Pose.exp(q * twist) @ j.X_JC
    X = {n: Pose.from_quat(session.read(f"r.{n}.q_WB"), session.read(f"r.{n}.p_WB")) for n in ("base", "l1")}
    found = X["base"].inverse() @ X["l1"]
    assert np.abs(found.p - X_PC.p).max() < 1e-14
    assert np.abs(found.R - X_PC.R).max() < 1e-14


def test_a_coupled_joint_accelerates_as_the_reduced_system_and_books_close() -> None:
    graph = robot(couplings=(Coupling("e", "d", POLYNOMIAL),))
    p = np.polynomial.Polynomial(POLYNOMIAL)
    rate = float(p.deriv()(0.0))
    mission, session = started(graph, {"a": 0.5, "b": -0.3, "c": 0.1, "d": 0.8, "e": 0.8 * rate})
    tree = session.world.compiled()
    m, d = tree.model, tree.data
    mujoco.mj_forward(m, d)
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    leader, follower = tree.rate["r.d"], tree.rate["r.e"]
    free = [i for i in range(m.nv) if i != follower]
    T = np.eye(m.nv)[:, free]  # v = T v_free
    T[follower, free.index(leader)] = rate
    drift = np.zeros(m.nv)  # v' = T v_free' + drift
    drift[follower] = p.deriv(2)(0.0) * 0.8**2
    wanted = T @ np.linalg.solve(T.T @ M @ T, -T.T @ (d.qfrc_bias + M @ drift)) + drift
    found = session.read("r.qdd")
    assert found == pytest.approx([wanted[tree.rate[f"r.{n}"]] for n in "abcde"], rel=1e-9, abs=1e-11)
    audit = mission.complete(session, 2.0, strict=True).audit
    q = session.read("r.q")
    assert abs(q[4] - p(q[3])) < 1e-9
    assert max(audit.drifts.values()) < 1e-9


def test_a_coupled_joint_starts_where_its_leader_says() -> None:
    graph = robot(couplings=(Coupling("e", "d", POLYNOMIAL),))
    assert started(graph, {})[1].read("r.q")[4] == pytest.approx(0.1, abs=1e-15)
    with pytest.raises(InputError, match=r"joint 'r.e' starts at 0.5 rad, but 'r.d' leads it to 0.1; start it there"):
        started(graph, {}, q=(0.0, 0.0, 0.0, 0.0, 0.5))
    with pytest.raises(InputError, match="one leader per joint"):
        started(robot(couplings=(Coupling("e", "e", POLYNOMIAL),)), {}, q=(0.0, 0.0, 0.0, 0.0, 0.0))


def test_actuators_of_a_file_push_as_their_law_says_within_their_limits() -> None:
    actuators = (
        Actuator("motor", "b", gain=2.0, control=(-1.0, 1.0), unit="N m"),
        Actuator("servo", "d", gain=30.0, constant=0.5, position=-30.0, rate=-2.0, unit="rad"),
        Actuator("weak", "c", gain=10.0, effort=(-3.0, 3.0)),
    )
    mission, session = started(robot(actuators=actuators), {"d": 0.1}, q=(0.0, 0.0, 0.0, 0.2, 0.0))
    session.write("r.control", (5.0, 0.4, -1.0))
    assert session.read("r.actuator_effort") == pytest.approx([2.0, 30.0 * 0.2 + 0.5 - 0.2, -3.0], rel=1e-12)
    audit = mission.complete(session, 1.0, strict=True).audit
    assert audit.amounts["work_supplied_J"] > 0.01


def test_a_drive_needs_a_link_behind_its_joint_and_turns_with_the_mount() -> None:
    drives = [load_drive("spider-wrist"), None, None, None, None]
    with pytest.raises(InputError, match=r"on joint 'a', which stands on the world; allowed: on joints between links"):
        started(robot(WORLD), {}, drives=drives)
    turned = Pose.from_rpy((0.3, -0.4, 0.5), (0.0, 0.0, 0.5))
    bus = ff.RigidBody("bus", 100.0, frames={"mount": turned})
    mission = ff.Mission([bus, ff.Arm("r", robot(WORLD), on="bus.mount", drives=drives)])
    session = mission.session()
    session.write("r.tau", (2.0, 0.0, 0.0, 0.0, 0.0))
    audit = mission.complete(session, 0.2, strict=True).audit
    assert audit.drifts["angular_momentum_drift"] < 1e-6, "the rotor reacts about the turned axis"


def test_a_robot_without_a_base_stands_on_a_frame_or_on_the_world_with_its_ground() -> None:
    ground = (Shape("box", (1.0, 1.0, 0.1), Pose.identity()),)
    graph = robot(WORLD, ground=ground, floating={"l4": Pose(np.eye(3), np.array([1.0, 0.0, 0.0]))})
    loose = Link("l4", 1.0, np.zeros(3), np.eye(3))
    graph = LinkGraph((*graph.links, loose), graph.joints, WORLD, ground=ground, floating=graph.floating)
    _, alone = started(graph, {})
    assert set(alone.world.links) == {"r.l1", "r.l2", "r.l3", "r.l4", "r.ground"}
    assert alone.read("r.l4.p_WB") == pytest.approx([1.0, 0.0, 0.0])
    bus = ff.RigidBody("bus", 10.0, frames={"mount": Pose(np.eye(3), np.array([0.0, 0.0, 0.5]))})
    session = ff.Mission([bus, ff.Arm("r", graph, on="bus.mount")]).session()
    assert session.read("r.l4.p_WB") == pytest.approx([1.0, 0.0, 0.5])
    assert len(session.world.links["bus"].shapes) == 2, "the bus has the ground's shape besides its own"
    X = Pose.from_quat(alone.read("r.l2.q_WB"), alone.read("r.l2.p_WB"))
    assert session.read("r.l2.p_WB") == pytest.approx(X.p + np.array([0.0, 0.0, 0.5]), abs=1e-12)
