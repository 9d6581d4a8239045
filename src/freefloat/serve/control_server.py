"""The control channel: a TCP server of JSON lines in the desk's process, without threads and without waiting.

Whoever runs it calls `poll` often, or selects on `fileno`. What clients send can neither end nor delay it: lines,
replies, connections and waiting times are bounded, and what was not as it should be is counted.
"""

from __future__ import annotations

import hmac
import ipaddress
import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from freefloat.errors import FreefloatError, InputError
from freefloat.serve.connection import FULL, Connection, GoneError
from freefloat.serve.control_requests import LINE, BadLineError, Request, read_line, request_of
from freefloat.serve.cycle_face import CycleFace
from freefloat.serve.desk_answers import DeskAnswers

MOST = 64  # connections
WAVE = 16  # connections that are taken in one round
IDLE = 1.0  # [s] after which a client that has asked for nothing may be dropped for another
HELLO = 10.0  # [s] within which a client says the token
ANSWER = 10.0  # [s] within which the operation answers
PICTURE = 60.0  # [s] within which a picture is made; the first one builds the lab
STUCK = 10.0  # [s] for which a client may leave unread what waits for it


@dataclass
class Counters:
    """Since the channel was opened."""

    connections: int = 0  # that came
    turned_away: int = 0  # of these, because there were too many
    closed: int = 0  # that have ended, for whatever reason
    lines: int = 0  # whole ones
    taken: int = 0  # of these, answered with ok
    refused: int = 0  # requests that were understood, or nearly, and answered with an error
    bad: int = 0  # lines that are no JSON object
    overlong: int = 0  # lines without an end within what is allowed
    halves: int = 0  # lines whose client left before their end
    tokens: int = 0  # that were wrong, or missing
    stuck: int = 0  # clients that did not read
    unanswered: int = 0  # requests that the operation did not answer in time
    frames_left_out: int = 0  # of watches, for clients that did not read


