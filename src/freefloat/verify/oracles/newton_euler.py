"""Forward dynamics of a free-floating tree in maximal coordinates: Newton-Euler for each link, joints as constraints.

Unknowns are the accelerations of all links, six each, and the reactions in all joints; one dense linear system
(de Jalon and Bayo 1994, ch. 5) holds them:

    | M  -G^T | | a      |   | applied - gyroscopic |
    | G   0   | | lambda | = | -gamma               |

It shares no formula with recursive algorithms in joint coordinates and costs O(n^3); it is here to judge them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.errors import ModelError
from freefloat.frames import Array, Pose, skew, so3_exp

Scalars = Mapping[str, float]
_NONE: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True)
class TreeState:
    """Root pose, its twist V_WR_W = [w_WR_W; v_WR], and coordinate and rate of each joint by name (0 if absent)."""

    X_WR: Pose = field(default_factory=Pose.identity)
    V_WR_W: ArrayLike = (0.0,) * 6
    q: Scalars = field(default_factory=lambda: _NONE)
    qd: Scalars = field(default_factory=lambda: _NONE)


@dataclass(frozen=True)
class TreeAcceleration:
    """A_WR_W = [w_WR_W'; v_WR'] of the root's frame, and q'' of each moving joint by name."""

    A_WR_W: Array
    qdd: dict[str, float]


@dataclass(frozen=True)
class LinkMotion:
    """Pose of link L and its velocities: w_WL_W, and v of its centre of mass, in W."""

    link: Link
    X_WL: Pose
    w: Array  # [rad/s]
    v: Array  # [m/s]

    @property
    def centre(self) -> Array:
        """p_WLcm [m]."""
        return self.X_WL.apply(self.link.p_LLcm)

    @property
    def inertia(self) -> Array:
        """I_LLcm_W [kg m^2]."""
        return self.X_WL.R @ self.link.I_LLcm_L @ self.X_WL.R.T


def link_motions(graph: LinkGraph, state: TreeState) -> dict[str, LinkMotion]:
    """Pose and velocity of every link, walking from the root through joints in either direction."""
    links = {link.name: link for link in graph.links}
    twist = np.array(state.V_WR_W, dtype=np.float64)
    twist[3:] += np.cross(state.X_WR.p, twist[:3])
    poses, twists = {graph.root: state.X_WR}, {graph.root: twist}  # twists are taken at Wo
    for joint, outwards in joints_from_root(graph):
        q, qd = state.q.get(joint.name, 0.0), state.qd.get(joint.name, 0.0)
        X_PC = joint.X_PJ @ _motion(joint, q) @ joint.X_JC
        if outwards:
            poses[joint.child] = poses[joint.parent] @ X_PC
            twists[joint.child] = twists[joint.parent] + _screw(joint, poses[joint.parent]) * qd
        else:
            poses[joint.parent] = poses[joint.child] @ X_PC.inverse()
            twists[joint.parent] = twists[joint.child] - _screw(joint, poses[joint.parent]) * qd
    if len(poses) != len(links):
        raise ModelError(f"links {sorted(set(links) - set(poses))} are cut off from {graph.root!r}")
    return {name: _at_centre(links[name], X, twists[name]) for name, X in poses.items()}


def joints_from_root(graph: LinkGraph) -> Iterator[tuple[Joint, bool]]:
    """Every joint after those that lead to it, and whether it leads from its parent to its child."""
    reached, waiting = {graph.root}, list(graph.joints)
    while waiting:
        ready = [j for j in waiting if (j.parent in reached) != (j.child in reached)]
        if not ready:
            raise ModelError(f"joints {[j.name for j in waiting]} close a loop or are cut off from {graph.root!r}")
        joint = ready[0]
        waiting.remove(joint)
        yield joint, joint.parent in reached
        reached |= {joint.parent, joint.child}


def momenta(graph: LinkGraph, state: TreeState) -> Array:
    """[L; P] of the whole tree in W, angular about its centre of mass [N m s; N s]. Armature is not in it."""
    return total_momenta(list(link_motions(graph, state).values()))


def total_momenta(bodies: Sequence[LinkMotion]) -> Array:
    """[L; P] of some bodies in W, angular about their common centre of mass [N m s; N s]."""
    mass = sum(b.link.mass for b in bodies)
    centre = np.sum([b.link.mass * b.centre for b in bodies], axis=0) / mass
    P = np.sum([b.link.mass * b.v for b in bodies], axis=0)
    L = np.sum([b.inertia @ b.w + b.link.mass * np.cross(b.centre - centre, b.v) for b in bodies], axis=0)
    return np.concatenate([L, P])


