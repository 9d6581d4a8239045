"""Shapes, lines, meshes and texts as entities of a Foxglove scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from foxglove import messages as fox

from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.geometry.scenery import Colour, Drawing, Label, Line, Mesh
from freefloat.geometry.shape import Shape
from freefloat.geometry.tessellation import read_mesh

_MEDIA_TYPES = {
    ".dae": "model/vnd.collada+xml",
    ".glb": "model/gltf-binary",
    ".gltf": "model/gltf+json",
    ".obj": "model/obj",
    ".stl": "model/stl",
}
_JOINS = {
    "strip": fox.LinePrimitiveLineType.LineStrip,
    "ring": fox.LinePrimitiveLineType.LineLoop,
    "pairs": fox.LinePrimitiveLineType.LineList,
}


def vector(x: float, y: float, z: float) -> fox.Vector3:
    """Three numbers with Foxglove's names."""
    return fox.Vector3(x=x, y=y, z=z)


def quaternion(q: Sequence[float]) -> fox.Quaternion:
    """From scalar first to Foxglove's named components."""
    w, x, y, z = q
    return fox.Quaternion(x=x, y=y, z=z, w=w)


def pose(X: Pose) -> fox.Pose:
    """A pose with Foxglove's names."""
    return fox.Pose(position=vector(*X.p.tolist()), orientation=quaternion(X.q.tolist()))


def colour(rgba: Colour) -> fox.Color:
    """Red, green, blue and opacity."""
    r, g, b, a = rgba
    return fox.Color(r=r, g=g, b=b, a=a)


def timestamp(t_ns: int) -> fox.Timestamp:
    """Simulation time [ns] as a Foxglove time; the epoch is the scenario's start."""
    return fox.Timestamp(sec=t_ns // 1_000_000_000, nsec=t_ns % 1_000_000_000)


def deletion(t_ns: int, entity: str) -> fox.SceneEntityDeletion:
    """That an entity of a topic is no more."""
    return fox.SceneEntityDeletion(timestamp=timestamp(t_ns), type=fox.SceneEntityDeletionType.MatchingId, id=entity)


@dataclass
class _Primitives:
    """Of one entity, by Foxglove's kinds."""

    cubes: list[fox.CubePrimitive] = field(default_factory=list[fox.CubePrimitive])
    spheres: list[fox.SpherePrimitive] = field(default_factory=list[fox.SpherePrimitive])
    cylinders: list[fox.CylinderPrimitive] = field(default_factory=list[fox.CylinderPrimitive])
    models: list[fox.ModelPrimitive] = field(default_factory=list[fox.ModelPrimitive])
    lines: list[fox.LinePrimitive] = field(default_factory=list[fox.LinePrimitive])
    triangles: list[fox.TriangleListPrimitive] = field(default_factory=list[fox.TriangleListPrimitive])
    texts: list[fox.TextPrimitive] = field(default_factory=list[fox.TextPrimitive])

    def add(self, owner: str, drawing: Drawing) -> None:
        match drawing:
            case Shape():
                self._add_shape(owner, drawing)
            case Line():
                self.lines.append(line(drawing))
            case Mesh():
                self.triangles.append(_mesh(drawing))
            case Label(text, place, height, rgba):
                at = fox.Pose(position=vector(*place), orientation=quaternion((1.0, 0.0, 0.0, 0.0)))
                self.texts.append(
                    fox.TextPrimitive(pose=at, billboard=True, font_size=height, color=colour(rgba), text=text)
                )

    def _add_shape(self, owner: str, s: Shape) -> None:
        at, paint = pose(s.X_LG), colour(s.rgba)
        if s.kind == "box":
            x, y, z = s.size
            self.cubes.append(fox.CubePrimitive(pose=at, size=vector(2 * x, 2 * y, 2 * z), color=paint))
        elif s.kind == "sphere":
            self.spheres.append(_sphere(at, s.size[0], paint))
        elif s.kind == "mesh":
            self.models += _models(owner, s, at, paint)
        else:
            radius, half = s.size
            size = vector(2 * radius, 2 * radius, 2 * half)
            self.cylinders.append(
                fox.CylinderPrimitive(pose=at, size=size, bottom_scale=1.0, top_scale=1.0, color=paint)
            )
            if s.kind == "capsule":
                for z in (-half, half):
                    end = s.X_LG @ Pose.from_quat([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, z])
                    self.spheres.append(_sphere(pose(end), radius, paint))


def _sphere(at: fox.Pose, radius: float, paint: fox.Color) -> fox.SpherePrimitive:
    return fox.SpherePrimitive(pose=at, size=vector(2 * radius, 2 * radius, 2 * radius), color=paint)


def _models(link: str, shape: Shape, at: fox.Pose, paint: fox.Color) -> list[fox.ModelPrimitive]:
    """The mesh of a shape; as STL where Foxglove does not know its kind, and none where nothing here reads it."""
    path = Path(shape.mesh)
    media = _MEDIA_TYPES.get(path.suffix.lower())
    try:
        data = path.read_bytes() if media else _stl(shape.mesh)
    except OSError as e:
        raise InputError(f"link {link!r}: mesh {shape.mesh!r} cannot be read: {e.strerror}") from None
    if not data:
        return []
    scale, media = vector(*shape.size), media or _MEDIA_TYPES[".stl"]
    return [fox.ModelPrimitive(pose=at, scale=scale, color=paint, override_color=True, media_type=media, data=data)]


@lru_cache(maxsize=256)
def _stl(mesh: str) -> bytes:
    """A mesh file as binary STL; empty where it cannot be read."""
    try:
        return read_mesh(mesh, (1.0, 1.0, 1.0)).export(file_type="stl")
    except Exception:  # trimesh's writers raise many kinds; the log does without the mesh
        return b""


def _points(points: Array) -> list[fox.Point3]:
    return [fox.Point3(x=x, y=y, z=z) for x, y, z in points.tolist()]


def line(given: Line) -> fox.LinePrimitive:
    """A line in the frame of its entity."""
    return fox.LinePrimitive(
        type=_JOINS[given.join],
        pose=pose(Pose.identity()),
        thickness=given.pixels or given.thickness,
        scale_invariant=given.pixels > 0.0,
        points=_points(given.points),
        color=colour(given.colour),
    )


def _mesh(given: Mesh) -> fox.TriangleListPrimitive:
    each = None
    if given.colours is not None:
        each = [fox.Color(r=r, g=g, b=b, a=a) for r, g, b, a in given.colours.tolist()]
    return fox.TriangleListPrimitive(
        pose=pose(Pose.identity()),
        points=_points(given.points),
        color=colour(given.colour),
        colors=each,
        indices=given.triangles.ravel().tolist(),
    )


def entity(t_ns: int, name: str, frame: str, drawings: Sequence[Drawing]) -> fox.SceneEntity:
    """Drawings that are fixed to a frame, as one entity."""
    kinds = _Primitives()
    for drawing in drawings:
        kinds.add(name, drawing)
    return fox.SceneEntity(timestamp=timestamp(t_ns), frame_id=frame, id=name, frame_locked=True, **vars(kinds))