class ControlServer:
    """The channel at a socket that listens; `desk` answers what is not of a connection."""

    def __init__(
        self,
        desk: DeskAnswers,
        listening: socket.socket,
        token: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        host, self.port = listening.getsockname()[:2]
        if not token and not ipaddress.ip_address(host).is_loopback:
            raise InputError(f"host {host}: beyond this machine without a token; allowed: 127.0.0.1, or --token-file F")
        self.desk, self.counters = desk, Counters()
        self._token, self._clock = token.encode(), clock
        self._socket = listening
        listening.setblocking(False)
        listening.listen(2 * MOST)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._selector.register(desk.background, selectors.EVENT_READ)
        self._connections: set[Connection] = set()

    @property
    def face(self) -> CycleFace:
        """The operation."""
        return self.desk.face

    def fileno(self) -> int:
        """Readable when there is something to do for `poll`, but for what only time brings: poll every 50 ms too."""
        return self._selector.fileno()  # pyright: ignore[reportAttributeAccessIssue]

    def close(self) -> None:
        """End all connections, after a last attempt to tell what waits."""
        for connection in list(self._connections):
            self._send(connection)
            self._drop(connection)
        self._selector.close()
        self._socket.close()
        self.desk.background.close()

    def poll(self, timeout: float = 0.0) -> None:
        """Do what there is to do; wait for it at most so long [s]."""
        for key, events in self._selector.select(timeout):
            if key.fileobj is self._socket:
                self._accept()
            elif key.fileobj is self.desk.background:
                self.desk.background.finish()
            elif key.data in self._connections:
                self._serve(key.data, events)
        self._pass_time(self._clock())

    def _accept(self) -> None:
        for _ in range(WAVE):
            try:
                sock, _peer = self._socket.accept()
            except OSError:  # nobody else, or no more descriptors
                return
            self._take(sock)

    def _take(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        now = self._clock()
        connection = Connection(sock, now, admitted=not self._token)
        self.counters.connections += 1
        staying = sum(c.ending is None for c in self._connections)
        crowded = staying >= MOST and not self._make_room(now)
        self._connections.add(connection)
        self._selector.register(sock, selectors.EVENT_READ, connection)
        if crowded:
            self.counters.turned_away += 1
            connection.put({"ok": False, "error": f"control channel: {MOST} connections; allowed: {MOST}"})
            connection.end(now)
            self._send(connection)
            if len(self._connections) > 4 * MOST:  # of those that still may read why
                self._drop(connection)

    def _make_room(self, now: float) -> bool:
        """Drop the oldest client that has never asked for anything, so that idle strangers shut nobody out."""
        idle = [c for c in self._connections if not c.known and c.ending is None and now >= c.since + IDLE]
        if idle:
            self.counters.turned_away += 1
            self._drop(min(idle, key=lambda c: c.since))
        return bool(idle)

    def _serve(self, connection: Connection, events: int) -> None:
        try:
            if events & selectors.EVENT_READ:
                connection.receive()
        except GoneError:
            self.counters.halves += connection.half
            self._drop(connection)
        else:
            self._advance(connection)

    def _advance(self, connection: Connection) -> None:
        """Answer the lines that have come, one after the other, as long as the replies are read."""
        while connection.waiting is None and connection.ending is None and len(connection.outbox) < FULL:
            line = connection.line()
            if line is not None and len(line) <= LINE:
                self.counters.lines += 1
                self._answer(connection, line)
            elif line is not None or connection.overlong:
                self.counters.overlong += 1
                connection.put({"ok": False, "error": f"line: more than {LINE} bytes; allowed: {LINE}"})
                connection.end(self._clock())
            else:
                if connection.deaf:  # it sends no more, and gets what waits for it
                    self.counters.halves += connection.half
                    connection.end(self._clock())
                break
        self._send(connection)

    def _answer(self, connection: Connection, line: bytes) -> None:
        found: dict[str, Any] = {}
        try:
            found = read_line(line)
            request = request_of(found)
            if not connection.admitted and request.action != "hello":
                self.counters.tokens += 1
                raise _StrangerError(f"{request.action}: hello with the token is missing; needed first")
            connection.known = connection.admitted
            self._ask(connection, request)
        except BadLineError as error:
            self.counters.bad += 1
            connection.put(_error(error))
            if not connection.known:  # no client of ours; a browser that is led here would send lines of HTTP first
                connection.end(self._clock())
        except FreefloatError as error:
            self.counters.refused += 1
            own = found.get("id")
            connection.put(_error(error), own if type(own) in (int, str) else None)
            if isinstance(error, _StrangerError):
                connection.end(self._clock())

    def _ask(self, connection: Connection, request: Request) -> None:
        """Have a request answered, by the connection's own standing, by the desk or by the operation."""
        connection.waiting = request
        connection.patience = PICTURE if request.action == "picture" else ANSWER
        connection.deadline = self._clock() + connection.patience

        def told(reply: dict[str, Any]) -> None:
            if connection.waiting is not request:
                return  # too late, or the client has left
            connection.waiting = None
            ok = reply.get("ok") is True
            self.counters.taken += ok
            self.counters.refused += not ok
            connection.put(reply, request.id)
            if not inside:
                self._advance(connection)

        inside = True
        try:
            if request.action == "hello":
                self._admit(connection, request.arguments)
                told(self.desk.hello())
            elif request.action == "status":
                told({"ok": True, **self.desk.status(), "channel": asdict(self.counters)})
            else:
                self.desk.ask(connection, request, told, self._clock())
        except FreefloatError:
            connection.waiting = None
            raise
        finally:
            inside = False

    def _admit(self, connection: Connection, arguments: dict[str, Any]) -> None:
        given = str(arguments.get("token", "")).encode("utf-8", "surrogatepass")
        if self._token and not hmac.compare_digest(given, self._token):
            self.counters.tokens += 1
            raise _StrangerError(
                f"hello: {'wrong' if given else 'no'} token; allowed: the one that the facility was given"
            )
        connection.admitted = connection.known = True

    def _pass_time(self, now: float) -> None:
        for connection in list(self._connections):
            if connection.ending is not None:
                if now >= connection.ending:
                    self._drop(connection)
            elif connection.waiting is not None and now >= connection.deadline:
                self._give_up(connection, now)
            elif connection.stuck is not None and now >= connection.stuck + STUCK:
                self.counters.stuck += 1
                self._drop(connection)
            elif not connection.admitted and now >= connection.since + HELLO:
                self.counters.tokens += 1
                connection.put({"ok": False, "error": f"hello: none within {HELLO:g} s; needed first"})
                connection.end(now)
                self._send(connection)
            elif connection.watch is not None and now >= connection.watch.due:
                self._show(connection, now)

    def _give_up(self, connection: Connection, now: float) -> None:
        request, connection.waiting = connection.waiting, None
        self.counters.unanswered += 1
        self.counters.refused += 1
        told = f"no answer of the facility within {connection.patience:g} s"
        connection.put({"ok": False, "error": f"control channel: {told}"}, request.id if request else None)
        self._advance(connection)

    def _show(self, connection: Connection, now: float) -> None:
        """A frame of a watch; those that would wait behind another are left out."""
        watch = connection.watch
        assert watch is not None
        watch.due = max(watch.due + watch.period, now)
        watch.sent += 1
        if connection.outbox:
            self.counters.frames_left_out += 1
        else:
            connection.put({"watch": watch.sent, **self.desk.frame(watch.names)})
        self._send(connection)

    def _send(self, connection: Connection) -> None:
        """Send, and listen for what can go on next."""
        if connection not in self._connections:
            return
        try:
            connection.send(self._clock())
        except GoneError:
            self._drop(connection)
            return
        if connection.ending is not None and not connection.outbox:
            if connection.deaf:
                self._drop(connection)
                return
            connection.finish()
        events = selectors.EVENT_READ if connection.hungry else 0
        events |= selectors.EVENT_WRITE if connection.outbox else 0
        self._listen(connection, events)

    def _listen(self, connection: Connection, events: int) -> None:
        registered = self._selector.get_map().get(connection.sock)
        if registered is None:
            if events:
                self._selector.register(connection.sock, events, connection)
        elif not events:
            self._selector.unregister(connection.sock)
        elif registered.events != events:
            self._selector.modify(connection.sock, events, connection)

    def _drop(self, connection: Connection) -> None:
        if connection not in self._connections:
            return
        self._connections.discard(connection)
        self._listen(connection, 0)
        connection.close()
        self.counters.closed += 1


class _StrangerError(InputError):
    """A client without the token; it is closed."""


def _error(error: FreefloatError) -> dict[str, Any]:
    return {"ok": False, "error": " ".join(str(error).splitlines())}
