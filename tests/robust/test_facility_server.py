"""The facility's processes end as they should, whoever dies and whatever they are given."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freefloat.cli import main
from freefloat.engine.log.reader import read_log
from freefloat.links.facility import FacilityLink

SECOND = 250  # cycles

pytestmark = pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="finds processes by their names")


def _watched(server: Any, cycles: int) -> int:
    """Look on for some cycles; the number of the last."""
    with FacilityLink(port=server.ports["sync"], frame="GLC", timeout=20.0) as link:
        first = link.receive().cycle
        while link.receive().cycle < first + cycles:
            link.greet()
        return link.receive().cycle


def _logged(server: Any) -> np.ndarray:
    """Numbers of the cycles in the log, which has no gap."""
    log = read_log(server.out / "log.mcap")
    cycles = log.frames["fmc"]["fmc.cycle"].to_numpy()
    assert (np.diff(cycles) == 1.0).all()
    return cycles


@pytest.mark.parametrize("victim", ["cycle", "desk"])
def test_a_killed_process_leaves_a_log_without_the_last_second_at_most(
    served_facility: Callable[..., Any], victim: str
) -> None:
    server = served_facility("--set", "rail=7 m")
    last = _watched(server, 2 * SECOND)
    os.kill(server.child(victim), signal.SIGKILL)
    assert server.process.wait() == 1
    assert _logged(server)[-1] >= last - SECOND
    assert read_log(server.out / "log.mcap").complete == (victim == "cycle")
    told = server.process.stderr.read()
    assert ("the process that cycles has ended" if victim == "cycle" else "Safe Stop") in told


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_signals_stop_the_robots_and_close_the_log(
    served_facility: Callable[..., Any], number: signal.Signals, code: int
) -> None:
    server = served_facility()
    last = _watched(server, 10)
    os.killpg(server.process.pid, number)  # as a terminal does
    assert server.process.wait() == code
    assert _logged(server)[-1] >= last
    assert read_log(server.out / "log.mcap").complete
    assert (server.out / "timing.json").exists()


def test_both_processes_end_where_the_first_one_is_killed(served_facility: Callable[..., Any]) -> None:
    server = served_facility()
    last = _watched(server, 10)
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    assert server.process.stderr.read() == ""  # to its end: nobody has it open any longer
    assert _logged(server)[-1] >= last
    assert read_log(server.out / "log.mcap").complete


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--sync-port", "BUSY"], "--sync-port BUSY: 127.0.0.1:BUSY: Address already in use; allowed: a free port"),
        (["--control-port", "BUSY"], "--control-port BUSY: 127.0.0.1:BUSY: Address already in use"),
        (["--sync-port", "70000"], "--sync-port 70000"),
        (["--host", "0.0.0.0"], "--host 0.0.0.0: others can reach it; allowed: 127.0.0.1, or with --token-file"),
        (["--host", "no.such.host.invalid"], "--host no.such.host.invalid: no such address"),
        (["--set", "facility.delay=-1 s"], "facility.delay"),
        (["--tool", "nothing.val"], "nothing.val"),
        (["--token-file", "nothing.txt"], "--token-file nothing.txt: cannot be read"),
        (["epos-tumble"], "epos-tumble: kind 'epos-tumble'; allowed: facility"),
    ],
)
def test_what_cannot_be_served_is_told_in_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], told: str
) -> None:
    kind = socket.SOCK_DGRAM if "--sync-port" in options else socket.SOCK_STREAM
    with socket.socket(socket.AF_INET, kind) as taken:
        taken.bind(("127.0.0.1", 0))
        if kind == socket.SOCK_STREAM:
            taken.listen()
        busy = str(taken.getsockname()[1])
        given = [text.replace("BUSY", busy) for text in options]
        free = [] if "--control-port" in given else ["--control-port", "0"]
        free += [] if "--sync-port" in given else ["--sync-port", "0"]
        out = tmp_path / "out"
        with pytest.raises(SystemExit) as ended:
            main(["facility", "serve", *given, *free, "--out", str(out)])
    lines = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2
    assert len(lines) == 1, lines
    assert told.replace("BUSY", busy) in lines[0]
    assert not out.exists()
