"""A facility at a control channel, in a thread of the test's own process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest


class FacilityChannel:
    """Cycles and answers in a thread; `out` is its folder."""

    def __init__(self, out: Path, token: str = "") -> None:
        from freefloat.serve.control_server import ControlServer
        from freefloat.serve.desk_answers import DeskAnswers
        from freefloat.serve.in_process import InProcess
        from freefloat.verify.facility_desk import KINEMATICS, Desk

        self.out, self.desk = out, Desk()
        self.op = self.desk.op
        self.face = InProcess(self.op, KINEMATICS)
        self.face.shown(self.desk.out)
        self.server = ControlServer(DeskAnswers(self.face, out=out), socket.create_server(("127.0.0.1", 0)), token)
        self.port = self.server.port
        self._go = True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def at(self) -> str:
        return f"127.0.0.1:{self.port}"

    def _run(self) -> None:
        while self._go and not self.face.ended:
            self.server.poll(0.004)
            self.face.shown(self.desk.cycle())
        self.server.close()

    def close(self) -> None:
        self._go = False
        self._thread.join(10.0)


@pytest.fixture
def facility_channel(tmp_path: Path) -> Iterator[FacilityChannel]:
    """One that needs no token."""
    made = FacilityChannel(tmp_path)
    yield made
    made.close()


@pytest.fixture
def guarded_channel(tmp_path: Path) -> Iterator[FacilityChannel]:
    """One whose token is `a token of the right length`."""
    made = FacilityChannel(tmp_path, "a token of the right length")
    yield made
    made.close()
