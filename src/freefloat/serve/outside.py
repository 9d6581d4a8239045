"""The outside of a served facility: the application at the sync link, the operators behind the desk."""

from __future__ import annotations

import select
import time
from collections.abc import Mapping
from typing import Any

from freefloat.errors import FreefloatError
from freefloat.facility.exchange import Outputs
from freefloat.facility.operation import Operation
from freefloat.facility.outside import Taken
from freefloat.facility.pool import WEEK
from freefloat.facility.record import POV, Frame, is_alive, is_moving
from freefloat.frames import Array
from freefloat.serve.pipe import Kind, Pipe, put_json, request_of
from freefloat.serve.sync_link import SyncLink

TURN = 0.05  # [s] the longest that a signal to end is not seen
TOLD_EVERY = 62  # cycles, after which the desk gets a status though nothing has changed


class Served:
    """Takes answers and actions before a cycle, sends state and status after it.

    In lockstep a cycle waits for the answer of the application, where there is one, for `timeout` [s] at most.
    """

    def __init__(self, link: SyncLink, desk: Pipe, timeout: float | None = None) -> None:
        self.link, self.desk, self.timeout = link, desk, timeout  # None: in real time, where nobody is waited for
        self.late = 0  # cycles skipped so far
        self.ending = False  # an operator or a signal wants it to end
        self.operation: Operation | None = None  # as of the first cycle
        self._rejected = 0  # datagrams refused that the operation knows of
        self._told: dict[str, Any] = {}
        self._quiet = 0  # cycles since then

    @property
    def in_step(self) -> bool:
        """Whether cycles wait for an application."""
        return self.timeout is not None and self.link.peer is not None and not self.ending

    def before(self, cycle: int, t: float, operation: Operation) -> Taken:
        """Do what operators want, take what the application has answered."""
        self.operation = operation
        self._listen(operation)
        if self.in_step and self.link.told:
            self._await(operation)
        refused = self.link.traffic.rejected
        operation.counters.rejected += refused - self._rejected
        self._rejected = refused
        return Taken(self.link.row(operation.seen), late=self.late)

    def after(self, out: Outputs, row: Mapping[str, Array]) -> None:
        """Send the state to the application, and news to the desk."""
        self.link.told = False
        if self.link.peer is not None:
            gps = round(float(row["gps.week"]) * WEEK) * 1_000_000_000 + round(float(row["gps.seconds"]) * 1e9)
            state = self._state(out)
            self.link.send(out.cycle, gps, int(state[1]), state[2:])
        if self.operation is not None:
            self._tell(out, self.operation)

    def _listen(self, operation: Operation) -> None:
        for kind, data in self.desk.take():
            if kind is Kind.SHUTDOWN:
                self.ending = True
            else:
                number, action, arguments = request_of(kind, data)
                put_json(self.desk, Kind.REPLY, [number, _done(operation, action, arguments)])
        self.link.drain(operation.seen)

    def _await(self, operation: Operation) -> None:
        """For an answer; meanwhile operators are heard."""
        end = time.monotonic() + (self.timeout or 0.0)
        while self.link.answer is None and self.in_step and not self.desk.closed:
            left = end - time.monotonic()
            if left <= 0.0:
                return
            self.desk.pump()
            select.select([self.link, self.desk], [], [], min(left, TURN))
            self._listen(operation)

    def _state(self, out: Outputs) -> Array:
        """The state (24,) in the frame of the application, which it may have told without having commanded yet."""
        shown = self.link.shown
        if shown is None or shown.frame == out.frame or self.operation is None:
            return out.record
        pov = shown.values[POV] if shown.frame == Frame.CLW else out.pov
        if shown.frame == Frame.CLW and abs(float(pov[3:] @ pov[3:]) - 1.0) > 1e-6:  # a greeting need not tell one
            pov = out.pov
        mode = float(out.record[1])
        seen = self.operation.kinematics.from_axes(Frame(shown.frame), out.actual, pov)
        return seen.row(out.cycle, alive=is_alive(mode), moving=is_moving(mode))

    def _tell(self, out: Outputs, operation: Operation) -> None:
        """The desk hears of every change, and now and then."""
        status, self._quiet = operation.status(), self._quiet + 1
        if status == self._told and self._quiet < TOLD_EVERY:
            return
        self._told, self._quiet = status, 0
        put_json(self.desk, Kind.STATUS, {**status, **self._counted(out)})

    def _counted(self, out: Outputs) -> dict[str, Any]:
        c, traffic = out.counters, self.link.traffic
        return {
            "cycle": out.cycle,
            "time": out.time,
            "counters": {"missing": c.missing, "rejected": c.rejected, "late": c.late, "stops": c.stops},
            "application": None if self.link.peer is None else f"{self.link.peer[0]}:{self.link.peer[1]}",
            "datagrams": {
                "answers": traffic.answers,
                "greetings": traffic.greetings,
                "sent": traffic.sent,
                "unsent": traffic.unsent,
                **{f"refused_{cause}": count for cause, count in traffic.refused.items()},
            },
        }


def _done(operation: Operation, action: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """An operator's action and what is told of it."""
    try:
        return {"ok": True, **operation.do(action, **arguments)}
    except FreefloatError as error:
        return {"ok": False, "error": str(error)}
    except Exception as error:  # of a value that no action thought of; robots must not stop for that
        return {"ok": False, "error": f"{action}: {type(error).__name__}: {' '.join(str(error).split())}"}
