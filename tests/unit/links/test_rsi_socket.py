"""The robot's socket never waits and survives what networks do."""

from __future__ import annotations

import select
import socket
from dataclasses import replace
from pathlib import Path

from freefloat.links.rsi_config import read_rsi_config
from freefloat.links.rsi_socket import MOST, RsiSocket

CONFIG = read_rsi_config(Path(__file__).parents[3] / "examples" / "rsi" / "RSI_EthernetConfig.xml")


def test_a_flood_is_taken_in_portions() -> None:
    own = RsiSocket(CONFIG)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        for n in range(MOST + 10):
            other.sendto(b"%d" % n, ("127.0.0.1", own.port))
    assert [int(x) for x in own.drain()] == list(range(MOST))
    assert len(own.drain()) == 10
    assert own.drain() == []
    own.close()


def test_telegrams_that_nobody_takes_do_no_harm() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as gone:
        gone.bind(("127.0.0.1", 0))
        port = gone.getsockname()[1]
    own = RsiSocket(replace(CONFIG, port=port))
    for _ in range(5):
        own.send(b"telegram")
        assert own.drain() == []
    own.send(None)
    own.send(b"x" * 70_000)  # more than a datagram holds
    assert own.unsent == 1
    own.close()


def test_selectors_see_what_has_come() -> None:
    own = RsiSocket(CONFIG)
    assert select.select([own], [], [], 0.0)[0] == []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.sendto(b"here", ("127.0.0.1", own.port))
    assert select.select([own], [], [], 5.0)[0] == [own]
    own.close()
