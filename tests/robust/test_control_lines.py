"""Lines without sense on the control channel while robots move: each is answered once, counted, and changes nothing."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import string
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from freefloat.facility.axes import CYCLE
from freefloat.facility.trajectory import Trajectory
from freefloat.serve.control_requests import KNOWN, LINE
from freefloat.serve.control_server import ControlServer
from freefloat.serve.desk_answers import DeskAnswers
from freefloat.serve.in_process import InProcess
from freefloat.verify.facility_desk import KINEMATICS, Desk
from freefloat.verify.facility_rig import HOME

PER_CYCLE = 4  # lines
HARMLESS = [{"do": "status"}, {"do": "list", "what": "cameras"}, {"do": "get", "names": "fmc.*"}, {"do": "hello"}]


def moving(rows: int) -> Desk:
    """A facility that replays a swing of all axes."""
    t = CYCLE * np.arange(rows)
    axes = HOME + 0.1 * (1.0 - np.cos(0.5 * t))[:, None] * np.array([1.0, *(0.3, -0.1, 0.1, 0.3, 0.1, 0.3) * 2])
    desk = Desk()
    desk.op.do("load", trajectory=Trajectory.of(KINEMATICS.from_axes(3, q) for q in axes))
    desk.up("async")
    desk.op.do("start")
    desk.until("ready")
    desk.op.do("confirm")
    return desk


class Nonsense:
    """Lines of known kinds, by a seed; `kinds` counts them."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.kinds = dict.fromkeys(("taken", "refused", "bad", "mutated"), 0)

    def line(self) -> bytes:
        kind = self.r.choice(list(self.kinds))
        self.kinds[kind] += 1
        return getattr(self, f"_{kind}")()

    def _taken(self) -> bytes:
        return json.dumps(self.r.choice(HARMLESS)).encode()

    def _refused(self) -> bytes:
        """JSON objects that ask for nothing that there is."""
        r = self.r
        name = r.choice([n for n in KNOWN if n != "load"])
        junk = r.choice([None, {}, [[]], [None], "x" * 999, 1e300, -(10**40), {"a": [1]}])
        word = "".join(r.choices(string.printable, k=r.randrange(1, 30)))
        found: dict[str, Any] = r.choice(
            [
                {"do": word + "!"},
                {"do": junk},
                {word: name},
                {"do": name, word + "!": 1},
                {"do": "power", "on": junk},
                {"do": "mode", "mode": junk},
                {"do": "jog", "component": word, "speed": junk},
                {"do": "sine", "component": "E1", "amplitude": junk, "frequency": 1},
                {"do": "estop", "place": word + "!"},
                {"do": "load", "trajectory": junk},
                {"do": "load", "trajectory": [[r.random() * 10 ** r.randrange(30) for _ in range(23)]], "more": 1},
                {"do": "get", "names": word + "!"},
                {"do": "watch", "period": "soon"},
                {"do": "picture", "camera": word},
                {"do": name, "id": r.choice([[], {}, True, 1.5, "x" * 999, 10**300])},
            ]
        )
        return json.dumps(found).encode()

    def _bad(self) -> bytes:
        """No JSON objects."""
        r = self.r
        chosen = r.choice(
            [
                b"\xff" + r.randbytes(r.randrange(200)),
                b"[" * r.randrange(1, 3000),
                b"{" + r.randbytes(20).hex().encode(),
                json.dumps([r.random(), "status"]).encode(),
                b'{"do": "status", "do": "stop"}',
                b'{"do": "jog", "component": "E1", "speed": Infinity}',
                b"POST /stop HTTP/1.1",
                b"",
                b"null",
                '{"do": "status"} {"do": "stop"}'.encode(r.choice(["utf-8", "utf-16"])),
            ]
        )
        return chosen.replace(b"\n", b"?")

    def _mutated(self) -> bytes:
        """A harmless request with bytes changed, left out, doubled."""
        line = bytearray(self._taken())
        for _ in range(self.r.randrange(1, 4)):
            place = self.r.randrange(len(line))
            line[place : place + self.r.randrange(2)] = self.r.randbytes(self.r.randrange(3))
            line = line.replace(b"\n", b"?") or bytearray(b"?")
        return bytes(line)


