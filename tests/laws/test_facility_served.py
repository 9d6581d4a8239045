"""An application over UDP does what it does as a task in a scenario."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.cli import main
from freefloat.engine.log.reader import LogData, read_log
from freefloat.facility.application import Application
from freefloat.facility.axes import CYCLE
from freefloat.links.facility import FacilityLink, State
from freefloat.links.record_codec import DatagramError, pack, unpack
from freefloat.missions.facility.courses import Approach, Tumble

AXES = ("rob1.act.axes", "rob2.act.axes", "rail.act", "rob1.cmd.axes", "rob2.cmd.axes", "rail.cmd")
COURSE = Tumble(0.2, np.radians(40.0), np.radians(10.0), 3.0, 0.1, 1.0)
TOLD = {"tumble.turns": 0.2, "tumble.rate": "40 deg/s", "tumble.ramp": "1 s", "facility.confirm": "8 s"}
CYCLES = 700  # that are commanded
BAD = 15  # wrong datagrams in each of them, 10,500 in all
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


def _is_record(data: bytes) -> bool:
    try:
        unpack(data)
    except DatagramError:
        return False
    return True


@pytest.fixture(scope="module", params=[BAD, pytest.param(10 * BAD, marks=pytest.mark.slow)])
def answered(served_facility: Callable[..., Any], request: pytest.FixtureRequest) -> Answered:
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
            wrong = [_wrong(rng, right, state.cycle) for _ in range(request.param if state.alive else 0)]
            after = [n for n, data in enumerate(wrong) if n % 10 == 0 or _is_record(data)]  # else it were the answer
            for n in sorted(range(len(wrong)), key=lambda n, after=after: n in after):
                if n == min(after, default=-1):
                    link.answer(record[2:], int(record[1]), int(record[0]))
                (stranger if rng.random() < 0.3 else link._sock).send(wrong[n])
            if not wrong:
                link.answer(record[2:], int(record[1]), int(record[0]))
            acted, bad = acted + state.alive, bad + len(wrong)
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


def test_one_per_cent_of_lost_datagrams_stop_nothing_and_keep_the_path(facility_rig: Callable[..., Any]) -> None:
    course, rng = Approach(far=6.0, near=4.5, speed=0.5), np.random.default_rng(1)
    facility = facility_rig(operator="sync", link={"timeout": 0.05, "gone": 10.0})
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


OWN = """
from freefloat.facility.application import Application
from freefloat.missions.facility.courses import Approach

class Own(Application):
    def __init__(self):
        super().__init__(Approach(far=5.0, near=4.0))
"""


def test_a_controller_drives_the_facility_by_the_command_line_until_the_operator_stops_it(
    facility_rig: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN, encoding="utf-8")
    facility = facility_rig(operator="sync")

    def stop(status: dict[str, Any]) -> None:
        if status["state"] == "running" and status["time"] > 6.0:
            facility.ask("stop")

    facility.when = stop
    with pytest.raises(SystemExit) as ended:
        main(["facility", "app", "own.py:Own", "--frame", "GLC", "--connect", f"127.0.0.1:{facility.port}", "--json"])
    told = json.loads(capsys.readouterr().out)
    facility.end()
    running = facility.column("fmc.state")[:, 0] == RUNNING
    assert ended.value.code == 0
    assert told == {"cycles": int(running.sum()), "missed_states": 0}
    assert facility.column("fmc.reason")[-1, 0] == 1.0  # the operator
    assert np.ptp(facility.column("rail.act")[running]) > 0.001
