"""What rigid connections carry: m a where that is simple, Newton and Euler for all bodies at once where it is not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.blueprint import Builder
from freefloat.engine.signals import Signal
from freefloat.engine.sources import MountLoad
from freefloat.errors import InputError
from freefloat.robots import asset
from freefloat.verify.oracles.reactions import reactions
from freefloat.verify.readings import all_motions

HOLDS = ["tree", "constraint"]
SEEDS = [s if s < 2 else pytest.param(s, marks=pytest.mark.slow) for s in range(6)]
ORBITAL = (7000.0, -2500.0, 800.0)  # [m/s]


def train(hold: str, velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> ff.Session:
    """Two bodies in a row along x, 20 kg and 5 kg, centres 2 m apart, that move alike."""
    frames = {"end": ff.Pose(np.eye(3), [-0.5, 0.0, 0.0])}
    a = ff.RigidBody("a", 20.0, motion=ff.Motion(v_WL=velocity))
    b = ff.RigidBody("b", 5.0, frames=frames, motion=ff.Motion(ff.Pose(np.eye(3), [2.0, 0, 0]), v_WL=velocity))
    return ff.Mission([a, b], connections=[ff.Connection("c", "a", "b.end", hold=hold, closed=True)]).session()


@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), ORBITAL])
@pytest.mark.parametrize("hold", HOLDS)
def test_a_pushed_body_is_pulled_along_with_its_mass_times_the_acceleration(hold: str, velocity: Any) -> None:
    session = train(hold, velocity)
    session.write("a.wrench", [0.0, 0.0, 0.0, 10.0, 0.0, 0.0])
    session.step(0.1)
    load = session.world.load("c")
    np.testing.assert_allclose(load, [5.0 * 10.0 / 25.0, 0.0, 0.0, 0.0, 0.0, 0.0], rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), ORBITAL])
@pytest.mark.parametrize("hold", HOLDS)
def test_a_spinning_pair_is_held_together_by_the_centripetal_force(hold: str, velocity: Any) -> None:
    session = train(hold)
    w, v = np.array([0.0, 0.0, 0.5]), np.array(velocity)
    session.detach("c")
    centre = np.array([0.4, 0.0, 0.0])  # 5 kg of 25 kg, 2 m away
    for name, p in (("a", np.zeros(3)), ("b", np.array([2.0, 0.0, 0.0]))):
        session.set_motion(name, ff.Pose(np.eye(3), p), w, v + np.cross(w, p - centre))
    session.attach("c")
    for _ in range(2):
        load = session.world.load("c")
        inwards = session.world.pose("b").R @ [-1.0, 0.0, 0.0]
        np.testing.assert_allclose(load[:3], 5.0 * 0.25 * 1.6 * inwards, rtol=0.0, atol=1e-6)
        np.testing.assert_allclose(load[3:], 0.0, rtol=0.0, atol=1e-8)
        session.step(0.3)


def test_a_body_in_free_fall_feels_nothing() -> None:
    session = ff.Mission(
        [ff.RigidBody("a"), ff.RigidBody("b", 5.0, motion=ff.Motion(ff.Pose(np.eye(3), [2.0, 0, 0])))],
        connections=[ff.Connection("c", "a", "b", closed=True)],
        rows=[ff.uniform_gravity((0.0, 0.0, -2.0))],
    ).session()
    session.step(0.5)
    np.testing.assert_allclose(session.world.load("c"), 0.0, rtol=0.0, atol=1e-11)


def two_robots(seed: int, random_robot: Any) -> ff.Session:
    one, two = replace(random_robot(seed, 5), name="one"), replace(random_robot(100 + seed, 4), name="two")
    grip = ff.Connection("grip", "one.link3", "two.link2", closed=True)
    session = ff.Mission([one, two], connections=[grip]).session()
    rng = np.random.default_rng(seed)
    session.write("one.tau", rng.normal(size=4))
    session.write("two.tau", rng.normal(size=3))
    return session


def oracle(session: ff.Session, taus: dict[str, str], shared: Collection[str] = ()) -> dict[str, np.ndarray]:
    """[force; torque about J] of every edge, side a's frame for connections; `taus`: robot -> its command."""
    world = session.world
    edges = [*world.joints.values(), *(held.edge for held in world.closed.values())]
    moving = [n for n, joint in world.joints.items() if joint.kind != "fixed"]
    joints = {r: [n for n in moving if n.startswith(f"{r}.")] for r in taus}
    effort = {n: v for r, names in joints.items() for n, v in zip(names, session.read(taus[r]), strict=True)}
    rates = {n: world.joint(n)[1] for n in effort}
    found = reactions(all_motions(session), edges, rates, effort, shared=shared)
    return {name: np.roll(load, 3) for name, load in found.items()}


