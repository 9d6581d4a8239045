"""Random and mutated telegrams at the robot's socket: no crash, exact counters, motion unharmed."""

from __future__ import annotations

import random
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from freefloat.links.rsi_config import read_rsi_config
from freefloat.links.rsi_context import read_rsi_context
from freefloat.links.rsi_robot import RobotState, RsiRobot
from freefloat.links.rsi_socket import RsiSocket

EXAMPLE = Path(__file__).parents[2] / "examples" / "rsi"
PIECES = (
    b"<",
    b">",
    b"/>",
    b'"',
    b"'",
    b"&",
    b"<Sen",
    b"<IPOC>",
    b"</Sen>",
    b"nan",
    b"1e999",
    b"\0",
    b"\xff",
    b" ",
    b"<!--",
)


class Straight:
    def pose(self, axes: list[float]) -> list[float]:
        return list(axes)

    def corrected(self, axes: list[float], correction: list[float], near: list[float]) -> list[float]:
        return [q + d for q, d in zip(axes, correction, strict=True)]


def spoilt(rng: random.Random, ipoc: int) -> bytes:
    """Never a valid answer: another IPOC, whatever else is done to it."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randbytes(rng.randrange(200))
    body = (
        f'<RKorr X="{rng.uniform(-9, 9)}" Q="3"/><AKorr A1="{rng.choice(["1", "0.5", "-3", "2e-1", "nan", "1e400"])}"/>'
    )
    data = bytearray(f'<Sen Type="ImFree">{body}<IPOC>9{ipoc}</IPOC></Sen>'.encode())
    if kind == 1:
        return bytes(data)
    for _ in range(rng.randint(1, 5)):
        at = rng.randrange(len(data) + 1)
        if rng.random() < 0.5:
            data[at:at] = rng.choice(PIECES)
        else:
            del data[at : at + rng.randint(1, 20)]
    return b"<" if f">{ipoc}<".encode() in data else bytes(data)


@pytest.mark.parametrize("count", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_spoilt_telegrams_during_a_run_are_counted_and_change_nothing(count: int) -> None:
    rng, each = random.Random(19), 8
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    server.settimeout(5.0)
    config = replace(read_rsi_config(EXAMPLE / "RSI_EthernetConfig.xml"), port=server.getsockname()[1])
    context = read_rsi_context(EXAMPLE / "corrections.rsi.xml", config)
    robot, own = RsiRobot(config, context, Straight(), ipoc=1000), RsiSocket(config)
    for cycle in range(count // each):
        robot.take(own.drain())
        assert robot.axes[1] == (0.01 * (cycle % 100) if cycle else 0.0)
        own.send(robot.telegram(RobotState(robot.axes)))
        data, source = server.recvfrom(65507)
        ipoc = int(data.split(b"IPOC>")[1][:-2])
        good = f'<Sen Type="ImFree"><AKorr A2="{0.01 * ((cycle + 1) % 100)!r}"/><IPOC>{ipoc}</IPOC></Sen>'.encode()
        telegrams = [good, *(spoilt(rng, ipoc) for _ in range(each))]
        rng.shuffle(telegrams)
        for telegram in telegrams:
            server.sendto(telegram, source)
    robot.take(own.drain())
    found, sent = robot.counters, count // each
    refused = found.late + found.wrong_ipoc + found.wrong_type + found.malformed
    assert (found.valid, refused, found.missing) == (sent, each * sent, 0)
    assert robot.delay == refused - found.late
    assert min(found.wrong_ipoc, found.malformed) > sent
    assert robot.state == "running"
    server.close()
    own.close()
