"""Structural change while a run goes on: re-rooting, latching, and the two ways to hold a connection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from freefloat.engine.blueprint import Motion
from freefloat.engine.connection import Connection
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.engine.session import Session
from freefloat.frames import Array, Pose, so3_log
from freefloat.robots import asset, load_urdf
from freefloat.robots.arm import Arm
from freefloat.structure import RigidBody
from freefloat.verify.case import Comparison, at_most, case, within
from freefloat.verify.cases.integrators import SWING_START, sprung_arm
from freefloat.verify.drawing import curves_over_time, errors_over_time
from freefloat.verify.models import random_pose
from freefloat.verify.oracles.newton_euler import LinkMotion, total_momenta
from freefloat.verify.oracles.plastic import kinetic_energy, locked_energy, lost_velocity_energy
from freefloat.verify.readings import all_motions

Motions = Mapping[str, LinkMotion]

PAIRS = 10  # of random tumbling bodies
HOLDS = ("tree", "constraint")
MOUNT = Pose.from_rpy((0.3, -0.2, 0.5), (0.0, 0.1, 1.0))
HELD_TIME = 10.0  # [s]


@case("re-rooting", source="the motion does not depend on the root of the tree: X_WC = X_WB X_BC")
def re_rooting() -> Iterator[Comparison]:
    """Root A, then B, then A again: every pose and twist of two tumbling satellites joined by their arms returns."""
    session = _satellites("tree").session()
    session.step(1.0)
    session.attach("grip")
    start = all_motions(session)
    session.reroot("two")
    halfway = _differences(start, all_motions(session))
    session.reroot("one")
    back = _differences(start, all_motions(session))
    for way, found in (("A -> B", halfway), ("A -> B -> A", back)):
        for (quantity, unit), value in found.items():
            yield at_most(f"{quantity}, largest change, {way}", unit, ours=value, tolerance=1e-12)


@case("latching-momentum", source="conservation of momentum; Carnot, Principes fondamentaux de l'equilibre, 1803")
def latching_momentum() -> Iterator[Comparison]:
    """Two tumbling satellites with moving arms grip each other: momenta stay, the energy lost is Carnot's."""
    for hold in HOLDS:
        session = _satellites(hold).session()
        session.step(1.0)
        before = all_motions(session)
        lost = session.attach("grip")
        after = all_motions(session)
        for quantity, change in _momentum_changes(before, after).items():
            yield at_most(f"{quantity} momentum, relative change, held by {hold}", "-", ours=change, tolerance=1e-12)
        carnot = lost_velocity_energy(before, after)
        yield within(f"energy lost, held by {hold}", "J", published=carnot, ours=lost, tolerance=1e-12 * carnot)
    yield from _rigid_pairs()


def _rigid_pairs() -> Iterator[Comparison]:
    """Random tumbling bodies that become one."""
    rng = np.random.default_rng(3)
    errors: dict[str, list[tuple[float, float]]] = {hold: [] for hold in HOLDS}
    for _ in range(PAIRS):
        bodies = [_random_body(rng, name) for name in ("one", "two")]
        for hold in HOLDS:
            grip = Connection("grip", "one", "two", hold=hold)
            errors[hold].append(_attach_rigid(Mission(bodies, connections=[grip]).session()))
    for hold, found in errors.items():
        momentum, energy = np.max(found, axis=0)
        what = f"{PAIRS} pairs of tumbling bodies, held by {hold}"
        yield at_most(f"{what}: momenta, largest relative change", "-", ours=float(momentum), tolerance=1e-12)
        yield at_most(
            f"{what}: energy lost, largest relative error",
            "-",
            ours=float(energy),
            tolerance=1e-12,
            source="two bodies become one: T = P^2 / 2m + L I^-1 L / 2 with the summed inertia (parallel axes)",
        )


def _attach_rigid(session: Session) -> tuple[float, float]:
    """Relative change of the momenta, and relative error of the energy lost."""
    before = all_motions(session)
    lost = session.attach("grip")
    changes = _momentum_changes(before, all_motions(session))
    closed = kinetic_energy(list(before.values())) - locked_energy(list(before.values()))
    return max(changes.values()), abs(lost - closed) / closed


