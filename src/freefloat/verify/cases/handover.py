"""Handing modules over: moved mass, drawing in, closed loops, and the two couplings on the carry of a mission."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.api import run
from freefloat.engine.blueprint import Motion
from freefloat.engine.connection import Connection
from freefloat.engine.graph import Link
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.session import Session
from freefloat.engine.world import World
from freefloat.frames import Array, Pose, quat_conj, quat_log, quat_mul, so3_exp, so3_log
from freefloat.robots import asset, load_urdf
from freefloat.robots.arm import Arm
from freefloat.structure import RigidBody
from freefloat.structure.module_transfer import lump_of, move_module
from freefloat.verify.case import Comparison, at_least, at_most, case, within
from freefloat.verify.drawing import errors_over_time
from freefloat.verify.handling_rig import assembly, handling, stack, top
from freefloat.verify.models import random_pose
from freefloat.verify.oracles.newton_euler import LinkMotion, total_momenta
from freefloat.verify.oracles.plastic import lost_velocity_energy
from freefloat.verify.oracles.reactions import reactions
from freefloat.verify.readings import all_motions

HANDOVERS = 10
ETA = 50.0  # [1/s]
OFFSET, ANGLE = 0.01, float(np.deg2rad(5.0))  # [m], [rad] largest misalignment of an interface
CLOSING = 0.5  # [s] 25 / ETA, as hands close
CARRY = 60.0  # [s] at least
UNTIL, SHORT = 97.0, 45.0  # [s] just before the module is placed; into the carry


@case("handover-momentum", source="conservation of momentum; Carnot, Principes fondamentaux de l'equilibre, 1803")
def handover_momentum() -> Iterator[Comparison]:
    """A module goes from a tumbling stack to a hand that moves otherwise: momenta stay, energy is lost as heat."""
    rng = np.random.default_rng(4)
    worst = np.max([_handover(rng) for _ in range(HANDOVERS)], axis=0)
    what = f"{HANDOVERS} handovers"
    yield at_most(f"{what}: angular momentum, relative change", "-", ours=worst[0], tolerance=1e-12)
    yield at_most(f"{what}: linear momentum, relative change", "-", ours=worst[1], tolerance=1e-12)
    yield at_most(f"{what}: energy lost, relative error", "-", ours=worst[2], tolerance=1e-10)
    yield at_most(f"{what}: mass of all bodies, relative change", "-", ours=worst[3], tolerance=1e-15)


def _handover(rng: np.random.Generator) -> tuple[float, float, float, float]:
    body = stack()
    motion = Motion(random_pose(rng, 1.0), tuple(rng.normal(size=3)), tuple(rng.normal(size=3)))
    session = handling(body, top(body, (1, 0, 1)), motion).session()
    world, held = session.world, assembly(session).bodies
    for axis in "xyz":
        world.set_joint(f"gantry.{axis}", world.joint(f"gantry.{axis}")[0], float(0.3 * rng.normal()))
    place = body.grid.index((1, 0, 1))
    X_TM = world.pose("tool").inverse() @ world.pose("stack") @ held["stack"].X_TM(place)
    lump = lump_of(body.module(place).type, body.X_TM(place), "stack", "tool")
    module = Link("module", lump.mass, lump.p_SScm, lump.I_SScm_S)
    X_WT, w, v = _motion(world, "stack")
    before = {**_bodies(world), "module": _moving(module, X_WT, w, v)}
    lost = move_module(world, held["stack"], place, held["tool"], 0, X_TM)
    after = _bodies(world)
    X_WE, w, v = _motion(world, "tool")
    # the same pieces as afterwards: the stack without the module, and the module by itself
    before["stack"] = _moving(world.links["stack"], X_WT, before["stack"].w, _at(before["stack"], X_WT))
    kept = {**after, "module": _moving(module, X_WT, w, v + np.cross(w, X_WT.p - X_WE.p))}
    del before["tool"], kept["tool"]
    start, end = list(before.values()), list(kept.values())
    change = np.abs(total_momenta(end) - total_momenta(start))
    carnot = lost_velocity_energy(before, kept)
    masses = [sum(b.link.mass for b in bodies) for bodies in (start, after.values())]
    return (
        float(np.linalg.norm(change[:3])) / sum(float(np.linalg.norm(b.inertia @ b.w)) for b in start),
        float(np.linalg.norm(change[3:])) / sum(float(np.linalg.norm(b.link.mass * b.v)) for b in start),
        abs(lost - carnot) / carnot,
        abs(masses[1] - masses[0]) / masses[0],
    )


def _motion(world: World, link: str) -> tuple[Pose, Array, Array]:
    """X_WL, w_WL_W and v_WL."""
    X_WL, w_L, v = world.motion(link)
    return X_WL, X_WL.R @ w_L, v


def _moving(link: Link, X_WL: Pose, w: Array, v: Array) -> LinkMotion:
    """A link whose frame has the velocity v."""
    return LinkMotion(link, X_WL, w, v + np.cross(w, X_WL.R @ link.p_LLcm))


def _at(body: LinkMotion, X_WL: Pose) -> Array:
    """Velocity of the frame's origin."""
    return body.v + np.cross(body.w, X_WL.p - body.centre)


