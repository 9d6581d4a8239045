"""Geoms of an MJCF model as shapes: those that are seen and those that touch.

Those of the groups 0 to 2, which MuJoCo shows, are seen; those of any group touch unless both their contype and their
conaffinity are 0. A geom that is neither is dropped.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.mjcf_model import Model, mj
from freefloat.robots.xmltree import shown

Rgba = tuple[float, float, float, float]
_GEOM_DEFAULT_RGBA = (0.5, 0.5, 0.5, 1.0)
_SHOWN_GROUPS = 3
_PLANE_HALF_WIDTH = 10.0  # [m] of a plane that has no end
_PLANE_HALF_DEPTH = 0.05  # [m] of the box that stands for it
_MESHES = (".obj", ".stl", ".dae", ".ply", ".off", ".glb", ".gltf")


class Shapes:
    """Makes the shapes of bodies."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.meshes = {int(mesh.id): mesh for mesh in model.spec.meshes}

    def of(self, body: Any) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
        """The shapes of a body that are seen, and those that touch."""
        m, reading = self.model.m, self.model.reading
        seen: list[Shape] = []
        touching: list[Shape] = []
        for geom in body.geoms:
            g, where = int(geom.id), self._where(geom, body)
            if np.any(m.geom_adhesion[g]) or np.any(m.geom_surfacevel[g]):
                reading.cannot(where, "adhesion or a moving surface", "contacts belong to the mission")
            lists = [seen] if m.geom_group[g] < _SHOWN_GROUPS else []
            lists += [touching] if m.geom_contype[g] or m.geom_conaffinity[g] else []
            shape = self._shape(g, where) if lists else None
            if shape is not None:
                for one in lists:
                    one.append(replace(shape, name=geom.name))
        return tuple(seen), tuple(touching)

    def _where(self, geom: Any, body: Any) -> str:
        place = self.model.where("geom", geom)
        return place if geom.name else f"{place} of body {shown(self.model.body_names[body.id])}"

    def _shape(self, g: int, where: str) -> Shape | None:
        m = self.model.m
        X_LG = self.model.pose("geom", g)
        size, rgba = m.geom_size[g].tolist(), self._rgba(g)
        match mj.mjtGeom(m.geom_type[g]):
            case mj.mjtGeom.mjGEOM_BOX:
                return Shape("box", tuple(size), X_LG, rgba)
            case mj.mjtGeom.mjGEOM_SPHERE:
                return Shape("sphere", (size[0],), X_LG, rgba)
            case mj.mjtGeom.mjGEOM_CYLINDER:
                return Shape("cylinder", (size[0], size[1]), X_LG, rgba)
            case mj.mjtGeom.mjGEOM_CAPSULE:
                return Shape("capsule", (size[0], size[1]), X_LG, rgba)
            case mj.mjtGeom.mjGEOM_ELLIPSOID:
                return self._ellipsoid(size, X_LG, rgba)
            case mj.mjtGeom.mjGEOM_PLANE:
                return self._plane(size, X_LG, rgba)
            case mj.mjtGeom.mjGEOM_MESH:
                return self._mesh(g, X_LG, rgba, where)
            case other:
                kind = other.name.removeprefix("mjGEOM_").lower()
                self.model.reading.alike(f"a shape of type {kind} is neither seen nor touched", where)
                return None

    def _rgba(self, g: int) -> Rgba:
        m = self.model.m
        own, material = m.geom_rgba[g], int(m.geom_matid[g])
        plain = np.allclose(own, _GEOM_DEFAULT_RGBA)
        r, g_, b, a = (m.mat_rgba[material] if plain and material >= 0 else own).astype(float).tolist()
        return (r, g_, b, a)

    def _ellipsoid(self, size: list[float], X_LG: Pose, rgba: Rgba) -> Shape:
        """A long one as the capsule of its length, a flat one as a disc of its thickness, of the same mean radius."""
        self.model.reading.note(
            "ellipsoids are seen and touched as a sphere, a capsule or a disc of about their size; their mass and"
            " inertia are those of the file"
        )
        low, middle, high = (int(i) for i in np.argsort(size, kind="stable"))
        a, b, c = size[low], size[middle], size[high]
        if c - a <= 1e-9 * c:
            return Shape("sphere", (c,), X_LG, rgba)
        long = c * a >= b * b
        axis, (i, j) = (high, (low, middle)) if long else (low, (middle, high))
        turned = X_LG @ Pose(_axes(axis), np.zeros(3))
        radius = math.sqrt(size[i] * size[j])
        return (
            Shape("capsule", (radius, max(c - radius, 0.0)), turned, rgba)
            if long
            else Shape("cylinder", (radius, a), turned, rgba)
        )

    def _plane(self, size: list[float], X_LG: Pose, rgba: Rgba) -> Shape:
        width, depth = 2.0 * _PLANE_HALF_WIDTH, 2.0 * _PLANE_HALF_DEPTH
        self.model.reading.note(
            f"planes are boxes, {depth:g} m deep below the surface and, where they have no end, {width:g} m wide"
        )
        x, y = (half or _PLANE_HALF_WIDTH for half in size[:2])
        below = X_LG @ Pose(np.eye(3), np.array([0.0, 0.0, -_PLANE_HALF_DEPTH]))
        return Shape("box", (x, y, _PLANE_HALF_DEPTH), below, rgba)

    def _mesh(self, g: int, X_LI: Pose, rgba: Rgba, where: str) -> Shape | None:
        """MuJoCo moves a mesh to its principal axes I and the geom along with it; undo both."""
        mesh, past = self.meshes[int(self.model.m.geom_dataid[g])], self.model.reading.alike
        where = f"{where}: mesh {shown(mesh.name or mesh.file)}"
        refpos, refquat = np.array(mesh.refpos, dtype=float), np.array(mesh.refquat, dtype=float)
        scale = np.array(mesh.scale, dtype=float)
        if not mesh.file:
            past("is not from a file: neither seen nor touched", where)
            return None
        if not np.array_equal(refquat, [1.0, 0.0, 0.0, 0.0]) and np.ptp(scale) > 0.0:
            past("is turned and scaled unevenly: neither seen nor touched", where)
            return None
        path = self.model.source.directory / mesh.compiler.meshdir / mesh.file
        if not path.is_file() or path.suffix.lower() not in _MESHES:
            why = f"is of a kind other than {', '.join(_MESHES)}" if path.is_file() else "is not found"
            past(f"{why}: neither seen nor touched", where)
            return None
        i = int(mesh.id)
        X_MI = Pose.from_quat(self.model.m.mesh_quat[i], self.model.m.mesh_pos[i])
        X_FM = Pose.from_quat(refquat, scale * refpos)  # F: the file's own axes, scaled
        x, y, z = scale.tolist()
        return Shape("mesh", (x, y, z), X_LI @ X_MI.inverse() @ X_FM.inverse(), rgba, str(path))


def _axes(z: int) -> np.ndarray:
    """A rotation whose third axis is the axis `z` of the geom."""
    return np.roll(np.eye(3), z - 2, axis=1).T
