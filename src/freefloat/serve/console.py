"""The command centre in a terminal: it watches the facility, shows it, and turns keys into requests."""

from __future__ import annotations

import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from rich.console import Console
from rich.live import Live

from freefloat.errors import FreefloatError, SimulationError
from freefloat.links.control_channel import ControlChannel
from freefloat.serve.background import Background
from freefloat.serve.console_keys import Request
from freefloat.serve.console_model import ConsoleModel
from freefloat.serve.console_view import screen
from freefloat.serve.operator import perform
from freefloat.serve.terminal_keys import Keys, single_keys
from freefloat.serve.variable_list import VariableList

PERIOD = 0.1  # [s] between frames
LOST = 5.0  # [s] without a frame, after which the screen says so
SLOW = ("picture", "load")  # what takes long
Connect = Callable[[], ControlChannel]


class FacilityConsole:
    """Two connections: one watches, one acts, so that what is shown never waits for what is done. What takes long has a
    third one, so that a stop waits for nothing."""

    def __init__(self, connect: Connect, lists: Sequence[VariableList]) -> None:
        self._connect = connect
        self._watching, self._acting = connect(), connect()
        self.model = ConsoleModel(lists, self._watching.where)
        self._names: list[str] = []
        self._heard, self._ended = time.monotonic(), False
        self._background = Background()

    def close(self) -> None:
        """Leave; the facility goes on."""
        self._watching.close()
        self._acting.close()
        self._background.close()

    def once(self, console: Console) -> None:
        """Print the screen as it is."""
        self._watch()
        self._listen()
        console.print(screen(self.model, console.width, console.height))

    def run(self, console: Console | None = None, descriptor: int | None = None) -> None:
        """Until the operator leaves, or the facility ends."""
        console = console or Console()
        keys = Keys(sys.stdin.fileno() if descriptor is None else descriptor)
        with (
            single_keys(keys.fileno()),
            _ended_gently(),
            Live(console=console, screen=True, auto_refresh=False) as live,
        ):
            while not self.model.done:
                self._watch()
                self._turn(keys)
                live.update(screen(self.model, console.width, console.height), refresh=True)
        if self._ended:
            raise SimulationError(f"control channel {self._watching.where}: the facility has ended")

    def _turn(self, keys: Keys) -> None:
        """Wait for a frame or a key, and deal with what has come."""
        sources = [self._watching, keys, self._background]
        ready = select.select(sources, [], [], 0.0 if self._watching.ready() else PERIOD)[0]
        if self._watching in ready or self._watching.ready():
            self._listen()
        elif time.monotonic() > self._heard + LOST:
            self.model.message, self.model.failed = f"nothing heard of the facility for {LOST:g} s", True
        if self._background in ready:
            self._background.finish()
        if keys in ready:
            pressed = keys.pressed()
            self.model.done = self.model.done or pressed is None
            for key in pressed or ():
                self._do(self.model.press(key, time.monotonic()))
        self._do(self.model.jog(time.monotonic()))

    def _watch(self) -> None:
        """Ask for the variables that are shown, where these have changed."""
        if self.model.names != self._names:
            self._names = self.model.names
            self._watching.do("watch", names=self._names, period=PERIOD)

    def _listen(self) -> None:
        told = self._watching.event()
        if told is None:
            self._ended = self.model.done = True
            return
        self._heard = time.monotonic()
        self.model.told(told)

    def _do(self, request: Request | None) -> None:
        if request is None:
            return
        try:
            if request[0] not in SLOW:
                self.model.answered(request, perform(self._acting, *request))
                return
            self._background.start(lambda: self._apart(request), lambda told: self.model.answered(request, told))
            self.model.message, self.model.failed = f"{request[0]} ...", False
        except FreefloatError as error:
            self.model.answered(request, error)

    def _apart(self, request: Request) -> dict[str, Any]:
        with self._connect() as channel:
            return perform(channel, *request)


@contextmanager
def _ended_gently() -> Iterator[None]:
    """SIGTERM and a terminal that is closed end the console as `q` does, so that the terminal is put back."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    numbers = [signal.SIGTERM, signal.SIGHUP] if hasattr(signal, "SIGHUP") else [signal.SIGTERM]
    before = {number: signal.signal(number, leave) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def on_a_terminal() -> bool:
    """Whether there is one to read keys from and to draw on."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()  # pyright: ignore[reportUnnecessaryComparison]
