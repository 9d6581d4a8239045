"""An application's side of the docking facility's sync link (docs/reference/facility-sync-link.md).

    with FacilityLink("127.0.0.1", 5250, frame="GLC") as link:
        for state in link.cycles(start):
            link.answer(command(state.elapsed))

The facility is the clock: it sends its state every 4 ms, and an answer acts in the next cycle.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import FreefloatError, InputError
from freefloat.links.record_codec import SIZE, VALUES, Datagram, DatagramError, frame_number, pack, unpack

CYCLE = 0.004  # [s]
AGAIN = 0.1  # [s] after which a greeting is repeated


class LinkError(FreefloatError):
    """The facility does not answer."""


@dataclass(frozen=True, eq=False)
class State(Datagram):
    """What the facility tells of a cycle, in the frame of the last command."""

    count: int = 0  # cycles since Confirm; 0 before it

    @property
    def elapsed(self) -> float:
        """[s] since Confirm: for which an answer to this state is."""
        return self.count * CYCLE

    @property
    def row(self) -> np.ndarray:
        """(24,) [cycle, mode, values], as a task in a scenario reads it."""
        return np.concatenate([[float(self.cycle), float(self.mode)], self.values])


class FacilityLink:
    """A connection; states come to who answers. `timeout` [s] is how long the facility may be silent."""

    def __init__(self, host: str = "127.0.0.1", port: int = 5250, frame: str = "CLW", timeout: float = 5.0) -> None:
        self.frame, self.timeout, self.missed = frame_number(frame), timeout, 0  # missed: states that never came
        self._where = f"{host}:{port}"
        self._sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._sock.connect((host, port))
        except (OSError, OverflowError) as error:
            self._sock.close()
            why = getattr(error, "strerror", None) or str(error)
            raise InputError(f"facility {self._where}: {why}; allowed: HOST:PORT of a sync link") from None
        self._sock.setblocking(False)
        self.state: State | None = None  # the newest
        self._held = 0  # the last cycle in which commands did not act

    def cycles(self, start: ArrayLike) -> Iterator[State]:
        """States from Confirm on, each to be answered before the next; ends where the facility stops executing.

        Until then `start`, 22 values, is what the facility moves to and is held at.
        """
        acted = False
        while True:
            state = self.receive()
            if state.alive:
                acted = True
                yield state
            elif acted:
                return
            else:
                self.answer(start)

    def receive(self) -> State:
        """The newest state, which is waited for; older ones are passed over. The first call greets the facility."""
        end = time.monotonic() + self.timeout
        while True:
            if self.state is None:
                self.greet()
            left = end - time.monotonic()
            if left <= 0.0:
                raise LinkError(f"facility {self._where}: no state within {self.timeout:g} s")
            if select.select([self._sock], [], [], left if self.state is not None else min(left, AGAIN))[0]:
                newest = self._newest()
                if newest is not None:
                    return newest

    def answer(self, values: ArrayLike, mode: int | None = None, cycle: int | None = None) -> None:
        """Command 22 values in the frame of the link, for the state that came last; `mode` and `cycle` may be told."""
        if self.state is None:
            raise InputError("answer: no state has come yet; receive one first")
        echo = self.state.cycle if cycle is None else cycle
        self._send(pack(echo, self.state.gps_ns, self.frame if mode is None else mode, values))

    def greet(self) -> None:
        """Ask for states in the frame of the link; nothing of it is executed."""
        values = np.zeros(VALUES)
        values[[6, 13, 20]] = 1.0  # quaternions, where the frame has them
        self._send(pack(0, 0, self.frame, values))

    def close(self) -> None:
        """Leave; the facility notices the silence."""
        self._sock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *told: object) -> None:
        self.close()

    def _send(self, data: bytes) -> None:
        try:
            self._sock.send(data)
        except ConnectionError:  # nobody was there for the one before; one may come
            return

    def _newest(self) -> State | None:
        found: Datagram | None = None
        while True:
            try:
                record = unpack(self._sock.recv(SIZE + 1))
            except BlockingIOError:
                break
            except (DatagramError, ConnectionError):
                continue
            last = self.state.cycle if found is None and self.state is not None else found.cycle if found else 0
            if record.cycle > last:
                found = record
        if found is None:
            return None
        if not found.alive:
            self._held = found.cycle
        if self.state is not None:
            self.missed += found.cycle - self.state.cycle - 1
        count = found.cycle - self._held
        self.state = State(found.cycle, found.gps_ns, found.mode, found.values, count)
        return self.state


class Controller(Protocol):
    """A task of a scenario: it reads `state` (24,) and returns `record` (24,), both [cycle, mode, 22 values]."""

    def update(self, t: float, meas: Mapping[str, np.ndarray]) -> Mapping[str, Any]: ...


def drive(controller: Controller, link: FacilityLink) -> int:
    """Let a controller answer every state as it does in a scenario, until the facility stops executing; the number of
    cycles in which its records acted."""
    acted = 0
    while True:
        state = link.receive()
        if not state.alive and acted:
            return acted
        acted += state.alive
        record = np.asarray(controller.update(state.cycle * CYCLE, {"state": state.row})["record"], np.float64)
        if record.shape != (VALUES + 2,) or not np.isfinite(record[:2]).all():
            raise InputError(f"application: its record has shape {record.shape}; allowed: {VALUES + 2} numbers")
        link.answer(record[2:], int(record[1]), int(record[0]))
