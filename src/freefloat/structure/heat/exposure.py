"""Exposed faces of tensor bodies, and the sunlight on them with the shadows of all modules.

A face of an occupied place is exposed where the place across it, in the same tensor body, is empty or does not exist.
Faces are those of the grid's prisms, the bottom of a hexagonal one included. Poses X_BT put all tensor bodies in one
frame B, in which normals and directions are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.geometry.rays import RayCaster
from freefloat.structure.node_arrays import Integers, sum_at

if TYPE_CHECKING:
    from freefloat.structure.catalogue.catalogue import Catalogue
    from freefloat.structure.grid import Grid
    from freefloat.structure.tensor_body import TensorBody

SPLITS = 2  # each triangle between a face's centre and an edge gives SPLITS^2 sample points: 16 of a square
OFFSET = 1e-4  # [m] of the sample points from their face


@dataclass(frozen=True, eq=False)
class Faces:
    """k exposed faces, by body, side and place, and the solids that shadow them.

    Modules are taken at their grid poses. A node's number is its place plus the places of the bodies before.
    """

    nodes: int  # places of all bodies
    node: Integers  # (k,)
    body: Integers  # (k,) which tensor body
    side: Integers  # (k,) face number of the grid
    centre: Array  # [m] (k, 3) in B
    normal: Array  # (k, 3) outward, in B
    area: Array  # [m^2] (k,)
    absorptivity: Array  # (k,) solar
    emissivity: Array  # (k,) infrared
    samples: Array  # [m] (s, 3) points on the faces, in B
    owner: Integers  # (s,) face of each sample
    solids: NDArray[np.float32]  # [m] (t, 3, 3) triangles, from `centre_of_solids`
    centre_of_solids: Array  # [m] (3,)

    @property
    def radiating(self) -> Array:
        """Emissivity times exposed area of each node [m^2] (nodes,), for `HeatNetwork`."""
        return sum_at(self.nodes, self.node, self.emissivity * self.area)

    @cached_property
    def kinds(self) -> tuple[Array, Integers]:
        """Normals that differ (j, 3), and which of them each face has (k,)."""
        kinds, which = np.unique(np.round(self.normal, 9), axis=0, return_inverse=True)
        return kinds, which.reshape(-1)

    @cached_property
    def _samples_of_each(self) -> Integers:
        return np.bincount(self.owner, minlength=len(self.node))

    @cached_property
    def _shadows(self) -> RayCaster:
        return RayCaster(self.solids)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_shadows"}

    def lit(self, sun: ArrayLike) -> Array:
        """Share of each face (k,) that the Sun in direction `sun` (unit, in B) reaches past all modules."""
        s = _unit(sun)
        up = (self.normal @ s) > 0.0
        chosen = np.flatnonzero(up[self.owner])
        if len(chosen) == 0:
            return np.zeros(len(self.node))
        start = self.samples[chosen] + OFFSET * self.normal[self.owner[chosen]] - self.centre_of_solids
        free = self._shadows.clear(start.astype(np.float32), s.astype(np.float32)).astype(np.float64)
        return sum_at(len(self.node), self.owner[chosen], free) / self._samples_of_each


def absorbed(
    faces: Faces, lit: ArrayLike, sun: ArrayLike, solar_flux: float, albedo: ArrayLike = 0.0, infrared: ArrayLike = 0.0
) -> Array:
    """Power absorbed by each node [W]: sum of A [alpha (lit flux max(0, n.s) + albedo) + epsilon infrared].

    `lit` (k,) from `Faces.lit`, `sun` (unit, in B), fluxes [W/m^2]: the Sun's at normal incidence, albedo and infrared
    on each face (k,).
    """
    direct = np.asarray(lit, dtype=np.float64) * solar_flux * np.maximum(faces.normal @ _unit(sun), 0.0)
    visible = faces.absorptivity * (direct + np.asarray(albedo, dtype=np.float64))
    power = faces.area * (visible + faces.emissivity * np.asarray(infrared, dtype=np.float64))
    return sum_at(faces.nodes, faces.node, power)


def exposed_faces(bodies: Sequence[tuple[TensorBody, Pose]], splits: int = SPLITS) -> Faces:
    """Exposed faces of tensor bodies, each with its pose X_BT."""
    if splits < 1:
        raise InputError(f"faces are sampled with at least 1 split per edge, got {splits}")
    parts = [_of_body(body.grid, body.catalogue, body.shape.tobytes(), splits).placed(X_BT) for body, X_BT in bodies]
    offsets = np.cumsum([0, *(body.grid.n for body, _ in bodies)])
    firsts = np.cumsum([0, *(len(p.node) for p in parts)])
    solids = _joined([p.solids for p in parts], (3, 3))
    middle = solids.reshape(-1, 3).mean(axis=0) if len(solids) else np.zeros(3)
    return Faces(
        int(offsets[-1]),
        _joined([p.node + o for p, o in zip(parts, offsets, strict=False)], (), np.int64),
        _joined([np.full(len(p.node), i) for i, p in enumerate(parts)], (), np.int64),
        _joined([p.side for p in parts], (), np.int64),
        _joined([p.centre for p in parts], (3,)),
        _joined([p.normal for p in parts], (3,)),
        _joined([p.area for p in parts], ()),
        _joined([p.absorptivity for p in parts], ()),
        _joined([p.emissivity for p in parts], ()),
        _joined([p.samples for p in parts], (3,)),
        _joined([p.owner + f for p, f in zip(parts, firsts, strict=False)], (), np.int64),
        (solids - middle).astype(np.float32),
        middle,
    )


@dataclass(frozen=True, eq=False)
class _Template:
    """The faces of one prism in P: centres, triangles of equal area about them, and sample points."""

    centre: Array  # (f, 3)
    triangles: tuple[Array, ...]  # per face (corners, 3, 3)
    samples: tuple[Array, ...]  # per face (s, 3)


@dataclass(frozen=True, eq=False)
class _Part:
    node: Integers
    side: Integers
    centre: Array
    normal: Array
    area: Array
    absorptivity: Array
    emissivity: Array
    samples: Array
    owner: Integers
    solids: Array

    def placed(self, X_BT: Pose) -> _Part:
        """The same in B."""
        return replace(
            self,
            centre=X_BT.apply(self.centre),
            normal=self.normal @ X_BT.R.T,
            samples=X_BT.apply(self.samples),
            solids=X_BT.apply(self.solids.reshape(-1, 3)).reshape(-1, 3, 3),
        )


@lru_cache(maxsize=16)
def _template(grid: Grid, splits: int) -> _Template:
    centres, triangles, samples = [], [], []
    for face in grid.faces:
        ring = grid.outline[list(face)]
        centre = ring.mean(axis=0)
        fan = np.stack([np.broadcast_to(centre, ring.shape), ring, np.roll(ring, -1, axis=0)], axis=1)
        centres.append(centre)
        triangles.append(fan)
        samples.append(np.einsum("bc,tcx->tbx", _barycentres(splits), fan).reshape(-1, 3))
    return _Template(np.array(centres), tuple(triangles), tuple(samples))


def _barycentres(splits: int) -> Array:
    """Barycentric coordinates (splits^2, 3) of the centroids of the equal parts of a triangle."""
    points = []
    for i in range(splits):
        for j in range(splits - i):
            points.append((i + 1 / 3, j + 1 / 3))
            if i + j < splits - 1:
                points.append((i + 2 / 3, j + 2 / 3))
    uv = np.array(points) / splits
    return np.column_stack([1.0 - uv.sum(axis=1), uv])


@lru_cache(maxsize=32)
def _of_body(grid: Grid, catalogue: Catalogue, contents: bytes, splits: int) -> _Part:
    """Faces in T, those of one side of the prism after those of another; `contents` are the types at the places."""
    shape = np.frombuffer(contents, dtype=np.int64)
    template = _template(grid, splits)
    beside = np.full((grid.n, len(grid.faces)), -1, dtype=np.int64)
    beside[:, : grid.sides] = grid.neighbours
    covered = (beside >= 0) & (shape[beside] > 0)
    side, place = np.nonzero(((shape > 0)[:, None] & ~covered).T)
    p_TP = grid.p_TP[place]
    per_face = np.array([len(points) for points in template.samples])
    samples = [template.samples[s] + p for s, p in zip(side, p_TP, strict=True)]
    solids = [template.triangles[s] + p for s, p in zip(side, p_TP, strict=True)]
    kinds = shape[place]
    return _Part(
        place.astype(np.int64),
        side.astype(np.int64),
        template.centre[side] + p_TP,
        grid.normals[side],
        grid.areas[side],
        catalogue.values(lambda t: t.absorptivity)[kinds],
        catalogue.values(lambda t: t.emissivity)[kinds],
        _joined(samples, (3,)),
        np.repeat(np.arange(len(side)), per_face[side]),
        _joined(solids, (3, 3)),
    )


def _joined(arrays: Sequence[NDArray], shape: tuple[int, ...], kind: type = np.float64) -> NDArray:
    return np.concatenate([np.zeros((0, *shape)), *arrays]).astype(kind)


def _unit(direction: ArrayLike) -> Array:
    d = np.asarray(direction, dtype=np.float64)
    norm = float(np.linalg.norm(d)) if d.shape == (3,) else 0.0
    if not (np.isfinite(norm) and norm > 0.0):
        raise InputError(f"a direction is three finite numbers, not all zero, got {direction!r}")
    return d / norm
