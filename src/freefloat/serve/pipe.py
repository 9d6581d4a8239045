"""Messages between the process that cycles and its desk, over a pair of sockets. Nobody waits: what does not fit goes
with a later call.

A message is its kind (uint8), its length (uint32) and its bytes.
"""

from __future__ import annotations

import json
import select
import socket
import struct
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

PORTION = 1 << 18  # [bytes] that are taken in a call, about
_HEAD = struct.Struct("<BI")
_ROWS = struct.Struct("<HI")  # number of the group, rows
_LOAD = struct.Struct("<QI")  # number of the request, rows


class Kind(IntEnum):
    """What a message is."""

    ROWS = 1  # of a recorded group
    STATUS = 2  # JSON
    REPLY = 3  # JSON, to a request
    EVENT = 4  # JSON [t, name, text]
    SCENE = 5  # pickled, of one's own process
    END = 6  # JSON: all rows are sent
    DO = 7  # JSON: a request
    LOAD = 8  # a request that brings a trajectory
    SHUTDOWN = 9


class Rows(NamedTuple):
    """A trajectory on its way."""

    frames: NDArray[np.int16]  # (n,)
    values: NDArray[np.float64]  # (n, 22)


class Pipe:
    """One end."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock, self._out, self._in = sock, bytearray(), bytearray()
        self.closed = False  # by the other side, or by its death

    def fileno(self) -> int:
        """For selectors."""
        return self._sock.fileno()

    @property
    def backlog(self) -> int:
        """[bytes] that have not left yet."""
        return len(self._out)

    def put(self, kind: Kind, *parts: bytes) -> None:
        """Send a message, now or with a later call."""
        self._out += _HEAD.pack(kind, sum(len(part) for part in parts))
        for part in parts:
            self._out += part

    def pump(self) -> None:
        """Let go what goes."""
        while self._out and not self.closed:
            try:
                sent = self._sock.send(memoryview(self._out)[:PORTION])
            except BlockingIOError:
                return
            except OSError:  # nobody is there to take it
                self.closed = True
                return
            del self._out[:sent]
        if self.closed:
            self._out.clear()

    def flush(self, timeout: float) -> bool:
        """Let all go, within a time [s] for each portion; whether it went."""
        self.pump()
        while self._out and not self.closed:
            if not select.select([], [self._sock], [], timeout)[1]:
                return False
            self.pump()
        return not self.closed

    def take(self) -> list[tuple[Kind, bytes]]:
        """Whole messages that have come; about a portion of them in a call."""
        most = len(self._in) + PORTION
        while len(self._in) < most and not self.closed:
            try:
                data = self._sock.recv(PORTION)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self.closed = True
            self._in += data
        return self._whole()

    def _whole(self) -> list[tuple[Kind, bytes]]:
        found: list[tuple[Kind, bytes]] = []
        begin = 0
        while len(self._in) - begin >= _HEAD.size:
            kind, size = _HEAD.unpack_from(self._in, begin)
            end = begin + _HEAD.size + size
            if end > len(self._in):
                break
            found.append((Kind(kind), bytes(self._in[begin + _HEAD.size : end])))
            begin = end
        del self._in[:begin]
        return found

    def close(self) -> None:
        """Leave."""
        self.closed = True
        self._sock.close()


def put_json(pipe: Pipe, kind: Kind, data: Any) -> None:
    """Send a message that is JSON."""
    pipe.put(kind, json.dumps(data).encode())


def put_rows(pipe: Pipe, group: int, rows: NDArray[np.float64]) -> None:
    """Send rows [t, columns...] of a group, by its number."""
    pipe.put(Kind.ROWS, _ROWS.pack(group, len(rows)), np.ascontiguousarray(rows, np.float64).tobytes())


def rows_of(data: bytes) -> tuple[int, NDArray[np.float64]]:
    """The group's number and its rows."""
    group, count = _ROWS.unpack_from(data)
    return group, np.frombuffer(data, np.float64, offset=_ROWS.size).reshape(count, -1)


def put_request(pipe: Pipe, number: int, action: str, arguments: Mapping[str, Any]) -> None:
    """Send an operator's action; a trajectory goes as arrays."""
    rows: Any = arguments.get("trajectory")
    if action == "load" and hasattr(rows, "frames") and len(arguments) == 1:
        frames = np.ascontiguousarray(rows.frames, np.int16)
        values = np.ascontiguousarray(rows.values, np.float64)
        pipe.put(Kind.LOAD, _LOAD.pack(number, len(frames)), values.tobytes(), frames.tobytes())
    else:
        put_json(pipe, Kind.DO, [number, action, dict(arguments)])


def request_of(kind: Kind, data: bytes) -> tuple[int, str, dict[str, Any]]:
    """Number, action and arguments of a request."""
    if kind is Kind.DO:
        number, action, arguments = json.loads(data)
        return number, action, arguments
    number, count = _LOAD.unpack_from(data)
    values = np.frombuffer(data, np.float64, 22 * count, _LOAD.size).reshape(count, 22)
    frames = np.frombuffer(data, np.int16, count, _LOAD.size + values.nbytes)
    return number, "load", {"trajectory": Rows(frames, values)}