@case("weld-or-tree", source="the same rigid connection held by multipliers (Baumgarte, 1972) and by the tree itself")
def weld_or_tree() -> Iterator[Comparison]:
    """An arm welded to a satellite by a constraint against the same arm as part of its tree, over 10 s.

    Both run with RK4 at 0.5 ms: at 1 ms each is still 1e-8 rad away from its own limit, in fourth order.
    """
    results = {hold: _held_arm(hold).run(HELD_TIME) for hold in HOLDS}
    times = results["tree"].time("arm.q")
    angles = {hold: r["arm.q"] for hold, r in results.items()}
    difference = np.abs(angles["constraint"] - angles["tree"]).max(axis=1)
    violation = np.abs(results["constraint"]["mount.error"])
    position, rotation = violation[:, :3].max(axis=1), violation[:, 3:].max(axis=1)
    curves = {"joint angles [rad]": difference, "violation [m]": position, "violation [rad]": rotation}
    joints = {f"q{i + 1}": angles["tree"][:, i] for i in range(4)}
    yield at_most(
        "joint angles, largest difference",
        "rad",
        ours=float(difference.max()),
        tolerance=1e-8,
        plot=errors_over_time(times, curves, 1e-8, "constraint against tree"),
    )
    yield at_most(
        "position violation of the weld, largest",
        "m",
        ours=float(position.max()),
        tolerance=1e-9,
        plot=curves_over_time(times, joints, "joint angle [rad]", "the motion"),
    )
    yield at_most("rotation violation of the weld, largest", "rad", ours=float(rotation.max()), tolerance=1e-9)


def _held_arm(hold: str) -> Mission:
    """A tumbling satellite and an arm on undamped joint springs, joined at `mount`."""
    bus = RigidBody("bus", 200.0, size=(1.0, 1.2, 1.5), frames={"top": MOUNT}, motion=Motion(w_WL_L=(0.1, -0.2, 0.15)))
    w = np.array(bus.motion.w_WL_L)
    motion = Motion(MOUNT, tuple(MOUNT.R.T @ w), tuple(np.cross(w, MOUNT.p)))
    arm = Arm("arm", sprung_arm(), q=SWING_START, motion=motion)
    mount = Connection("mount", "bus.top", "arm.base", hold=hold, closed=True)
    return Mission([bus, arm], connections=[mount], integrator=RK4(5e-4))


def _satellites(hold: str) -> Mission:
    """Two satellites, tumbling and passing each other, each with an arm that swings; `grip` joins the hands."""
    robot, spin = load_urdf(asset("arm7")), Motion(w_WL_L=(0.2, -0.3, 0.4))
    one = RigidBody("one", 300.0, p_BBcm=(0.1, -0.05, 0.2), frames={"top": MOUNT}, motion=spin)
    turned = Pose.from_rpy((2.8, 0.3, -0.4), (0.4, 0.2, 5.0))
    motion = Motion(turned, (-0.3, 0.2, 0.5), (0.05, -0.1, -0.2))
    two = RigidBody("two", 150.0, p_BBcm=(0.0, 0.1, -0.1), frames={"top": MOUNT}, motion=motion)
    arms = [Arm(f"arm_{n}", robot, on=f"{n}.top", q=q) for n, q in (("one", SWING_START), ("two", SWING_START[::-1]))]
    return Mission([one, two, *arms], connections=[Connection("grip", "arm_one.hand", "arm_two.hand", hold=hold)])


def _random_body(rng: np.random.Generator, name: str) -> RigidBody:
    mass, size = float(rng.uniform(10.0, 200.0)), tuple(rng.uniform(0.5, 2.0, 3))
    motion = Motion(random_pose(rng, 2.0), tuple(rng.normal(size=3)), tuple(rng.normal(size=3)))
    return RigidBody(name, mass, size=size, p_BBcm=tuple(rng.normal(scale=0.3, size=3)), motion=motion)


def _differences(a: Motions, b: Motions) -> dict[tuple[str, str], float]:
    """Largest differences over all links."""
    pairs = [(a[name], b[name]) for name in a]

    def largest(values: list[Array]) -> float:
        return float(np.linalg.norm(values, axis=1).max())

    return {
        ("position", "m"): largest([x.X_WL.p - y.X_WL.p for x, y in pairs]),
        ("attitude", "rad"): largest([so3_log(x.X_WL.R.T @ y.X_WL.R) for x, y in pairs]),
        ("velocity", "m/s"): largest([x.v - y.v for x, y in pairs]),
        ("angular velocity", "rad/s"): largest([x.w - y.w for x, y in pairs]),
    }


def _momentum_changes(before: Motions, after: Motions) -> dict[str, float]:
    """Changes of the total momenta relative to the sum of the bodies' magnitudes."""
    bodies = list(before.values())
    change = total_momenta(list(after.values())) - total_momenta(bodies)
    linear = sum(float(np.linalg.norm(b.link.mass * b.v)) for b in bodies)
    centre = np.sum([b.link.mass * b.centre for b in bodies], axis=0) / sum(b.link.mass for b in bodies)
    angular = sum(
        float(np.linalg.norm(b.inertia @ b.w + b.link.mass * np.cross(b.centre - centre, b.v))) for b in bodies
    )
    return {
        "angular": float(np.linalg.norm(change[:3])) / angular,
        "linear": float(np.linalg.norm(change[3:])) / linear,
    }
