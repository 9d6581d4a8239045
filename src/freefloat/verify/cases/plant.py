"""Forward dynamics of the engine's compiled plant, through its public commands and signals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from freefloat.engine.graph import Joint, LinkGraph
from freefloat.engine.mission import Mission
from freefloat.engine.rows import uniform_gravity
from freefloat.engine.session import Session
from freefloat.frames import Array, Pose
from freefloat.verify.case import Comparison, at_most, case
from freefloat.verify.cases.multibody import LAGRANGE, NEWTON_EULER, planar_state, relative_difference
from freefloat.verify.drawing import errors_of_cases
from freefloat.verify.models import planar_two_link, random_pose, random_state, random_tree
from freefloat.verify.oracles.newton_euler import TreeAcceleration, TreeState, forward_dynamics, link_motions
from freefloat.verify.oracles.two_link import TwoLink
from freefloat.verify.parts import LoadedTree
from freefloat.verify.readings import tree_acceleration

SAMPLES = 50
SIZES = range(2, 16)  # links of the random trees


@dataclass(frozen=True)
class Load:
    """Everything that acts on a tree: efforts and wrenches [torque; force] at points of links, in L or in W."""

    effort: dict[str, float]  # [N m or N]
    points: dict[str, Pose]  # link -> X_LP
    wrenches: dict[str, Array]  # link -> (6,) at P
    in_body: frozenset[str]  # links whose wrench is given in L; the others' in W
    gravity: tuple[float, float, float]  # [m/s^2]


@case("forward-dynamics", source=NEWTON_EULER)
def forward_dynamics_of_the_plant() -> Iterator[Comparison]:
    """Accelerations of the engine's plant (drives, springs, wrenches, gravity) against independent formulations."""
    rng = np.random.default_rng(2)
    robot = TwoLink()
    planar = _planar_session(robot)
    lagrange, ours = zip(*(_planar_plant_pair(rng, robot, planar) for _ in range(SAMPLES)), strict=True)
    yield at_most(
        f"planar two-link, {SAMPLES} states: relative error against Lagrange",
        "-",
        ours=relative_difference(ours, lagrange),
        tolerance=1e-10,
        source=LAGRANGE,
    )
    base, joints, elsewhere = zip(*(_plant_errors(rng, size) for size in SIZES), strict=True)
    curves = {"root": base, "joints": joints, "joints, rooted elsewhere": elsewhere}
    plot = errors_of_cases(list(SIZES), curves, 1e-10, "links", "relative error of the accelerations")
    what = f"random trees of {SIZES[0]} to {SIZES[-1]} links"
    yield at_most(f"{what}: root, relative error", "-", ours=max(base), tolerance=1e-10, plot=plot)
    yield at_most(f"{what}: joints, relative error", "-", ours=max(joints), tolerance=1e-10)
    yield at_most(f"{what}: joints after re-rooting, relative error", "-", ours=max(elsewhere), tolerance=1e-10)


def start(session: Session, robot: str, state: TreeState) -> None:
    """Put a floating robot into a state."""
    root = session.world.roots[0]
    V = np.asarray(state.V_WR_W)
    session.set_motion(root, state.X_WR, state.X_WR.R.T @ V[:3], V[3:])
    for name, q in state.q.items():
        session.set_joint(f"{robot}.{name}", q, state.qd[name])


def _plant_errors(rng: np.random.Generator, size: int) -> tuple[float, float, float]:
    """Relative errors of root and joint accelerations of a random tree, and of the joints' with another root."""
    graph = _with_springs(rng, random_tree(rng, size))
    state, load = random_state(rng, graph), _random_load(rng, graph)
    part = LoadedTree(
        "tree",
        graph,
        {n: X for n, X in load.points.items() if n in load.in_body},
        {n: X for n, X in load.points.items() if n not in load.in_body},
    )
    session = Mission([part], rows=[uniform_gravity(load.gravity)]).session()
    start(session, "tree", state)
    session.write("tree.tau", list(load.effort.values()))
    for name, wrench in load.wrenches.items():
        session.write(f"tree.{name}.wrench", wrench)
    truth = _truth(graph, state, load)
    ours = tree_acceleration(session, "tree", "tree.link0")
    last = f"tree.link{size - 1}"
    session.reroot(last)
    again = tree_acceleration(session, "tree", last)
    return (
        relative_difference([ours.A_WR_W], [truth.A_WR_W]),
        relative_difference([_qdd(ours)], [_qdd(truth)]),
        relative_difference([_qdd(again)], [_qdd(truth)]),
    )


def _qdd(a: TreeAcceleration) -> Array:
    return np.array([a.qdd[name] for name in sorted(a.qdd)])


def _with_springs(rng: np.random.Generator, graph: LinkGraph) -> LinkGraph:
    def sprung(joint: Joint) -> Joint:
        k, d, q0 = rng.uniform(0.0, 50.0), rng.uniform(0.0, 5.0), rng.normal()
        return replace(joint, stiffness=k, damping=d, springref=q0)

    return replace(graph, joints=tuple(sprung(joint) for joint in graph.joints))


def _random_load(rng: np.random.Generator, graph: LinkGraph) -> Load:
    names = [link.name for link in graph.links]
    return Load(
        effort={joint.name: float(10.0 * rng.normal()) for joint in graph.joints},
        points={name: random_pose(rng, 0.5) for name in names},
        wrenches={name: 10.0 * rng.normal(size=6) for name in names},
        in_body=frozenset(names[::2]),
        gravity=tuple(5.0 * rng.normal(size=3)),
    )


def _truth(graph: LinkGraph, state: TreeState, load: Load) -> TreeAcceleration:
    """The oracle's accelerations: springs and dampers join the efforts, wrenches are moved to Lcm and turned to W."""
    effort = {
        j.name: load.effort[j.name] - j.stiffness * (state.q[j.name] - j.springref) - j.damping * state.qd[j.name]
        for j in graph.joints
    }
    motions, at_centre = link_motions(graph, state), {}
    for name, wrench in load.wrenches.items():
        X_WL = motions[name].X_WL
        R = X_WL.R if name in load.in_body else np.eye(3)
        torque, force = R @ wrench[:3], R @ wrench[3:]
        arm = X_WL.apply(load.points[name].p) - motions[name].centre
        at_centre[name] = np.concatenate([torque + np.cross(arm, force), force])
    return forward_dynamics(graph, state, effort, at_centre, load.gravity)


def _planar_session(robot: TwoLink) -> Session:
    part = LoadedTree("robot", planar_two_link(robot), in_world={"base": Pose.identity()})
    return Mission([part]).session()


def _planar_plant_pair(rng: np.random.Generator, robot: TwoLink, session: Session) -> tuple[Array, Array]:
    q, v, forces = rng.uniform(-np.pi, np.pi, 5), rng.normal(size=5), 10.0 * rng.normal(size=5)
    start(session, "robot", planar_state(q, v))
    session.write("robot.tau", forces[3:])
    session.write("robot.base.wrench", [0.0, 0.0, forces[2], forces[0], forces[1], 0.0])
    a = tree_acceleration(session, "robot", "robot.base")
    return robot.accelerations(q, v, forces), np.array([*a.A_WR_W[[3, 4, 2]], a.qdd["q1"], a.qdd["q2"]])
