"""Mass that changes sides and interfaces that close: momenta stay, the energy lost is that of a plastic impact."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.graph import Lump
from freefloat.errors import InputError
from freefloat.frames import skew
from freefloat.hand_words import HandState, Order
from freefloat.inertia import parallel_axis
from freefloat.structure.module_transfer import lump_of, move_module
from freefloat.verify.handling_rig import CATALOGUE, assembly, do, handling, reach, stack, top, two_handling

HOLDS = ["tree", "constraint"]
SEEDS = range(6)


@dataclass(frozen=True)
class Rigid:
    """Something rigid in W: mass, centre, inertia about it, velocity of the centre, angular velocity."""

    mass: float
    c: np.ndarray
    inertia: np.ndarray
    v: np.ndarray
    w: np.ndarray

    @property
    def energy(self) -> float:
        return 0.5 * self.mass * self.v @ self.v + 0.5 * self.w @ self.inertia @ self.w


def rigid(world: Any, link: str, properties: Any = None) -> Rigid:
    """A link, or something of other mass properties that moves with it."""
    own = world.links[link]
    mass, p, inertia = properties or (own.mass, own.p_LLcm, own.I_LLcm_L)
    X, w_L, v = world.motion(link)
    w = X.R @ w_L
    return Rigid(mass, X.apply(p), X.R @ inertia @ X.R.T, v + np.cross(w, X.R @ p), w)


def bodies(world: Any) -> list[Rigid]:
    return [rigid(world, name) for name in world.links]


def momenta(world: Any) -> np.ndarray:
    """[P; L about the origin]."""
    parts = [np.concatenate([b.mass * b.v, np.cross(b.c, b.mass * b.v) + b.inertia @ b.w]) for b in bodies(world)]
    return np.sum(parts, axis=0)


def rotors(world: Any) -> float:
    joints = {n: j for n, j in world.joints.items() if j.kind != "fixed"}
    return sum(0.5 * j.armature * world.joint(n)[1] ** 2 for n, j in joints.items())


def energy(world: Any) -> float:
    return sum(b.energy for b in bodies(world)) + rotors(world)


def assert_kept(before: np.ndarray, after: np.ndarray, scale: np.ndarray | None = None) -> None:
    """Linear and angular momentum to 1e-12 of what the bodies hold."""
    for part in (slice(0, 3), slice(3, 6)):
        size = np.linalg.norm(before[part] if scale is None else scale[part])
        assert np.linalg.norm(after[part] - before[part]) <= 1e-12 * size


def amounts(world: Any) -> np.ndarray:
    """Sum of the sizes of the bodies' momenta, as [P P P L L L] / sqrt 3."""
    P = sum(np.linalg.norm(b.mass * b.v) for b in bodies(world))
    L = sum(np.linalg.norm(np.cross(b.c, b.mass * b.v) + b.inertia @ b.w) for b in bodies(world))
    return np.array([P, P, P, L, L, L]) / np.sqrt(3.0)