def assert_equal(load: np.ndarray, expected: np.ndarray, relative: float) -> None:
    np.testing.assert_allclose(load, expected, rtol=0.0, atol=relative * np.abs(expected).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_grip_between_moving_robots_carries_what_newton_and_euler_say(seed: int, random_robot: Any) -> None:
    session = two_robots(seed, random_robot)
    for _ in range(2):
        expected = oracle(session, {"one": "one.tau", "two": "two.tau"})["grip"]
        assert_equal(session.world.load("grip"), expected, 1e-9)
        session.step(0.1)


@pytest.mark.parametrize("seed", SEEDS)
def test_tree_and_constraint_carry_the_same_for_the_same_motion(seed: int, random_robot: Any) -> None:
    session = two_robots(seed, random_robot)
    session.step(0.1)
    by_tree = session.world.load("grip")
    for root in ("two.link0", "one.link4"):  # the load does not depend on the root either
        session.reroot(root)
        assert_equal(session.world.load("grip"), by_tree, 1e-9)
    session.world.hold("grip", "constraint")
    assert_equal(session.world.load("grip"), by_tree, 1e-8)


def test_the_load_on_a_link_is_that_of_everything_behind_it(bus_with_arm: Any) -> None:
    session = ff.Mission(bus_with_arm()).session()
    session.write("arm.tau", [1.0, -2.0, 0.5, 1.0, 0.02, 0.02, 0.0])
    session.step(0.2)
    world = session.world
    mount = world.joints["arm.mount"]
    expected = oracle(session, {"arm": "arm.tau"})["arm.mount"]
    assert_equal(world.load(mount.child), expected, 1e-9)


def test_looking_at_loads_changes_no_bit_of_the_run(random_robot: Any) -> None:
    looked, left = two_robots(2, random_robot), two_robots(2, random_robot)
    for session in (looked, left):
        session.world.hold("grip", "constraint")
        for _ in range(10):
            if session is looked:
                session.world.load("two.link0")
                session.world.load("grip")
            session.step(0.01)
    for name in ("one.q", "two.q", "one.link0.p_WB", "one.link0.q_WB"):
        assert np.array_equal(looked.read(name), left.read(name)), name


def standing(hold: str) -> ff.Session:
    """The walking manipulator between two rigidly joined bodies, both of its ends latched, its joints loaded."""
    graph = ff.load_urdf(asset("walking_manipulator"))
    arm = ff.Arm("arm", graph, q=(0.1, 0.6, -0.2, -1.2, 0.3, 0.6, 0.1))
    X_WE = ff.Mission([arm]).session().world.pose("arm.end_b")
    parts = [ff.RigidBody("ground", 300.0), ff.RigidBody("wall", 50.0, motion=ff.Motion(X_WE)), arm]
    connections = [
        ff.Connection("beam", "ground", "wall", closed=True),
        ff.Connection("foot_a", "ground", "arm.end_a", hold=hold, closed=True),
        ff.Connection("foot_b", "wall", "arm.end_b", hold=hold, closed=True),
    ]
    session = ff.Mission(parts, connections=connections, integrator=ff.RK4(5e-4)).session()
    session.write("arm.tau", [0.4, -0.2, 0.3, 0.2, -0.3, 0.1, 0.05])
    return session


@pytest.mark.parametrize("hold", HOLDS)
def test_a_robot_latched_at_both_ends_is_held_by_the_right_internal_forces(hold: str) -> None:
    session = standing(hold)
    for _ in range(2):
        expected = oracle(session, {"arm": "arm.tau"})
        for name in ("foot_a", "foot_b", "beam"):
            assert_equal(session.world.load(name), expected[name], 1e-8)
        assert np.linalg.norm(expected["foot_b"][:3]) > 0.1, "the loop is loaded"
        session.step(0.15)
    assert np.abs(session.read("arm.qd")).max() > 0.1, "one freedom is left, and it moves"


def welded(frames: dict[str, ff.Pose], motion: ff.Motion) -> ff.Session:
    """A body held at several frames of another, pushed."""
    X_WB = motion.X_WL @ ff.Pose.from_rpy((0.3, 0.1, -0.4), (1.0, 0.2, -0.1))
    w = motion.X_WL.R @ np.array(motion.w_WL_L)
    v = np.array(motion.v_WL) + np.cross(w, X_WB.p - motion.X_WL.p)
    a = ff.RigidBody("a", 20.0, (3.0, 2.0, 2.5), p_BBcm=(0.1, 0.0, -0.1), frames=frames, motion=motion)
    b = ff.RigidBody("b", 8.0, (0.5, 0.7, 0.9), motion=ff.Motion(X_WB, tuple(X_WB.R.T @ w), tuple(v)))
    connections = [ff.Connection(n, f"a.{n}", "b", hold="constraint", closed=True) for n in frames]
    return ff.Mission([a, b], connections=connections).session()


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_a_body_held_several_times_is_held_by_the_wrenches_of_least_norm(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    frames = {f"f{k}": ff.Pose.from_quat(rng.normal(size=4), rng.normal(size=3)) for k in range(count)}
    motion = ff.Motion(
        ff.Pose.from_quat(rng.normal(size=4), rng.normal(size=3)), tuple(rng.normal(size=3)), tuple(rng.normal(size=3))
    )
    session = welded(frames, motion)
    assert len(session.world.compiled().loops) == count
    expected = oracle(session, {}, shared=frames)
    for name in frames:
        assert_equal(session.world.load(name), expected[name], 1e-8)
    other = oracle(session, {})
    assert any(np.abs(other[n] - expected[n]).max() > 1e-6 for n in frames), "the loads are indeterminate"


def by_mujoco(session: ff.Session) -> dict[str, np.ndarray]:
    """[force; torque about Lo] on every link, by `mj_rnePostConstraint` with the accelerations and multipliers of now.

    For worlds without outside wrenches.
    """
    world = session.world
    tree = world.compiled()
    m, d = tree.model, tree.data
    for edge in tree.loops:
        f = session.read(f"{edge.name}.load")
        p = (world.motion(edge.child)[0] @ edge.X_JC.inverse()).p
        for link, sign in ((edge.child, 1.0), (edge.parent, -1.0)):
            b = tree.body[link]
            d.xfrc_applied[b, :3] += sign * f[:3]
            d.xfrc_applied[b, 3:] += sign * (f[3:] + np.cross(p - d.xipos[b], f[:3]))
    if tree.floating:  # `cdof_dot` is that of a world that moves with the first root
        d.cvel[1:, 3:] -= world.motion(tree.roots[0])[2]
    mujoco.mj_rnePostConstraint(m, d)
    r = d.subtree_com[m.body_rootid] - d.xpos
    torque = d.cfrc_int[:, :3] + np.cross(r, d.cfrc_int[:, 3:])
    return {link: np.concatenate([d.cfrc_int[b, 3:], torque[b]]) for link, b in tree.body.items()}


def assert_like_mujoco(session: ff.Session) -> None:
    expected = by_mujoco(session)
    scale = max(np.abs(load).max() for load in expected.values())
    assert scale > 0.1
    for link, load in expected.items():
        found = session.read(f"{link}.mount_load")
        np.testing.assert_allclose(found, load, rtol=0.0, atol=1e-9 * scale, err_msg=link)
        assert np.array_equal(found, session.world.load(link))


@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), ORBITAL])
def test_mounts_of_a_floating_arm_carry_what_mujoco_says(velocity: Any, bus_with_arm: Any) -> None:
    session = ff.Mission(bus_with_arm()).session()
    root = session.world.roots[0]
    session.set_motion(root, ff.Pose(np.eye(3), [1.0, 2.0, 3.0]), np.array([0.1, -0.2, 0.3]), np.array(velocity))
    session.write("arm.tau", [1.0, -2.0, 0.5, 1.0, 0.02, 0.02, 0.0])
    for _ in range(3):
        session.step(0.2)
        assert_like_mujoco(session)


