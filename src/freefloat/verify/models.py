"""Small robots for the cases, and their MuJoCo models built straight from the graph, without the engine."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from freefloat.engine.graph import Joint, JointKind, Link, LinkGraph
from freefloat.frames import Pose
from freefloat.robots.arm import Arm
from freefloat.verify.oracles.newton_euler import TreeState, joints_from_root
from freefloat.verify.oracles.two_link import TwoLink

_JOINT_TYPES = {"revolute": mujoco.mjtJoint.mjJNT_HINGE, "prismatic": mujoco.mjtJoint.mjJNT_SLIDE}


def planar_two_link(robot: TwoLink) -> LinkGraph:
    """The planar robot as a graph moving in x, y: links `base`, `link1`, `link2` (frame `tip`), joints `q1`, `q2`."""

    def link(index: int, arm: float, frames: dict[str, Pose] | None = None) -> Link:
        spin = robot.inertias[index]
        inertia = np.diag([0.6 * spin, 0.6 * spin, spin])  # only the moment about z matters
        return Link(
            f"link{index}" if index else "base", robot.masses[index], np.array([arm, 0, 0]), inertia, (), frames or {}
        )

    tip = Pose(np.eye(3), [robot.l2 + robot.r2, 0.0, 0.0])
    links = (link(0, 0.0), link(1, robot.l1), link(2, robot.l2, {"tip": tip}))
    joints = (
        Joint("q1", "revolute", "base", "link1", Pose(np.eye(3), [robot.r0, 0.0, 0.0])),
        Joint("q2", "revolute", "link1", "link2", Pose(np.eye(3), [robot.l1 + robot.r1, 0.0, 0.0])),
    )
    return LinkGraph(links, joints, "base")


@dataclass(frozen=True)
class TorsionOscillator:
    """Two free bodies on a torsion spring along a common axis of inertia: q(t) = q0 cos(w t)."""

    inertias: tuple[float, float] = (3.0, 0.7)  # [kg m^2] about the axis
    stiffness: float = 5.0  # [N m/rad]
    q0: float = 0.8  # [rad] starts at rest there

    @property
    def frequency(self) -> float:
        """w [rad/s], w^2 = k (1/I1 + 1/I2)."""
        return float(np.sqrt(self.stiffness * sum(1.0 / i for i in self.inertias)))

    def angle(self, t: np.ndarray) -> np.ndarray:
        """q [rad] at the times t [s]."""
        return self.q0 * np.cos(self.frequency * t)

    def part(self) -> Arm:
        """The part `pair` with the joint `twist`."""
        links = tuple(
            Link(name, 10.0, np.zeros(3), np.diag([0.6 * spin, 0.8 * spin, spin]))
            for name, spin in zip(("first", "second"), self.inertias, strict=True)
        )
        spring = Joint("twist", "revolute", "first", "second", Pose(np.eye(3), [0, 0, 0.5]), stiffness=self.stiffness)
        return Arm("pair", LinkGraph(links, (spring,), "first"), q=[self.q0])


def random_tree(
    rng: np.random.Generator, size: int, kinds: tuple[JointKind, ...] = ("revolute", "prismatic")
) -> LinkGraph:
    """A branched tree of `size` links with random inertias and joint frames; half the joints point to the root."""
    links = tuple(_random_link(rng, f"link{i}") for i in range(size))
    joints = []
    for i in range(1, size):
        ends = [f"link{rng.integers(i)}", f"link{i}"]
        rng.shuffle(ends)
        axis = rng.normal(size=3)
        joints.append(
            Joint(
                name=f"joint{i}",
                kind=kinds[rng.integers(len(kinds))],
                parent=ends[0],
                child=ends[1],
                X_PJ=random_pose(rng, 0.5),
                axis=axis / np.linalg.norm(axis),
                X_JC=random_pose(rng, 0.5),
                armature=float(rng.uniform(0.0, 0.2)),
            )
        )
    return LinkGraph(links, tuple(joints), "link0")


def random_state(rng: np.random.Generator, graph: LinkGraph) -> TreeState:
    """Pose, twist, coordinates and rates of order one."""
    names = [joint.name for joint in graph.joints if joint.kind != "fixed"]
    return TreeState(
        X_WR=random_pose(rng, 1.0),
        V_WR_W=rng.normal(size=6),
        q=dict(zip(names, rng.normal(size=len(names)), strict=True)),
        qd=dict(zip(names, rng.normal(size=len(names)), strict=True)),
    )


def mujoco_model(graph: LinkGraph) -> mujoco.MjModel:
    """MuJoCo model of a tree on a free root: joints by name, named frames of links as sites, no gravity."""
    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, 0.0, 0.0]
    links = {link.name: link for link in graph.links}
    bodies = {graph.root: _add_body(spec.worldbody, links[graph.root], Pose.identity())}
    bodies[graph.root].add_joint(
        name="root", type=mujoco.mjtJoint.mjJNT_FREE, align=mujoco.mjtAlignFree.mjALIGNFREE_FALSE
    )
    for joint, outwards in joints_from_root(graph):
        if outwards:
            inner, outer, X, X_OJ, sign = joint.parent, joint.child, joint.X_PJ @ joint.X_JC, joint.X_JC.inverse(), 1.0
        else:
            X = (joint.X_PJ @ joint.X_JC).inverse()
            inner, outer, X_OJ, sign = joint.child, joint.parent, joint.X_PJ, -1.0
        bodies[outer] = _add_body(bodies[inner], links[outer], X)
        if joint.kind != "fixed":
            bodies[outer].add_joint(
                name=joint.name,
                type=_JOINT_TYPES[joint.kind],
                pos=X_OJ.p,
                axis=sign * X_OJ.R @ joint.axis,
                armature=joint.armature,
            )
    return spec.compile()


def set_state(model: mujoco.MjModel, data: mujoco.MjData, state: TreeState) -> None:
    """Write a tree's state into `data` of `mujoco_model`."""
    V = np.asarray(state.V_WR_W)
    data.qpos[:7] = np.concatenate([state.X_WR.p, state.X_WR.q])
    data.qvel[:6] = np.concatenate([V[3:], state.X_WR.R.T @ V[:3]])
    for name, value in state.q.items():
        data.joint(name).qpos[0] = value
    for name, value in state.qd.items():
        data.joint(name).qvel[0] = value


def _add_body(parent, link: Link, X: Pose):
    I_L = link.I_LLcm_L
    body = parent.add_body(
        name=link.name,
        pos=X.p,
        quat=X.q,
        mass=link.mass,
        ipos=link.p_LLcm,
        fullinertia=[I_L[0, 0], I_L[1, 1], I_L[2, 2], I_L[0, 1], I_L[0, 2], I_L[1, 2]],
        explicitinertial=True,
    )
    for name, X_LF in link.frames.items():
        body.add_site(name=name, pos=X_LF.p, quat=X_LF.q)
    return body


def _random_link(rng: np.random.Generator, name: str) -> Link:
    points = rng.normal(size=(6, 3)) * 0.3  # six point masses have a realistic inertia
    mass = float(rng.uniform(1.0, 20.0))
    spread = points - points.mean(axis=0)
    inertia = mass / 6.0 * (np.sum(spread**2) * np.eye(3) - spread.T @ spread)
    return Link(name, mass, points.mean(axis=0), inertia)


def random_pose(rng: np.random.Generator, scale: float) -> Pose:
    """Any attitude, and a position of order `scale` [m]."""
    return Pose.from_quat(rng.normal(size=4), scale * rng.normal(size=3))
