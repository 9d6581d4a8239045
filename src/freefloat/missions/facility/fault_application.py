"""A program in the facility's loop that goes wrong in another way in each round; a robot's error; a witness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.facility import axes
from freefloat.facility.application import Course
from freefloat.facility.axes import CYCLE
from freefloat.facility.record import LIN, ROW, is_alive
from freefloat.facility.security import ROBOTS
from freefloat.frames import Array
from freefloat.missions.facility.fault_kinds import LASTING

JUMP = 50.0  # [mm] of E1
DAMAGED = 3  # number of the row, from 1 on: A1 of robot 1
RECORD = "application.record"  # signals of the log
LINKS = "witness.links"
_SOON = 1e-9  # [s] by which rounding may put an instant late


@dataclass(frozen=True, eq=False)
class Round:
    """What is commanded, and what goes wrong how long after Confirm."""

    course: Course
    kind: str
    after: float  # [s]
    place: str = ""


class FailingApplication:
    """Answers as `facility.application.Application` does, one round after the other; a round ends with bit 14.

    Reads `state` (24,); returns `record` (24,), `damage` (1,) to it on the way, `asked` (24,), which is what arrives,
    for the log, and `error` (2,) of the robots, which report one for a while in a round for that.
    """

    def __init__(self, rounds: Sequence[Round]) -> None:
        self.rounds, self.number, self.cycles = tuple(rounds), 0, 0
        self.row, self.error, self.until = np.zeros(ROW), np.zeros(len(ROBOTS)), 0.0

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """The answer to a state."""
        state = meas["state"]
        if is_alive(float(state[1])):
            self.cycles += 1
        elif self.cycles:
            self.number, self.cycles = min(self.number + 1, len(self.rounds) - 1), 0
        now, since = self.rounds[self.number], self.cycles * CYCLE
        wrong = self.cycles > 0 and since >= now.after - _SOON
        if wrong and now.kind == "error" and not self.until:
            self.until, self.error = t + LASTING, np.array([float(name == now.place) for name in ROBOTS])
        if self.until and t >= self.until - _SOON:
            self.until, self.error = 0.0, np.zeros(len(ROBOTS))
        if not (wrong and now.kind == "silent"):
            self.row = _spoilt(now, since, int(state[0]), wrong)
        damage = DAMAGED if wrong and now.kind == "nan" else 0
        asked = self.row.copy()
        if damage:
            asked[damage - 1] = np.nan
        return {"record": self.row, "damage": np.array([float(damage)]), "asked": asked, "error": self.error}


def _spoilt(now: Round, since: float, cycle: int, wrong: bool) -> Array:
    row = now.course.command(since).row(cycle)
    if wrong and now.kind == "jump":
        row[2 + LIN] += JUMP
    return row


class Witness:
    """Notes where the links are in every cycle; nobody asks it but the judge."""

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Axes (13,)."""
        return {"links": np.concatenate([meas["rail"], meas["rob1"], meas["rob2"]])}


def tasks_of(rounds: Sequence[Round], facility: str) -> list[Task]:
    """Application and witness."""
    meaning = "record of the application, as it is answered: cycle that it echoes, mode, 22 values"
    writes = {"record": "sync.command", "damage": "sync.damage", "error": "lrc.error"}
    numbers = ("cycle", "mode", *(f"value {n}" for n in range(1, ROW - 1)))
    asked = {"asked": Signal(RECORD, "-", (ROW,), meaning=meaning, labels=numbers)}
    units = ", ".join(axes.UNITS)
    seen = {"links": Signal(LINKS, units, (axes.COUNT,), meaning="where the links are", labels=axes.NAMES)}
    reads = {device: f"{facility}.{device}.q" for device in axes.DEVICES}
    return [
        Task(FailingApplication(rounds), CYCLE, {"state": "sync.state"}, writes, {}, asked, name="application"),
        Task(Witness(), CYCLE, reads, {}, {}, seen, name="witness"),
    ]
