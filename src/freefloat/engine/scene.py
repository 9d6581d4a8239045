"""Which shapes are where: at an instant, and over a run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from freefloat.engine.pushes import Push
from freefloat.errors import unknown_name
from freefloat.frames import Pose
from freefloat.geometry.shape import Poses, Shape, Shapes

if TYPE_CHECKING:
    from freefloat.engine.plant import Plant

Looks: TypeAlias = list[tuple[float, Shapes]]  # [s] and the shapes from then on


class Placed(NamedTuple):
    """A shape where it is, in the W of its world."""

    world: str
    link: str
    shape: Shape
    X_WG: Pose


@dataclass(frozen=True)
class Scene:
    """Everything visible at one instant. `render(scene.shapes, scene.poses, camera, pushes=scene.pushes)` draws it."""

    shapes: Shapes  # link -> shapes
    poses: Poses  # link -> X_WL, in the W of its world
    worlds: Mapping[str, str]  # link -> name of its world
    pushes: Sequence[Push] = ()  # forces of contacts, as they were recorded last; empty in a scene of a session

    def of(self, world: str) -> Scene:
        """What is in one of several worlds."""
        names = [link for link, name in self.worlds.items() if name == world]
        if not names:
            raise unknown_name("world with links", world, dict.fromkeys(self.worlds.values()))
        shapes, poses = {n: self.shapes[n] for n in names}, {n: self.poses[n] for n in names}
        pushes = [push for push in self.pushes if push.world == world]
        return Scene(shapes, poses, dict.fromkeys(names, world), pushes)

    def __iter__(self) -> Iterator[Placed]:
        for link, shapes in self.shapes.items():
            for shape in shapes:
                yield Placed(self.worlds[link], link, shape, self.poses[link] @ shape.X_LG)


def shapes_of(plants: Sequence[Plant]) -> dict[str, tuple[Shape, ...]]:
    """The shapes of every link now."""
    return {name: link.shapes for plant in plants for name, link in plant.links.items()}


def scene_of(plants: Sequence[Plant]) -> Scene:
    """What is where now."""
    poses = {name: plant.motion(name)[0] for plant in plants for name in plant.links}
    worlds = {name: plant.name for plant in plants for name in plant.links}
    return Scene(shapes_of(plants), poses, worlds)


def same(a: Shapes, b: Shapes) -> bool:
    """Whether all links of both have the very same shapes."""
    return a.keys() == b.keys() and all(shapes is b[link] for link, shapes in a.items())


class ShapeHistory:
    """The shapes of all links since the start, a new entry at each change. `stale` asks for a look."""

    def __init__(self, plants: Sequence[Plant]) -> None:
        self._plants = plants
        self.looks: Looks = [(0.0, shapes_of(plants))]
        self.stale = False
        for plant in plants:
            plant.shapes.on_change = self._touch

    def _touch(self) -> None:
        self.stale = True

    def look(self, t: float) -> Shapes:
        """The shapes at t [s], which is now."""
        self.stale = False
        now = shapes_of(self._plants)
        if not same(now, self.looks[-1][1]):
            if self.looks[-1][0] == t:
                self.looks.pop()
            self.looks.append((t, now))
        return now


def shapes_at(looks: Looks, t: float) -> Shapes:
    """The shapes at an instant [s]: what changed at it has changed."""
    return looks[max(0, bisect_right(looks, t, key=lambda look: look[0]) - 1)][1]
