"""Rows of signals as protobuf messages of constant length, so that a block is encoded and decoded without a loop.

A topic holds the signals of one part in one group. Its message has the time and every signal as doubles:
`arm.q` (7,) is the packed field `q`, `arm.shoulder.tau` is `tau` in the nested message `shoulder`. All sizes are known
beforehand, so a message is a constant template with the doubles copied in, and any protobuf reader understands it.
Wire format: https://protobuf.dev/programming-guides/encoding; descriptors: google/protobuf/descriptor.proto.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.signals import Signal
from freefloat.errors import InputError

_DOUBLE, _MESSAGE = 1, 11  # FieldDescriptorProto.Type
_OPTIONAL, _REPEATED = 1, 3  # FieldDescriptorProto.Label
_VARINT, _FIXED64, _BYTES = 0, 1, 2  # wire types
TIME_FIELD = "t"
LAYOUT = "freefloat.layout"  # metadata record: every group's signals in column order
ABOUT = "freefloat"  # metadata record: version, seed, step, scenario, what it plots
EVENTS = "/events"  # topic of foxglove.Log messages
SCENARIO = "/scenario"  # topic of one message with the scenario's fields


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(tag: int, value: int) -> bytes:
    return _varint(tag << 3 | _VARINT) + _varint(value)


def _bytes(tag: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _varint(tag << 3 | _BYTES) + _varint(len(raw)) + raw


def identifier(name: str) -> str:
    """A protobuf identifier for a name of ours; dots and dashes become underscores."""
    clean = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return clean if clean[:1].isalpha() else "_" + clean


@dataclass
class _Node:
    """A message type under construction: its fields in order, each a leaf (columns, shape) or a nested message."""

    fields: dict[str, _Node | _Leaf] = field(default_factory=dict[str, "_Node | _Leaf"])


@dataclass(frozen=True)
class _Leaf:
    offset: int  # first column in the topic's row
    width: int  # columns
    scalar: bool


def _tree(signals: Sequence[Signal], depth: int) -> _Node:
    """Nest the signals by the parts of their names after the first `depth`; column 0 is the time."""
    root = _Node({TIME_FIELD: _Leaf(0, 1, True)})
    offset = 1
    for s in signals:
        *path, last = (identifier(p) for p in s.name.split(".")[depth:])
        node = root
        for p in path:
            child = node.fields.setdefault(p, _Node())
            if isinstance(child, _Leaf):
                raise InputError(f"signal {s.name!r} cannot be logged: {p!r} is itself a signal; rename one of them")
            node = child
        if last in node.fields:
            raise InputError(f"signal {s.name!r} cannot be logged: its field {last!r} is taken; rename the signal")
        node.fields[last] = _Leaf(offset, s.size, s.shape == ())
        offset += s.size
    return root


def _template(node: _Node) -> tuple[bytes, list[tuple[int, int, int]]]:
    """Message bytes with zeros for the doubles, and (byte, column, count) of each run of doubles."""
    out = b""
    runs: list[tuple[int, int, int]] = []
    for tag, child in enumerate(node.fields.values(), start=1):
        if isinstance(child, _Leaf) and child.scalar:
            out += _varint(tag << 3 | _FIXED64)
            runs.append((len(out), child.offset, 1))
            out += bytes(8)
            continue
        if isinstance(child, _Leaf):
            inner, inner_runs = bytes(8 * child.width), [(0, child.offset, child.width)]
        else:
            inner, inner_runs = _template(child)
        out += _varint(tag << 3 | _BYTES) + _varint(len(inner))
        runs += [(len(out) + byte, column, count) for byte, column, count in inner_runs]
        out += inner
    return out, runs


def _descriptor(node: _Node, name: str, full_name: str) -> bytes:
    """DescriptorProto: name = 1, field = 2, nested_type = 3."""
    out = _bytes(1, name)
    for tag, (key, child) in enumerate(node.fields.items(), start=1):
        repeated = isinstance(child, _Leaf) and not child.scalar
        proto = _bytes(1, key) + _number(3, tag) + _number(4, _REPEATED if repeated else _OPTIONAL)
        if isinstance(child, _Leaf):
            proto += _number(5, _DOUBLE)
        else:
            nested = f"{key}_fields"
            proto += _number(5, _MESSAGE) + _bytes(6, f".{full_name}.{nested}")
            out += _bytes(3, _descriptor(child, nested, f"{full_name}.{nested}"))
        out += _bytes(2, proto + _bytes(10, key))
    return out


class RowCodec:
    """Encodes and decodes the rows of one topic: time and the columns of `signals`, in that order.

    depth: how many leading parts of each dotted name the topic already says.
    """

    def __init__(self, package: str, message: str, signals: Sequence[Signal], depth: int) -> None:
        self.signals = tuple(signals)
        self.width = sum(s.size for s in signals)
        self.schema_name = f"{package}.{message}"
        tree = _tree(signals, depth)
        file = _bytes(1, f"{self.schema_name}.proto") + _bytes(2, package)
        file += _bytes(4, _descriptor(tree, message, self.schema_name)) + _bytes(12, "proto3")
        self.schema = _bytes(1, file)  # FileDescriptorSet
        template, self._runs = _template(tree)
        self._template = np.frombuffer(template, np.uint8)
        self.length = len(template)

    def encode(self, t: NDArray[np.float64], rows: NDArray[np.float64]) -> list[bytes]:
        """One message per row; t (n,) [s], rows (n, width)."""
        table = np.ascontiguousarray(np.column_stack([t, rows]), dtype="<f8").view(np.uint8)
        out = np.tile(self._template, (len(t), 1))
        for byte, column, count in self._runs:
            out[:, byte : byte + 8 * count] = table[:, 8 * column : 8 * (column + count)]
        whole, n = out.tobytes(), self.length
        return [whole[i : i + n] for i in range(0, len(whole), n)]

    def decode(self, messages: Sequence[bytes]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Inverse of `encode`: t (n,) and rows (n, width)."""
        raw = np.frombuffer(b"".join(messages), np.uint8).reshape(len(messages), self.length)
        table = np.empty((len(messages), 8 * (1 + self.width)), np.uint8)
        for byte, column, count in self._runs:
            table[:, 8 * column : 8 * (column + count)] = raw[:, byte : byte + 8 * count]
        values = table.view("<f8").astype(np.float64)
        return values[:, 0].copy(), values[:, 1:]