@pytest.mark.parametrize("seed", range(3))
def test_mounts_of_a_rerooted_tree_carry_what_mujoco_says(seed: int, random_robot: Any) -> None:
    session = two_robots(seed, random_robot)
    session.step(0.1)
    for root in ("two.link0", "one.link4", "one.link0"):
        session.reroot(root)
        assert_like_mujoco(session)


@pytest.mark.parametrize("hold", HOLDS)
def test_mounts_in_a_closed_loop_carry_what_mujoco_says(hold: str) -> None:
    session = standing(hold)
    for _ in range(2):
        assert_like_mujoco(session)
        session.step(0.15)


class Chain:
    """Four links in a row, fixed to the world and to each other at odd angles; its last link tells one more load."""

    name = "chain"

    def build(self, b: Builder) -> None:
        X_PJ = ff.Pose.from_rpy((0.3, -0.2, 0.5), (0.4, 0.1, 0.2))
        for k in range(4):
            b.body(ff.Link(f"l{k}", 1.0 + k, np.array([0.1, 0.05 * k, -0.02]), 0.1 * np.eye(3)))
            if k:
                b.joint(ff.Joint(f"j{k}", "fixed", f"l{k - 1}", f"l{k}", X_PJ))
        b.anchor("l0", X_PJ)
        signal = Signal("chain.at_base", "N, N m", (6,), "W")
        b.signal(signal, [MountLoad("chain.l3", about="chain.l0")], recorded=False)


