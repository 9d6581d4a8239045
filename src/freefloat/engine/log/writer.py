"""A run's log: one MCAP file that Foxglove opens and that survives the end of its process.

Written with foxglove-sdk: a typed topic per group and part (`engine.log.codec`), poses of links and named frames as
transforms on `/tf`, shapes on `/scene` and again at each change, forces of contacts, jets, paths and what never changes
on topics below it, events as text on `/events`, the scenario's fields on `/scenario`. Times are simulation nanoseconds
from 0. Chunks reach the file whole and at least every `FLUSH_PERIOD` of wall time, so a killed process loses less than
a second.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

import foxglove
import numpy as np
from foxglove import channels as fox_channels
from foxglove import messages as fox
from foxglove.mcap import MCAPCompression, MCAPWriteOptions
from numpy.typing import ArrayLike, NDArray

from freefloat.engine.log.codec import EVENTS, LAYOUT, SCENARIO, Topic, topics_of
from freefloat.engine.log.frames import FRAMES, FrameTopic, columns_of, links_of
from freefloat.engine.log.jets import JetTopic
from freefloat.engine.log.primitives import timestamp
from freefloat.engine.log.reader import LogData, read_log
from freefloat.engine.log.scene import FORCES, JETS, TRAILS, WORLD, ForceTopic, SceneTopics, of_world, still_updates
from freefloat.engine.log.trails import TrailTopic
from freefloat.engine.pushes import FORCE, POINT, contacts_of, pushes_of
from freefloat.engine.seen import Seen
from freefloat.engine.signals import Signal
from freefloat.errors import InputError, SimulationError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shapes

__all__ = ["LogData", "LogWriter", "read_log"]

FLUSH_PERIOD = 0.5  # [s] wall time
TRANSFORM_RATE = 50.0  # [Hz] of simulation time; the recorded poses keep their full rate in their own topic
CHUNK_SIZE = 1 << 20  # [bytes]
_TEXTS = {name: {"type": "string"} for name in ("field", "value", "unit", "meaning")}
_TABLE = {
    "title": "freefloat.Scenario",
    "type": "object",
    "properties": {"fields": {"type": "array", "items": {"type": "object", "properties": _TEXTS}}},
}

# The SDK reports a failed write through logging, once per message; we report it once, as an error.
logging.getLogger("foxglove").addHandler(logging.NullHandler())


@dataclass(frozen=True)
class _Output:
    """A topic with the SDK's channel that takes its messages."""

    layout: Topic
    sink: foxglove.Channel


@dataclass(frozen=True)
class WorldView:
    """What a log shows of a world beside the shapes of its links."""

    frames: Mapping[str, tuple[str, Pose]] = field(default_factory=dict[str, tuple[str, Pose]])  # -> link, X_LF
    seen: Seen = field(default_factory=Seen)
    roots: Sequence[str] = ()  # free links, which have a path


NOTHING = WorldView()


class _PlantTopics:
    """What follows from the rows of one world's plant."""

    def __init__(self, world: str, signals: Sequence[Signal], view: WorldView) -> None:
        where, links = columns_of(signals), links_of(signals)
        traced = dict.fromkeys([*view.seen.traced, *view.roots])
        self.world = world
        self.frames = FrameTopic(world, links, view.frames)
        self.jets = JetTopic(view.seen.jets, where)
        self.trails = TrailTopic(world or WORLD, [k for k in links if k.link in traced])
        self._contacts = {c: (where[c + FORCE], where[c + POINT]) for c in contacts_of(where)}
        self._forces = ForceTopic()
        self._tick = -1

    def posed(self, t: NDArray[np.float64]) -> set[int]:
        """Indices of the rows that start a new period of `TRANSFORM_RATE`."""
        if not self.frames.links or not len(t):
            return set()
        ticks = np.floor(t * TRANSFORM_RATE + 1e-6)
        due = np.flatnonzero(np.diff(ticks, prepend=self._tick) > 0)
        self._tick = int(ticks[-1])
        return set(due.tolist())

    def scenes(self, stamp: int, row: NDArray[np.float64], numbers: Sequence[float]) -> dict[str, fox.SceneUpdate]:
        """Messages by topic of forces and paths at a row, which `numbers` are too."""
        columns, world = self._contacts.items(), self.world
        pushes = [x for c, (f, p) in columns for x in pushes_of(c, world, row[f].reshape(-1, 3), row[p].reshape(-1, 3))]
        found = {FORCES: self._forces.update(stamp, pushes), TRAILS: self.trails.update(stamp, numbers)}
        return {of_world(topic, world): update for topic, update in found.items() if update is not None}


