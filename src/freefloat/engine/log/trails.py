"""Paths that links have gone so far, as lines in the scene of a log.

A message holds the whole path, so that it is there at whatever instant a viewer goes to. To keep that small, a path has
at most `MOST` points, of which every other is left out when they are too many, and is written again when the run has
become longer by `GROWTH`: a day has some hundred messages more than a minute.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from foxglove import messages as fox

from freefloat.engine.log.frames import LinkColumns
from freefloat.engine.log.primitives import line, timestamp
from freefloat.geometry.scenery import Line

MOST = 200  # points of a path
LINKS = 16  # of a world that have a path, at most
GROWTH, PERIOD = 0.02, 0.5  # share of the time gone, and [s], after which paths are written again
PIXELS = 3.0  # thickness on the screen
SMALLEST = 1e-3  # [m] box around a path that is worth a line
COLOURS = (
    (0.12, 0.37, 0.66, 1.0),
    (0.78, 0.44, 0.16, 1.0),
    (0.24, 0.55, 0.35, 1.0),
    (0.55, 0.36, 0.75, 1.0),
)


class TrailTopic:
    """The paths of one world's links."""

    def __init__(self, frame: str, links: Sequence[LinkColumns]) -> None:
        self._frame = frame
        self._links = tuple(links[:LINKS])
        self._points: list[list[float]] = []  # p_WB of all links, at times that are `_every` apart
        self._every, self._count, self._due = 1, 0, 0.0
        self._start: float | None = None

    def update(self, t_ns: int, row: Sequence[float]) -> fox.SceneUpdate | None:
        """Go on to a row; the message that shows the paths until now, where it is time for one."""
        if not self._links:
            return None
        t = 1e-9 * t_ns
        here = [x for k in self._links for x in row[k.p_WB]]
        if self._start is None:
            self._start = self._due = t
        if self._count % self._every == 0:
            self._points.append(here)
            if len(self._points) > MOST:
                del self._points[1::2]
                self._every *= 2
        self._count += 1
        if t < self._due:
            return None
        self._due = t + max(PERIOD, GROWTH * (t - self._start))
        paths = np.array([*self._points, here]).reshape(-1, len(self._links), 3)
        entities: list[fox.SceneEntity] = []
        for n, k in enumerate(self._links):
            path = paths[:, n]
            if np.isfinite(path).all() and np.ptp(path, axis=0).max() > SMALLEST:
                drawn = line(Line(path, COLOURS[n % len(COLOURS)], pixels=PIXELS))
                stamp = timestamp(t_ns)
                entities.append(
                    fox.SceneEntity(timestamp=stamp, frame_id=self._frame, id=k.link, frame_locked=True, lines=[drawn])
                )
        return fox.SceneUpdate(entities=entities) if entities else None
