"""Reads the shapes of a run back from the scene in its log: which link had which, and from when on.

The topics hold `foxglove.SceneUpdate` messages (https://docs.foxglove.dev/docs/sdk/schemas/scene-update); every message
shows all of its topic. Arrows, lines and texts are left out.
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from freefloat.engine.log.codec import fields
from freefloat.engine.log.reader import read_messages
from freefloat.engine.scene import Looks
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape, ShapeKind

SCENES = ("/scene", "/scene/meshes")
_ENTITIES = 2  # fields of a SceneUpdate
_FRAME, _CUBES, _SPHERES, _CYLINDERS, _MODELS = 2, 8, 9, 10, 14  # of a SceneEntity
_POSE, _SIZE, _COLOR, _CYLINDER_COLOR, _DATA, _MEDIA = 1, 2, 3, 5, 7, 6  # of a primitive
_ENDINGS = {"model/vnd.collada+xml": ".dae", "model/gltf-binary": ".glb", "model/obj": ".obj", "model/stl": ".stl"}


def read_looks(path: str | PathLike[str], folder: str | PathLike[str] | None = None) -> Looks:
    """The shapes of every link from the start on, and at each change; meshes are written into a folder, or a new one.

    A capsule comes back as a cylinder and two balls.
    """
    home = Path(folder) if folder is not None else Path(tempfile.mkdtemp(prefix="freefloat-meshes-"))
    changes: list[tuple[float, str, dict[str, tuple[Shape, ...]]]] = []
    for topic, stamp, message in read_messages(path, SCENES):
        changes.append((stamp / 1e9, topic, dict(_shown(message, home))))
    changes.sort(key=lambda change: change[0])
    looks: Looks = []
    shown: dict[str, dict[str, tuple[Shape, ...]]] = {}
    for t, topic, shapes in changes:
        shown[topic] = shapes
        together = {link: own for part in shown.values() for link, own in part.items()}
        if looks and looks[-1][0] == t:
            looks.pop()
        looks.append((t, together))
    return looks


def _shown(message: bytes, home: Path) -> Iterator[tuple[str, tuple[Shape, ...]]]:
    for entity in _all(message, _ENTITIES):
        link = next((raw.decode() for raw in _all(entity, _FRAME)), "")
        shapes = [_shape("box", cube, (0.5, 0.5, 0.5)) for cube in _all(entity, _CUBES)]
        shapes += [_shape("sphere", ball, (0.5,)) for ball in _all(entity, _SPHERES)]
        for raw in _all(entity, _CYLINDERS):
            whole = _shape("box", raw, (0.5, 0.5, 0.5), _CYLINDER_COLOR)
            shapes.append(Shape("cylinder", (whole.size[0], whole.size[2]), whole.X_LG, whole.rgba))
        shapes += [_model(raw, home) for raw in _all(entity, _MODELS)]
        yield link, tuple(shapes)


def _shape(kind: ShapeKind, raw: bytes, scale: Sequence[float], color: int = _COLOR, mesh: str = "") -> Shape:
    size = _numbers(raw, _SIZE, 3)
    r, g, b, a = _numbers(raw, color, 4)
    scaled = tuple(k * s for k, s in zip(scale, size, strict=False))
    return Shape(kind, scaled, _pose(raw), (r, g, b, a), mesh)


def _model(raw: bytes, home: Path) -> Shape:
    """A mesh, its data in a file that is named after them."""
    data = next(iter(_all(raw, _DATA)), b"")
    kind = next((m.decode() for m in _all(raw, _MEDIA)), "")
    if kind not in _ENDINGS:
        raise InputError(f"log: a mesh of kind {kind!r} cannot be drawn; allowed: {', '.join(_ENDINGS)}")
    file = home / f"{len(data)}-{hash(data) & 0xFFFFFFFF:08x}{_ENDINGS[kind]}"
    if not file.exists():
        file.write_bytes(data)
    return _shape("mesh", raw, (1.0, 1.0, 1.0), mesh=str(file))


def _pose(raw: bytes) -> Pose:
    pose = next(iter(_all(raw, _POSE)), b"")
    x, y, z, w = _numbers(pose, 2, 4)
    return Pose.from_quat([w, x, y, z], list(_numbers(pose, 1, 3)))


def _numbers(message: bytes, field: int, count: int) -> tuple[float, ...]:
    """The doubles 1 to `count` of a nested message; those that are not written are 0."""
    inner = next(iter(_all(message, field)), b"")
    given = {tag: struct.unpack("<d", raw)[0] for tag, raw in fields(inner) if len(raw) == 8}
    return tuple(given.get(tag, 0.0) for tag in range(1, count + 1))


def _all(message: bytes, field: int) -> list[bytes]:
    return [raw for tag, raw in fields(message) if tag == field]
