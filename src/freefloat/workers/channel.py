"""Messages between processes: pickles with their length in front, on a pair of sockets; a socket may go with one.

Both ends are processes of one user and one program: a pickle is as safe there as a call.
"""

from __future__ import annotations

import pickle
import socket
import struct
from collections.abc import Iterator
from typing import Any

_HEAD = struct.Struct("!Q")  # [bytes] of the message
_PIECE = 1 << 16  # [bytes] taken at once


class Channel:
    """One end. `fileno` lets a selector wait for it."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._come = bytearray()

    @classmethod
    def pair(cls) -> tuple[Channel, socket.socket]:
        """A channel, and the other end as a socket to be given away."""
        here, there = socket.socketpair()
        return cls(here), there

    def fileno(self) -> int:
        return self._end.fileno()

    def send(self, message: Any) -> None:
        """Send all of it; raises OSError where nobody is at the other end."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self._end.sendall(_HEAD.pack(len(data)) + data)

    def send_with(self, message: Any, end: socket.socket) -> None:
        """Send a small message, and a socket with it."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        sent = socket.send_fds(self._end, [_HEAD.pack(len(data)) + data], [end.fileno()])
        assert sent == _HEAD.size + len(data), "a small message goes in one piece"

    def receive(self) -> Any:
        """Wait for a message; None where the other end was closed."""
        while True:
            message = self._next()
            if message is not None:
                return message
            if not self._take():
                return None

    def arrived_with(self) -> tuple[list[Any], socket.socket | None, bool]:
        """As `arrived`; a socket that has come belongs to the last message, since the kernel ends a read there."""
        data, ends, _, _ = socket.recv_fds(self._end, _PIECE, 1)
        self._come += data
        return list(self._all()), socket.socket(fileno=ends[0]) if ends else None, bool(data)

    def arrived(self) -> tuple[list[Any], bool]:
        """After a selector has called: all messages that are here, and whether more may come."""
        is_open = self._take()
        return list(self._all()), is_open

    def drop(self) -> None:
        """Forget all that has come."""
        self._end.setblocking(False)
        try:
            while self._take():
                pass
        except BlockingIOError:
            pass
        finally:
            self._end.setblocking(True)
        for _ in self._all():
            pass

    def rest(self) -> list[Any]:
        """All messages up to the end, of a process that has ended."""
        found = []
        try:
            while (message := self.receive()) is not None:
                found.append(message)
        except OSError:  # the end was closed in the middle
            pass
        return found

    def close(self) -> None:
        self._end.close()

    def _take(self) -> bool:
        try:
            piece = self._end.recv(_PIECE)
        except ConnectionError:
            return False
        self._come += piece
        return bool(piece)

    def _all(self) -> Iterator[Any]:
        while (message := self._next()) is not None:
            yield message

    def _next(self) -> Any:
        if len(self._come) < _HEAD.size:
            return None
        end = _HEAD.size + _HEAD.unpack_from(self._come)[0]
        if len(self._come) < end:
            return None
        message = pickle.loads(bytes(self._come[_HEAD.size : end]))
        del self._come[:end]
        return message
