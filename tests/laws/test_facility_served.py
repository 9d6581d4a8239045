"""An application over UDP does what it does as a task in a scenario."""

from __future__ import annotations

import gc
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.log.reader import LogData, read_log
from freefloat.facility.application import Application
from freefloat.facility.axes import CYCLE
from freefloat.links.facility import FacilityLink, State
from freefloat.links.record_codec import DatagramError, pack, unpack
from freefloat.missions.facility.courses import Approach, Tumble
from freefloat.missions.facility.served import ServedFacility
from freefloat.serve.cycle import CycleProcess
from freefloat.serve.outside import Served
from freefloat.serve.pipe import Kind, Pipe, rows_of
from freefloat.serve.sync_link import SyncLink

AXES = ("rob1.act.axes", "rob2.act.axes", "rail.act", "rob1.cmd.axes", "rob2.cmd.axes", "rail.cmd")
COURSE = Tumble(0.2, np.radians(40.0), np.radians(10.0), 3.0, 0.1, 1.0)
TOLD = {"tumble.turns": 0.2, "tumble.rate": "40 deg/s", "tumble.ramp": "1 s", "facility.confirm": "8 s"}
CYCLES = 700  # that are commanded
BAD = 15  # wrong datagrams in each of them
RUNNING = 5.0


@dataclass
class Answered:
    """A run over UDP: its log, and how many wrong datagrams went beside the right ones."""

    log: LogData
    bad: int
    status: int


def _wrong(rng: np.random.Generator, right: bytes, cycle: int) -> bytes:
    """Bytes at random, or the right ones with some of them changed so that they are no record of another cycle: such a
    one would be as right as those of the application."""
    while True:
        if rng.random() < 0.3:
            return rng.bytes(int(rng.choice([0, 1, 193, 194, 195, 1400])))
        data = bytearray(right)
        for _ in range(int(rng.integers(1, 4))):
            data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
        data = data[: int(rng.integers(len(data)))] if rng.random() < 0.2 else data
        try:
            changed = unpack(bytes(data))
        except DatagramError:
            return bytes(data)
        if changed.cycle == cycle:
            return bytes(data)


@pytest.fixture(scope="module")
def answered(served_facility: Callable[..., Any]) -> Answered:
    """The course over UDP in lockstep, with wrong datagrams from the application and from a stranger in every cycle."""
    options = ("operator=sync", "rail=6 m", "facility.confirm=8 s")
    server = served_facility("--pace", "lockstep", *(text for o in options for text in ("--set", o)))
    application, rng, acted, bad = Application(COURSE), np.random.default_rng(3), 0, 0
    stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with FacilityLink(port=server.ports["sync"]) as link, stranger:
        stranger.connect(("127.0.0.1", server.ports["sync"]))
        while acted < CYCLES:
            state = link.receive()
            record = application.update(state.cycle * CYCLE, {"state": state.row})["record"]
            right = pack(int(record[0]), 0, int(record[1]), record[2:])
            link.answer(record[2:], int(record[1]), int(record[0]))
            acted += state.alive
            for _ in range(BAD if state.alive else 0):
                wrong = _wrong(rng, right, state.cycle)
                (stranger if rng.random() < 0.3 else link._sock).send(wrong)
                bad += 1
    server.process.send_signal(signal.SIGTERM)
    status = server.process.wait()
    return Answered(read_log(server.out / "log.mcap"), bad, status)


@pytest.fixture(scope="module")
def told() -> ff.Result:
    """The course of an application that is a task."""
    return ff.run("epos-tumble", {**TOLD, "duration": 8.0 + CYCLE * (CYCLES + 2)})


def _column(log: LogData, name: str) -> np.ndarray:
    return log.frames["fmc"][name].to_numpy()


