"""The desk's process: it writes the log, and stands between operators and the process that cycles."""

from __future__ import annotations

import itertools
import json
import pickle
import selectors
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from freefloat.engine.log.writer import LogWriter
from freefloat.engine.mission import Mission
from freefloat.engine.session import Session
from freefloat.facility.pool import VARIABLES
from freefloat.frames import Array
from freefloat.serve.pipe import Kind, Pipe, put_request, rows_of
from freefloat.terminal import DONE, FAILED, say

Told = Callable[[dict[str, Any]], None]
POOL = "fmc"  # the group of the data pool
TURN = 0.05  # [s] the longest that the desk sleeps


class Line:
    """The process that cycles, as its desk sees it. No call waits."""

    def __init__(self, pipe: Pipe, columns: Mapping[str, slice]) -> None:
        self._pipe, self._columns = pipe, columns
        self._waiting: dict[int, Told] = {}
        self._numbers = itertools.count(1)
        self._status: dict[str, Any] = {}
        self._newest: Array | None = None

    def ask(self, action: str, arguments: Mapping[str, Any], told: Told) -> None:
        """Have an action done; `told` gets {"ok": True, ...} or {"ok": False, "error": ...}, in a later turn."""
        number = next(self._numbers)
        self._waiting[number] = told
        put_request(self._pipe, number, action, arguments)
        self._pipe.pump()

    def status(self) -> dict[str, Any]:
        """What it told last; empty before its first cycle."""
        return dict(self._status)

    def newest(self, names: Sequence[str]) -> dict[str, Array]:
        """Newest values of variables of the data pool, with their shapes; empty before the first cycle."""
        row = self._newest
        if row is None:
            return {}
        return {name: row[self._columns[name]].reshape(VARIABLES[name].shape).copy() for name in names}

    def shutdown(self) -> None:
        """Begin to end: Safe Stop first."""
        self._pipe.put(Kind.SHUTDOWN)
        self._pipe.pump()

    def take(self, kind: Kind, data: bytes) -> None:
        """A status or a reply has come."""
        if kind is Kind.STATUS:
            self._status = json.loads(data)
        else:
            number, reply = json.loads(data)
            self._waiting.pop(number)(reply)

    def look(self, rows: Array) -> None:
        """Rows of the data pool have come."""
        self._newest = rows[-1]

    def gone(self) -> None:
        """It has ended: nobody waits any longer."""
        waiting, self._waiting = self._waiting, {}
        for told in waiting.values():
            told({"ok": False, "error": "the facility has ended"})


class Desk:
    """Logs what comes and serves who asks. Others register sockets with `selector`, a function of no arguments as their
    data, and functions for every turn with `turns`."""

    def __init__(self, mission: Mission, session: Session, pipe: Pipe, out: Path) -> None:
        self._pipe, self._out = pipe, out
        self._groups = list(session.recorder.groups)
        self.log: LogWriter = mission.open_log(session, out / "log.mcap")
        self.line = Line(pipe, _columns(session))
        self.selector = selectors.DefaultSelector()
        self.selector.register(pipe, selectors.EVENT_READ, self._listen)
        self.turns: list[Callable[[], None]] = []
        self._asked, self._shutting = False, False  # to end; and told so
        self._timing: dict[str, Any] | None = None  # of the cycles, at their end

    def run(self) -> int:
        """Until the cycles end; the exit code."""
        try:
            while not self._pipe.closed:
                for key, _ in self.selector.select(TURN):
                    key.data()
                for turn in self.turns:
                    turn()
                self._pipe.pump()
                if self._asked and not self._shutting:
                    self._shutting = True
                    self.line.shutdown()
            self.line.gone()
        finally:
            self.log.close()
        if self._timing is None:
            say(f"error: the process that cycles has ended; what was recorded is in {self._out}")
            return FAILED
        (self._out / "timing.json").write_text(json.dumps(self._timing, indent=2) + "\n", encoding="utf-8")
        return DONE

    def end(self) -> None:
        """Have the cycles end, from a signal's handler too."""
        self._asked = True

    def watch(self, descriptor: int) -> None:
        """End where the process that holds the other end of this pipe has ended."""
        self.selector.register(descriptor, selectors.EVENT_READ, lambda: self._orphaned(descriptor))

    def _orphaned(self, descriptor: int) -> None:
        self.selector.unregister(descriptor)
        self.end()

    def _listen(self) -> None:
        for kind, data in self._pipe.take():
            if kind is Kind.ROWS:
                number, rows = rows_of(data)
                group = self._groups[number]
                self.log.write(group, rows[:, 0], rows[:, 1:])
                if group == POOL:
                    self.line.look(rows)
            elif kind in (Kind.STATUS, Kind.REPLY):
                self.line.take(kind, data)
            elif kind is Kind.EVENT:
                self.log.event(*json.loads(data))
            elif kind is Kind.SCENE:
                self.log.scene(*pickle.loads(data))
            elif kind is Kind.END:
                self._timing = json.loads(data)


def _columns(session: Session) -> dict[str, slice]:
    """Of the data pool's variables in their rows, whose first column is the time."""
    found: dict[str, slice] = {}
    begin = 1
    for signal in session.recorder.groups[POOL]:
        found[signal.name] = slice(begin, begin + signal.size)
        begin += signal.size
    return found