def _described(signals: Sequence[Signal]) -> dict[str, str]:
    return {s.name: f"[{s.unit}] frame {s.frame or '-'}: {s.meaning}{_of(s.labels)}" for s in signals}


def _of(labels: Sequence[str]) -> str:
    return f" ({', '.join(labels)})" if labels else ""


class LogWriter:
    """Writes one log. `groups` maps a group's name to its signals in column order; a file that exists is refused unless
    `overwrite`, and no folder is made.

    Safe to use from one thread at a time; a background thread only flushes. Several writers may be open at once.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        groups: Mapping[str, Sequence[Signal]],
        scene: Shapes | None = None,
        views: Mapping[str, WorldView] | None = None,  # by the name of the world, empty where a mission has one
        start: float = 0.0,  # [s]
        overwrite: bool = False,
    ) -> None:
        self.path = Path(path)
        views = views or {}
        self._widths = {g: sum(s.size for s in signals) for g, signals in groups.items()}
        layouts = {g: topics_of(g, signals) for g, signals in groups.items()}
        self._scene, self._first = SceneTopics(), round(start * 1e9)
        first = self._first
        updates = self._scene.updates(first, scene or {})
        self._context = foxglove.Context()
        self._writer = self._open(overwrite)
        self._outputs = {g: [self._output(c) for c in layout] for g, layout in layouts.items()}
        self._plants: dict[str, _PlantTopics] = {}  # by group; records repeat some of what they have
        for g in groups:
            if g == "plant" or g.endswith(".plant"):
                world = g.removesuffix("plant").removesuffix(".")
                self._plants[g] = _PlantTopics(world, groups[g], views.get(world, NOTHING))
        self._transforms = fox_channels.FrameTransformsChannel(FRAMES, context=self._context)
        self._events = fox_channels.LogChannel(EVENTS, context=self._context)
        self._lock = threading.Lock()
        self._dirty = False
        self._error: str | None = None
        self._closed = threading.Event()
        described = {g: [asdict(s) for s in signals] for g, signals in groups.items()}
        self.metadata(LAYOUT, {"version": "1", "groups": json.dumps(described)})
        self._scene_channels: dict[str, fox_channels.SceneUpdateChannel] = {}
        self._show(first, updates)
        self._show(first, still_updates(first, {world: view.seen.drawn for world, view in views.items()}))
        self.flush()
        self._flusher = threading.Thread(target=self._keep_flushed, name=f"flush {self.path.name}", daemon=True)
        self._flusher.start()

    def _open(self, overwrite: bool) -> foxglove.MCAPWriter:
        if not self.path.parent.is_dir():
            raise InputError(f"log {self.path}: there is no folder {self.path.parent}; make it, or give another path")
        # Without seeking the SDK builds a chunk in memory and writes it whole: a killed process leaves no half chunk.
        options = MCAPWriteOptions(
            compression=MCAPCompression.Lz4, profile="", chunk_size=CHUNK_SIZE, disable_seeking=True
        )
        try:
            return foxglove.open_mcap(
                self.path, context=self._context, writer_options=options, allow_overwrite=overwrite
            )
        except FileExistsError:
            raise InputError(f"log {self.path} exists; give another path, or overwrite=True") from None
        except OSError as e:
            raise InputError(f"log {self.path} cannot be created: {e}") from None

    def _output(self, layout: Topic) -> _Output:
        codec = layout.codec
        schema = foxglove.Schema(name=codec.schema_name, encoding="protobuf", data=codec.schema)
        sink = foxglove.Channel(
            layout.name,
            schema=schema,
            message_encoding="protobuf",
            context=self._context,
            metadata=_described(codec.signals),
        )
        return _Output(layout, sink)

    def write(self, group: str, t: ArrayLike, rows: ArrayLike) -> None:
        """Append rows (n, k) of a group at times t (n,) [s], not decreasing."""
        time, table = np.asarray(t, dtype=np.float64), np.asarray(rows, dtype=np.float64)
        if table.shape != (len(time), self._widths[group]):
            raise ValueError(f"group {group!r} takes rows ({len(time)}, {self._widths[group]}), got {table.shape}")
        self._check_open()
        stamps = np.rint(time * 1e9).astype(np.int64).tolist()
        outputs = self._outputs[group]
        sinks = [o.sink.base.log for o in outputs]
        blocks = [o.layout.codec.encode(time, table[:, o.layout.columns]) for o in outputs]
        plant = self._plants.get(group)
        posed = plant.posed(time) if plant is not None else set[int]()
        fired = plant.jets.changes(table) if plant is not None else {}
        for i, stamp in enumerate(stamps):  # row by row: a cut file then holds the same rows of every part
            for log, messages in zip(sinks, blocks, strict=True):
                log(messages[i], stamp)
            if plant is not None and i in posed:
                numbers = table[i].tolist()
                self._transforms.log(plant.frames.message(stamp, numbers), log_time=stamp)
                self._show(stamp, plant.scenes(stamp, table[i], numbers))
            if plant is not None and i in fired:
                update = plant.jets.update(stamp, fired[i])
                self._show(stamp, {of_world(JETS, plant.world): update} if update is not None else {})
        self._dirty = True

    def scene(self, t: float, shapes: Shapes) -> None:
        """Show these shapes, by link, from t [s] on; writes nothing where they are shown already."""
        self._check_open()
        stamp = round(t * 1e9)
        self._show(stamp, self._scene.updates(stamp, shapes))

    def _show(self, stamp: int, updates: Mapping[str, fox.SceneUpdate]) -> None:
        for topic, update in updates.items():
            if topic not in self._scene_channels:
                self._scene_channels[topic] = fox_channels.SceneUpdateChannel(topic, context=self._context)
            self._scene_channels[topic].log(update, log_time=stamp)
            self._dirty = True

    def event(self, t: float, name: str, text: str = "") -> None:
        """Log that something happened at t [s]; Foxglove's log panel shows it."""
        self._check_open()
        stamp = round(t * 1e9)
        entry = fox.Log(timestamp=timestamp(stamp), level=fox.LogLevel.Info, name=name, message=text)
        self._events.log(entry, log_time=stamp)
        self._dirty = True

    def scenario(self, fields: Sequence[Mapping[str, str]]) -> None:
        """Put the scenario's fields at the log's start, one row of texts each; Foxglove's table panel shows them."""
        self._check_open()
        sink = foxglove.Channel(SCENARIO, schema=_TABLE, context=self._context)
        sink.log({"fields": [dict(row) for row in fields]}, log_time=self._first)
        self._dirty = True

    def metadata(self, name: str, mapping: Mapping[str, object]) -> None:
        """Add a named record of texts, for example the scenario or the metrics."""
        self._check_open()
        self._attempt(lambda: self._writer.write_metadata(name, {k: str(v) for k, v in mapping.items()}))
        self._dirty = True

    def flush(self) -> None:
        """End the chunk and hand everything to the operating system."""
        self._check_open()
        self._flush()
        self._raise_failure()

    def close(self) -> None:
        """Write the index and close the file. Closing twice does nothing."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._flusher.join()
        self._attempt(self._writer.close)
        self._raise_failure()

    def _keep_flushed(self) -> None:
        while not self._closed.wait(FLUSH_PERIOD):
            if self._dirty:
                self._flush()

    def _flush(self) -> None:
        self._dirty = False
        self._attempt(self._writer.flush)

    def _attempt(self, action: Callable[[], None]) -> None:
        """Call the SDK's writer, one thread at a time; the first failure is kept for the caller's thread."""
        with self._lock:
            try:
                action()
            except (RuntimeError, OSError) as e:
                self._error = self._error or str(e)

    def _check_open(self) -> None:
        if self._closed.is_set():
            raise ValueError(f"log {self.path} is closed")
        self._raise_failure()

    def _raise_failure(self) -> None:
        if self._error is not None:
            raise SimulationError(f"log {self.path} cannot be written: {self._error}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
