"""The control channel at a real socket, polled in one thread with a clock of its own."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pytest

from freefloat.errors import InputError
from freefloat.serve import control_server as module
from freefloat.serve.control_requests import LINE
from freefloat.serve.control_server import ControlServer
from freefloat.serve.desk_answers import DeskAnswers
from freefloat.serve.in_process import InProcess
from freefloat.verify.facility_desk import KINEMATICS, Desk

TOKEN = "a token of the right length"


class Room:
    """A facility at rest, its channel, and clients."""

    def __init__(self, token: str = "") -> None:
        self.now = 0.0
        self.desk = Desk()
        self.face = InProcess(self.desk.op, KINEMATICS)
        self.face.shown(self.desk.out)
        self.server = ControlServer(
            DeskAnswers(self.face), socket.create_server(("127.0.0.1", 0)), token, clock=lambda: self.now
        )
        self.clients: list[socket.socket] = []

    def client(self) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.server.port))
        client.settimeout(0.0)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.clients.append(client)
        self.poll()
        return client

    def poll(self, rounds: int = 3) -> None:
        for _ in range(rounds):
            self.server.poll(0.0)

    def read(self, client: socket.socket) -> bytes:
        """All that comes, until there is nothing more for some rounds."""
        got, quiet = b"", 0
        while quiet < 3:
            self.poll(1)
            try:
                piece = client.recv(1 << 20)
            except BlockingIOError:
                quiet += 1
                continue
            except ConnectionError:
                break
            if not piece:
                break
            got, quiet = got + piece, 0
        return got

    def say(self, client: socket.socket, *requests: dict[str, Any] | bytes) -> list[dict[str, Any]]:
        for request in requests:
            client.sendall(request if isinstance(request, bytes) else json.dumps(request).encode() + b"\n")
        return [json.loads(line) for line in self.read(client).splitlines()]

    def closed(self, client: socket.socket) -> bool:
        """Whether it has been closed; the server forgets it then, a while later."""
        self.read(client)
        try:
            ended = client.recv(1) == b""
        except BlockingIOError:
            return False
        except ConnectionError:
            ended = True
        self.now += 1.1
        self.poll()
        return ended

    def count(self, **expected: int) -> None:
        found = asdict(self.server.counters)
        assert {key: value for key, value in found.items() if value} == {k: v for k, v in expected.items() if v}

    def close(self) -> None:
        for client in self.clients:
            client.close()
        self.server.close()


@pytest.fixture
def room() -> Iterator[Room]:
    made = Room()
    yield made
    made.close()


@pytest.fixture
def guarded() -> Iterator[Room]:
    made = Room(TOKEN)
    yield made
    made.close()


def test_an_action_is_done_and_a_refusal_tells_why(room: Room) -> None:
    client = room.client()
    (told,) = room.say(client, {"do": "mode", "mode": "mcu"})
    assert told["ok"] is True
    assert (told["state"], told["mode"]) == ("off", "mcu")
    (told,) = room.say(client, {"do": "start"})
    assert told["ok"] is False
    assert "start: mode mcu; allowed: async" in told["error"]
    room.count(connections=1, lines=2, taken=1, refused=1)


def test_replies_come_in_order_with_the_ids_of_their_requests(room: Room) -> None:
    lines = b"".join(json.dumps({"do": "get", "names": "fmc.cycle", "id": n}).encode() + b"\n" for n in range(300))
    told = room.say(room.client(), lines)
    assert [reply["id"] for reply in told] == list(range(300))
    (refused,) = room.say(room.client(), {"do": "nothing", "id": "mine"})
    assert refused["id"] == "mine"


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_line_may_come_in_pieces(room: Room, size: int) -> None:
    client, line = room.client(), b'{"do": "door", "name": "lab"}\r\n{"do": "status"}\n'
    for k in range(0, len(line), size):
        client.sendall(line[k : k + size])
        room.poll(1)
    told = [json.loads(reply) for reply in room.read(client).splitlines()]
    assert len(told) == 2
    assert room.desk.op.security.doors["lab"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"GET / HTTP/1.1", "no JSON at character 0"),
        (b"\xff\xfe\x00", "byte 0 is no UTF-8"),
        (b"[1, 2]", "JSON of type list"),
        (b"7", "JSON of type int"),
        (b"", "no JSON at character 0"),
        (b'{"do": "status"', "no JSON at character 15"),
        (b'{"do": "jog", "component": "E1", "speed": NaN}', "NaN is no number"),
        (b'{"do": "status", "do": "power"}', "a name stands twice"),
        (b"[" * 100_000, "recursion"),
        (b'{"do": "jog", "speed": ' + b"9" * 5000 + b"}", "digits"),
    ],
)
def test_a_line_that_is_no_object_is_answered_and_strangers_are_closed(room: Room, line: bytes, told: str) -> None:
    client = room.client()
    assert room.say(client, {"do": "hello"})[0]["ok"]
    (reply,) = room.say(client, line + b"\n")
    assert reply["ok"] is False
    assert told in reply["error"]
    assert "allowed: " in reply["error"]
    assert room.say(client, {"do": "status"})[0]["ok"], "a client that is known may go on"
    stranger = room.client()
    stranger.sendall(line + b'\n{"do": "door", "name": "lab"}\n')
    assert room.read(stranger).count(b"\n") == 1
    assert room.closed(stranger)
    assert not room.desk.op.security.doors["lab"], "what a browser is led to post has no effect"
    room.count(connections=2, lines=4, taken=2, bad=2, closed=1)


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ({"do": 7}, "do: 7; allowed: a name"),
        ({}, "do: None"),
        ({"do": "pwoer"}, "Did you mean 'power'?"),
        ({"do": "power", "off": True}, "unknown argument of power 'off'"),
        ({"do": "power", "self": 1}, "unknown argument of power 'self'"),
        ({"do": "power", "on": None}, "power: on None; allowed: "),
        ({"do": "power", "on": {"a": 1}}, "power: on {'a': 1}; allowed: "),
        ({"do": "power", "on": "x" * 300}, "power: on: a text of 300 characters; allowed: 200"),
        ({"do": "power", "on": 7}, "power: on 7; allowed: true, false"),
        ({"do": "mode"}, "mode: mode is missing"),
        ({"do": "order", "order": 5}, "order: 5; allowed: rail, rob1, rob2"),
        ({"do": "order", "order": True}, "order: True; allowed: rail, rob1, rob2"),
        ({"do": "order", "order": ["rail", ["rob1"]]}, "order: order ['rail', ['rob1']]; allowed: up to 1000 texts"),
        ({"do": "estop", "place": "moon"}, "unknown estop 'moon'"),
        ({"do": "jog", "component": "E1", "speed": 1e400}, "no number"),
        ({"do": "jog", "component": "E1", "speed": 10**300}, "jog: speed"),
        ({"do": "jog", "component": "E1", "speed": "fast"}, "jog: speed"),
        ({"do": "jog", "component": "E1", "speed": 0.1, "robot": 1.5}, "robot 1.5; allowed: "),
        ({"do": "load", "trajectory": "file.txt"}, "load: trajectory 'file.txt'; allowed: rows of 23 numbers"),
        ({"do": "load", "trajectory": []}, "trajectory: frames (0,)"),
        ({"do": "load", "trajectory": [[1] * 22]}, "load: row 1: "),
        ({"do": "load", "trajectory": [[9] * 23]}, "frame 9"),
        ({"do": "load", "trajectory": [[3] * 22 + ["x"]]}, "load: row 1: "),
        ({"do": "load", "trajectory": [[3] * 23], "more": "so"}, "load: more 'so'; allowed: true, false"),
        ({"do": "get", "names": "rail.ackt"}, "Did you mean 'rail.act'?"),
        ({"do": "get", "names": "nothing.*"}, "unknown variable 'nothing.*'"),
        ({"do": "get", "names": 5}, "get: names 5; allowed: "),
        ({"do": "watch", "period": -1}, "watch: period -1 s; allowed: "),
        ({"do": "list", "what": "all"}, "unknown list 'all'"),
        ({"do": "picture", "camera": "door"}, "unknown camera 'door'"),
        ({"do": "picture", "width": 1e6}, "picture: width"),
        ({"do": "picture", "file": "a.png"}, "the facility writes no folder"),
        ({"do": "status", "id": [1]}, "status: id [1]; allowed: "),
        ({"do": "status", "id": True}, "status: id True; allowed: "),
    ],
)
def test_a_bad_request_is_refused_with_its_place(room: Room, request_: dict[str, Any], told: str) -> None:
    client, before = room.client(), room.desk.op.status()
    line = json.dumps(request_).replace("Infinity", "1e400")
    (reply,) = room.say(client, line.encode() + b"\n")
    assert reply["ok"] is False
    assert told in reply["error"] or "allowed: a number" in reply["error"]
    assert room.desk.op.status() == before
    assert room.say(client, {"do": "status"})[0]["ok"]
    room.count(connections=1, lines=2, taken=1, refused=1)


def test_a_line_without_an_end_is_closed(room: Room) -> None:
    client = room.client()
    room.say(client, {"do": "hello"})
    try:
        for _ in range(LINE // 1000 + 200):
            client.sendall(b"x" * 1000)
            room.poll(1)
    except (BlockingIOError, ConnectionError):
        pass
    assert room.server.counters.overlong == 1
    room.now += 2.0
    room.poll()
    assert room.closed(client)
    room.count(connections=1, lines=1, taken=1, overlong=1, closed=1)


def test_half_a_line_is_no_request(room: Room) -> None:
    client = room.client()
    client.sendall(b'{"do": "door", "name": "lab"}')
    room.poll()
    client.close()
    room.poll()
    assert not room.desk.op.security.doors["lab"]
    room.count(connections=1, halves=1, closed=1)


def test_a_client_that_closes_its_side_gets_its_replies(room: Room) -> None:
    client = room.client()
    client.sendall(b'{"do": "list"}\n' * 50)
    client.shutdown(socket.SHUT_WR)
    assert room.read(client).count(b"\n") == 50
    assert room.closed(client)
    room.count(connections=1, lines=50, taken=50, closed=1)


def test_a_client_that_is_reset_harms_nobody(room: Room) -> None:
    other = room.client()
    for _ in range(20):
        client = room.client()
        client.sendall(b'{"do": "list"}\n' * 20 + b"half")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        room.poll(1)
        client.close()
        room.poll()
    assert room.say(other, {"do": "status"})[0]["ok"]
    assert room.server.counters.closed == 20


def test_a_client_that_does_not_read_is_left_behind_then_closed(room: Room) -> None:
    lazy, other = room.client(), room.client()
    lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sent = 0
    try:
        while sent < 20_000_000:
            sent += lazy.send(b'{"do": "list"}\n' * 1000)
            room.poll(1)
    except BlockingIOError:
        pass
    assert 0 < sent < 20_000_000, "what it sends is no longer taken"
    waiting = sum(len(c.outbox) for c in room.server._connections)
    assert waiting < 2 * module.FULL
    room.now += 9.0
    assert room.say(other, {"do": "status"})[0]["ok"]
    assert room.server.counters.stuck == 0
    room.now += 2.0
    room.poll()
    assert room.server.counters.stuck == 1
    assert len(room.server._connections) == 1
    assert room.say(other, {"do": "status"})[0]["ok"]


def test_hundreds_of_idle_strangers_shut_nobody_out(room: Room) -> None:
    first = room.client()
    assert room.say(first, {"do": "hello"})[0]["ok"]
    strangers = [room.client() for _ in range(300)]
    told = [room.read(client) for client in strangers[63:]]
    assert all(b"64 connections; allowed: 64" in line for line in told[:200])
    room.now += 2.0
    room.poll()
    operator = room.client()
    assert room.say(operator, {"do": "estop", "place": "control-room"})[0]["ok"]
    assert room.desk.op.state == "fault"
    assert room.say(first, {"do": "status"})[0]["ok"], "who has asked before stays"
    counters = room.server.counters
    assert counters.connections == 302
    assert counters.turned_away == 300 - 63 + 1
    assert len(room.server._connections) == 64


def test_too_many_clients_that_are_known_keep_their_places(room: Room) -> None:
    for _ in range(module.MOST):
        assert room.say(room.client(), {"do": "hello"})[0]["ok"]
    room.now += 5.0
    (told,) = room.say(room.client(), {"do": "status"})
    assert "64 connections; allowed: 64" in told["error"]


def test_a_watch_tells_again_and_again_and_leaves_out_what_is_not_read(room: Room) -> None:
    client = room.client()
    told = room.say(client, {"do": "watch", "names": ["rail.act", "security.*"], "period": 0.1})
    assert told[0]["ok"]
    frames = told[1:]
    for _ in range(5):
        room.now += 0.1
        frames += [json.loads(line) for line in room.read(client).splitlines()]
    assert [frame["watch"] for frame in frames] == [1, 2, 3, 4, 5, 6]
    assert frames[-1]["status"]["state"] == "off"
    assert frames[-1]["values"]["rail.act"] == pytest.approx(6.55)
    assert len(frames[-1]["values"]["security.estop"]) == 9
    room.say(client, {"do": "watch", "names": "*", "period": 0.05})
    for _ in range(3000):
        room.now += 0.05
        room.poll(1)
    assert room.server.counters.frames_left_out > 0
    assert sum(len(c.outbox) for c in room.server._connections) < 20_000
    assert room.server.counters.stuck in (0, 1)


def test_a_watch_ends_with_a_period_of_zero(room: Room) -> None:
    client = room.client()
    room.say(client, {"do": "watch", "period": 0.1})
    told = room.say(client, {"do": "watch", "period": 0})
    assert told[-1]["ok"]
    room.now += 1.0
    assert room.read(client) == b""


def test_the_token_is_needed_first(guarded: Room) -> None:
    for request in (
        {"do": "status"},
        {"do": "hello"},
        {"do": "hello", "token": "another"},
        {"do": "hello", "token": 5},
    ):
        stranger = guarded.client()
        told = guarded.say(stranger, request, {"do": "door", "name": "lab"})
        assert len(told) == 1
        assert told[0]["ok"] is False
        assert "token" in told[0]["error"]
        assert guarded.closed(stranger)
    client = guarded.client()
    assert guarded.say(client, {"do": "hello", "token": TOKEN})[0]["ok"]
    assert guarded.say(client, {"do": "status"})[0]["ok"]
    assert not guarded.desk.op.security.doors["lab"]
    guarded.count(connections=5, closed=4, lines=6, taken=2, refused=4, tokens=4)


def test_who_says_no_token_in_time_is_closed(guarded: Room) -> None:
    stranger = guarded.client()
    guarded.now = 9.9
    guarded.poll()
    assert guarded.server.counters.tokens == 0
    guarded.now = 10.1
    assert b"hello: none within 10 s" in guarded.read(stranger)
    assert guarded.closed(stranger)
    guarded.count(connections=1, tokens=1, closed=1)


def test_beyond_loopback_needs_a_token(room: Room) -> None:
    with socket.create_server(("0.0.0.0", 0)) as listening:
        with pytest.raises(InputError, match=r"host 0\.0\.0\.0: beyond this machine without a token; allowed: 127"):
            ControlServer(room.server.desk, listening)
        ControlServer(DeskAnswers(room.face), listening, TOKEN).close()


def test_an_operation_that_does_not_answer_is_told(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(room.face, "ask", lambda action, arguments, told: asked.append(told))
    client = room.client()
    assert room.say(client, {"do": "stop"}, {"do": "status"}) == []
    room.now += 10.5
    told = [json.loads(line) for line in room.read(client).splitlines()]
    assert "no answer of the facility within 10 s" in told[0]["error"]
    assert told[1]["ok"], "what waited behind it is answered"
    asked[0]({"ok": True})
    assert room.read(client) == b"", "what comes too late is not told as the answer to something else"
    room.count(connections=1, lines=2, taken=1, refused=1, unanswered=1)


def test_an_answer_may_come_later_and_goes_to_who_asked(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(room.face, "ask", lambda action, arguments, told: asked.append(told))
    a, b = room.client(), room.client()
    room.say(a, {"do": "stop", "id": "a"}, {"do": "stop", "id": "a2"})
    room.say(b, {"do": "stop", "id": "b"})
    asked[1]({"ok": True, "n": 1})
    asked[0]({"ok": True, "n": 0})
    assert json.loads(room.read(b)) == {"ok": True, "n": 1, "id": "b"}
    assert json.loads(room.read(a)) == {"ok": True, "n": 0, "id": "a"}
    assert len(asked) == 3
    a.close()
    room.poll()
    asked[2]({"ok": True})


def test_a_trajectory_comes_in_pieces_of_one_client_at_a_time(room: Room) -> None:
    a, b, rows = room.client(), room.client(), [[3, *(float(k),) * 22] for k in range(30)]
    (told,) = room.say(a, {"do": "load", "trajectory": rows[:10], "more": True})
    assert told["rows"] == 10
    (told,) = room.say(a, {"do": "load", "trajectory": rows[10:]})
    assert told["rows"] == 30
    loaded = room.desk.op.trajectory
    assert loaded is not None
    assert loaded.values[:, 5].tolist() == [float(k) for k in range(30)]
    assert room.say(a, {"do": "status"})[0]["rows"] == 30
    room.say(a, {"do": "load", "trajectory": rows[:10], "more": True})
    assert room.say(b, {"do": "load", "trajectory": rows[:5], "more": True})[0]["ok"]
    (told,) = room.say(a, {"do": "load", "trajectory": rows[:10]})
    assert "another client has begun to load" in told["error"]
    (told,) = room.say(b, {"do": "load", "trajectory": rows[5:7]})
    assert told["rows"] == 7


def test_shutdown_is_told_and_handed_on(room: Room) -> None:
    assert room.say(room.client(), {"do": "shutdown"})[0]["ok"]
    assert room.face.ended
    assert room.server.desk.ended
