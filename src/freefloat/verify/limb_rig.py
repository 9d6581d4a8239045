"""The walking manipulator on a slab of modules, and a judge of its motion by MuJoCo's distances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import mujoco
import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.chain import Chain, segment_name
from freefloat.gnc.planning.arm.clearance import KINDS
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits
from freefloat.gnc.planning.arm.joint_path import QuinticPieces
from freefloat.gnc.planning.reconfiguration.limb_motions import LimbMotions
from freefloat.gnc.planning.reconfiguration.problem import Carry, Flags, Stance
from freefloat.missions.modular.walker import Walker
from freefloat.robots.shipped import asset
from freefloat.robots.urdf import load_urdf
from freefloat.structure.grid import Grid, cubic
from freefloat.structure.interface import mated_rotation

SPEED = 0.35  # [rad/s]
GAP = 2e-3  # [m] of a carried module to its neighbours
FAR = 1.0  # [m] distances are not told apart beyond


@cache
def walker() -> Walker:
    """The walking manipulator as it ships."""
    return Walker(load_urdf(asset("walking_manipulator")), MotionLimits.uniform(7, SPEED, 0.5 * SPEED, 0.5 * SPEED))


@cache
def chain() -> Chain:
    """From end A to end B."""
    return walker().chain("a", "b")


def motions(grid: Grid, **settings: object) -> LimbMotions:
    """Of the robot on a grid."""
    solids = {link.name: link.shapes for link in walker().graph.links}
    return LimbMotions(grid, chain(), solids, walker().limits, **settings)  # pyright: ignore[reportArgumentType]


def slab() -> tuple[Grid, Flags]:
    """5 x 2 x 2 modules on a grid of 5 x 4 x 6."""
    grid = cubic(5, 4, 6)
    occupied = np.zeros(grid.n, bool)
    for k in range(2):
        for i in range(5):
            for j in (1, 2):
                occupied[grid.index((i, j, k))] = True
    return grid, occupied


class Judge:
    """MuJoCo's distances of the drawn shapes: robot, modules, what it holds. Postures are those of the standing end."""

    def __init__(self, grid: Grid, occupied: Flags, stance: Stance, X_EM: Pose | None = None) -> None:
        spec, c = chain().spec(), chain()
        X_TA = Pose(np.eye(3), grid.p_TP[stance.place]) @ grid.X_PF[stance.side] @ Pose(mated_rotation(0))
        for link in walker().graph.links:
            for s in link.shapes:
                body = spec.body(segment_name(c.segment[link.name]))
                _add(body, KINDS[s.kind], s.size, c.X_AB[link.name] @ s.X_LG)
        spec.add_mesh(name="cell", uservert=grid.outline.ravel().tolist())
        spec.add_mesh(name="load", uservert=_thinner(grid).ravel().tolist())
        if X_EM is not None:
            _add_prism(spec.body(segment_name(7)), grid, "load", c.X_AT0 @ X_EM)
        self.places = np.flatnonzero(occupied)
        for p in self.places:
            _add_prism(spec.worldbody, grid, "cell", X_TA.inverse() @ Pose(np.eye(3), grid.p_TP[p]))
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        owner = [self.model.body(b).name for b in self.model.geom_bodyid]
        self.rank = np.array([int(n.removeprefix("segment")) if n.startswith("segment") else -1 for n in owner])
        moving = np.flatnonzero(self.rank >= 0)
        if X_EM is not None:
            self.rank[moving[-1]] = 8
        self.cells = {int(p): g for p, g in zip(self.places, np.flatnonzero(self.rank < 0), strict=True)}
        self._pairs = np.array(list(self._to_compare()))

    def _to_compare(self) -> Iterator[tuple[int, int]]:
        n = len(self.rank)
        for i in range(n):
            for j in range(n):
                a, b = self.rank[i], self.rank[j]
                part = 7 if a == 8 else a  # the load is one with the hand
                if (a > 0 and b < 0) or (0 <= b < part and part - b >= 2):
                    yield i, j

    def distance(self, q: Array, hand: Sequence[int] = (), load: Sequence[int] = (), most: float = FAR) -> float:
        """The smallest distance [m]; the hand may touch the modules at places `hand`, the load those at `load`."""
        m, d = self.model, self.data
        d.qpos[:] = chain().order(q)
        mujoco.mj_kinematics(m, d)
        a, b = self._pairs.T
        balls = np.linalg.norm(d.geom_xpos[a] - d.geom_xpos[b], axis=1) - m.geom_rbound[a] - m.geom_rbound[b]
        free = {(7, self.cells[p]) for p in hand} | {(8, self.cells[p]) for p in load}
        best = most
        for k in np.argsort(balls, kind="stable"):
            if balls[k] >= best:
                break
            i, j = self._pairs[k]
            if (int(self.rank[i]), int(j)) not in free:
                best = min(best, mujoco.mj_geomDistance(m, d, int(i), int(j), max(best, 0.0), None))
        return best