@dataclass(frozen=True)
class Topic:
    """One topic of a group: the signals of one part and the columns that they take in the group's rows."""

    name: str
    codec: RowCodec
    columns: NDArray[np.intp]


def topics_of(group: str, signals: Sequence[Signal]) -> list[Topic]:
    """The topics of a group, `/group/part` in order of first mention: Foxglove plots `arm.q` as `/plant/arm.q[0]`."""
    parts: dict[str, list[int]] = {}
    for i, s in enumerate(signals):
        part, dot, _ = s.name.partition(".")
        parts.setdefault(part if dot else "", []).append(i)
    starts = np.cumsum([0, *(s.size for s in signals)])
    out: list[Topic] = []
    for part, indices in parts.items():
        names = [identifier(group), identifier(part or "signals")]
        codec = RowCodec(f"freefloat.{names[0]}", names[1], [signals[i] for i in indices], depth=1 if part else 0)
        own = [np.arange(starts[i], starts[i + 1], dtype=np.intp) for i in indices]
        out.append(Topic(f"/{group}/{part}".rstrip("/"), codec, np.concatenate(own)))
    return out


def fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and raw bytes of every field of a protobuf message: texts, nested messages and fixed numbers."""
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        wire, size = key & 7, 0
        if wire == _VARINT:
            _, end = _read_varint(message, at)
        elif wire == _BYTES:
            size, at = _read_varint(message, at)
            end = at + size
        else:
            end = at + (8 if wire == _FIXED64 else 4)
        yield key >> 3, message[at:end]
        at = end


def text_fields(message: bytes, wanted: Sequence[int]) -> dict[int, str]:
    """Texts of a protobuf message by field number. For `foxglove.Log` events."""
    return {tag: raw.decode(errors="replace") for tag, raw in fields(message) if tag in wanted}


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
