"""The facility's side of the sync link: one application at a time behind a UDP socket.

The facility is the clock: from a first valid datagram on, its sender gets the state of every cycle, and answers it
before the next. Everything else that comes is refused and counted.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from freefloat.frames import Array
from freefloat.links.record_codec import CYCLES, SIZE, Datagram, DatagramError, pack, unpack

CAUSES = ("size", "mark", "frame", "number", "peer", "cycle", "again")  # why a datagram is refused
BUFFER = 1 << 20  # [bytes] for what comes within a cycle; the system may grant less
FLOOD = 512  # datagrams that are looked at in one go; others wait, for a cycle has its own end


@dataclass
class Traffic:
    """Datagrams since the beginning."""

    answers: int = 0  # taken
    greetings: int = 0  # that began or repeated a connection
    sent: int = 0
    unsent: int = 0  # the socket would not take them
    refused: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CAUSES, 0))

    @property
    def rejected(self) -> int:
        """All that were refused."""
        return sum(self.refused.values())


class SyncLink:
    """Who the application is, and what it has answered to the last state."""

    def __init__(self, sock: socket.socket, gone: float, clock: Callable[[], float] = time.monotonic) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self._sock, self._gone, self._clock = sock, gone, clock
        self.peer: Any = None  # address of the application; None: there is none
        self.shown: Datagram | None = None  # its last valid record; its frame is that of the states
        self.answer: Datagram | None = None  # to the last state
        self.told = False  # whether that state has been sent to it
        self.traffic = Traffic()
        self._heard = 0.0  # [s] when it last sent something valid

    def fileno(self) -> int:
        """For selectors."""
        return self._sock.fileno()

    def drain(self, seen: int) -> None:
        """Look at what has come, where the last state sent is that of cycle `seen`."""
        for _ in range(FLOOD):
            try:
                data, peer = self._sock.recvfrom(SIZE + 1)
            except BlockingIOError:
                break
            except ConnectionError:  # of an earlier state that found nobody
                continue
            self._look(data, peer, seen)
        if self.peer is not None and self._clock() - self._heard > self._gone:
            self.peer = None

    def row(self, seen: int) -> Array | None:
        """The answer (24,) [cycle, mode, values], once."""
        given, self.answer = self.answer, None
        return None if given is None else np.concatenate([[float(seen), float(given.mode)], given.values])

    def send(self, cycle: int, gps_ns: int, mode: int, values: Array) -> None:
        """The state of a cycle, to the application."""
        self.answer, self.told = None, self.peer is not None
        if self.peer is None:
            return
        try:
            self._sock.sendto(pack(cycle, gps_ns, mode, values), self.peer)
            self.traffic.sent += 1
        except OSError:
            self.traffic.unsent += 1

    def _look(self, data: bytes, peer: Any, seen: int) -> None:
        if self.peer is not None and peer != self.peer:
            self.traffic.refused["peer"] += 1
            return
        try:
            record = unpack(data)
        except DatagramError as error:
            self.traffic.refused[error.cause] += 1
            return
        self._heard = self._clock()
        if self.peer is None or record.cycle == 0:
            self.told = self.told and self.peer is not None
            self.peer, self.shown = peer, record
            self.traffic.greetings += 1
        elif record.cycle != seen % CYCLES:
            self.traffic.refused["cycle"] += 1
        elif self.answer is not None:
            self.traffic.refused["again"] += 1
        else:
            self.answer = self.shown = record
            self.traffic.answers += 1
