"""How cycles keep time."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any, cast

import pytest

from freefloat.facility.axes import CYCLE
from freefloat.serve.cycle import CycleProcess
from freefloat.serve.outside import Served
from freefloat.serve.pipe import Pipe
from freefloat.serve.sync_link import SyncLink


class Clock:
    """A clock that only sleeping and setting moves."""

    def __init__(self) -> None:
        self.now, self.slept = 100.0, list[float]()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, span: float) -> None:
        self.slept.append(span)
        self.now += span


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("freefloat.serve.cycle.time", made)
    return made


def _process(timeout: float | None) -> CycleProcess:
    near, _ = (Pipe(end) for end in socket.socketpair())
    link = SyncLink(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 1.0)
    return CycleProcess(cast(Any, SimpleNamespace(time=0.0)), Served(link, near, timeout), near, timeout is None)


def test_a_cycle_in_time_sleeps_to_the_next_and_a_short_delay_is_caught_up_with(clock: Clock) -> None:
    process, due = _process(None), clock.now
    clock.now += 0.001
    due = process.wait(due)
    assert clock.slept == [pytest.approx(0.003)]
    clock.now += 0.005  # 1 ms too long: the next one begins at once, and on time again after it
    due = process.wait(due)
    clock.now += 0.001
    due = process.wait(due)
    assert clock.slept[1:] == [pytest.approx(0.002)]
    assert due == pytest.approx(100.0 + 3 * CYCLE)
    assert (process.late, process.served.late) == (0, 0)


def test_whole_cycles_that_are_lost_are_skipped_and_counted(clock: Clock) -> None:
    process, due = _process(None), clock.now
    clock.now += 0.0185  # the next was due at 4 ms, and those at 8, 12, 16 ms are lost
    due = process.wait(due)
    assert (process.late, process.served.late) == (1, 3)
    assert due == pytest.approx(100.0 + 4 * CYCLE)
    assert clock.slept == []
    clock.now += 0.0005
    assert process.wait(due) == pytest.approx(100.0 + 5 * CYCLE)
    assert clock.slept == [pytest.approx(0.001)]


def test_lockstep_keeps_to_the_clock_only_while_nobody_answers(clock: Clock) -> None:
    process = _process(1.0)
    process.wait(clock.now)
    assert clock.slept == [pytest.approx(CYCLE)]
    process.served.link.peer = ("127.0.0.1", 1)
    clock.now += 1.0
    assert process.wait(0.0) == clock.now
    assert len(clock.slept) == 1
    assert process.served.late == 0
