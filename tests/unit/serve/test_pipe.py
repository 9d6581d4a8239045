"""Messages between two processes."""

from __future__ import annotations

import socket

import numpy as np
import pytest

from freefloat.facility.record import Frame
from freefloat.facility.trajectory import Trajectory
from freefloat.serve.pipe import Kind, Pipe, put_json, put_request, put_rows, request_of, rows_of


@pytest.fixture
def pipes() -> tuple[Pipe, Pipe]:
    one, other = socket.socketpair()
    return Pipe(one), Pipe(other)


def _all(near: Pipe, far: Pipe) -> list[tuple[Kind, bytes]]:
    found: list[tuple[Kind, bytes]] = []
    while near.backlog:
        near.pump()
        found += far.take()
    return found + far.take()


def test_messages_come_whole_and_in_their_order(pipes: tuple[Pipe, Pipe]) -> None:
    near, far = pipes
    rows = np.arange(12.0).reshape(3, 4)
    put_rows(near, 2, rows)
    put_json(near, Kind.STATUS, {"state": "idle"})
    near.put(Kind.SHUTDOWN)
    (first, data), second, third = _all(near, far)
    assert first is Kind.ROWS
    assert rows_of(data)[0] == 2
    assert np.array_equal(rows_of(data)[1], rows)
    assert second == (Kind.STATUS, b'{"state": "idle"}')
    assert third == (Kind.SHUTDOWN, b"")


def test_what_nobody_takes_waits_and_nobody_is_held_up(pipes: tuple[Pipe, Pipe]) -> None:
    near, far = pipes
    block = np.zeros((1000, 300))
    for n in range(20):
        put_rows(near, n, block)
        near.pump()
    assert near.backlog > 10_000_000
    assert not near.flush(0.01)
    assert [rows_of(data)[0] for _, data in _all(near, far)] == list(range(20))


def test_a_trajectory_goes_as_arrays(pipes: tuple[Pipe, Pipe]) -> None:
    near, far = pipes
    sent = Trajectory(np.full(5, int(Frame.GLC)), np.arange(110.0).reshape(5, 22))
    put_request(near, 7, "load", {"trajectory": sent})
    put_request(near, 8, "mode", {"mode": "async"})
    load, mode = (request_of(kind, data) for kind, data in _all(near, far))
    assert load[:2] == (7, "load")
    assert np.array_equal(load[2]["trajectory"].frames, sent.frames)
    assert np.array_equal(load[2]["trajectory"].values, sent.values)
    assert mode == (8, "mode", {"mode": "async"})


def test_the_end_of_one_side_is_seen_by_the_other(pipes: tuple[Pipe, Pipe]) -> None:
    near, far = pipes
    put_json(near, Kind.END, {})
    near.pump()
    near.close()
    assert far.take() == [(Kind.END, b"{}")]
    assert far.closed
    far.put(Kind.SHUTDOWN)
    far.pump()
    assert far.backlog == 0
