"""The links' shapes as a Foxglove scene, one entity per link, drawn in the link's frame.

Viewers that go to an instant take the last message of a topic before it. So a message holds all that its topic shows,
and a new one is written at each change. Links with meshes have a topic of their own: their files are large, and other
shapes change more often. So have the forces of contacts, as arrows: each starts where its force acts on b, and is
0.1 m log10(1 + f / 1 N) long.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from foxglove import messages as fox

from freefloat.engine.pushes import Push
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape, Shapes

WORLD = "W"
SCENE, MESHES, FORCES = "/scene", "/scene/meshes", "/scene/forces"  # topics
ARROW = fox.Color(r=0.85, g=0.1, b=0.45, a=1.0)
SHAFT, HEAD, HEAD_WIDTH = 0.01, 0.04, 0.025  # [m] thickness of an arrow; length and thickness of its head
_MEDIA_TYPES = {
    ".dae": "model/vnd.collada+xml",
    ".glb": "model/gltf-binary",
    ".gltf": "model/gltf+json",
    ".obj": "model/obj",
    ".stl": "model/stl",
}


def _vector(x: float, y: float, z: float) -> fox.Vector3:
    return fox.Vector3(x=x, y=y, z=z)


def _quaternion(q: Sequence[float]) -> fox.Quaternion:
    """From scalar first to Foxglove's named components."""
    w, x, y, z = q
    return fox.Quaternion(x=x, y=y, z=z, w=w)


def _pose(X: Pose) -> fox.Pose:
    return fox.Pose(position=_vector(*X.p.tolist()), orientation=_quaternion(X.q.tolist()))


def transform(
    t_ns: int, link: str, p_WB: Sequence[float], q_WB: Sequence[float], world: str = WORLD
) -> fox.FrameTransform:
    """X_WB as Foxglove's transform from W, or a world of its own, to the link's frame."""
    return fox.FrameTransform(
        timestamp=timestamp(t_ns),
        parent_frame_id=world,
        child_frame_id=link,
        translation=_vector(*p_WB),
        rotation=_quaternion(q_WB),
    )


