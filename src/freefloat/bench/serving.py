"""The docking facility's server under measurement: started as others start it, with an application that answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from freefloat.errors import SimulationError
from freefloat.facility.application import Application
from freefloat.facility.axes import CYCLE
from freefloat.links.facility import FacilityLink
from freefloat.missions.facility.courses import Tumble
from freefloat.missions.facility.served import ServedFacility
from freefloat.serve.cycle import CycleProcess
from freefloat.serve.facility_server import Options, serve

SLICE = 250  # cycles of each kind in turns
PRIORITY = 40  # of what is measured in lockstep, and of applications: below that of the facility with the clock
COURSE = Tumble(turns=70.0)  # about 7 min
_SERVER = "from freefloat.bench.serving import served; served({pace!r}, {out!r}, {alternate!r})"


class Alternating(CycleProcess):
    """Slices of cycles and slices of a bare loop that only keeps time, in turns."""

    bare_cycles, bare_late, _bare, _beats = 0, 0, False, 0

    def wait(self, due: float) -> float:
        """The same; what is late of the bare loop is counted apart."""
        before = self.late, self.served.late
        due = super().wait(due)
        if self._bare:
            self.bare_late += self.late - before[0]
            self.late, self.served.late = before
        return due

    def work(self) -> None:
        """A cycle, or nothing."""
        if self._bare:
            self.bare_cycles += 1
        else:
            super().work()
        self._beats += 1
        self._bare = self._beats // SLICE % 2 == 1

    def timing(self) -> dict[str, Any]:
        """Of both."""
        return {**super().timing(), "bare_cycles": self.bare_cycles, "bare_late": self.bare_late}


def served(pace: Any, out: str, alternate: bool) -> None:
    """Serve the facility for an application that begins at once; ready is a line with its port."""
    scenario = ServedFacility.model_validate({"operator": "sync", "rail": 6.0, "link": {"gone": 60.0, "timeout": 60.0}})
    options = Options(Path(out), sync_port=0, control_port=0, pace=pace)
    cycling = Alternating if alternate else CycleProcess
    if pace == "lockstep":
        hurry()
    sys.exit(serve(scenario, options, lambda sync, control: print(sync, flush=True), cycling))


@dataclass
class Server:
    """A server under way, and the application at its link."""

    process: subprocess.Popen[str]
    link: FacilityLink
    out: Path

    def __post_init__(self) -> None:
        self._application = Application(COURSE)

    def cycles(self, count: int) -> float:
        """Answer so many states; the time it took [s]."""
        begun = time.perf_counter()
        for _ in range(count):
            state = self.link.receive()
            record = self._application.update(state.cycle * CYCLE, {"state": state.row})["record"]
            self.link.answer(record[2:], int(record[1]), int(record[0]))
        return time.perf_counter() - begun

    def begin(self) -> None:
        """Until commands act."""
        while self.link.state is None or not self.link.state.alive:
            self.cycles(1)

    def memory(self) -> float:
        """[bytes] that both processes hold."""
        told = subprocess.run(["ps", "-A", "-o", "ppid=,rss="], capture_output=True, text=True, check=True).stdout
        rows = [line.split() for line in told.splitlines()]
        return 1024.0 * sum(float(rss) for parent, rss in rows if int(parent) == self.process.pid)

    def end(self) -> dict[str, Any]:
        """Stop it; what it tells of its cycles."""
        self.process.terminate()
        code = self.process.wait()
        if code:
            raise SimulationError(f"the facility's server ended with exit code {code}")
        return json.loads((self.out / "timing.json").read_text(encoding="utf-8"))


@contextmanager
def server(pace: str, alternate: bool = False) -> Iterator[Server]:
    """A server in processes of its own."""
    with tempfile.TemporaryDirectory() as folder:
        program = _SERVER.format(pace=pace, out=folder, alternate=alternate)
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline() or 0)
            with FacilityLink(port=port, frame="CLW", timeout=60.0) as link:
                yield Server(process, link, Path(folder))
        finally:
            process.kill()
            process.communicate()


def hurry() -> bool:
    """Let this process, and those that it starts, come before other programs, where that is permitted: it is the server
    that is measured, not what else runs."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except (AttributeError, OSError):
        return False
    return True


@contextmanager
def prompt() -> Iterator[None]:
    """This process answers at once."""
    hurried = hurry()
    try:
        yield
    finally:
        if hurried:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
