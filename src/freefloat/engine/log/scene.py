"""The links' shapes as a Foxglove scene, one entity per link, drawn in the link's frame.

Viewers that go to an instant take the last message of a topic before it. So a message holds all that its topic shows,
and a new one is written at each change. Links with meshes have a topic of their own: their files are large, and other
shapes change more often. So have the forces of contacts, as arrows: each starts where its force acts on b, and is
0.1 m log10(1 + f / 1 N) long. What never changes is on a topic for each layer, such as the floor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from foxglove import messages as fox

from freefloat.engine.log.primitives import deletion, entity, pose, timestamp
from freefloat.engine.pushes import Push
from freefloat.engine.tree import WORLD as GROUND
from freefloat.frames import Pose
from freefloat.geometry.scenery import LAYERS, Drawn
from freefloat.geometry.shape import Shape, Shapes

WORLD = "W"
SCENE, MESHES, FORCES = "/scene", "/scene/meshes", "/scene/forces"  # topics
JETS, TRAILS = "/scene/jets", "/scene/trails"
STILL = {layer: f"{SCENE}/{layer}" for layer in LAYERS}
ARROW = fox.Color(r=0.85, g=0.1, b=0.45, a=1.0)
SHAFT, HEAD, HEAD_WIDTH = 0.01, 0.04, 0.025  # [m] thickness of an arrow; length and thickness of its head


def of_world(topic: str, world: str) -> str:
    """A topic of which each of several worlds has its own."""
    return f"{topic}/{world}" if world else topic


def still_updates(t_ns: int, drawn: Mapping[str, Mapping[str, Drawn]]) -> dict[str, fox.SceneUpdate]:
    """Messages by topic of what never changes: world -> name -> drawings."""
    found: dict[str, list[fox.SceneEntity]] = {}
    for world, own in drawn.items():
        for name, one in own.items():
            frame = (world or WORLD) if one.link == GROUND else one.link
            made = entity(t_ns, f"{world}.{name}" if world else name, frame, one.drawings)
            found.setdefault(STILL[one.layer], []).append(made)
    return {topic: fox.SceneUpdate(entities=entities) for topic, entities in found.items()}


def _arrow(stamp: int, push: Push) -> fox.SceneEntity:
    """An arrow from where a force acts; Foxglove's arrows point along x of their pose."""
    length = push.length()
    head = min(HEAD, 0.5 * length)
    arrow = fox.ArrowPrimitive(
        pose=pose(Pose(push.axes(), push.p_WC)),
        shaft_length=length - head,
        shaft_diameter=SHAFT,
        head_length=head,
        head_diameter=HEAD_WIDTH,
        color=ARROW,
    )
    frame = push.world or WORLD
    return fox.SceneEntity(timestamp=timestamp(stamp), frame_id=frame, id=push.pair, arrows=[arrow])


class Shown:
    """Entities that a topic shows; a message holds them all, and deletes those that are no more."""

    def __init__(self) -> None:
        self._names: set[str] = set()

    def update(self, t_ns: int, now: Mapping[str, fox.SceneEntity]) -> fox.SceneUpdate | None:
        """The message after which these are shown, and no others; None where there is nothing to tell."""
        gone = [deletion(t_ns, name) for name in sorted(self._names - now.keys())]
        self._names = set(now)
        return fox.SceneUpdate(deletions=gone, entities=list(now.values())) if now or gone else None


class ForceTopic:
    """Arrows that the log shows, by pair."""

    def __init__(self) -> None:
        self._shown = Shown()

    def update(self, t_ns: int, pushes: Sequence[Push]) -> fox.SceneUpdate | None:
        """The message after which these arrows are shown, and no others; None where there is nothing to tell."""
        return self._shown.update(t_ns, {push.pair: _arrow(t_ns, push) for push in pushes})


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
            link: before[link] if link in before and before[link][0] is own else (own, entity(t_ns, link, link, own))
            for link, own in shapes.items()
        }
        if shown is not None and shown.keys() == now.keys() and all(shown[link] is now[link] for link in now):
            return None
        self._shown[topic] = now
        gone = [deletion(t_ns, link) for link in before if link not in now]
        return fox.SceneUpdate(deletions=gone, entities=[made for _, made in now.values()])