def forward_dynamics(
    graph: LinkGraph,
    state: TreeState,
    effort: Scalars = _NONE,
    wrench: Mapping[str, ArrayLike] = MappingProxyType({}),
    gravity: ArrayLike = (0.0, 0.0, 0.0),
) -> TreeAcceleration:
    """Accelerations under joint efforts [N m or N], wrenches [moment; force] on links at Lcm in W, and uniform gravity.

    Armature resists q'' alone. Springs, dampers and limits of the joints are not looked at: add them to `effort`.
    """
    motions = link_motions(graph, state)
    row = {name: 6 * i for i, name in enumerate(motions)}
    size = 6 * len(motions)
    M, force = np.zeros((size, size)), np.zeros(size)
    for name, body in motions.items():
        a, c = slice(row[name], row[name] + 3), slice(row[name] + 3, row[name] + 6)
        load = np.asarray(wrench.get(name, np.zeros(6)), dtype=np.float64)
        M[a, a], M[c, c] = body.inertia, body.link.mass * np.eye(3)
        force[a] = load[:3] - np.cross(body.w, body.inertia @ body.w)
        force[c] = load[3:] + body.link.mass * np.asarray(gravity, dtype=np.float64)

    held, bias, free = [np.zeros((0, size))], [np.zeros(0)], {}
    for joint in graph.joints:
        G, gamma = _relative_acceleration(joint, motions, row, size)
        moving = {"revolute": [2], "prismatic": [5], "fixed": []}[joint.kind]
        held.append(np.delete(G, moving, axis=0))
        bias.append(np.delete(gamma, moving))
        for i in moving:
            free[joint.name] = (G[i], gamma[i])
            M += joint.armature * np.outer(G[i], G[i])
            force += G[i] * (effort.get(joint.name, 0.0) - joint.armature * gamma[i])

    acceleration = _solve(M, np.vstack(held), force, -np.concatenate(bias))
    root = motions[graph.root]
    alpha, a = acceleration[row[graph.root] :][:3], acceleration[row[graph.root] :][3:6]
    arm = root.X_WL.p - root.centre
    a_Ro = a + np.cross(alpha, arm) + np.cross(root.w, np.cross(root.w, arm))
    qdd = {name: float(g @ acceleration + gamma) for name, (g, gamma) in free.items()}
    return TreeAcceleration(np.concatenate([alpha, a_Ro]), qdd)


def _motion(joint: Joint, q: float) -> Pose:
    axis = np.asarray(joint.axis, dtype=np.float64)
    if joint.kind == "revolute":
        return Pose(so3_exp(axis * q), np.zeros(3))
    return Pose(np.eye(3), axis * q if joint.kind == "prismatic" else np.zeros(3))


def _screw(joint: Joint, X_WP: Pose) -> Array:
    """Twist at Wo in W of the child against the parent for a unit rate."""
    X_WJ = X_WP @ joint.X_PJ
    n = X_WJ.R @ joint.axis
    if joint.kind == "revolute":
        return np.concatenate([n, np.cross(X_WJ.p, n)])
    return np.concatenate([np.zeros(3), n if joint.kind == "prismatic" else np.zeros(3)])


def _at_centre(link: Link, X_WL: Pose, twist_at_Wo: Array) -> LinkMotion:
    w = twist_at_Wo[:3]
    return LinkMotion(link, X_WL, w, twist_at_Wo[3:] + np.cross(w, X_WL.apply(link.p_LLcm)))


def _relative_acceleration(
    joint: Joint, motions: Mapping[str, LinkMotion], row: Mapping[str, int], size: int
) -> tuple[Array, Array]:
    """G (6, size), gamma (6,): rates [angular; linear] of the child's motion relative to the parent, G a + gamma.

    Components are along axes fixed in the parent, the third of them the joint's; the point is the joint frame's origin
    on the child. With u the relative velocity there, the parent's turning adds -w_P x w_C and -2 w_P x u.
    """
    P, C = motions[joint.parent], motions[joint.child]
    E = P.X_WL.R @ joint.X_PJ.R @ _basis(joint.axis)
    point = (C.X_WL @ joint.X_JC.inverse()).p
    r_P, r_C = point - P.centre, point - C.centre
    u = C.v + np.cross(C.w, r_C) - P.v - np.cross(P.w, r_P)

    G = np.zeros((6, size))
    p, c = row[joint.parent], row[joint.child]
    G[:3, c : c + 3], G[:3, p : p + 3] = E.T, -E.T
    G[3:, c : c + 3], G[3:, p : p + 3] = -E.T @ skew(r_C), E.T @ skew(r_P)
    G[3:, c + 3 : c + 6], G[3:, p + 3 : p + 6] = E.T, -E.T
    linear = np.cross(C.w, np.cross(C.w, r_C)) - np.cross(P.w, np.cross(P.w, r_P)) - 2.0 * np.cross(P.w, u)
    return G, np.concatenate([-E.T @ np.cross(P.w, C.w), E.T @ linear])


def _basis(axis: ArrayLike) -> Array:
    """Orthonormal columns, the third along the axis."""
    n = np.asarray(axis, dtype=np.float64)
    first = skew(n) @ np.eye(3)[np.argmin(np.abs(n))]
    first = first / np.linalg.norm(first)
    return np.column_stack([first, skew(n) @ first, n])


def _solve(M: Array, G: Array, force: Array, target: Array) -> Array:
    """Accelerations from the bordered system, with one step of iterative refinement."""
    size, rows = len(M), len(G)
    K = np.block([[M, -G.T], [G, np.zeros((rows, rows))]])
    right = np.concatenate([force, target])
    x = np.linalg.solve(K, right)
    x += np.linalg.solve(K, right - K @ x)
    return x[:size].astype(np.float64)