def joined(*parts: tuple[float, np.ndarray, np.ndarray]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass properties of several (mass, centre, inertia about it) in one frame."""
    mass = sum(m for m, *_ in parts)
    centre = np.sum([m * c for m, c, _ in parts], axis=0) / mass
    return mass, centre, np.sum([parallel_axis(I_c, m, c - centre) for m, c, I_c in parts], axis=0)


def random_lump(rng: np.random.Generator) -> tuple[float, np.ndarray, np.ndarray]:
    points = 0.2 * rng.normal(size=(5, 3))
    spread = points - points.mean(axis=0)
    mass = float(rng.uniform(0.5, 15.0))
    return mass, 0.3 * rng.normal(size=3), mass / 5.0 * (np.sum(spread**2) * np.eye(3) - spread.T @ spread)


def loaded(robot: Any, rng: np.random.Generator) -> tuple[Any, str, str, Any, Any]:
    """A robot of which one link carries a lump that another is to take: robot, links, the lump, what is left."""
    names = [link.name for link in robot.graph.links]
    a, b = (str(n) for n in rng.choice(names, 2, replace=False))
    lump = random_lump(rng)
    links, rest = [], None
    for link in robot.graph.links:
        if link.name == a:
            rest = (link.mass, link.p_LLcm, link.I_LLcm_L)
            mass, centre, inertia = joined(rest, lump)
            links.append(replace(link, mass=mass, p_LLcm=centre, I_LLcm_L=inertia, variable=True))
        else:
            links.append(replace(link, variable=link.name == b))
    graph = replace(robot.graph, links=tuple(links))
    return replace(robot, graph=graph), f"robot.{a}", f"robot.{b}", lump, rest


def after_move(world: Any, a: str, b: str, lump: Any, rest: Any) -> dict[str, Any]:
    """Mass properties of both links when the lump has changed sides where it is."""
    X_BA = world.pose(b).inverse() @ world.pose(a)
    taken = (lump[0], X_BA.apply(lump[1]), X_BA.R @ lump[2] @ X_BA.R.T)
    own = world.links[b]
    return {a: rest, b: joined((own.mass, own.p_LLcm, own.I_LLcm_L), taken)}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_lump_that_changes_links_of_a_tumbling_robot_keeps_momenta_and_loses_carnots_energy(
    seed: int, random_robot: Any
) -> None:
    robot, a, b, lump, rest = loaded(random_robot(seed, 6), np.random.default_rng(50 + seed))
    world = ff.Mission([robot]).session().world
    assert np.linalg.norm(world.motion(a)[1] - world.motion(b)[1]) > 0.1, "the lump's new link moves otherwise"
    after = after_move(world, a, b, lump, rest)
    before, T0, rates = momenta(world), energy(world), {n: world.joint(n)[1] for n in world.compiled().rate}
    pieces = {n: rigid(world, n, rest if n == a else None) for n in world.links} | {"lump": rigid(world, a, lump)}
    poses = {n: world.pose(n).matrix() for n in world.links}
    scale = amounts(world)
    lost = world.move_mass([Lump(a, b, *lump)], after)
    assert_kept(before, momenta(world), scale)
    assert lost == pytest.approx(T0 - energy(world), rel=1e-10)
    X_BA = world.pose(b).inverse() @ world.pose(a)
    now = {n: rigid(world, n, rest if n == a else None) for n in world.links}
    now |= {"lump": rigid(world, b, (lump[0], X_BA.apply(lump[1]), X_BA.R @ lump[2] @ X_BA.R.T))}
    own = world.declared(b)
    now[b] = rigid(world, b, (own.mass, own.p_LLcm, own.I_LLcm_L))
    carnot = sum(replace(p, v=p.v - now[n].v, w=p.w - now[n].w).energy for n, p in pieces.items())
    carnot += sum(0.5 * world.joints[n].armature * (r - world.joint(n)[1]) ** 2 for n, r in rates.items())
    assert lost == pytest.approx(carnot, rel=1e-10)
    assert lost > 1e-3
    for name, pose in poses.items():
        assert np.array_equal(world.pose(name).matrix(), pose)


@dataclass(frozen=True)
class Vessel:
    """One free link whose mass may change."""

    name: str
    properties: Any
    motion: ff.Motion

    def build(self, b: Any) -> None:
        b.body(ff.Link("", *self.properties, variable=True), self.motion)


def vessels(rng: np.random.Generator, spin: float = 1.0) -> tuple[Any, Any, Any]:
    """A world of two free vessels a and b, the lump on a, and what a is without it."""
    rest, lump, other = (random_lump(rng) for _ in range(3))
    parts = []
    for name, properties in (("a", joined(rest, lump)), ("b", other)):
        X = ff.Pose.from_quat(rng.normal(size=4), rng.normal(size=3))
        parts.append(
            Vessel(name, properties, ff.Motion(X, tuple(spin * rng.normal(size=3)), tuple(rng.normal(size=3))))
        )
    return ff.Mission(parts).session().world, lump, rest


def locked_energy(parts: list[Rigid]) -> float:
    """Kinetic energy of several bodies that became one."""
    mass, centre, inertia = joined(*((p.mass, p.c, p.inertia) for p in parts))
    P = np.sum([p.mass * p.v for p in parts], axis=0)
    L = np.sum([np.cross(p.c - centre, p.mass * p.v) + p.inertia @ p.w for p in parts], axis=0)
    return float(0.5 * P @ P / mass + 0.5 * L @ np.linalg.solve(inertia, L))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_lump_between_free_bodies_loses_what_the_two_that_meet_lose_and_leaves_the_giver_as_it_was(seed: int) -> None:
    world, lump, rest = vessels(np.random.default_rng(seed))
    before, scale = momenta(world), amounts(world)
    giver = world.motion("a")
    meeting = [rigid(world, "a", lump), rigid(world, "b")]
    lost = world.move_mass([Lump("a", "b", *lump)], after_move(world, "a", "b", lump, rest))
    assert_kept(before, momenta(world), scale)
    assert lost == pytest.approx(sum(p.energy for p in meeting) - locked_energy(meeting), rel=1e-10)
    for was, is_now in zip(giver[1:], world.motion("a")[1:], strict=True):
        np.testing.assert_allclose(is_now, was, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_lump_without_turning_loses_half_the_reduced_mass_times_the_velocity_squared(seed: int) -> None:
    rng = np.random.default_rng(20 + seed)
    world, lump, rest = vessels(rng, spin=0.0)
    # the centres of the lump and of b in one line with their relative velocity: the impact is central
    own, X_WA = world.links["b"], world.pose("a")
    u = world.motion("a")[2] - world.motion("b")[2]
    R = world.pose("b").R
    at = X_WA.apply(lump[1]) + 0.7 * u - R @ own.p_LLcm
    world.set_motion("b", ff.Pose(R, at), np.zeros(3), world.motion("b")[2])
    lost = world.move_mass([Lump("a", "b", *lump)], after_move(world, "a", "b", lump, rest))
    reduced = lump[0] * own.mass / (lump[0] + own.mass)
    assert lost == pytest.approx(0.5 * reduced * u @ u, rel=1e-11)


def two_robots(seed: int, random_robot: Any, hold: str) -> ff.Mission:
    one = replace(random_robot(seed, 5), name="one")
    two = replace(random_robot(100 + seed, 4), name="two")
    return ff.Mission([one, two], connections=[ff.Connection("grip", "one.link3", "two.link2", hold=hold)])


def impulse_energy(world: Any, link_a: str, link_b: str) -> float:
    """(J v)^T (J M^-1 J^T)^-1 (J v) / 2 with MuJoCo's dense matrices, J v the relative twist at b's frame."""
    tree = world.compiled()
    m, d = tree.model, mujoco.MjData(tree.model)
    d.qpos[:], d.qvel[:] = tree.data.qpos, tree.data.qvel
    mujoco.mj_forward(m, d)
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    J = np.zeros((2, 6, m.nv))
    for k, link in enumerate((link_a, link_b)):
        mujoco.mj_jac(m, d, J[k, 3:], J[k, :3], world.pose(link_b).p, tree.body[link])
    difference = J[1] - J[0]
    rate = difference @ d.qvel
    return float(0.5 * rate @ np.linalg.solve(difference @ np.linalg.solve(M, difference.T), rate))


@pytest.mark.parametrize("hold", HOLDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_two_robots_that_latch_keep_momenta_and_lose_the_energy_of_the_impulse(
    seed: int, hold: str, random_robot: Any
) -> None:
    world = two_robots(seed, random_robot, hold).session().world
    before, T0, scale = momenta(world), energy(world), amounts(world)
    expected = impulse_energy(world, "one.link3", "two.link2")
    lost = world.attach("grip")
    assert_kept(before, momenta(world), scale)
    assert lost == pytest.approx(expected, rel=1e-9)
    assert lost == pytest.approx(T0 - energy(world), rel=1e-9)
    assert world.audit()["heat"][0] == pytest.approx(lost, rel=1e-14), "the audit has it as heat"


def two_bodies_impulse_energy(a: Rigid, b: Rigid, at: np.ndarray) -> float:
    """The same for two free bodies by hand: A is the sum of the inverse spatial inertias at the point."""
    mobility = np.zeros((6, 6))
    twist = np.zeros(6)
    for sign, body in ((-1.0, a), (1.0, b)):
        r = at - body.c
        T = np.block([[np.eye(3), np.zeros((3, 3))], [-skew(r), np.eye(3)]])  # [w; v of the point] from [w; v_cm]
        spatial = np.block([[body.inertia, np.zeros((3, 3))], [np.zeros((3, 3)), body.mass * np.eye(3)]])
        mobility += T @ np.linalg.solve(spatial, T.T)
        twist += sign * T @ np.concatenate([body.w, body.v])
    return float(0.5 * twist @ np.linalg.solve(mobility, twist))


@pytest.mark.parametrize("hold", HOLDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_two_tumbling_bodies_that_latch_lose_the_energy_of_their_relative_twist(seed: int, hold: str) -> None:
    rng = np.random.default_rng(70 + seed)
    parts = []
    for name in "ab":
        X = ff.Pose.from_quat(rng.normal(size=4), rng.normal(size=3))
        parts.append(Vessel(name, random_lump(rng), ff.Motion(X, tuple(rng.normal(size=3)), tuple(rng.normal(size=3)))))
    world = ff.Mission(parts, connections=[ff.Connection("grip", "a", "b", hold=hold)]).session().world
    before, scale = momenta(world), amounts(world)
    expected = two_bodies_impulse_energy(rigid(world, "a"), rigid(world, "b"), rng.normal(size=3))
    lost = world.attach("grip")
    assert_kept(before, momenta(world), scale)
    assert lost == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_module_taken_from_a_tumbling_stack_by_a_moving_hand_keeps_the_momenta_both_ways(seed: int) -> None:
    rng = np.random.default_rng(seed)
    body = stack()
    motion = ff.Motion(
        ff.Pose.from_quat(rng.normal(size=4), rng.normal(size=3)), tuple(rng.normal(size=3)), tuple(rng.normal(size=3))
    )
    session = handling(body, top(body, (1, 0, 1)), motion).session()
    world = session.world
    for axis in "xyz":
        world.set_joint(f"gantry.{axis}", world.joint(f"gantry.{axis}")[0], float(0.3 * rng.normal()))
    held = assembly(session).bodies
    place = held["stack"].grid.index((1, 0, 1))
    mass = sum(link.mass for link in world.links.values())
    for source, start, target, goal in (("stack", place, "tool", 0), ("tool", 0, "stack", place)):
        before, T0, scale = momenta(world), energy(world), amounts(world)
        X_TM = world.pose(target).inverse() @ world.pose(source) @ held[source].X_TM(start)
        where = world.pose(source) @ held[source].X_TM(start)
        lost = move_module(world, held[source], start, held[target], goal, X_TM)
        assert_kept(before, momenta(world), scale)
        assert lost == pytest.approx(T0 - energy(world), rel=1e-9)
        assert lost > 1e-4
        assert sum(link.mass for link in world.links.values()) == pytest.approx(mass, rel=1e-15)
        now = world.pose(target) @ held[target].X_TM(goal)
        np.testing.assert_allclose(now.matrix(), where.matrix(), rtol=0.0, atol=1e-14)


def test_a_lump_is_the_module_where_it_is() -> None:
    kind, rng = CATALOGUE.type("box"), np.random.default_rng(4)
    X_TM = ff.Pose.from_quat(rng.normal(size=4), rng.normal(size=3))
    lump = lump_of(kind, X_TM, "a", "b")
    assert (lump.source, lump.target, lump.mass) == ("a", "b", 10.0)
    np.testing.assert_allclose(lump.p_SScm, X_TM.apply(np.array(kind.p_MMcm)), rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(X_TM.R.T @ lump.I_SScm_S @ X_TM.R, np.array(kind.I_MMcm_M), rtol=0.0, atol=1e-15)


def test_a_whole_handover_leaves_only_the_integrators_error_in_the_audit() -> None:
    """Latch, pick, move, place and release on a tumbling, drifting stack: the drifts fall with the fourth order."""
    found = []
    for step in (5e-4, 2.5e-4):
        body = stack()
        motion = ff.Motion(w_WL_L=(0.05, -0.03, 0.04), v_WL=(0.1, 0.2, 0.3))
        over = top(body, (1, 0, 1)) + np.array([0.003, -0.002, 0.004])
        mission = handling(body, over, motion, ff.RK4(step))
        session = mission.session()
        assert do(session, Order.LATCH, HandState.CLOSED)
        assert do(session, Order.PICK, HandState.CARRYING)
        reach(session, top(body, (2, 0, 1)) + np.array([0.004, 0.002, -0.003]))
        assert do(session, Order.PLACE, HandState.CLOSED)
        assert do(session, Order.RELEASE, HandState.OPEN)
        found.append(mission.complete(session, session.time + 0.1, strict=True).audit.drifts)
    coarse, fine = found
    assert coarse["mass_drift"] == fine["mass_drift"] == 0.0
    for name in ("linear_momentum_drift", "angular_momentum_drift", "energy_drift"):
        assert coarse[name] / fine[name] > 2.0**3.8, name
        assert fine[name] < 1e-8, name


WIDE = {(i, 0, 0): "source" if i == 0 else "box" for i in range(3)} | {(0, 0, 1): "box", (2, 0, 1): "box"}


def both(session: ff.Session, orders: dict[str, Order], states: dict[str, HandState], limit: float = 2.0) -> None:
    """Give two hands their orders and go on until both are where they should be; they are under way at once."""
    for hand, order in orders.items():
        session.write(f"modules.{hand}.order", [float(order)])
    end = session.time + limit
    while session.time < end:
        session.step(0.02)
        if all(session.read(f"modules.{hand}.state")[0] == state for hand, state in states.items()):
            return
    raise AssertionError([(e.name, e.result) for e in session.fired])


def test_two_handovers_at_once_keep_all_modules_and_leave_only_the_integrators_error() -> None:
    """Both hands latch, pick and place on a tumbling stack in the same seconds; nothing is lost, doubled or created."""
    found = []
    for step in (5e-4, 2.5e-4):
        body = stack(WIDE)
        left, right = top(body, (0, 0, 1)), top(body, (2, 0, 1))
        off = np.array([0.003, -0.002, 0.004])
        motion = ff.Motion(w_WL_L=(0.05, -0.03, 0.04), v_WL=(0.1, 0.2, 0.3))
        mission = two_handling(body, {"left": left + off, "right": right - off}, motion, step)
        session = mission.session()
        orders, hands = (Order.LATCH, Order.PICK), ("left", "right")
        for order, state in zip(orders, (HandState.CLOSED, HandState.CARRYING), strict=True):
            both(session, dict.fromkeys(hands, order), dict.fromkeys(hands, state))
        held = assembly(session).bodies
        assert [held[f"tool_{h}"].identity[0] for h in hands] == [4, 5]
        reach(session, right - off, "left")  # they change places
        reach(session, left + off, "right")
        both(session, dict.fromkeys(hands, Order.PLACE), dict.fromkeys(hands, HandState.CLOSED))
        both(session, dict.fromkeys(hands, Order.RELEASE), dict.fromkeys(hands, HandState.OPEN))
        contents = assembly(session).bodies["stack"]
        assert [contents.find(m) for m in (4, 5)] == [contents.grid.index(c) for c in ((2, 0, 1), (0, 0, 1))]
        assert assembly(session).latches.without(contents) == 1
        assert len(assembly(session).latches.edges(contents)) == 4
        assert session.read("modules.alarms")[0] == 0.0
        found.append(mission.complete(session, session.time + 0.1, strict=True).audit.drifts)
    coarse, fine = found
    assert coarse["mass_drift"] == fine["mass_drift"] == 0.0
    assert fine["linear_momentum_drift"] < 1e-12
    for name in ("angular_momentum_drift", "energy_drift"):
        assert coarse[name] / fine[name] > 2.0**3.8, name
        assert fine[name] < 1e-8, name


def test_a_handover_that_fails_does_not_stop_the_other() -> None:
    body = stack(WIDE)
    over = {"left": top(body, (0, 0, 1)), "right": top(body, (2, 0, 1))}
    session = two_handling(body, over, ff.Motion(), 5e-4, faults={5: "open"}).session()
    both(session, dict.fromkeys(over, Order.LATCH), dict.fromkeys(over, HandState.CLOSED))
    both(session, dict.fromkeys(over, Order.PICK), {"left": HandState.CARRYING, "right": HandState.FAILED})
    held = assembly(session)
    assert held.bodies["tool_left"].identity[0] == 4
    assert held.bodies["stack"].find(5) == body.grid.index((2, 0, 1))
    assert held.latches.under_way == {}
    assert list(session.world.closed) == ["grip_right"]


@pytest.mark.parametrize("first", HOLDS)
def test_holding_another_way_and_back_keeps_every_pose_and_the_momenta(first: str, random_robot: Any) -> None:
    session = two_robots(3, random_robot, first).session()
    world = session.world
    world.attach("grip")
    session.step(0.2)
    before, scale = momenta(world), amounts(world)
    poses = {n: world.pose(n).matrix() for n in world.links}
    twists = {n: np.concatenate(world.motion(n)[1:]) for n in world.links}
    T0 = energy(world)
    # multipliers leave what the integrator leaves of relative velocity; a tree takes it away
    tolerance = 1e-11 if first == "tree" else 2e-8
    for way in (HOLDS[1 - HOLDS.index(first)], first):
        lost = world.hold("grip", way)  # pyright: ignore[reportArgumentType]
        assert abs(lost) < 1e-12 * T0
        assert (way == "constraint") == bool(world.compiled().loops)
        assert_kept(before, momenta(world), scale)
        for name, pose in poses.items():
            np.testing.assert_allclose(world.pose(name).matrix(), pose, rtol=0.0, atol=1e-12)
            np.testing.assert_allclose(np.concatenate(world.motion(name)[1:]), twists[name], rtol=0.0, atol=tolerance)


def test_holding_what_is_open_is_refused(random_robot: Any) -> None:
    world = two_robots(1, random_robot, "tree").session().world
    with pytest.raises(InputError, match="connection 'grip' is open already"):
        world.hold("grip", "constraint")


def test_a_lump_for_a_link_that_cannot_change_is_refused_and_nothing_happens(random_robot: Any) -> None:
    world = ff.Mission([random_robot(0, 4)]).session().world
    before = momenta(world)
    lump = Lump("robot.link0", "robot.link1", 1.0, np.zeros(3), np.eye(3))
    own = world.links["robot.link0"]
    with pytest.raises(InputError, match="declare it with variable=True"):
        world.move_mass([lump], {"robot.link0": (own.mass, own.p_LLcm, own.I_LLcm_L)})
    assert np.array_equal(momenta(world), before)
