"""Whether the motion of a robot is determined at all: its mass matrix at a state like any other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.graph import WORLD, LinkGraph
from freefloat.frames import skew
from freefloat.robots.inertial import Inertial
from freefloat.robots.posture import Posture

SINGULAR = 1e-9  # [-] smallest eigenvalue of the mass matrix scaled to a diagonal of ones
EMPTY = 1e-13  # [kg m^2 or kg] on the diagonal


def undetermined(graph: LinkGraph, bodies: Mapping[str, Inertial]) -> str:
    """A joint whose acceleration nothing determines, or "" where there is none.

    `bodies` holds the links' masses as they are, without thickening. Links that a joint moves by its own mass and
    inertia only count as they are at a seeded random position: a special one, such as a stretched arm, may still be
    singular.
    """
    names, M = mass_matrix(graph, bodies)
    if not names:
        return ""
    diagonal = np.diag(M)
    for name, value in zip(names, diagonal, strict=True):
        if name and value < EMPTY:
            return name
    scale = 1.0 / np.sqrt(np.maximum(diagonal, EMPTY))
    values, vectors = np.linalg.eigh(M * np.outer(scale, scale))
    if values[0] > SINGULAR:
        return ""
    shares = [abs(v) if name else 0.0 for name, v in zip(names, vectors[:, 0], strict=True)]
    return names[int(np.argmax(shares))]


def mass_matrix(graph: LinkGraph, bodies: Mapping[str, Inertial]) -> tuple[list[str], NDArray[np.float64]]:
    """Names of the coordinates ("" for the six of each root) and the mass matrix, in axes of the first root."""
    rng = np.random.default_rng(15)
    at = Posture.of(graph, {j.name: float(rng.uniform(-1.0, 1.0)) for j in graph.moving})
    names: list[str] = []
    moving: dict[str, list[int]] = {WORLD: []}  # coordinates that move a link
    columns: list[NDArray[np.float64]] = []  # (6,) each: twist (w, v) of the point at the origin
    for root in [graph.root, *graph.floating]:
        if root != WORLD:
            moving[root] = list(range(len(columns), len(columns) + 6))
            columns += list(np.eye(6))
            names += [""] * 6
    for j in at.order:
        if not j.series:
            moving[j.child] = list(moving[j.parent])
        if j.kind != "fixed":
            X = at.joints[j.name]
            axis = X.R @ j.axis
            columns.append(np.concatenate([axis, np.cross(X.p, axis)] if j.kind == "revolute" else [np.zeros(3), axis]))
            moving[j.child].append(len(columns) - 1)
            names.append(j.name)
    S = np.array(columns).reshape(-1, 6)
    M = np.zeros((len(S), len(S)))
    for link, body in bodies.items():
        k = moving[link]
        M[np.ix_(k, k)] += S[k] @ _spatial(body.moved(at.links[link])) @ S[k].T
    armature = {j.name: j.armature for j in graph.joints}
    M[np.diag_indices(len(S))] += [armature.get(name, 0.0) for name in names]
    return names, M


def _spatial(body: Inertial) -> NDArray[np.float64]:
    """Inertia (6, 6) about the origin for twists (w, v)."""
    C, m = skew(body.p_LLcm), body.mass
    corner = body.I_LLcm_L + m * C @ C.T
    return np.block([[corner, m * C], [m * C.T, m * np.eye(3)]])
