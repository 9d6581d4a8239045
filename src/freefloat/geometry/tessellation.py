"""Shapes as triangles with a normal at every corner, in the link's frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from freefloat.errors import InputError
from freefloat.geometry.shape import Poses, Shape, Shapes

Floats: TypeAlias = NDArray[np.float32]

SECTIONS = 72  # facets round a full turn
CREASE = np.radians(35.0)  # [rad] mesh edges sharper than this stay sharp


class Triangles(NamedTuple):
    """Corners and unit normals at the corners, both (n, 3, 3): triangle, corner, component."""

    points: NDArray[np.float64]
    normals: NDArray[np.float64]


def _box(half: tuple[float, ...]) -> Triangles:
    """Six squares at +-1 of each axis, scaled by the half-extents [m]."""
    points: list[NDArray[np.float64]] = []
    normals: list[NDArray[np.float64]] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            corners = np.empty((4, 3))
            corners[:, axis] = sign
            corners[:, (axis + 1) % 3] = [-1.0, 1.0, 1.0, -1.0]
            corners[:, (axis + 2) % 3] = [-1.0, -1.0, 1.0, 1.0]
            ring = corners if sign > 0.0 else corners[::-1]  # counter-clockwise from outside
            points += [ring[[0, 1, 2]], ring[[0, 2, 3]]]
            normals += [np.tile(sign * np.eye(3)[axis], (3, 1))] * 2
    return Triangles(np.array(points) * half, np.array(normals))


def lathe(profile: list[tuple[float, float, float, float]]) -> Triangles:
    """Revolve pairs of profile points (r, z, n_r, n_z) about z; points 2k and 2k+1 span one band."""
    r, z, n_r, n_z = np.array(profile).reshape(-1, 2, 4).transpose(2, 0, 1)  # each (bands, 2)
    angle = np.linspace(0.0, 2.0 * np.pi, SECTIONS + 1)
    c, s = np.cos(angle), np.sin(angle)

    def ring(radial: NDArray[np.float64], axial: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y = radial[..., None] * c, radial[..., None] * s
        return np.stack([x, y, np.broadcast_to(axial[..., None], x.shape)], axis=-1)  # (bands, 2, sections + 1, 3)

    def triangles(grid: NDArray[np.float64]) -> NDArray[np.float64]:
        a, b, d, e = grid[:, 0, :-1], grid[:, 0, 1:], grid[:, 1, :-1], grid[:, 1, 1:]
        return np.concatenate([np.stack([a, b, e], axis=-2), np.stack([a, e, d], axis=-2)]).reshape(-1, 3, 3)

    return Triangles(triangles(ring(r, z)), triangles(ring(n_r, n_z)))


def _arc(radius: float, centre: float, start: float, stop: float) -> list[tuple[float, float, float, float]]:
    """Profile of a spherical cap between two latitudes [rad], its centre at height `centre`."""
    latitude = np.linspace(start, stop, round(SECTIONS * (stop - start) / (2.0 * np.pi)) + 1)
    c, s = np.cos(latitude).tolist(), np.sin(latitude).tolist()
    ring = [(radius * a, centre + radius * b, a, b) for a, b in zip(c, s, strict=True)]
    return [point for pair in pairwise(ring) for point in pair]


def _cylinder(radius: float, half: float) -> Triangles:
    bottom = [(0.0, -half, 0.0, -1.0), (radius, -half, 0.0, -1.0)]
    side = [(radius, -half, 1.0, 0.0), (radius, half, 1.0, 0.0)]
    top = [(radius, half, 0.0, 1.0), (0.0, half, 0.0, 1.0)]
    return lathe(bottom + side + top)


def _capsule(radius: float, half: float) -> Triangles:
    quarter = np.pi / 2
    side = [(radius, -half, 1.0, 0.0), (radius, half, 1.0, 0.0)]
    return lathe(_arc(radius, -half, -quarter, 0.0) + side + _arc(radius, half, 0.0, quarter))


def read_mesh(path: str, scale: tuple[float, ...]) -> Any:
    """A mesh file as one trimesh, scaled."""
    import trimesh

    try:
        mesh = trimesh.load(path, force="mesh")
        mesh.apply_scale(scale)
    except Exception as e:  # trimesh's readers raise many kinds; the file is the user's
        raise InputError(f"mesh {path!r} cannot be read: {e}") from None
    return mesh


def _mesh(path: str, scale: tuple[float, ...]) -> Triangles:
    import trimesh

    mesh = read_mesh(path, scale)
    try:
        smooth = trimesh.graph.smooth_shade(mesh, angle=CREASE)
    except Exception as e:
        raise InputError(f"mesh {path!r} cannot be read: {e}") from None
    return Triangles(np.asarray(smooth.triangles), np.asarray(smooth.vertex_normals)[smooth.faces])


@lru_cache(maxsize=256)
def _tessellate(kind: str, size: tuple[float, ...], mesh: str) -> Triangles:
    if kind == "box":
        return _box(size)
    if kind == "sphere":
        return lathe(_arc(size[0], 0.0, -np.pi / 2, np.pi / 2))
    if kind == "cylinder":
        return _cylinder(*size)
    if kind == "capsule":
        return _capsule(*size)
    return _mesh(mesh, size)


def tessellate(shape: Shape) -> Triangles:
    """Triangles of a shape in its link's frame L."""
    local = _tessellate(shape.kind, tuple(shape.size), shape.mesh)
    R = shape.X_LG.R
    return Triangles(local.points @ R.T + shape.X_LG.p, local.normals @ R.T)


@dataclass(frozen=True)
class Solids:
    """Everything visible in W as triangles, relative to an origin near the camera's target: float32 is exact there."""

    points: Floats  # (n, 3, 3) [m]
    normals: Floats  # (n, 3, 3)
    albedo: Floats  # (n, 3) linear


def assemble(shapes: Shapes, poses: Poses, origin: NDArray[np.float64]) -> Solids:
    """Shapes of all links that have a pose; fully transparent ones are left out, others count as opaque."""
    points: list[NDArray[np.float64]] = [np.zeros((0, 3, 3))]
    normals: list[NDArray[np.float64]] = [np.zeros((0, 3, 3))]
    albedo: list[NDArray[np.float64]] = [np.zeros((0, 3))]
    for link, X_WL in poses.items():
        for shape in shapes.get(link, ()):
            if shape.rgba[3] > 0.0:
                local = tessellate(shape)
                points.append(local.points @ X_WL.R.T + (X_WL.p - origin))
                normals.append(local.normals @ X_WL.R.T)
                albedo.append(np.tile(np.power(shape.rgba[:3], 2.2), (len(local.points), 1)))
    p, n, a = (np.concatenate(parts).astype(np.float32) for parts in (points, normals, albedo))
    return Solids(p, n, a)
