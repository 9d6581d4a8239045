"""The console at a terminal of the test, against a facility at a real socket."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import select
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rich.console import Console

from freefloat.errors import SimulationError
from freefloat.links.control_channel import ControlChannel
from freefloat.serve.console import FacilityConsole
from freefloat.serve.variable_list import shipped_lists


@pytest.fixture
def console(facility_channel: Any) -> Iterator[FacilityConsole]:
    made = FacilityConsole(lambda: ControlChannel(port=facility_channel.port), shipped_lists())
    yield made
    made.close()


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    ends = pty.openpty()
    yield ends
    for end in ends:
        os.close(end)


def run(console: FacilityConsole, terminal: tuple[int, int], *steps: tuple[bytes, Callable[[], bool]]) -> str:
    """Press keys, each once what it waits for has come about, then leave; what was drawn."""
    hand, screen = terminal
    drawn = io.StringIO()

    def operate() -> None:
        for keys, until in (*steps, (b"q", lambda: True)):
            os.write(hand, keys)
            for _ in range(1000):
                if until():
                    break
                time.sleep(0.01)

    operator = threading.Thread(target=operate)
    operator.start()
    try:
        console.run(Console(file=drawn, width=120, height=45, force_terminal=True), screen)
    finally:
        operator.join()
    return drawn.getvalue()


def test_keys_act_and_the_terminal_is_put_back(console: FacilityConsole, facility_channel: Any, terminal: Any) -> None:
    op, before = facility_channel.op, termios.tcgetattr(terminal[1])
    drawn = run(
        console,
        terminal,
        (b"p", lambda: op.state == "idle"),
        (b"3", lambda: op.mode == "mcu"),
        (b"]]]", lambda: console.model.speed == 6),
        (b"+", lambda: op.motion[0][0] > 6.56),
        (b" ", lambda: op.state == "idle"),
        (b":gate name=gate2\r", lambda: op.security.gates["gate2"]),
        (b"\x1b[B\r", lambda: op.security.estops["door-preparation"]),
        (b"v", lambda: console.model.shown == 1),
        (b"P\x7f\x1b", lambda: console.model.typing is None),
    )
    assert termios.tcgetattr(terminal[1]) == before
    assert op.state == "fault"
    assert "RUNNING" in drawn
    assert "FAULT" in drawn
    assert "\x1b[?25h" in drawn[-20:], "the cursor is seen again"


def test_the_end_of_the_facility_ends_it(console: FacilityConsole, terminal: Any) -> None:
    before = termios.tcgetattr(terminal[1])
    with pytest.raises(SimulationError, match="the facility has ended"):
        run(console, terminal, (b"Q\r", lambda: console.model.done))
    assert termios.tcgetattr(terminal[1]) == before


@pytest.mark.parametrize(("keys", "code"), [(b"\x03", 130), (b"q", 0)])
def test_a_terminal_is_as_before_when_the_command_ends(
    facility_channel: Any, terminal: tuple[int, int], keys: bytes, code: int
) -> None:
    hand, screen = terminal
    before, command = termios.tcgetattr(screen), [sys.executable, "-m", "freefloat", "facility", "console"]
    process = subprocess.Popen(
        [*command, "--connect", facility_channel.at],
        stdin=screen,
        stdout=screen,
        stderr=screen,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        env={**os.environ, "COLUMNS": "120", "LINES": "45", "TERM": "xterm"},
    )
    drawn = b""
    while b"Security display" not in drawn:
        drawn += os.read(hand, 1 << 16)
    os.write(hand, keys)
    while process.poll() is None:  # it draws until it ends
        if select.select([hand], [], [], 0.05)[0]:
            drawn += os.read(hand, 1 << 16)
    assert process.returncode == code
    assert termios.tcgetattr(screen) == before


def test_it_can_be_printed_once(console: FacilityConsole) -> None:
    drawn = io.StringIO()
    console.once(Console(file=drawn, width=120, height=45))
    assert "Command centre" in drawn.getvalue()
    assert "6550.00" in drawn.getvalue()


def test_a_picture_does_not_keep_a_stop_waiting(console: FacilityConsole, monkeypatch: pytest.MonkeyPatch) -> None:
    go, asked = threading.Event(), threading.Event()

    def slow(request: Any) -> dict[str, Any]:
        asked.set()
        go.wait(10.0)
        return {"path": "x.png"}

    monkeypatch.setattr(console, "_apart", slow)
    console._do(("picture", {}))
    assert asked.wait(10.0)
    console._do(("stop", {}))
    assert console.model.message == "done: stop"
    go.set()
    while not console.model.message.endswith("x.png"):
        console._background.finish()
