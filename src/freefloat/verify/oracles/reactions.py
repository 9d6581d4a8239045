"""Reactions in all edges of a structure with loops: Newton and Euler for each body, all unknowns in one linear system.

Unknowns are the accelerations of all bodies, those of the joints, and the full wrench through every edge. Where loops
make the wrenches indeterminate, the share of some edges is the one with the least |f|^2 + |tau|^2 / l^2, each taken at
the edge's own frame J.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from freefloat.engine.graph import Joint
from freefloat.frames import Array, skew
from freefloat.verify.oracles.newton_euler import LinkMotion

LENGTH = 0.1  # [m] l above
_NO_WRENCH: Mapping[str, ArrayLike] = MappingProxyType({})


def reactions(
    bodies: Mapping[str, LinkMotion],
    edges: Sequence[Joint],
    rates: Mapping[str, float],  # q' of the moving joints
    effort: Mapping[str, float],  # [N m or N] of the moving joints
    wrench: Mapping[str, ArrayLike] = _NO_WRENCH,  # [torque; force] on bodies at their centre of mass, in W
    shared: Collection[str] = (),  # edges whose wrenches are to be small
) -> dict[str, Array]:
    """[torque; force] on the child of every edge at the origin of the edge's frame J on the child, in W."""
    row = {name: 6 * i for i, name in enumerate(bodies)}
    moving = [e for e in edges if e.kind != "fixed"]
    n, first = 6 * len(bodies), 6 * len(bodies) + len(moving)
    rate = {e.name: n + i for i, e in enumerate(moving)}
    size = first + 6 * len(edges)
    A, b = np.zeros((n + 6 * len(edges) + len(moving), size)), np.zeros(n + 6 * len(edges) + len(moving))
    for name, body in bodies.items():
        _balance(A, b, row[name], body, np.asarray(wrench.get(name, np.zeros(6)), dtype=np.float64))
    for k, edge in enumerate(edges):
        P, C = bodies[edge.parent], bodies[edge.child]
        at = (C.X_WL @ edge.X_JC.inverse()).p
        w = first + 6 * k
        _act(A, row[edge.child], w, at - C.centre, 1.0)
        _act(A, row[edge.parent], w, at - P.centre, -1.0)
        here = slice(n + 6 * k, n + 6 * k + 6)
        b[here] = _follow(A[here], row[edge.child], C, at, 1.0) + _follow(A[here], row[edge.parent], P, at, -1.0)
        if edge.name in rate:
            axis = _axis(edge, P)
            A[here, rate[edge.name]] = -axis
            turning = np.cross(P.w, axis[:3]), (1.0 if axis[:3].any() else 2.0) * np.cross(P.w, axis[3:])
            b[here] += rates[edge.name] * np.concatenate(turning)
            drive = n + 6 * len(edges) + rate[edge.name] - n
            A[drive, w : w + 6], A[drive, rate[edge.name]] = axis, edge.armature
            b[drive] = effort.get(edge.name, 0.0)
    x = _least(A, b, [first + 6 * k for k, e in enumerate(edges) if e.name in shared])
    return {e.name: x[first + 6 * k : first + 6 * k + 6] for k, e in enumerate(edges)}


def _balance(A: Array, b: Array, at: int, body: LinkMotion, load: Array) -> None:
    """I alpha + w x I w and m a equal what acts."""
    A[at : at + 3, at : at + 3], A[at + 3 : at + 6, at + 3 : at + 6] = body.inertia, body.link.mass * np.eye(3)
    b[at : at + 6] = load
    b[at : at + 3] -= np.cross(body.w, body.inertia @ body.w)


def _act(A: Array, at: int, w: int, r: Array, sign: float) -> None:
    A[at : at + 3, w : w + 3] -= sign * np.eye(3)
    A[at : at + 3, w + 3 : w + 6] -= sign * skew(r)
    A[at + 3 : at + 6, w + 3 : w + 6] -= sign * np.eye(3)


def _follow(rows: Array, at: int, body: LinkMotion, point: Array, sign: float) -> Array:
    """Acceleration of a point of the body into the rows; what does not depend on unknowns is returned for the right."""
    r = point - body.centre
    rows[:3, at : at + 3] += sign * np.eye(3)
    rows[3:, at : at + 3] -= sign * skew(r)
    rows[3:, at + 3 : at + 6] += sign * np.eye(3)
    return np.concatenate([np.zeros(3), -sign * np.cross(body.w, np.cross(body.w, r))])


def _axis(edge: Joint, parent: LinkMotion) -> Array:
    n = parent.X_WL.R @ edge.X_PJ.R @ edge.axis
    return np.concatenate([n, np.zeros(3)] if edge.kind == "revolute" else [np.zeros(3), n])


def _least(A: Array, b: Array, shared: Sequence[int]) -> Array:
    """A solution, with the least weighted norm of some wrenches where there are many."""
    scale = np.abs(A).max(axis=1, keepdims=True)
    U, s, Vt = np.linalg.svd(A / scale)
    rank = int(np.sum(s > 1e-10 * s[0]))
    x = Vt[:rank].T @ ((U[:, :rank].T @ (b / scale[:, 0])) / s[:rank])
    free = Vt[rank:].T
    if free.shape[1] and shared:
        weight = np.tile([1.0 / LENGTH] * 3 + [1.0] * 3, len(shared))
        chosen = np.concatenate([np.arange(w, w + 6) for w in shared])
        x -= free @ np.linalg.lstsq(weight[:, None] * free[chosen], weight * x[chosen], rcond=1e-10)[0]
    return x
