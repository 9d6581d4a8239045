"""A limb's solids for compiled distances: its links' cylinders, what it holds, how far each joint moves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.errors import InputError, unknown_name
from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.chain import Chain
from freefloat.gnc.planning.arm.clearance import Solid
from freefloat.gnc.planning.arm.convex_step import CYLINDER, PRISM, rows
from freefloat.gnc.planning.arm.limb import Limb
from freefloat.gnc.planning.arm.limb_pairs import always_apart

SEGMENTS = 8  # the base and what comes after each joint
LOAD, OWN = 8, 9  # what the load needs, and what pairs of the limb's own solids may keep for ever, in a table of needs


class LimbBody(NamedTuple):
    """Arrays of a limb. A segment's solids are at q = 0, in C's axes, from the point that the segment turns about.

    `far` (9, 7) [m] is how far anything of a segment, or of the load, can be from each joint's axis.
    """

    links: Array  # [m] (2,) l1, l2
    lower: Array  # [rad] (7,) as compiled steps count joints
    upper: Array
    solids: Array  # (m, 16)
    segment: NDArray[np.int64]  # (m,)
    span: Array  # [m] (m,) radius of a ball around each solid
    far: Array
    balls: Array  # (9, 4) [m] centre, from the point that it turns about, and radius of a ball around each segment
    pairs: NDArray[np.int64]  # (p, 2) solids to compare with one another, the farther from the base first
    apart: Array  # [m] (p,) what each pair keeps for certain at all angles within the limits; 0: not known
    load: Array  # (1, 16) in H's axes from W; radius of the ball around it [m] in the last number, 0: nothing held


def limb_body(chain: Chain, limb: Limb, solids: Mapping[str, Sequence[Solid]]) -> LimbBody:
    """The empty-handed limb with the solids of its links; allowed are cylinders, capsules and spheres."""
    found: list[tuple[int, Array]] = []
    for body, shapes in solids.items():
        if body not in chain.segment:
            raise unknown_name("body", body, chain.segment)
        k = chain.segment[body]
        found += [(k, _row(limb, k, s, chain.X_AB[body] @ s.X_LG)) for s in shapes]
    if not found:
        raise InputError("limb: no solids on its links; allowed: cylinders, capsules or spheres")
    table = np.array([row for _, row in found])
    segment = np.array([k for k, _ in found], np.int64)
    span = np.hypot(table[:, 13], table[:, 14]) + table[:, 15]
    lower, upper = limb.limits
    links = np.array([limb.l1, limb.l2])
    n = len(segment)
    pairs = np.array([(i, j) for i in range(n) for j in range(n) if segment[j] + 2 <= segment[i]], np.int64)
    apart = np.zeros(len(pairs))
    body = LimbBody(
        links, lower, upper, table, segment, span, np.zeros((9, 7)), np.zeros((9, 4)), pairs, apart, rows(1)
    )
    return body._replace(far=_far(body), balls=_balls(body), apart=always_apart(body))


def holding(body: LimbBody, limb: Limb, X_TM: Pose, scale: float, half: float, ring: Array) -> LimbBody:
    """The same limb with a prism M at its tip: corners scale * ring (m, 2) [m], along z, half-height [m]."""
    X_HM = limb.X_HT @ X_TM
    load = rows(1)
    load[0, 0], load[0, 1:4], load[0, 4:13] = PRISM, X_HM.p, X_HM.R.T.ravel()
    around = float(np.hypot(scale * np.linalg.norm(ring, axis=1).max(), half))
    load[0, 13:16] = scale, half, around
    held = body._replace(load=load)
    return held._replace(far=_far(held), balls=_balls(held))


def _row(limb: Limb, k: int, solid: Solid, X_AG: Pose) -> Array:
    X_CG = limb.X_AC.inverse() @ X_AG
    along = 0.0 if k < 4 else limb.l1 if k < 6 else limb.l1 + limb.l2
    row = rows(1)[0]
    row[0], row[1:4], row[4:13] = CYLINDER, X_CG.p - [0.0, 0.0, along], X_CG.R.T.ravel()
    if solid.kind == "cylinder":
        row[13], row[14] = solid.size[0], solid.size[1]
    elif solid.kind == "capsule":
        row[14], row[15] = solid.size[1], solid.size[0]
    elif solid.kind == "sphere":
        row[15] = solid.size[0]
    else:
        raise InputError(f"limb: solid of kind {solid.kind!r}; allowed: cylinder, capsule, sphere")
    return row


def _balls(body: LimbBody) -> Array:
    """Around the middles of each segment's solids, and the load's own."""
    balls = np.zeros((9, 4))
    for k in range(SEGMENTS):
        own = body.segment == k
        if own.any():
            middles = body.solids[own, 1:4]
            balls[k, :3] = 0.5 * (middles.min(axis=0) + middles.max(axis=0))
            balls[k, 3] = (np.linalg.norm(middles - balls[k, :3], axis=1) + body.span[own]).max()
    balls[LOAD] = body.load[0, [1, 2, 3, 15]]
    return balls


def _far(body: LimbBody) -> Array:
    """Over the centres between: a roll moves what comes right after it only as far as that is from its axis."""
    l1, l2 = body.links
    near, beside = np.zeros(9), np.zeros(9)  # from the segment's centre, from its z axis
    for row, k in zip(body.solids, body.segment, strict=True):
        near[k] = max(near[k], np.linalg.norm(row[1:4]) + np.hypot(row[13], row[14]) + row[15])
        z = abs(row[12])  # of the solid's axis along the segment's
        out = row[13] * z + row[14] * np.sqrt(max(1.0 - z * z, 0.0)) + row[13] * (1.0 - z) + row[15]
        beside[k] = max(beside[k], np.hypot(row[1], row[2]) + out)
    if body.load[0, 15] > 0.0:
        near[LOAD] = np.linalg.norm(body.load[0, 1:4]) + body.load[0, 15]
        beside[LOAD] = np.hypot(body.load[0, 1], body.load[0, 2]) + body.load[0, 15]
    centre = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2])  # S, E, W of each segment
    pivot = np.array([0, 0, 1, 1, 2, 2, 2])  # the farthest of them on each joint's axis
    way = np.array([[0.0, l1, l1 + l2], [0.0, 0.0, l2], [0.0, 0.0, 0.0]])
    far = np.zeros((9, 7))
    for k in range(9):
        for j in range(min(k, 7)):
            far[k, j] = way[pivot[j], centre[k]] + near[k]
            if j % 2 == 0 and (k == j + 1 or (j == 6 and k == LOAD)):
                far[k, j] = beside[k]
    return far
