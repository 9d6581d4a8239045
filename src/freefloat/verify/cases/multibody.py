"""Forward dynamics of trees: several formulations that share nothing must give the same accelerations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import mujoco
import numpy as np

from freefloat.engine.graph import LinkGraph
from freefloat.frames import Array, Pose, so3_exp
from freefloat.verify.case import Comparison, at_most, case
from freefloat.verify.models import mujoco_model, planar_two_link, random_state, random_tree, set_state
from freefloat.verify.oracles.newton_euler import TreeState, forward_dynamics
from freefloat.verify.oracles.two_link import TwoLink

SAMPLES = 50
LAGRANGE = "Lagrange's equations of the planar two-link robot of Papadopoulos and Dubowsky 1993, written out"
NEWTON_EULER = (
    "Newton-Euler in maximal coordinates: Garcia de Jalon and Bayo, Kinematic and Dynamic Simulation of Multibody "
    "Systems, 1994, ch. 5"
)


@case(
    "forward-dynamics-oracles",
    source=f"{LAGRANGE}; {NEWTON_EULER}; Todorov et al., MuJoCo: a physics engine for model-based control, 2012",
)
def forward_dynamics_oracles() -> Iterator[Comparison]:
    """The independent formulations against each other and against MuJoCo's own forward dynamics."""
    rng = np.random.default_rng(1)
    robot = TwoLink()
    graph = planar_two_link(robot)
    lagrange, newton_euler = zip(*(_planar_pair(rng, robot, graph) for _ in range(SAMPLES)), strict=True)
    yield at_most(
        "planar two-link: Newton-Euler against Lagrange, relative",
        "-",
        ours=relative_difference(newton_euler, lagrange),
        tolerance=1e-10,
    )
    ours, theirs = zip(*(_tree_pair(rng, random_tree(rng, size)) for size in range(2, 12)), strict=True)
    yield at_most(
        "random trees of 2 to 11 links: Newton-Euler against MuJoCo, relative",
        "-",
        ours=relative_difference(ours, theirs),
        tolerance=1e-10,
    )


def relative_difference(ours: Sequence[Array], theirs: Sequence[Array]) -> float:
    """Largest difference of two lists of acceleration vectors, each against the largest entry of its own vector."""
    return max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(ours, theirs, strict=True))


def planar_state(q: Array, v: Array) -> TreeState:
    """The tree's state from the coordinates (x, y, th, q1, q2) of `TwoLink` and their rates."""
    return TreeState(
        X_WR=Pose(so3_exp([0.0, 0.0, q[2]]), [q[0], q[1], 0.0]),
        V_WR_W=np.array([0.0, 0.0, v[2], v[0], v[1], 0.0]),
        q={"q1": q[3], "q2": q[4]},
        qd={"q1": v[3], "q2": v[4]},
    )


def _planar_pair(rng: np.random.Generator, robot: TwoLink, graph: LinkGraph) -> tuple[Array, Array]:
    q, v, forces = rng.uniform(-np.pi, np.pi, 5), rng.normal(size=5), 10.0 * rng.normal(size=5)
    push = np.array([0.0, 0.0, forces[2], forces[0], forces[1], 0.0])
    a = forward_dynamics(graph, planar_state(q, v), {"q1": forces[3], "q2": forces[4]}, {"base": push})
    return robot.accelerations(q, v, forces), np.array([*a.A_WR_W[[3, 4, 2]], a.qdd["q1"], a.qdd["q2"]])


def _tree_pair(rng: np.random.Generator, graph: LinkGraph) -> tuple[Array, Array]:
    state = random_state(rng, graph)
    effort = {name: float(10.0 * rng.normal()) for name in state.q}
    model = mujoco_model(graph)
    data = mujoco.MjData(model)
    set_state(model, data, state)
    for name, value in effort.items():
        data.joint(name).qfrc_applied[0] = value
    mujoco.mj_forward(model, data)
    a = forward_dynamics(graph, state, effort)
    ours = np.array([*a.A_WR_W[3:], *(state.X_WR.R.T @ a.A_WR_W[:3]), *(a.qdd[name] for name in effort)])
    theirs = np.array([*data.qacc[:6], *(data.joint(name).qacc[0] for name in effort)])
    return ours, theirs