def timestamp(t_ns: int) -> fox.Timestamp:
    """Simulation time [ns] as a Foxglove time; the epoch is the scenario's start."""
    return fox.Timestamp(sec=t_ns // 1_000_000_000, nsec=t_ns % 1_000_000_000)


def _model(link: str, shape: Shape, pose: fox.Pose, color: fox.Color) -> fox.ModelPrimitive:
    path = Path(shape.mesh)
    media_type = _MEDIA_TYPES.get(path.suffix.lower())
    if media_type is None:
        allowed = ", ".join(sorted(_MEDIA_TYPES))
        raise InputError(f"link {link!r}: mesh {shape.mesh!r} has a kind that the log cannot hold; allowed: {allowed}")
    try:
        data = path.read_bytes()
    except OSError as e:
        raise InputError(f"link {link!r}: mesh {shape.mesh!r} cannot be read: {e.strerror}") from None
    scale = _vector(*shape.size)
    return fox.ModelPrimitive(
        pose=pose, scale=scale, color=color, override_color=True, media_type=media_type, data=data
    )


def _cylinder(pose: fox.Pose, radius: float, half: float, color: fox.Color) -> fox.CylinderPrimitive:
    size = _vector(2 * radius, 2 * radius, 2 * half)
    return fox.CylinderPrimitive(pose=pose, size=size, bottom_scale=1.0, top_scale=1.0, color=color)


def _sphere(pose: fox.Pose, radius: float, color: fox.Color) -> fox.SpherePrimitive:
    return fox.SpherePrimitive(pose=pose, size=_vector(2 * radius, 2 * radius, 2 * radius), color=color)


def _entity(stamp: int, link: str, shapes: Sequence[Shape]) -> fox.SceneEntity:
    cubes: list[fox.CubePrimitive] = []
    spheres: list[fox.SpherePrimitive] = []
    cylinders: list[fox.CylinderPrimitive] = []
    models: list[fox.ModelPrimitive] = []
    for s in shapes:
        pose = _pose(s.X_LG)
        r, g, b, a = s.rgba
        color = fox.Color(r=r, g=g, b=b, a=a)
        if s.kind == "box":
            x, y, z = s.size
            cubes.append(fox.CubePrimitive(pose=pose, size=_vector(2 * x, 2 * y, 2 * z), color=color))
        elif s.kind == "sphere":
            spheres.append(_sphere(pose, s.size[0], color))
        elif s.kind == "mesh":
            models.append(_model(link, s, pose, color))
        else:
            radius, half = s.size
            cylinders.append(_cylinder(pose, radius, half, color))
            if s.kind == "capsule":
                for z in (-half, half):
                    end = s.X_LG @ Pose.from_quat([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, z])
                    spheres.append(_sphere(_pose(end), radius, color))
    return fox.SceneEntity(
        timestamp=timestamp(stamp),
        frame_id=link,
        id=link,
        frame_locked=True,
        cubes=cubes,
        spheres=spheres,
        cylinders=cylinders,
        models=models,
    )


def _arrow(stamp: int, push: Push) -> fox.SceneEntity:
    """An arrow from where a force acts; Foxglove's arrows point along x of their pose."""
    length = push.length()
    head = min(HEAD, 0.5 * length)
    arrow = fox.ArrowPrimitive(
        pose=_pose(Pose(push.axes(), push.p_WC)),
        shaft_length=length - head,
        shaft_diameter=SHAFT,
        head_length=head,
        head_diameter=HEAD_WIDTH,
        color=ARROW,
    )
    frame = push.world or WORLD
    return fox.SceneEntity(timestamp=timestamp(stamp), frame_id=frame, id=push.pair, arrows=[arrow])


class ForceTopic:
    """Arrows that the log shows, by pair; a message holds them all, and deletes those that are no more."""

    def __init__(self) -> None:
        self._shown: set[str] = set()

    def update(self, t_ns: int, pushes: Sequence[Push]) -> fox.SceneUpdate | None:
        """The message after which these arrows are shown, and no others; None where there is nothing to tell."""
        now = {push.pair for push in pushes}
        gone = [_deletion(t_ns, pair) for pair in sorted(self._shown - now)]
        self._shown = now
        if not pushes and not gone:
            return None
        return fox.SceneUpdate(deletions=gone, entities=[_arrow(t_ns, push) for push in pushes])


def _deletion(t_ns: int, entity: str) -> fox.SceneEntityDeletion:
    return fox.SceneEntityDeletion(timestamp=timestamp(t_ns), type=fox.SceneEntityDeletionType.MatchingId, id=entity)


class SceneTopics:
    """What the topics of a log show, and what must be written when that changes."""

    def __init__(self) -> None:
        self._shown: dict[str, dict[str, tuple[Sequence[Shape], fox.SceneEntity]]] = {}

    def updates(self, t_ns: int, shapes: Shapes) -> dict[str, fox.SceneUpdate]:
        """Messages by topic after which these shapes are shown, and no others; of topics that change."""
        parts: dict[str, dict[str, Sequence[Shape]]] = {SCENE: {}, MESHES: {}}
        for link, own in shapes.items():
            if own:
                parts[MESHES if any(s.kind == "mesh" for s in own) else SCENE][link] = own
        new = {topic: self._update(t_ns, topic, part) for topic, part in parts.items()}
        return {topic: update for topic, update in new.items() if update is not None}

    def _update(self, t_ns: int, topic: str, shapes: Shapes) -> fox.SceneUpdate | None:
        shown = self._shown.get(topic)
        if shown is None and topic == MESHES and not shapes:
            return None
        before = shown or {}
        now = {
            link: before[link] if link in before and before[link][0] is own else (own, _entity(t_ns, link, own))
            for link, own in shapes.items()
        }
        if shown is not None and shown.keys() == now.keys() and all(shown[link] is now[link] for link in now):
            return None
        self._shown[topic] = now
        gone = [_deletion(t_ns, link) for link in before if link not in now]
        return fox.SceneUpdate(deletions=gone, entities=[entity for _, entity in now.values()])
