"""Transforms of a log: where every link is against its world, and every named frame against its link.

A message holds all of them, those that never change too: viewers that go to an instant take the last one before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from foxglove import messages as fox

from freefloat.engine.log.primitives import quaternion, timestamp, vector
from freefloat.engine.log.scene import WORLD
from freefloat.engine.signals import Signal
from freefloat.frames import Pose

FRAMES = "/tf"  # topic


def columns_of(signals: Sequence[Signal]) -> dict[str, slice]:
    """Signals with their columns in a row."""
    ends = np.cumsum([s.size for s in signals]).tolist()
    return {s.name: slice(end - s.size, end) for s, end in zip(signals, ends, strict=True)}


@dataclass(frozen=True)
class LinkColumns:
    """A link with the columns of its position and attitude."""

    link: str
    p_WB: slice
    q_WB: slice


def links_of(signals: Sequence[Signal]) -> list[LinkColumns]:
    """Links whose position and attitude are both among the signals."""
    where = columns_of(signals)
    links = [s.name.removesuffix(".p_WB") for s in signals if s.name.endswith(".p_WB") and s.shape == (3,)]
    return [LinkColumns(x, where[f"{x}.p_WB"], where[f"{x}.q_WB"]) for x in links if f"{x}.q_WB" in where]


@dataclass(frozen=True)
class _Fixed:
    """A transform that never changes."""

    parent: str
    child: str
    translation: fox.Vector3
    rotation: fox.Quaternion


class FrameTopic:
    """The transforms of one world: from W to the world, where it has a name, to its links, and to their frames."""

    def __init__(
        self, world: str, links: Sequence[LinkColumns], frames: Mapping[str, tuple[str, Pose]] | None = None
    ) -> None:
        self._root = world or WORLD
        self.links = tuple(links)
        known = {k.link for k in links}
        self._fixed = [
            _Fixed(link, name, vector(*X_LF.p.tolist()), quaternion(X_LF.q.tolist()))
            for name, (link, X_LF) in (frames or {}).items()
            if link in known and name not in known
        ]
        if world:  # every world's own W stands at the root of what a viewer shows
            self._fixed.insert(0, _Fixed(WORLD, world, vector(0.0, 0.0, 0.0), quaternion((1.0, 0.0, 0.0, 0.0))))

    def message(self, t_ns: int, row: Sequence[float]) -> fox.FrameTransforms:
        """Where all frames are, by a row of the plant's signals."""
        stamp = timestamp(t_ns)
        found = [
            fox.FrameTransform(
                timestamp=stamp,
                parent_frame_id=self._root,
                child_frame_id=k.link,
                translation=vector(*row[k.p_WB]),
                rotation=quaternion(row[k.q_WB]),
            )
            for k in self.links
        ]
        found += [
            fox.FrameTransform(
                timestamp=stamp,
                parent_frame_id=f.parent,
                child_frame_id=f.child,
                translation=f.translation,
                rotation=f.rotation,
            )
            for f in self._fixed
        ]
        return fox.FrameTransforms(transforms=found)
