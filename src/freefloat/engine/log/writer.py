"""A run's log: one MCAP file that Foxglove opens and that survives the end of its process.

Written with foxglove-sdk: a typed topic per group and part (`engine.log.codec`), link poses as transforms on `/tf`,
shapes on `/scene` and again at each change, forces of contacts on `/scene/forces`, events as text on `/events`. Times
are simulation nanoseconds from 0. Chunks reach the file whole and at least every `FLUSH_PERIOD` of wall time, so a
killed process loses less than a second.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
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

from freefloat.engine.log.codec import EVENTS, LAYOUT, Topic, topics_of
from freefloat.engine.log.reader import LogData, read_log
from freefloat.engine.log.scene import FORCES, WORLD, ForceTopic, SceneTopics, timestamp, transform
from freefloat.engine.pushes import FORCE, POINT, contacts_of, pushes_of
from freefloat.engine.signals import Signal
from freefloat.errors import InputError, SimulationError
from freefloat.geometry.shape import Shapes

__all__ = ["LogData", "LogWriter", "read_log"]

FLUSH_PERIOD = 0.5  # [s] wall time
TRANSFORM_RATE = 50.0  # [Hz] of simulation time; the recorded poses keep their full rate in their own topic
CHUNK_SIZE = 1 << 20  # [bytes]

# The SDK reports a failed write through logging, once per message; we report it once, as an error.
logging.getLogger("foxglove").addHandler(logging.NullHandler())


@dataclass(frozen=True)
class _Output:
    """A topic with the SDK's channel that takes its messages."""

    layout: Topic
    sink: foxglove.Channel


@dataclass(frozen=True)
class _LinkColumns:
    link: str
    p_WB: slice
    q_WB: slice


def _columns(signals: Sequence[Signal]) -> dict[str, slice]:
    ends = np.cumsum([s.size for s in signals]).tolist()
    return {s.name: slice(end - s.size, end) for s, end in zip(signals, ends, strict=True)}


def _force_columns(signals: Sequence[Signal]) -> dict[str, tuple[slice, slice]]:
    """Contacts with the columns of their forces and of where these act."""
    where = _columns(signals)
    return {c: (where[c + FORCE], where[c + POINT]) for c in contacts_of(where)}


def _link_columns(signals: Sequence[Signal]) -> list[_LinkColumns]:
    """Links whose position and attitude are both among the signals, with their columns."""
    where = _columns(signals)
    links = [s.name.removesuffix(".p_WB") for s in signals if s.name.endswith(".p_WB") and s.shape == (3,)]
    return [_LinkColumns(x, where[f"{x}.p_WB"], where[f"{x}.q_WB"]) for x in links if f"{x}.q_WB" in where]


def _described(signals: Sequence[Signal]) -> dict[str, str]:
    return {s.name: f"[{s.unit}] frame {s.frame or '-'}: {s.meaning}{_of(s.labels)}" for s in signals}


def _of(labels: Sequence[str]) -> str:
    return f" ({', '.join(labels)})" if labels else ""


class LogWriter:
    """Writes one log. `groups` maps a group's name to its signals in column order; a file is never overwritten.

    Safe to use from one thread at a time; a background thread only flushes. Several writers may be open at once.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        groups: Mapping[str, Sequence[Signal]],
        scene: Shapes | None = None,
        worlds: Mapping[str, str] | None = None,  # link -> its world, where a mission has several
        start: float = 0.0,  # [s]
    ) -> None:
        self.path = Path(path)
        self._worlds = dict(worlds or {})
        self._widths = {g: sum(s.size for s in signals) for g, signals in groups.items()}
        layouts = {g: topics_of(g, signals) for g, signals in groups.items()}
        self._scene, first = SceneTopics(), round(start * 1e9)
        updates = self._scene.updates(first, scene or {})
        self._context = foxglove.Context()
        self._writer = self._open()
        self._outputs = {g: [self._output(c) for c in layout] for g, layout in layouts.items()}
        everything = [g for g in groups if g == "plant" or g.endswith(".plant")]  # records repeat some of it
        self._links = {g: _link_columns(signals) if g in everything else [] for g, signals in groups.items()}
        self._contacts = {g: _force_columns(signals) if g in everything else {} for g, signals in groups.items()}
        self._forces = {g: ForceTopic() for g in groups}
        self._tick = dict.fromkeys(groups, -1)
        self._transforms = fox_channels.FrameTransformsChannel("/tf", context=self._context)
        self._events = fox_channels.LogChannel(EVENTS, context=self._context)
        self._lock = threading.Lock()
        self._dirty = False
        self._error: str | None = None
        self._closed = threading.Event()
        described = {g: [asdict(s) for s in signals] for g, signals in groups.items()}
        self.metadata(LAYOUT, {"version": "1", "groups": json.dumps(described)})
        self._scene_channels: dict[str, fox_channels.SceneUpdateChannel] = {}
        self._show(first, updates)
        if self._worlds:  # every world's own W stands at the root of what Foxglove shows
            names = dict.fromkeys(self._worlds.values())
            frames = [transform(first, world, (0, 0, 0), (1, 0, 0, 0)) for world in names]
            self._transforms.log(fox.FrameTransforms(transforms=frames), log_time=first)
        self.flush()
        self._flusher = threading.Thread(target=self._keep_flushed, name=f"flush {self.path.name}", daemon=True)
        self._flusher.start()

    def _open(self) -> foxglove.MCAPWriter:
        # Without seeking the SDK builds a chunk in memory and writes it whole: a killed process leaves no half chunk.
        options = MCAPWriteOptions(
            compression=MCAPCompression.Lz4, profile="", chunk_size=CHUNK_SIZE, disable_seeking=True
        )
        try:
            return foxglove.open_mcap(self.path, context=self._context, writer_options=options)
        except FileExistsError:
            raise InputError(f"log {self.path} exists; a log is never overwritten, give another path") from None
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
        posed = self._rows_with_poses(group, time)
        for i, stamp in enumerate(stamps):  # row by row: a cut file then holds the same rows of every part
            for log, messages in zip(sinks, blocks, strict=True):
                log(messages[i], stamp)
            if i in posed:
                self._write_poses(group, stamp, table[i].tolist())
                self._write_forces(group, stamp, table[i])
        self._dirty = True

    def _rows_with_poses(self, group: str, t: NDArray[np.float64]) -> set[int]:
        """Indices of the rows that start a new period of `TRANSFORM_RATE`."""
        if not self._links[group] or not len(t):
            return set()
        ticks = np.floor(t * TRANSFORM_RATE + 1e-6)
        due = np.flatnonzero(np.diff(ticks, prepend=self._tick[group]) > 0)
        self._tick[group] = int(ticks[-1])
        return set(due.tolist())

    def _write_poses(self, group: str, stamp: int, row: list[float]) -> None:
        poses = [
            transform(stamp, k.link, row[k.p_WB], row[k.q_WB], self._worlds.get(k.link, WORLD))
            for k in self._links[group]
        ]
        self._transforms.log(fox.FrameTransforms(transforms=poses), log_time=stamp)

    def _write_forces(self, group: str, stamp: int, row: NDArray[np.float64]) -> None:
        world = group.removesuffix("plant").removesuffix(".")
        columns = self._contacts[group].items()
        pushes = [x for c, (f, p) in columns for x in pushes_of(c, world, row[f].reshape(-1, 3), row[p].reshape(-1, 3))]
        update = self._forces[group].update(stamp, pushes)
        if update is not None:
            self._show(stamp, {f"{FORCES}/{world}" if world else FORCES: update})

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