def _bodies(world: World) -> dict[str, LinkMotion]:
    """Every link with its mass of now."""
    return {name: _moving(link, *_motion(world, name)) for name, link in world.links.items()}


@case("drawing-in", source="Baumgarte, 1972: an offset e0 at rest fades as e0 (1 + eta t) exp(-eta t)")
def drawing_in() -> Iterator[Comparison]:
    """An interface that closes with an offset of 10 mm or 5 deg draws it in within its closing time."""
    offsets = {"10 mm": np.array([OFFSET, 0.0, 0.0, 0.0, 0.0, 0.0]), "5 deg": np.array([0.0] * 5 + [ANGLE])}
    for name, e0 in offsets.items():
        session, target = _drawn(e0, Pose.identity())
        times, errors = [], []
        for _ in range(20):
            session.step(0.025)
            x = ETA * session.time
            times.append(session.time)
            errors.append(np.abs(_left(session, target) - e0 * (1.0 + x) * np.exp(-x)).max() / np.abs(e0).max())
        plot = errors_over_time(times, {"against the closed form": errors}, 1e-8, f"an offset of {name} fades")
        yield at_most(f"{name}: largest difference, relative to e0", "-", ours=max(errors), tolerance=1e-8, plot=plot)
    apart = Pose.from_rpy((0.2, -0.4, 0.3), (0.8, 0.1, -0.2))
    session, target = _drawn(np.array([OFFSET, OFFSET, -OFFSET, ANGLE, -ANGLE, ANGLE]) / np.sqrt(3.0), apart)
    session.step(CLOSING)
    rest = _left(session, target)
    yield at_most("both, left after the closing time", "m", ours=float(np.linalg.norm(rest[:3])), tolerance=1e-9)
    yield at_most("both, left after the closing time", "rad", ours=float(np.linalg.norm(rest[3:])), tolerance=1e-9)


def _drawn(e0: Array, X_AB: Pose) -> tuple[Session, Pose]:
    """Two bodies at rest that begin to be drawn together, and the target pose."""
    bodies = [RigidBody("a", 20.0, (3.0, 2.0, 2.5)), RigidBody("b", 8.0, (0.7, 0.5, 0.9), motion=Motion(X_AB))]
    session = Mission(bodies, connections=[Connection("dock", "a", "b")], integrator=RK4(5e-4)).session()
    target = Pose(so3_exp(e0[3:]), e0[:3]).inverse() @ X_AB
    session.attach("dock", target, "constraint", ETA)
    return session, target


def _left(session: Session, target: Pose) -> Array:
    X_AP = session.world.pose("a").inverse() @ session.world.pose("b") @ target.inverse()
    return np.concatenate([X_AP.p, so3_log(X_AP.R)])


@case(
    "closed-loop", source="Newton and Euler for every body, all reactions as unknowns; least norm where indeterminate"
)
def closed_loop() -> Iterator[Comparison]:
    """Internal forces of a robot latched at both ends with loaded joints, and of a body that is welded twice."""
    session = _latched_robot()
    for t in (0.0, 0.15):
        session.step(t)
        expected = _reactions(session, session.read("arm.tau"))
        for name in ("foot_a", "foot_b"):
            ours = session.world.load(name)
            error = float(np.abs(ours - expected[name]).max() / np.abs(expected[name]).max())
            yield at_most(f"robot, {name}, relative error at {t:g} s", "-", ours=error, tolerance=1e-8)
    frames = {"c": Pose(np.eye(3), (0.4, 0.1, -0.2)), "d": Pose(np.eye(3), (-0.3, 0.2, 0.1))}
    a = RigidBody("a", 20.0, frames=frames, motion=Motion(w_WL_L=(0.2, -0.1, 0.3)))
    apart = Pose(np.eye(3), (1.0, 0.2, 0.0))
    b = RigidBody("b", 8.0, motion=Motion(apart, (0.2, -0.1, 0.3), tuple(np.cross((0.2, -0.1, 0.3), apart.p))))
    held = [Connection(n, f"a.{n}", "b", hold="constraint", closed=True) for n in frames]
    session = Mission([a, b], connections=held).session()
    expected = _reactions(session, np.zeros(0), tuple(frames))
    for name in frames:
        size = float(np.linalg.norm(expected[name][:3]))
        ours = float(np.linalg.norm(session.world.load(name)[:3]))
        yield within(f"twice welded body, force at {name}", "N", published=size, ours=ours, tolerance=1e-9 * size)