def test_a_static_chain_carries_the_weight_behind_each_link() -> None:
    g = np.array([0.0, 0.0, -9.81])
    session = ff.Mission([Chain(), ff.RigidBody("apart")], rows=[ff.uniform_gravity(tuple(g))]).session()
    session.step(0.1)
    links = [(session.world.links[f"chain.l{k}"], session.world.motion(f"chain.l{k}")[0]) for k in range(4)]

    def weight(first: int, about: np.ndarray) -> np.ndarray:
        """[force; torque about a point] that holds the links from `first` on."""
        held = [(-link.mass * g, X_WL.apply(link.p_LLcm) - about) for link, X_WL in links[first:]]
        return np.concatenate([sum(f for f, _ in held), sum(np.cross(r, f) for f, r in held)])

    for k, (_, X_WL) in enumerate(links):
        assert_equal(session.world.load(f"chain.l{k}"), weight(k, X_WL.p), 1e-12)
    assert_equal(session.read("chain.at_base"), weight(3, links[0][1].p), 1e-12)


@pytest.mark.parametrize("hold", HOLDS)
def test_the_load_of_a_connection_is_a_signal_for_records_and_events_however_it_is_held(hold: str) -> None:
    a, b = ff.RigidBody("a", 20.0), ff.RigidBody("b", 5.0, motion=ff.Motion(ff.Pose(np.eye(3), [2.0, 0, 0])))
    mission = ff.Mission(
        [a, b],
        connections=[ff.Connection("c", "a", "b", hold=hold, closed=True)],
        events=[
            ff.Event("spin", lambda s: s.write("a.wrench", [0, 0, 20.0, 0, 0, 0]), at=0.0),
            ff.Event("strained", lambda s: float(s.read("c.carried_load")[0]), "c.carried_load", level=-1.0, times=1),
        ],
        records=[ff.Record("loads", ("c.carried_load", "b.mount_load"), 10.0)],
    )
    result = mission.run(2.0)
    strained = next(e for e in result.events if e.name == "strained")
    assert float(strained.result) == pytest.approx(-1.0, abs=1e-9)
    loads = result.of("loads")
    assert "c.carried_load" not in [s.name for s in result.groups["plant"]], "it is recorded where it is asked for"
    assert np.isfinite(loads["c.carried_load"]).all()
    force = loads["c.carried_load"][:, :3] if hold == "tree" else 0.0  # b hangs on a, or is a root
    assert np.allclose(loads["b.mount_load"][:, :3], force, rtol=0.0, atol=1e-9)


def test_an_open_connection_carries_no_number_and_cannot_be_asked() -> None:
    session = train("tree")
    assert np.isfinite(session.read("c.carried_load")).all()
    assert np.isnan(session.read("c.load")).all(), "by constraints only"
    session.detach("c")
    assert np.isnan(session.read("c.carried_load")).all()
    with pytest.raises(InputError, match="open"):
        session.world.load("c")
    session.world.attach("c", hold="constraint")
    assert np.array_equal(session.read("c.carried_load"), session.read("c.load"))
