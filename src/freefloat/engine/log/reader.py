"""Reads a run's log back into tables, also when its writer was killed: everything before the first broken record."""

from __future__ import annotations

import json
import struct
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel as ChannelRecord
from mcap.records import Chunk, Metadata
from mcap.stream_reader import get_chunk_data_stream

from freefloat.engine.log.codec import ABOUT, EVENTS, LAYOUT, text_fields, topics_of
from freefloat.engine.signals import Signal
from freefloat.errors import InputError, unknown_name

Table = np.ndarray[tuple[int, int], np.dtype[np.float64]]

_MAGIC = b"\x89MCAP0\r\n"
_RECORD = struct.Struct("<BQ")  # opcode, length
_MESSAGE = struct.Struct("<HIQQ")  # channel, sequence, log time, publish time
_LOG_TEXT, _LOG_NAME = 3, 4  # fields of foxglove.Log
# What broken bytes can raise: framing, text and checksums (ValueError), the mcap package, lz4 and zstd.
_BROKEN = (struct.error, ValueError, McapError, RuntimeError, MemoryError, OverflowError)


@dataclass(frozen=True)
class LogData:
    """A log in memory.

    frames: per group a table with `t` [s] and one column per signal; vectors and matrices are Array columns.
    events: `t` [s], `name`, `text`. complete: False when the writer did not close the file.
    """

    frames: Mapping[str, pl.DataFrame]
    signals: Mapping[str, Signal]
    events: pl.DataFrame
    metadata: Mapping[str, Mapping[str, str]]
    complete: bool


@dataclass
class _Content:
    """Raw records of a file, in order."""

    metadata: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    topics: dict[int, str] = field(default_factory=dict[int, str])
    messages: dict[str, list[tuple[int, bytes]]] = field(
        default_factory=lambda: defaultdict[str, list[tuple[int, bytes]]](list)
    )
    complete: bool = False
    wanted: frozenset[str] | None = None  # topics whose messages are kept; None: all

    def take(self, opcode: int, body: bytes) -> None:
        if opcode == Opcode.MESSAGE:
            channel, _, stamp, _ = _MESSAGE.unpack_from(body)
            topic = self.topics[channel]
            if self.wanted is None or topic in self.wanted:
                self.messages[topic].append((stamp, body[_MESSAGE.size :]))
        elif opcode == Opcode.CHUNK:
            stream, size = get_chunk_data_stream(Chunk.read(_stream(body)), validate_crc=True)
            for inner, inner_body in _records(stream.read(size), 0):
                self.take(inner, inner_body)
        elif opcode == Opcode.CHANNEL:
            record = ChannelRecord.read(_stream(body))
            self.topics[record.id] = record.topic
        elif opcode == Opcode.METADATA:
            entry = Metadata.read(_stream(body))
            self.metadata[entry.name] = entry.metadata


def _stream(body: bytes) -> ReadDataStream:
    return ReadDataStream(BytesIO(body))


