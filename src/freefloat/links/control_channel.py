"""The client of the docking facility's control channel: TCP, one JSON object a line each way.

Standard library only. The reference of the lines is docs/reference/facility-control-channel.md.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

from freefloat.errors import InputError, SimulationError

HOST, PORT = "127.0.0.1", 5251
TOKEN = 16, 1000  # [characters] of a token, at least and at most
PIECE = 400  # rows of a trajectory in one line
LONGEST = 16 << 20  # [bytes] of a reply


class FacilityRefusedError(InputError):
    """The facility has refused a request; the text is its own."""


class ControlChannel:
    """A connection. `do` asks and waits for the reply; `watch` yields what the facility tells from then on."""

    def __init__(self, host: str = HOST, port: int = PORT, token: str = "", timeout: float = 10.0) -> None:
        self.where = f"{host}:{port}"
        try:
            self._socket = socket.create_connection((host, port), timeout)
        except (OSError, OverflowError, UnicodeError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise InputError(
                f"control channel {self.where}: {why}; allowed: the address of a running `freefloat facility serve`"
            ) from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._inbox = bytearray()
        self._events: list[dict[str, Any]] = []
        self._number = 0  # of the last request
        try:
            self.hello = self.do("hello", **({"token": token} if token else {}))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ControlChannel:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Leave; the facility goes on."""
        self._socket.close()

    def fileno(self) -> int:
        """Of the socket, for a selector."""
        return self._socket.fileno()

    def do(self, action: str, /, **arguments: Any) -> dict[str, Any]:
        """Ask and wait; what the facility tells. What it refuses is a `FacilityRefusedError`."""
        self._number += 1
        self._send({"do": action, **arguments, "id": self._number})
        while "watch" in (told := self._line()) or told.get("id", self._number) != self._number:
            if "watch" in told:
                self._events.append(told)  # what answers an earlier request comes too late
        if told.get("ok") is not True:
            raise FacilityRefusedError(str(told.get("error", f"{self.where}: {told}")))
        told.pop("id", None)
        return told

    def load(self, rows: Sequence[Sequence[float]]) -> dict[str, Any]:
        """Hand over a trajectory: rows of a frame and 22 numbers; in pieces, since lines are limited."""
        if not rows:
            return self.do("load", trajectory=[])
        told: dict[str, Any] = {}
        for first in range(0, len(rows), PIECE):
            piece = [list(row) for row in rows[first : first + PIECE]]
            told = self.do("load", trajectory=piece, more=first + PIECE < len(rows))
        return told

    def watch(self, names: Sequence[str] = (), period: float = 0.1) -> Iterator[dict[str, Any]]:
        """Status and variables, again and again, until the facility ends: {"watch", "cycle", "time", "status",
        "values"}."""
        self.do("watch", names=list(names), period=period)
        while True:
            told = self.event()
            if told is None:
                return
            yield told

    def event(self) -> dict[str, Any] | None:
        """The next thing that a watch tells; None: the facility has ended."""
        if self._events:
            return self._events.pop(0)
        try:
            return self._line()
        except SimulationError:
            return None

    def ready(self) -> bool:
        """Whether an event has come already, so that `event` does not wait."""
        return bool(self._events) or b"\n" in self._inbox

    def _send(self, request: dict[str, Any]) -> None:
        try:
            line = json.dumps(request, allow_nan=False)
        except ValueError:
            raise InputError(f"{request.get('do')}: a number that is not finite; allowed: finite ones") from None
        try:
            self._socket.sendall(line.encode() + b"\n")
        except TimeoutError:
            raise self._lost("takes nothing") from None
        except OSError:
            pass  # what it told before it closed is still to be read

    def _line(self) -> dict[str, Any]:
        while b"\n" not in self._inbox:
            try:
                piece = self._socket.recv(1 << 16)
            except TimeoutError:
                raise self._lost(f"no answer for {self._socket.gettimeout():g} s") from None
            except OSError as error:
                raise self._lost(error.strerror or str(error)) from None
            if not piece:
                raise self._lost("closed by the facility")
            self._inbox += piece
            if len(self._inbox) > LONGEST and b"\n" not in self._inbox:
                raise self._lost(f"a line of more than {LONGEST} bytes")
        line, _, rest = self._inbox.partition(b"\n")
        self._inbox = rest
        try:
            told = json.loads(line)
        except ValueError:
            told = None
        if not isinstance(told, dict):
            raise InputError(f"control channel {self.where}: {bytes(line[:80])!r}; allowed: a JSON object a line")
        return told

    def _lost(self, why: str) -> SimulationError:
        return SimulationError(f"control channel {self.where}: {why}")


def address(text: str) -> tuple[str, int]:
    """Of "HOST:PORT", "HOST", ":PORT" or "[::1]:PORT"; what is left out is 127.0.0.1 and 5251."""
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, ""
    if port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise InputError(f"address {text!r}: port {port!r}; allowed: 1 to 65535")
    return host.strip("[]") or HOST, int(port) if port else PORT


def read_token(path: str | PathLike[str]) -> str:
    """The token that a file holds: its text without blanks around it."""
    least, most = TOKEN
    try:
        with Path(path).open(encoding="utf-8") as file:
            token = file.read(4 * most).strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text"
        raise InputError(f"--token-file {path}: cannot be read: {reason}") from None
    if not least <= len(token) <= most or not token.isprintable():
        told = f"a token of {len(token)} characters"
        raise InputError(f"--token-file {path}: {told}; allowed: {least} to {most} printable ones in one line")
    return token