def _latched_robot() -> Session:
    """The walking manipulator with both ends on one free structure, torques on all joints."""
    arm = Arm("arm", load_urdf(asset("walking_manipulator")), q=(0.1, 0.6, -0.2, -1.2, 0.3, 0.6, 0.1))
    X_WE = Mission([arm]).session().world.pose("arm.end_b")
    parts = [RigidBody("ground", 300.0, frames={"far": X_WE}), arm]
    feet = [
        Connection("foot_a", "ground", "arm.end_a", closed=True),
        Connection("foot_b", "ground.far", "arm.end_b", closed=True),
    ]
    session = Mission(parts, connections=feet, integrator=RK4(5e-4)).session()
    session.write("arm.tau", [0.4, -0.2, 0.3, 0.2, -0.3, 0.1, 0.05])
    return session


def _reactions(session: Session, tau: Array, shared: tuple[str, ...] = ()) -> dict[str, Array]:
    """What the oracle says of every edge: [force; torque about J], for connections J is side a's frame."""
    world = session.world
    edges = [*world.joints.values(), *(held.edge for held in world.closed.values())]
    effort = {n: float(v) for n, v in zip(world.compiled().rate, tau, strict=True)}
    rates = {n: world.joint(n)[1] for n in effort}
    found = reactions(all_motions(session), edges, rates, effort, shared=shared)
    return {name: np.roll(load, 3) for name, load in found.items()}


@case(
    "couplings", source="the same mission with interfaces held by multipliers (Baumgarte, 1972) and by the tree itself"
)
def couplings() -> Iterator[Comparison]:
    """Pick-and-place while the module is carried: interfaces held by the tree, and by constraints of several rates."""
    tree = run("pick-and-place", {"coupling": "tree"}, duration=UNTIL)
    constraint = run("pick-and-place", {"coupling": "constraint", "eta": 20.0}, duration=UNTIL)
    times = tree.time("wm.q")
    picked = max(next(e.t for e in r.events if e.name == "b.picked") for r in (tree, constraint))
    on = times >= picked
    yield at_least("length of the carry", "s", published=CARRY, ours=float(np.ptp(times[on])), tolerance=0.0)
    angles = np.abs(tree["wm.q"] - constraint["wm.q"])[on].max(axis=1)
    turns = _turns(tree["stack.q_WB"][on], constraint["stack.q_WB"][on])
    curves = {"joint angles [rad]": angles, "attitude of the stack [rad]": turns}
    plot = errors_over_time(times[on], curves, 1e-9, "constraint against tree, during the carry")
    yield at_most("joint angles, largest difference", "rad", ours=float(angles.max()), tolerance=1e-8, plot=plot)
    yield at_most("attitude of the stack, largest difference", "rad", ours=float(turns.max()), tolerance=1e-9)
    quick = run("pick-and-place", {"coupling": "constraint", "eta": 200.0}, duration=SHORT)
    for eta, result in ((20, constraint), (200, quick)):
        position, rotation = _violation(result)
        yield at_most(f"violation of the foot, eta {eta} 1/s", "m", ours=position, tolerance=1e-9)
        yield at_most(f"violation of the foot, eta {eta} 1/s", "rad", ours=rotation, tolerance=1e-9)


def _turns(a: Array, b: Array) -> Array:
    return np.array([float(np.linalg.norm(quat_log(quat_mul(quat_conj(p), q)))) for p, q in zip(a, b, strict=True)])


def _violation(result: Result) -> tuple[float, float]:
    """Of the foot that stands all the time: [m], [rad]."""
    error = result["foot_a.error"]
    return float(np.linalg.norm(error[:, :3], axis=1).max()), float(np.linalg.norm(error[:, 3:], axis=1).max())
