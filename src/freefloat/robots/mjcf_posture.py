"""The posture in which an MJCF model's joints start: its `ref`, or one near that limits, equalities and welds allow."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.engine.graph import Coupling, Joint, LinkGraph, Vector
from freefloat.frames import Pose, skew
from freefloat.robots.mjcf_model import Model

_TRIES = 201  # positions of a leader between its limits
_SEEDS = 8  # postures from which one is looked for that closes loops
_ROUNDS = 40  # of each search
CLOSED = 1e-6  # [m, -] a loop that is off by less is closed


def posture(model: Model, graph: LinkGraph) -> dict[str, float]:
    """Joint -> start position, of the joints that have one of their own."""
    m, moving = model.m, {j.name: j for j in graph.joints if j.kind != "fixed"}
    refs = {name: float(m.qpos0[m.jnt_qposadr[j]]) for j, name in model.joint_names.items() if name in moving}
    start = {name: ref for name, ref in refs.items() if _allowed(moving[name], ref)}
    for leader in dict.fromkeys(c.leader for c in graph.couplings):
        led = [c for c in graph.couplings if c.leader == leader]
        own, near = moving[leader], start.get(leader, 0.0)
        tries = np.linspace(max(own.lower, near - math.pi), min(own.upper, near + math.pi), _TRIES).tolist()
        for q in [near, *sorted(tries, key=lambda q: abs(q - near))]:
            if _allowed(own, q) and all(_allowed(moving[c.joint], _led(c, q)) for c in led):
                start[leader] = q
                break
    return start


def closed(graph: LinkGraph) -> tuple[dict[str, float], float]:
    """A start in which the loops of fixed joints close, near to the graph's own, and by how much they do not [m, -].

    Least squares over the joints of the loops, within their limits; joints that couplings tie stay where they are.
    """
    from scipy.optimize import least_squares

    tree, loops = _loops(graph)
    tree = _above(tree, loops)
    tied = {name for c in graph.couplings for name in (c.joint, c.leader)}
    free = [j for j in tree if j.kind != "fixed" and j.name not in tied and j.lower < j.upper]
    start = dict(zip((j.name for j in graph.moving), graph.rest(), strict=True))
    steps, names = [_Step.of(j) for j in tree], [j.name for j in free]
    limits = np.array([[j.lower, j.upper] for j in free]).reshape(-1, 2).T
    floats = {name: _matrix(X) for name, X in graph.floating.items()}
    held = [_matrix(j.X_PJ @ j.X_JC) for j in loops]

    def gaps(x: Vector) -> Vector:
        q = start | dict(zip(names, x.tolist(), strict=True))
        T = {graph.root: np.eye(4), **floats}
        for step in steps:
            T[step.joint.child] = T[step.joint.child if step.joint.series else step.joint.parent] @ step.turned(q)
        off = [T[j.parent] @ X - T[j.child] for j, X in zip(loops, held, strict=True)]
        return np.concatenate([*(o[:3].ravel() for o in off), np.zeros(0)])

    own = np.array([start[name] for name in names])
    off, best = float(np.abs(gaps(own)).max(initial=0.0)), own
    rng = np.random.default_rng(15)
    for spread in np.linspace(0.0, 1.0, _SEEDS).tolist():  # the own posture may be stretched out, or lead nowhere
        if off < CLOSED or not free:
            break
        x = np.clip(own + spread * rng.uniform(-1.0, 1.0, len(free)), *limits)
        found = least_squares(gaps, x, bounds=limits, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=_ROUNDS)
        if np.abs(found.fun).max() < off:
            off, best = float(np.abs(found.fun).max()), found.x
    return ({} if best is own else dict(zip(names, best.tolist(), strict=True))), off


def _above(tree: Sequence[Joint], loops: Sequence[Joint]) -> list[Joint]:
    """The joints that move an end of a loop."""
    wanted = {end for j in loops for end in (j.parent, j.child)}
    found: list[Joint] = []
    for j in reversed(tree):
        if j.child in wanted:
            wanted.add(j.parent)
            found.append(j)
    return found[::-1]


def _loops(graph: LinkGraph) -> tuple[list[Joint], list[Joint]]:
    """The joints with parents before their children, and the fixed joints that close loops."""
    placed, tree, left = {graph.root, *graph.floating}, list[Joint](), list(graph.joints)
    loops: list[Joint] = []
    while left:
        later: list[Joint] = []
        for j in left:
            if j.parent not in placed:
                later.append(j)
            elif j.child in placed and not j.series:
                loops.append(j)
            else:
                placed.add(j.child)
                tree.append(j)
        if len(later) == len(left):
            break  # hangs from what a weld holds by another link: its poses follow from the weld
        left = later
    return tree, loops


@dataclass(frozen=True)
class _Step:
    """A joint as matrices (4, 4), which are quicker than poses."""

    joint: Joint
    before: Vector
    behind: Vector
    skew: Vector  # (3, 3) of the axis

    @classmethod
    def of(cls, joint: Joint) -> _Step:
        before, behind = joint.X_PJ, joint.X_JC
        before = before @ behind if joint.kind == "fixed" else before
        return cls(joint, _matrix(before), _matrix(behind), skew(joint.axis))

    def turned(self, q: Mapping[str, float]) -> Vector:
        """X_PJ motion X_JC."""
        if self.joint.kind == "fixed":
            return self.before
        M, value = np.eye(4), q[self.joint.name]
        if self.joint.kind == "revolute":
            M[:3, :3] += math.sin(value) * self.skew + (1.0 - math.cos(value)) * self.skew @ self.skew
        else:
            M[:3, 3] = self.joint.axis * value
        return self.before @ M @ self.behind


def _matrix(X: Pose) -> Vector:
    M = np.eye(4)
    M[:3, :3], M[:3, 3] = X.R, X.p
    return M


def _led(coupling: Coupling, q: float) -> float:
    return float(np.polynomial.polynomial.polyval(q, coupling.coefficients))


def _allowed(joint: Joint, q: float) -> bool:
    return joint.lower <= q <= joint.upper