def _records(data: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """Whole records from byte `at` on; a record cut by the end of the data is left out."""
    while at + _RECORD.size <= len(data):
        opcode, size = _RECORD.unpack_from(data, at)
        start, at = at + _RECORD.size, at + _RECORD.size + size
        if at > len(data):
            return
        yield opcode, data[start:at]


def _scan(data: bytes, wanted: frozenset[str] | None = None) -> _Content:
    content = _Content(wanted=wanted)
    for opcode, body in _records(data, len(_MAGIC)):
        if opcode == Opcode.FOOTER:
            content.complete = data.endswith(_MAGIC)
            break
        try:
            content.take(opcode, body)
        except (*_BROKEN, KeyError):
            break
    return content


def _load(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"log {path} does not exist") from None
    except OSError as e:
        raise InputError(f"log {path} cannot be read: {e.strerror}") from None
    if not data:
        raise InputError(f"log {path} is empty; a log is an MCAP file written by freefloat run")
    if not data.startswith(_MAGIC):
        raise InputError(f"log {path} is not an MCAP file: it starts with {data[:8]!r}, allowed {_MAGIC!r}")
    return data


def _layout(path: Path, metadata: Mapping[str, Mapping[str, str]]) -> dict[str, list[Signal]]:
    record = metadata.get(LAYOUT)
    if record is None:
        found = ", ".join(sorted(metadata)) or "none"
        raise InputError(
            f"log {path} has no metadata record {LAYOUT!r} (found: {found}): "
            "it was not written by Freefloat, or was cut before its first record"
        )
    version = record.get("version")
    try:
        groups: dict[str, list[dict[str, Any]]] = json.loads(record["groups"])
        return {g: [_signal(**s) for s in signals] for g, signals in groups.items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"log {path}: record {LAYOUT!r} has version {version!r}, allowed '1'") from None


def _signal(name: str, unit: str, shape: list[int], frame: str, meaning: str, labels: Sequence[str] = ()) -> Signal:
    """Logs of version 0.1 and before have no labels."""
    return Signal(name, unit, tuple(int(k) for k in shape), frame, meaning, tuple(labels))


def _rows(path: Path, group: str, signals: Sequence[Signal], content: _Content) -> Table:
    """Rows [t, columns...] that every part of the group has; after a kill the last row may be missing from some."""
    parts = topics_of(group, signals)
    n = min((len(content.messages[topic.name]) for topic in parts), default=0)
    rows = np.empty((n, 1 + sum(s.size for s in signals)))
    for topic in parts:
        messages = [m for _, m in content.messages[topic.name][:n]]
        if any(len(m) != topic.codec.length for m in messages):
            raise InputError(f"log {path}: topic {topic.name} holds messages that do not match its layout")
        rows[:, 0], rows[:, 1:][:, topic.columns] = topic.codec.decode(messages)
    return rows


def _frame(path: Path, group: str, signals: Sequence[Signal], content: _Content) -> pl.DataFrame:
    rows = _rows(path, group, signals, content)
    series = [pl.Series("t", rows[:, 0])]
    at = 1
    for s in signals:
        series.append(_series(s, rows[:, at : at + s.size]))
        at += s.size
    return pl.DataFrame(series)


def _series(signal: Signal, block: Table) -> pl.Series:
    flat = pl.Series(signal.name, block.ravel(), dtype=pl.Float64)
    return flat if signal.shape == () else flat.reshape((len(block), *signal.shape))


def _events(content: _Content) -> pl.DataFrame:
    rows = [(stamp / 1e9, text_fields(m, (_LOG_TEXT, _LOG_NAME))) for stamp, m in content.messages[EVENTS]]
    return pl.DataFrame(
        {
            "t": [t for t, _ in rows],
            "name": [f.get(_LOG_NAME, "") for _, f in rows],
            "text": [f.get(_LOG_TEXT, "") for _, f in rows],
        },
        schema={"t": pl.Float64, "name": pl.String, "text": pl.String},
    )


def read_log(path: str | PathLike[str]) -> LogData:
    """Read a log written by `LogWriter`. A file that was cut short gives its whole rows and `complete=False`."""
    path = Path(path)
    content = _scan(_load(path))
    layout = _layout(path, content.metadata)
    return LogData(
        frames={g: _frame(path, g, signals, content) for g, signals in layout.items()},
        signals={s.name: s for signals in layout.values() for s in signals},
        events=_events(content),
        metadata={name: entry for name, entry in content.metadata.items() if name != LAYOUT},
        complete=content.complete,
    )


def read_messages(path: str | PathLike[str], topics: Sequence[str]) -> list[tuple[str, int, bytes]]:
    """Messages of some topics, with topic and time [ns], in the order of each topic."""
    content = _scan(_load(Path(path)), frozenset(topics))
    return [(topic, stamp, message) for topic in topics for stamp, message in content.messages.get(topic, ())]


def read_groups(path: str | PathLike[str]) -> dict[str, list[Signal]]:
    """The groups of a log and their signals in column order."""
    path = Path(path)
    return _layout(path, _scan(_load(path), frozenset()).metadata)


def read_about(path: str | PathLike[str]) -> Mapping[str, str]:
    """What a log says of where it comes from; empty where it says nothing."""
    return _scan(_load(Path(path)), frozenset()).metadata.get(ABOUT, {})


def read_rows(path: str | PathLike[str], group: str) -> Table:
    """The rows [t, columns...] of one group of a log; nothing else of it is kept."""
    path = Path(path)
    data = _load(path)
    layout = _layout(path, _scan(data, frozenset()).metadata)
    if group not in layout:
        raise unknown_name(f"group of log {path}", group, layout)
    topics = frozenset(topic.name for topic in topics_of(group, layout[group]))
    return _rows(path, group, layout[group], _scan(data, topics))


class LoggedRows(Mapping[str, Table]):
    """Rows by group that are in a log only; a group is read when it is asked for, and kept then."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: dict[str, Table] = {}

    def __getitem__(self, group: str) -> Table:
        if group not in self._read:
            self._read[group] = read_rows(self._path, group)
        return self._read[group]

    def __iter__(self) -> Iterator[str]:
        return iter(read_groups(self._path))

    def __len__(self) -> int:
        return len(read_groups(self._path))
