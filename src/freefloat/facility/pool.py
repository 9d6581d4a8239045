"""The facility's data pool: everything that is logged each cycle (Benninghoff and others 2017, sec. 2.2.8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Measure, not_negative
from freefloat.facility import frames_step as step
from freefloat.facility.axes import CYCLE, RAIL, ROBOT1, ROBOT2
from freefloat.facility.exchange import Outputs
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.modes import Mode, State
from freefloat.facility.record import LABELS, UNITS, VALUES, Frame
from freefloat.facility.security import BLINDS, DOORS, ESTOPS, GATES, ROBOTS
from freefloat.frames import Array
from freefloat.six_axis_arms import AXES

WEEK = 604_800.0  # [s]
STATES, MODES = tuple(State), tuple(Mode)  # by the numbers of fmc.state and fmc.mode
_WRENCH = ("fx", "fy", "fz", "tx", "ty", "tz")


@dataclass(frozen=True)
class Variable:
    """One entry of the pool."""

    name: str
    unit: str  # of all its numbers, or one for each, separated by ", "
    meaning: str
    shape: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Measured:
    """What the robot controllers report in a cycle, beside the encoders."""

    efforts: Array  # [N, N m] (13,)
    temperatures: Array  # [K] (13,)
    wrists: Array  # [N, N m] (2, 6) forces and torques at the robots' wrists


def _variables() -> tuple[Variable, ...]:
    found: list[Variable] = []
    for key, word in (("cmd", "commanded"), ("act", "actual")):
        found += [Variable(f"{r}.{key}.axes", "rad", f"{word} axes of {r}", (6,), AXES) for r in ROBOTS]
        found.append(Variable(f"rail.{key}", "m", f"{word} position of the rail"))
    for key, word in (("cmd", "commanded"), ("act", "actual")):
        for frame in Frame:
            labels = tuple(label or f"unused{i}" for i, label in enumerate(LABELS[frame]))
            units = ", ".join(UNITS[frame])
            found.append(Variable(f"{key}.{frame.name.lower()}", units, f"{word}, {frame.name}", (VALUES,), labels))
    found.append(Variable("cmd.mode", "-", "mode of the record: its frame, bits 14 and 15"))
    found += [Variable(f"{r}.torque", "N m", f"torques of the axes of {r}", (6,), AXES) for r in ROBOTS]
    found.append(Variable("rail.force", "N", "force of the rail's drive"))
    found += [Variable(f"{r}.temperature", "K", f"temperatures of the motors of {r}", (6,), AXES) for r in ROBOTS]
    found.append(Variable("rail.temperature", "K", "temperature of the rail's motor"))
    for r in ROBOTS:
        units = ", ".join(("N",) * 3 + ("N m",) * 3)
        found.append(Variable(f"{r}.wrist", units, f"force and torque at the wrist of {r}", (6,), _WRENCH))
    return (*found, *_counters(), *_security())


def _counters() -> list[Variable]:
    return [
        Variable("fmc.state", "-", f"state: 0 to {len(STATES) - 1} = {', '.join(STATES)}"),
        Variable("fmc.mode", "-", f"mode: 0 to {len(MODES) - 1} = {', '.join(MODES)}"),
        Variable("fmc.cycle", "-", "number of the cycle"),
        Variable("fmc.reason", "-", "why the last motion ended, by its number among modes.CAUSES"),
        Variable("fmc.rejected", "-", "records refused since the start"),
        Variable("fmc.late", "-", "cycles skipped since the start"),
        Variable("gps.week", "-", "GPS week"),
        Variable("gps.seconds", "s", "GPS seconds of the week"),
    ]


def _security() -> list[Variable]:
    return [
        Variable("security.estop", "-", "emergency stops that are pressed", (len(ESTOPS),), ESTOPS),
        Variable("security.door", "-", "doors that are open", (len(DOORS),), DOORS),
        Variable("security.gate", "-", "rolling gates that are open", (len(GATES),), GATES),
        Variable("security.blind", "-", "blinds that are up", (len(BLINDS),), BLINDS),
        Variable("security.power", "-", "power of the drives"),
        Variable("security.error", "-", "robots with an error", (len(ROBOTS),), ROBOTS),
        Variable("security.laser", "-", "lasers enabled"),
        Variable("security.lamp", "-", "Sun lamp on"),
    ]


VARIABLES: dict[str, Variable] = {v.name: v for v in _variables()}


class Pool:
    """Fills the variables, one row a cycle."""

    def __init__(self, kinematics: Kinematics, gps_start: Measure = 0.0) -> None:
        self._nominal = kinematics.nominal
        start = not_negative("s").number(gps_start, "pool: gps_start")  # since 1980-01-06 at t = 0
        self._week, self._seconds = divmod(start, WEEK)

    def row(self, out: Outputs, measured: Measured) -> dict[str, Array]:
        """Values by name, each an array of its variable's shape."""
        row: dict[str, Array] = {}
        for key, axes in (("cmd", out.axes), ("act", out.actual)):
            row[f"rob1.{key}.axes"], row[f"rob2.{key}.axes"] = axes[ROBOT1], axes[ROBOT2]
            row[f"rail.{key}"] = axes[RAIL]
            for frame in Frame:
                row[f"{key}.{frame.name.lower()}"] = self._record(frame, axes, out.pov)
        if out.command is not None:  # as it came, not as its axes show it
            row[f"cmd.{out.frame.name.lower()}"] = out.command.values
        row["cmd.mode"] = out.record[1]
        row["rob1.torque"], row["rob2.torque"] = measured.efforts[ROBOT1], measured.efforts[ROBOT2]
        row["rail.force"] = measured.efforts[RAIL]
        row["rob1.temperature"], row["rob2.temperature"] = measured.temperatures[ROBOT1], measured.temperatures[ROBOT2]
        row["rail.temperature"] = measured.temperatures[RAIL]
        row["rob1.wrist"], row["rob2.wrist"] = measured.wrists[0], measured.wrists[1]
        numbers = self._counted(out)
        return {**row, **{name: np.array(value, np.float64) for name, value in numbers.items()}}

    def _record(self, frame: Frame, axes: Array, pov: Array) -> Array:
        values = np.empty(VALUES)
        step.from_axes(self._nominal, int(frame), axes, pov, values)
        return values

    def _counted(self, out: Outputs) -> dict[str, object]:
        security = out.security
        elapsed = out.time + out.counters.late * CYCLE  # what is skipped has passed
        weeks, seconds = divmod(self._seconds + elapsed, WEEK)  # apart, for the digits of seconds
        return {
            "fmc.state": STATES.index(out.state),
            "fmc.mode": MODES.index(out.mode),
            "fmc.cycle": out.cycle,
            "fmc.reason": out.reason.code,
            "fmc.rejected": out.counters.rejected,
            "fmc.late": out.counters.late,
            "gps.week": self._week + weeks,
            "gps.seconds": seconds,
            "security.estop": list(security.estops.values()),
            "security.door": list(security.doors.values()),
            "security.gate": list(security.gates.values()),
            "security.blind": list(security.blinds.values()),
            "security.power": security.power,
            "security.error": [bool(error) for error in security.errors.values()],
            "security.laser": security.laser,
            "security.lamp": security.lamp,
        }
