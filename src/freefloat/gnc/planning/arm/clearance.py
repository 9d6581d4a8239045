"""Distances between a robot, what it holds and the boxes around it, by MuJoCo's geometry on an onboard model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError, unknown_name
from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.chain import Chain, segment_name

KINDS = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
}
FAR = 10.0  # [m] distances are not told apart beyond


class Solid(Protocol):
    """A shape G on a link L. Sizes [m]: half-extents of a box, radius of a sphere, radius and half-length of others."""

    @property
    def kind(self) -> str: ...
    @property
    def size(self) -> tuple[float, ...]: ...
    @property
    def X_LG(self) -> Pose: ...


@dataclass(frozen=True)
class Box:
    """A box G in a frame F; `edges` [m] along its axes."""

    X_FG: Pose
    edges: tuple[float, float, float]


class Clearance:
    """The smallest distance [m] of a chain's solids and payload from obstacles and from one another; < 0: overlap.

    `solids` maps bodies of the onboard model to their shapes, `obstacles` are boxes in the chain's base frame A,
    `payload` boxes in its tip frame T. What stands still with the base is not compared with the obstacles, nor are
    neighbours along the chain with one another.
    """

    def __init__(
        self,
        chain: Chain,
        solids: Mapping[str, Sequence[Solid]],
        obstacles: Sequence[Box] = (),
        payload: Sequence[Box] = (),
    ) -> None:
        self.chain = chain
        spec, n = chain.spec(), len(chain)
        for body, shapes in solids.items():
            if body not in chain.segment:
                raise unknown_name("body", body, chain.segment)
            for shape in shapes:
                segment = spec.body(segment_name(chain.segment[body]))
                _add(segment, shape.kind, shape.size, chain.X_AB[body] @ shape.X_LG)
        for box in payload:
            _add(spec.body(segment_name(n)), "box", _half(box), chain.X_AT0 @ box.X_FG)
        for box in obstacles:
            _add(spec.worldbody, "box", _half(box), box.X_FG)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self._at = np.array([self.model.joint(name).qposadr[0] for name in chain.joints])
        self._index()
        self.reach = _reach(chain, payload)

    def at(self, q: ArrayLike, floor: float = -np.inf, touching: bool = False) -> float:
        """The smallest distance [m] at q. It may stop early with a value below `floor`.

        With `touching`, the last segment and the payload are left out: they are about to touch, or do.
        """
        m, d = self.model, self.data
        d.qpos[self._at] = q
        mujoco.mj_kinematics(m, d)
        pairs = self._pairs[~self._last] if touching else self._pairs
        bound = self._bounds()[~self._last] if touching else self._bounds()
        best = FAR
        for i in np.argsort(bound, kind="stable"):
            if bound[i] >= best or best < floor:
                break
            a, b = pairs[i]
            best = min(best, mujoco.mj_geomDistance(m, d, int(a), int(b), max(best, 0.0), None))
        return best

    def overlap_of_tip(self, q: ArrayLike) -> float:
        """How deep [m] the last segment or the payload overlaps with anything, 0 where it does not."""
        m, d = self.model, self.data
        d.qpos[self._at] = q
        mujoco.mj_kinematics(m, d)
        pairs, bound = self._pairs[self._last], self._bounds()[self._last]
        near = pairs[bound < 0.0]
        return max((-mujoco.mj_geomDistance(m, d, int(a), int(b), 0.01, None) for a, b in near), default=0.0)

    def along(self, points: Iterable[ArrayLike], floor: float = -np.inf, touching: bool = False) -> float:
        """The smallest distance [m] over joint positions, in the manner of `at`."""
        best = FAR
        for q in points:
            best = min(best, self.at(q, floor, touching))
            if best < floor:
                break
        return best

    def straight(self, q0: Array, q1: Array, travel: float = 0.02) -> Array:
        """Joint positions (k, n) from q0 straight to q1; no point of the robot moves over `travel` [m] between two."""
        k = max(int(np.ceil(float(self.reach @ np.abs(q1 - q0)) / travel)), 1)
        return q0 + np.linspace(0.0, 1.0, k + 1)[:, None] * (q1 - q0)

    def _index(self) -> None:
        """Pairs of solids to compare, and which of them take part in the last segment."""
        owner = self.model.geom_bodyid
        rank = np.array([int(self.model.body(b).name.removeprefix("segment")) for b in owner if b], np.intp)
        robot, fixed = np.flatnonzero(owner > 0), np.flatnonzero(owner == 0)
        pairs = [(g, f) for g, r in zip(robot, rank, strict=True) if r > 0 for f in fixed]
        pairs += [(robot[i], robot[j]) for i in range(robot.size) for j in range(i) if abs(rank[i] - rank[j]) >= 2]
        self._pairs = np.array(pairs, np.intp).reshape(-1, 2)
        self._last = np.isin(self._pairs, robot[rank == len(self.chain)]).any(axis=1)

    def _bounds(self) -> Array:
        """A distance [m] that each pair keeps for certain: of bounding spheres, or of a sphere and a box."""
        m, d = self.model, self.data
        a, b = self._pairs.T
        away = d.geom_xpos[a] - d.geom_xpos[b]
        local = np.einsum("kji,kj->ki", d.geom_xmat[b].reshape(-1, 3, 3), away)
        is_box = m.geom_type[b] == int(mujoco.mjtGeom.mjGEOM_BOX)
        outside = np.abs(local) - m.geom_size[b]
        depth = np.minimum(outside.max(axis=1), 0.0)
        to_box = np.linalg.norm(np.maximum(outside, 0.0), axis=1) + depth - m.geom_rbound[a]
        to_ball = np.linalg.norm(away, axis=1) - m.geom_rbound[a] - m.geom_rbound[b]
        return np.where(is_box, to_box, to_ball)


def _add(body: mujoco.MjsBody, kind: str, size: Sequence[float], X_BG: Pose) -> None:
    if kind not in KINDS:
        raise InputError(f"solid of kind {kind!r} has no distance; allowed: {', '.join(KINDS)}")
    padded = [*size, 0.0, 0.0][:3]
    body.add_geom(type=KINDS[kind], size=padded, pos=X_BG.p, quat=X_BG.q, mass=0.0, contype=0, conaffinity=0)


def _half(box: Box) -> tuple[float, float, float]:
    x, y, z = (0.5 * e for e in box.edges)
    return x, y, z


def _reach(chain: Chain, payload: Sequence[Box]) -> Array:
    """How far [m] anything beyond each joint can be from it: way over the joints to the tip, and the payload."""
    m, d = chain.model, chain.data
    chain.pose(np.zeros(len(chain)))
    stations = np.vstack([d.xanchor, d.site_xpos[:1]])
    ways = np.cumsum(np.linalg.norm(np.diff(stations, axis=0), axis=1)[::-1])[::-1]
    extent = max((float(np.linalg.norm(b.X_FG.p) + np.linalg.norm(_half(b))) for b in payload), default=0.1)
    return chain.pick(np.where(m.jnt_type == int(mujoco.mjtJoint.mjJNT_HINGE), ways + extent, 1.0))
