"""A part that is only seen: a path to follow, a target, a region; nothing of it acts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from freefloat.engine.blueprint import Builder
from freefloat.engine.tree import WORLD
from freefloat.errors import unknown_name
from freefloat.geometry.scenery import Drawing, Drawn, Layer


@dataclass(frozen=True, eq=False)
class Scenery:
    """Drawings in the frame of a link, or of the world, which logs show on the topic `/scene/LAYER`."""

    name: str
    drawings: Sequence[Drawing]
    layer: Layer = "paths"
    on: str = WORLD  # a link of a part that comes before, or the world

    def build(self, b: Builder) -> None:
        """It adds nothing that moves or acts."""
        if self.on != WORLD and self.on not in b.blueprint.links:
            raise unknown_name(f"link (of scenery {self.name!r})", self.on, [WORLD, *b.blueprint.links])
        b.blueprint.seen.drawn[self.name] = Drawn(self.layer, tuple(self.drawings), self.on)