def rounds(count: int) -> None:
    cycles = count // PER_CYCLE
    alone, desk = moving(cycles + 500), moving(cycles + 500)
    face = InProcess(desk.op, KINEMATICS)
    face.shown(desk.out)
    server = ControlServer(DeskAnswers(face), socket.create_server(("127.0.0.1", 0)))
    nonsense, replies, clients, sent = Nonsense(19), 0, 0, 0
    client: socket.socket | None = None
    taken = halves = overlong = 0
    for n in range(cycles):
        if client is None:
            client = socket.create_connection(("127.0.0.1", server.port))
            client.settimeout(5.0)
            clients += 1
            taken += 1
            replies += exchange(server, client, [b'{"do": "hello"}'])
        lines = [nonsense.line() for _ in range(PER_CYCLE)]
        sent += len(lines)
        replies += exchange(server, client, lines)
        if n % 37 == 0:  # leaves, sometimes in the middle of a line, sometimes with one that does not end
            if n % 2:
                client.sendall(b'{"do": "sto')
                halves += 1
            elif n % 3 == 0:
                overlong += 1
                overflow(server, client)
            settle(server, client)
            client = None
        alone.cycle()
        face.shown(desk.cycle())
        np.testing.assert_array_equal(desk.out.axes, alone.out.axes)
        assert desk.op.state == "running"
    if client is not None:
        settle(server, client)
    found = asdict(server.counters)
    kinds = nonsense.kinds
    assert sent == sum(kinds.values()) == cycles * PER_CYCLE
    assert replies == sent + taken, "one reply for each line"
    assert found["lines"] == sent + taken == found["taken"] + found["refused"] + found["bad"]
    mutated = {
        "taken": found["taken"] - kinds["taken"] - taken,
        "refused": found["refused"] - kinds["refused"],
        "bad": found["bad"] - kinds["bad"],
    }
    assert all(value >= 0 for value in mutated.values())
    assert sum(mutated.values()) == kinds["mutated"]
    assert mutated["bad"] > mutated["refused"] > 0, "most changes of a byte spoil the JSON, others its words"
    expected = {"connections": clients, "closed": clients, "halves": halves, "overlong": overlong}
    assert {key: found[key] for key in expected} == expected
    assert not any(found[key] for key in ("turned_away", "tokens", "stuck", "unanswered", "frames_left_out"))
    server.close()


def exchange(server: ControlServer, client: socket.socket, lines: list[bytes]) -> int:
    """Send lines, and read as many replies as there are lines; each is an object that says whether it was taken."""
    client.sendall(b"".join(line + b"\n" for line in lines))
    got = b""
    for _ in range(10_000):
        server.poll(0.0)
        client.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            got += client.recv(1 << 20)
        if got.count(b"\n") >= len(lines):
            break
    client.setblocking(True)
    told = [json.loads(line) for line in got.splitlines()]
    for reply in told:
        assert reply["ok"] is True or (reply["ok"] is False and reply["error"])
    return len(told)


def overflow(server: ControlServer, client: socket.socket) -> None:
    client.setblocking(False)
    try:
        for _ in range(LINE // 1000 + 1000):
            client.send(b"x" * 1000)
            server.poll(0.0)
    except (BlockingIOError, ConnectionError):
        pass


def settle(server: ControlServer, client: socket.socket) -> None:
    """Leave, and have the server notice."""
    before = server.counters.closed
    client.close()
    for _ in range(100_000):
        server.poll(0.0)
        if server.counters.closed > before:
            return
    raise AssertionError("the server did not notice that its client left")


def test_ten_thousand_lines_of_nonsense_harm_nothing() -> None:
    rounds(10_000)


@pytest.mark.slow
def test_a_hundred_thousand_lines_of_nonsense_harm_nothing() -> None:
    rounds(100_000)