def _add(body: mujoco.MjsBody, kind: mujoco.mjtGeom, size: Sequence[float], X: Pose) -> None:
    body.add_geom(type=kind, size=[*size, 0.0, 0.0][:3], pos=X.p, quat=X.q, mass=0.0, contype=0, conaffinity=0)


def _add_prism(body: mujoco.MjsBody, grid: Grid, mesh: str, X: Pose) -> None:
    if grid.kind == "cubic":
        half = np.abs(_thinner(grid) if mesh == "load" else grid.outline).max(axis=0)
        _add(body, mujoco.mjtGeom.mjGEOM_BOX, tuple(half), X)
        return
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh, pos=X.p, quat=X.q, mass=0.0, contype=0, conaffinity=0)


def _thinner(grid: Grid) -> Array:
    """Corners of a prism whose faces are `GAP` inside those of a cell."""
    side = float(min(grid.normals[f] @ grid.outline[grid.faces[f][0]] for f in range(len(grid.faces) - 2)))
    high = float(np.abs(grid.outline[:, 2]).max())
    return grid.outline * np.array([1.0 - GAP / side, 1.0 - GAP / side, 1.0 - GAP / high])


def X_EM(grid: Grid, q: Array, stance: Stance, source: int) -> Pose:
    """Of a module in the hand at q, in its place and with its prism along the grid."""
    X_TA = Pose(np.eye(3), grid.p_TP[stance.place]) @ grid.X_PF[stance.side] @ Pose(mated_rotation(0))
    return (X_TA @ chain().pose(q)).inverse() @ Pose(np.eye(3), grid.p_TP[source])


def beside(grid: Grid, occupied: Flags, place: int) -> list[int]:
    """Modules that touch a place, or would."""
    away = np.abs(grid.p_TP - grid.p_TP[place]).max(axis=1)
    return [int(p) for p in np.flatnonzero(occupied & (away < 1.01 * grid.spacing)) if p != place]


def sampled(path: QuinticPieces, rate: float) -> Iterator[tuple[float, Array, Array, Array]]:
    """Time, position, rate and acceleration at a rate [Hz] and at the end."""
    for t in np.append(np.arange(0.0, path.duration, 1.0 / rate), path.duration):
        yield (float(t), *path.at(float(t)))


def carries(grid: Grid, occupied: Flags, stance: Stance) -> Iterator[Carry]:
    """All carries of a module by a free face to a free place next to another module."""
    for source in np.flatnonzero(occupied):
        rest = occupied.copy()
        rest[source] = False
        for target in np.flatnonzero(~rest):
            around = grid.neighbours[target]
            if not rest[around[around >= 0]].any():
                continue
            for grip in range(grid.sides):
                front = grid.neighbours[source, grip]
                if source != stance.place and target != source and (front < 0 or not occupied[front]):
                    yield Carry(int(source), int(target), grip)
