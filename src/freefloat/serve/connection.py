"""One client of the control channel: bytes to lines, replies to bytes, all of it bounded."""

from __future__ import annotations

import contextlib
import json
import socket
from dataclasses import dataclass, field
from typing import Any

from freefloat.serve.control_requests import LINE, Request

READ = 1 << 16  # [bytes] taken at once
FULL = 1 << 18  # [bytes] waiting to be sent from which on no further request is looked at
LINGER = 1.0  # [s] for which a client that is closed may still read why


@dataclass
class Watch:
    """What a client watches."""

    names: list[str]
    period: float  # [s]
    due: float  # [s] of the clock
    sent: int = 0  # number of the last frame, of those left out too


class GoneError(Exception):
    """The client has left."""


@dataclass(eq=False)
class Connection:
    """Buffers and standing of a client."""

    sock: socket.socket
    since: float  # [s] of the clock when it came
    admitted: bool  # has said the token, or needs none
    known: bool = False  # has sent a request that was understood
    waiting: Request | None = None  # that is being answered
    deadline: float = 0.0  # [s] of the clock for that answer
    patience: float = 0.0  # [s] that it has
    watch: Watch | None = None
    rows: int = 0  # of a trajectory that it is handing over
    stuck: float | None = None  # [s] of the clock since when it has read nothing of what waits for it
    ending: float | None = None  # [s] of the clock when it is closed at last
    inbox: bytearray = field(default_factory=bytearray)
    outbox: bytearray = field(default_factory=bytearray)
    deaf: bool = False  # sends no more
    scanned: int = 0  # bytes of the inbox without the end of a line

    @property
    def hungry(self) -> bool:
        """Whether more is read from it now."""
        busy = self.waiting is not None or len(self.outbox) >= FULL
        return not self.deaf and (self.ending is not None or not busy)

    def receive(self) -> None:
        """Take what has come; what a client sends after it was closed is not looked at."""
        try:
            piece = self.sock.recv(READ)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            raise GoneError from None
        self.deaf = not piece
        if self.ending is None:
            self.inbox += piece

    def line(self) -> bytes | None:
        """The next whole line without its end; None: there is none. `overlong` tells of one without an end."""
        end = self.inbox.find(b"\n", self.scanned)
        if end < 0:
            self.scanned = len(self.inbox)
            return None
        line = bytes(self.inbox[:end])
        del self.inbox[: end + 1]
        self.scanned = 0
        return line.removesuffix(b"\r")

    @property
    def half(self) -> bool:
        """Whether there is a line without an end, and nothing before it."""
        return len(self.inbox) == self.scanned > 0

    @property
    def overlong(self) -> bool:
        """Whether the line under way is longer than a request may be."""
        return self.scanned > LINE

    def put(self, told: dict[str, Any], own: object = None) -> None:
        """Have an object sent, with the client's own id of what it answers."""
        told = told if own is None else {**told, "id": own}
        self.outbox += json.dumps(told, allow_nan=False, separators=(",", ":")).encode() + b"\n"

    def send(self, now: float) -> None:
        """Send what can be sent without waiting."""
        if self.outbox:
            try:
                sent = self.sock.send(self.outbox)
            except (BlockingIOError, InterruptedError):
                sent = 0
            except OSError:
                raise GoneError from None
            del self.outbox[:sent]
            self.stuck = None if not self.outbox or sent else now if self.stuck is None else self.stuck

    def end(self, now: float) -> None:
        """Close, once it has read what waits for it, or a while later."""
        if self.ending is None:
            self.ending, self.watch, self.waiting = now + LINGER, None, None
            self.inbox.clear()

    def finish(self) -> None:
        """No more is sent; the client sees the end, and its last bytes are read away so that it can read ours."""
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """At once."""
        self.waiting = None
        self.sock.close()
