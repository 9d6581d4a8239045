"""Who may speak at the sync link, and what is taken."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from freefloat.links.record_codec import pack, unpack
from freefloat.serve.sync_link import SyncLink

VALUES = np.linspace(1.0, 2.0, 22)


@dataclass
class Bench:
    """The link, two programs, and a clock that is set."""

    link: SyncLink
    first: socket.socket
    second: socket.socket
    now: list[float]

    def say(self, who: socket.socket, *datagrams: bytes, seen: int = 5) -> None:
        """Send, and let the link look once all has come."""
        for data in datagrams:
            who.send(data)
        select.select([self.link], [], [], 1.0)
        self.link.drain(seen)


@pytest.fixture
def bench() -> Iterator[Bench]:
    server, *clients = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(3))
    server.bind(("127.0.0.1", 0))
    for client in clients:
        client.connect(server.getsockname())
        client.settimeout(1.0)
    now = [0.0]
    with server, clients[0], clients[1]:
        yield Bench(SyncLink(server, 1.0, lambda: now[0]), clients[0], clients[1], now)


def test_nobody_gets_states_before_a_valid_datagram(bench: Bench) -> None:
    bench.link.send(1, 0, 1, VALUES)
    bench.say(bench.first, b"EPOS", pack(0, 0, 9, VALUES))
    assert bench.link.peer is None
    assert bench.link.traffic.rejected == 2
    bench.say(bench.first, pack(0, 0, 2, VALUES))
    bench.link.send(6, 99, 2 | 1 << 14, VALUES)
    state = unpack(bench.first.recv(1000))
    assert (state.cycle, state.gps_ns, state.frame, state.alive) == (6, 99, 2, True)
    assert np.array_equal(state.values, VALUES)
    assert bench.link.row(5) is None


def test_an_answer_to_the_last_state_is_taken_once_and_all_else_counted_by_its_cause(bench: Bench) -> None:
    right = pack(5, 0, 1, VALUES)
    bench.say(bench.first, pack(0, 0, 1, VALUES), pack(4, 0, 1, VALUES), right, right, right[:-1], b"e" + right[1:])
    bench.say(bench.first, pack(5, 0, 7, VALUES), pack(5, 0, 1, np.full(22, np.inf)))
    bench.say(bench.second, right)
    row = bench.link.row(5)
    assert row is not None
    assert np.array_equal(row, [5.0, 1.0, *VALUES])
    assert bench.link.row(5) is None
    expected = {"size": 1, "mark": 1, "frame": 1, "number": 1, "peer": 1, "cycle": 1, "again": 1}
    assert bench.link.traffic.refused == expected
    assert (bench.link.traffic.answers, bench.link.traffic.greetings) == (1, 1)


def test_another_application_may_come_once_the_first_is_silent(bench: Bench) -> None:
    hello = pack(0, 0, 1, VALUES)
    bench.say(bench.first, hello)
    bench.now[0] = 0.9
    bench.say(bench.second, hello)
    assert bench.link.peer == bench.first.getsockname()
    bench.now[0] = 1.1
    bench.link.drain(5)
    assert bench.link.peer is None
    bench.say(bench.second, hello)
    assert bench.link.peer == bench.second.getsockname()


def test_cycles_beyond_32_bits_begin_anew(bench: Bench) -> None:
    bench.say(bench.first, pack(0, 0, 1, VALUES))
    bench.link.send(2**32 + 7, 0, 1, VALUES)
    assert unpack(bench.first.recv(1000)).cycle == 7
    bench.say(bench.first, pack(7, 0, 1, VALUES), seen=2**32 + 7)
    row = bench.link.row(2**32 + 7)
    assert row is not None
    assert row[0] == 2**32 + 7