def test_an_application_over_udp_and_as_a_task_give_the_same_bytes_cycle_by_cycle(
    answered: Answered, told: ff.Result
) -> None:
    task, udp = told["fmc.state"] == RUNNING, _column(answered.log, "fmc.state") == RUNNING
    assert np.ptp(told["rob2.act.axes"][task], axis=0).max() > 1.0
    for name in AXES:
        over_udp, as_task = _column(answered.log, name)[udp], told[name][task]
        assert len(over_udp) >= CYCLES
        assert over_udp[:CYCLES].tobytes() == as_task[:CYCLES].tobytes(), name


def test_wrong_datagrams_are_counted_one_by_one_and_harm_nothing(answered: Answered) -> None:
    rejected = _column(answered.log, "fmc.rejected")
    assert answered.bad > 10_000
    assert rejected[-1] == answered.bad
    assert answered.status == 0
    assert answered.log.complete


class Rig:
    """A facility that cycles in a thread of this process; the test is its application and its desk."""

    def __init__(self, **changes: Any) -> None:
        self.near, self.far = (Pipe(end) for end in socket.socketpair())
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.bind(("127.0.0.1", 0))
        self.port = sock.getsockname()[1]
        scenario = ServedFacility(operator="sync", rail=8.0, **changes)
        served = Served(SyncLink(sock, scenario.link.gone), self.near, scenario.link.timeout)
        session = scenario.served(served).session()
        self.groups = session.recorder.groups
        self.process = CycleProcess(session, served, self.near, realtime=False)
        self.rows: list[np.ndarray] = []
        self._thread = threading.Thread(target=self.process.run)
        self._thread.start()

    def listen(self) -> None:
        """What has come for the desk."""
        for kind, data in self.far.take():
            if kind is Kind.ROWS:
                number, rows = rows_of(data)
                if list(self.groups)[number] == "fmc":
                    self.rows.append(rows)

    def column(self, name: str) -> np.ndarray:
        """Of all cycles so far."""
        begin = 1
        for signal_ in self.groups["fmc"]:
            if signal_.name == name:
                return np.concatenate(self.rows)[:, begin : begin + signal_.size]
            begin += signal_.size
        raise AssertionError(name)

    def end(self) -> None:
        """Stop and leave."""
        self.process.asked = True
        while self._thread.is_alive():
            self.listen()
            self._thread.join(0.01)
        self.listen()


@pytest.fixture
def rig() -> Iterator[Callable[..., Rig]]:
    begun: list[Rig] = []

    def start(**changes: Any) -> Rig:
        begun.append(Rig(**changes))
        return begun[-1]

    yield start
    for one in begun:
        one.end()
    gc.enable()


def test_one_per_cent_of_lost_datagrams_stop_nothing_and_keep_the_path(rig: Callable[..., Rig]) -> None:
    course, rng = Approach(far=6.0, near=4.5, speed=0.5), np.random.default_rng(1)
    facility = rig(link={"timeout": 0.05, "gone": 10.0})
    application, lost, last = Application(course), 0, round(course.duration / CYCLE)

    def answer(link: FacilityLink, state: State) -> bool:
        record = application.update(state.cycle * CYCLE, {"state": state.row})["record"]
        if rng.random() < 0.01:
            return True
        link.answer(record[2:], int(record[1]), int(record[0]))
        return False

    with FacilityLink(port=facility.port, frame="GLC") as link:
        while True:
            state = link.receive()
            facility.listen()
            if state.count > last:
                break
            failed = rng.random() < 0.01 or answer(link, state)  # a state is lost, or its answer
            lost += failed and state.alive
    facility.end()
    running = facility.column("fmc.state")[:, 0] == RUNNING
    assert lost > 20
    assert running.sum() > last
    assert (facility.column("fmc.reason")[running] == 0.0).all()
    first, delay = int(np.argmax(running)), 3  # cycles from a set-point to where the robots are
    there = facility.column("act.glc")[first + delay : first + last, :3]
    ought = np.array([course.command(n * CYCLE).values[:3] for n in range(len(there))])
    assert np.abs(np.diff(ought[:, 0])).max() / CYCLE == pytest.approx(0.5, rel=1e-3)
    assert np.linalg.norm(there - ought, axis=1).max() <= 1e-4
