"""How near the robots, what they hold and the room come to one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError, unknown_name
from freefloat.facility import solids as s
from freefloat.facility.axes import COUNT
from freefloat.facility.clearance_step import Indices, Table, nearest, nearest_rows
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.solids import Mounted, Solid, Wall, lab_solids, walls
from freefloat.frames import Array, Pose
from freefloat.robots.industrial_models import industrial_model

MARGIN = 0.05  # [m] assumed
DOCKING = (("rob1 mock-up", "rob2 mock-up"),)
APART = 3  # links of a robot that are nearer along the chain are taken to be kept apart by the ranges of its axes
FAR = 10.0  # [m] distances are not told apart beyond


@dataclass(frozen=True)
class Nearest:
    """The smallest distance [m] and between what; < 0 is an overlap, FAR is that or more, between nothing named."""

    distance: float
    a: str
    b: str

    def __str__(self) -> str:
        return f"{self.distance:.4g} m between {self.a} and {self.b}" if self.a else f"{self.distance:.4g} m or more"


class Clearance:
    """The smallest distance of solids that may meet.

    Compared are both robots with each other (but for the pairs of names in `docking`), a robot's plate and what is on
    it with its own links up to link 4, its links with one another from three apart on, and all of these with carriage,
    rail, floor and fence. Not safe to share among threads.
    """

    def __init__(
        self,
        geometry: LabGeometry | None = None,
        mounted: Mounted | None = None,
        docking: Sequence[tuple[str, str]] = DOCKING,
        margin: float = MARGIN,
    ) -> None:
        if not 0.0 <= margin < FAR:
            raise InputError(f"clearance: margin {margin!r} m; allowed: from 0 to below {FAR:g}")
        geometry, mounted = geometry or LabGeometry(), mounted or Mounted()
        self.margin = margin
        self.solids: tuple[Solid, ...] = tuple(lab_solids(geometry, mounted))
        self.walls: tuple[Wall, ...] = walls(geometry)
        pairs = _pairs(self.solids, _named(docking, self.solids))
        walled = [(g, w) for g, solid in enumerate(self.solids) for w in range(len(self.walls)) if _rank(solid) >= 2]
        self._names = [(self.solids[a].name, self.solids[b].name) for a, b in pairs]
        self._names += [(self.solids[g].name, self.walls[w].name) for g, w in walled]
        self.table = _table(geometry, self.solids, self.walls, pairs, walled)

    def at(self, axes: ArrayLike, most: float = FAR) -> Nearest:
        """Of axes (13,) [m, rad]; distances of `most` [m] and more are told as `most`, which is faster."""
        q = np.ascontiguousarray(axes, np.float64)
        if q.shape != (COUNT,) or not np.isfinite(q).all():
            raise InputError(f"clearance: axes {q.tolist()}; allowed: {COUNT} finite numbers")
        return self._nearest(*nearest(self.table, q, most))

    def too_near(self, axes: ArrayLike) -> Nearest | None:
        """What is nearer than the margin at axes (13,), if anything."""
        found = self.at(axes, self.margin)
        return found if found.a else None

    def along(self, axes: Array, most: float = FAR) -> tuple[Array, Indices]:
        """Distances [m] (n,) at rows of axes (n, 13), nan where those are not finite, and numbers for `between`."""
        rows = np.ascontiguousarray(axes, np.float64)
        out, where = np.empty(len(rows)), np.empty(len(rows), np.int64)
        nearest_rows(self.table, rows, most, out, where)
        return out, where

    def between(self, where: int) -> tuple[str, str]:
        """Names of what is nearest; empty for -1."""
        return self._names[where] if where >= 0 else ("", "")

    def _nearest(self, distance: float, where: int) -> Nearest:
        return Nearest(float(distance), *self.between(where))


def _named(docking: Sequence[tuple[str, str]], solids: Sequence[Solid]) -> set[frozenset[str]]:
    """The pairs that may meet. A mock-up may be named though there is none."""
    known = {solid.name for solid in solids} | {name for pair in DOCKING for name in pair}
    for pair in docking:
        for name in pair:
            if name not in known:
                raise unknown_name("solid", name, known)
    return {frozenset(pair) for pair in docking}


def _rank(solid: Solid) -> int:
    """How far along its chain a solid is; -1 of the room, 0 of the carriage and of a base."""
    return -1 if solid.body == s.ROOM else 0 if solid.body == s.CARRIAGE else solid.body % s.LINKS


def _owner(solid: Solid) -> int:
    """0 and 1: robots, the carriage with the first; 2: the room."""
    return 2 if solid.body == s.ROOM else 0 if solid.body == s.CARRIAGE else solid.body // s.LINKS


def _compared(a: Solid, b: Solid) -> bool:
    if s.ROOM in (a.body, b.body):
        return max(_rank(a), _rank(b)) >= 2  # a base and what turns on it stand where they stand
    if _owner(a) != _owner(b):
        return True
    bare = not (a.held or b.held)
    return abs(_rank(a) - _rank(b)) >= (APART if bare else 2)


def _pairs(solids: Sequence[Solid], docking: set[frozenset[str]]) -> list[tuple[int, int]]:
    return [
        (i, j)
        for j, b in enumerate(solids)
        for i, a in enumerate(solids[:j])
        if _compared(a, b) and frozenset((a.name, b.name)) not in docking
    ]


def _table(
    geometry: LabGeometry,
    solids: Sequence[Solid],
    walls: Sequence[Wall],
    pairs: list[tuple[int, int]],
    walled: list[tuple[int, int]],
) -> Table:
    joints = [industrial_model(name).graph().joints for name in geometry.arms]
    half = np.array([solid.half for solid in solids])
    rounding = np.array([solid.rounding for solid in solids])
    n, R = len(solids), np.tile(np.eye(3), (s.BODIES, 1, 1))
    return Table(
        X_WB=np.array([_rows(geometry.base(number)) for number in (1, 2)]),
        rail=np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]),
        place=np.array([[j.X_PJ.p for j in chain] for chain in joints]),
        turn=np.array([[j.axis for j in chain] for chain in joints]),
        body=np.array([solid.body for solid in solids], np.int64),
        X_LG=np.array([_rows(solid.X_LG) for solid in solids]),
        half=half,
        rounding=rounding,
        ball=np.linalg.norm(half, axis=1) + rounding,
        pairs=np.array(pairs, np.int64).reshape(-1, 2),
        walls=np.array([(*wall.normal, wall.offset) for wall in walls]),
        walled=np.array(walled, np.int64).reshape(-1, 2),
        p=np.zeros((s.BODIES, 3)),
        R=R,
        p_G=np.zeros((n, 3)),
        R_G=np.zeros((n, 3, 3)),
        bound=np.zeros(len(pairs)),
    )


def _rows(X: Pose) -> Array:
    return np.hstack([X.R, X.p[:, None]])
