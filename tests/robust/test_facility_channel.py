"""The safety sequences of the facility's operation, with every action sent as a line over a real socket."""

from __future__ import annotations

import json
import runpy
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis.stateful import run_state_machine_as_test

from freefloat.errors import InputError
from freefloat.facility.operation import Operation
from freefloat.facility.trajectory import Trajectory
from freefloat.serve.control_server import ControlServer
from freefloat.serve.desk_answers import DeskAnswers
from freefloat.serve.in_process import InProcess
from freefloat.verify.facility_desk import KINEMATICS

_SEQUENCES = runpy.run_path(str(Path(__file__).with_name("test_facility_operation.py")))
sequences = _SEQUENCES["sequences"]


class ByLines(InProcess):
    """The operation behind the channel: its own actions, not those that lead to the socket."""

    def ask(self, action: str, arguments: Any, told: Any) -> None:
        try:
            reply = {"ok": True, **Operation.do(self.operation, action, **arguments)}
        except InputError as error:
            reply = {"ok": False, "error": str(error)}
        told(reply)


class Channelled(_SEQUENCES["Facility"]):
    """The same rules and invariants; `op.do` goes through TCP."""

    def __init__(self) -> None:
        super().__init__()
        face = ByLines(self.desk.op, KINEMATICS)
        face.shown(self.desk.out)
        self.server = ControlServer(DeskAnswers(face), socket.create_server(("127.0.0.1", 0)))
        self.client = socket.create_connection(("127.0.0.1", self.server.port))
        self.client.setblocking(False)
        self.lines = 0
        self.desk.op.do = self.send  # type: ignore[method-assign]

    def send(self, action: str, /, **arguments: Any) -> dict[str, Any]:
        given = {key: _rows(value) if isinstance(value, Trajectory) else value for key, value in arguments.items()}
        self.client.sendall(json.dumps({"do": action, **given}).encode() + b"\n")
        self.lines += 1
        got = b""
        for _ in range(100_000):
            self.server.poll(0.0)
            try:
                got += self.client.recv(1 << 16)
            except BlockingIOError:
                continue
            if got.endswith(b"\n"):
                break
        told = json.loads(got)
        if not told["ok"]:
            raise InputError(told["error"])
        assert told["state"] == self.op.state
        return told

    def teardown(self) -> None:
        counters = self.server.counters
        assert counters.lines == self.lines == counters.taken + counters.refused
        assert counters.bad == 0
        del self.desk.op.do
        self.client.close()
        self.server.close()


def _rows(trajectory: Trajectory) -> list[list[float]]:
    return [[int(f), *v] for f, v in zip(trajectory.frames.tolist(), trajectory.values.tolist(), strict=True)]


def test_nothing_unsafe_happens_in_any_sequence_of_lines() -> None:
    run_state_machine_as_test(Channelled, settings=sequences(100))


@pytest.mark.slow
def test_nothing_unsafe_happens_in_two_thousand_sequences_of_lines() -> None:
    run_state_machine_as_test(Channelled, settings=sequences(2_000))


@pytest.mark.parametrize("name", ["doors let lasers on", "emergency stops cause nothing"])
def test_sequences_of_lines_find_a_guard_that_is_broken(name: str) -> None:
    breakage, seen = _SEQUENCES["BREAKAGES"][name]
    with _SEQUENCES["broken"](*breakage), pytest.raises(AssertionError, match=seen):
        run_state_machine_as_test(Channelled, settings=sequences(400, shrink=False))
