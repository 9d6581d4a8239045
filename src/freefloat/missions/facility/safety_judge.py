"""Whether every fault of a rehearsal was met: how soon the axes braked, for which reason, and whether they rested.

When a fault is there is found in what the application asked and what security inputs said, not in what the facility
thought of it; that it brakes, in set-points and in where the links are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.facility.axes import CYCLE, RAIL
from freefloat.facility.clearance import Clearance
from freefloat.facility.exchange import Settings
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.modes import State
from freefloat.facility.ranges import TABLE3
from freefloat.facility.record import ROB2, Frame
from freefloat.frames import Array, Pose, rpy_to_matrix
from freefloat.missions.facility.fault_courses import StretchedArm
from freefloat.missions.facility.fault_kinds import FaultSettings
from freefloat.missions.facility.safety_log import REST, Flags, SafetyLog, differences, frames, some

SHOWS = 0.1  # of the way that jerk takes from a cycle: what shows that an axis brakes
SLACK = 1e-6  # of a limit: what rounding may add


@dataclass(frozen=True)
class Met:
    """How a fault was met; nan where it was not."""

    name: str
    kind: str
    came: float = math.nan  # [s] when it was there
    told: float = math.nan  # [s] from then to the first set-point that brakes
    done: float = math.nan  # [s] from then to the first axis that brakes
    rest: float = math.nan  # [s] from then until all axes rest
    way: float = math.nan  # [m] that a tool makes until then, at most
    speed: float = math.nan  # [m/s] of the rail's set-point when it came
    stopped: float = math.nan  # [m] way of the rail's set-points from there to rest
    cause: str = ""  # that the facility told
    caught: bool = False


@dataclass(frozen=True, eq=False)
class Judge:
    """Looks at the rounds of a log, one after the other."""

    log: SafetyLog
    kinematics: Kinematics
    clearance: Clearance
    settings: Settings

    def met(self, faults: Sequence[FaultSettings]) -> list[Met]:
        """Of each fault; those whose round has not come were not met."""
        begun = _rising(self.log.within(State.RUNNING))
        ends = [*begun[1:], len(self.log.t)]
        found: list[Met] = []
        for k, fault in enumerate(faults):
            earlier = sum(other.kind == fault.kind for other in faults[:k])
            name = f"{fault.kind}_{earlier + 1}" if earlier else fault.kind
            found.append(self._round(fault, name, begun[k], ends[k]) if k < len(begun) else Met(name, fault.kind))
        return found

    def _round(self, fault: FaultSettings, name: str, first: int, end: int) -> Met:
        there = self.onset(fault, first, end)
        if there is None or there <= first + 3:
            return Met(name, fault.kind)
        log, t = self.log, self.log.t
        told, done = self.brakes(log.told, there, end), self.brakes(log.done, there, end)
        came = float(t[there])
        if told is None or done is None:
            return Met(name, fault.kind, came, cause=log.cause(there))
        rest = self._rests(done, end)
        cause = log.cause(told)
        soon = t[done] - came <= CYCLE + log.delay + REST
        rested = math.nan if rest is None else float(t[rest]) - came
        return Met(
            name,
            fault.kind,
            came,
            float(t[told]) - came,
            float(t[done]) - came,
            rested,
            math.nan if rest is None else self._way(there, rest),
            abs(float(log.told[told - 1, RAIL] - log.told[told - 2, RAIL])) / CYCLE,
            math.nan if rest is None else abs(float(log.told[rest, RAIL] - log.told[told - 1, RAIL])),
            cause,
            bool(soon and cause == fault.of.cause and rest is not None),
        )

    def onset(self, fault: FaultSettings, first: int, end: int) -> int | None:
        """The cycle in which a fault is there, of those from Confirm to the end of a round."""
        log, seen = self.log, slice(first, end)
        if fault.kind == "stop":
            there = first + math.ceil(fault.after / CYCLE - 1e-6)
            return there if there < end else None
        if fault.kind in ("door", "gate", "estop", "error"):
            flags: Flags = getattr(log, fault.kind)
            return _first(flags[seen], first)
        if fault.kind == "silent":
            mute = _first(differences(log.asked[seen, :1])[1:, 0] == 0.0, first + 1)
            return None if mute is None else mute + int(self.settings.silent_cycles)
        return _first(self._asks[fault.kind](seen), first)

    @property
    def _asks(self) -> dict[str, Callable[[slice], Flags]]:
        """By kind, the records in a stretch of the log that ask for what is not allowed."""
        return {
            "nan": lambda seen: some(~np.isfinite(self.log.asked[seen])),
            "jump": self._jumps,
            "speed": self._hastes,
            "range": self._leaves,
            "reach": self._overreaches,
            "clearance": self._nears,
        }

    def _jumps(self, seen: slice) -> Flags:
        off = np.abs(differences(differences(self.log.asked_axes()[seen])))
        return some(off > self.settings.jump * self.settings.axes.speed * CYCLE)

    def _hastes(self, seen: slice) -> Flags:
        steps = np.abs(differences(self.log.asked_axes()[seen]))
        return some(steps > self.settings.axes.speed * CYCLE * (1.0 + SLACK))

    def _leaves(self, seen: slice) -> Flags:
        axes, lab = self.log.asked_axes()[seen], self.kinematics.geometry
        found = some((axes < lab.lower) | (axes > lab.upper))
        for k in np.flatnonzero(np.isfinite(axes[:, RAIL])).tolist():
            for X_GU, allowed in zip(self.kinematics.tool_poses(axes[k]), TABLE3.values(), strict=True):
                spans = np.array([allowed.x, allowed.y, allowed.z])
                found[k] |= bool(((X_GU.p < spans[:, 0]) | (X_GU.p > spans[:, 1])).any())
        return found

    def _nears(self, seen: slice) -> Flags:
        apart, _ = self.clearance.along(self.log.asked_axes()[seen], 2.0 * self.clearance.margin)
        return apart < self.clearance.margin

    def _overreaches(self, seen: slice) -> Flags:
        rows, arm = self.log.asked[seen], StretchedArm(self.kinematics)
        found = frames(rows) == int(Frame.GLC)
        for k in np.flatnonzero(found):
            x, y, z, a, b, c = rows[k, 2:][ROB2][:6]
            wrist = arm.wrist(Pose(rpy_to_matrix(*np.radians([c, b, a])), (x, y, z)))
            found[k] = float(np.linalg.norm(wrist - arm.shoulder_towards(wrist))) > arm.reach
        return found

    def brakes(self, rows: Array, there: int, end: int) -> int | None:
        """The first cycle from a fault on in which the axis that is fastest for its limit falls behind a motion with
        constant acceleration by what jerk takes: j T^3 / 6 in the first cycle of a stop."""
        limits = self.settings.axes
        v = rows[there - 1] - rows[there - 2]
        axis = int(np.argmax(np.abs(v) / limits.speed))
        if abs(v[axis]) <= REST:
            return None
        behind = np.diff(rows[there - 3 : end, axis], 3) * np.sign(v[axis])
        return _first(behind < -SHOWS * limits.jerk[axis] * CYCLE**3 / 6.0, there)

    def _rests(self, done: int, end: int) -> int | None:
        """The first cycle of rest before the next motion to a start, which a stop must come to."""
        return _first(~some(self.log.moves[done:end]), done)

    def _way(self, there: int, rest: int) -> float:
        poses = [self.kinematics.tool_poses(row) for row in self.log.done[there : rest + 1]]
        places = np.array([[X.p for X in pair] for pair in poses])
        return float(np.linalg.norm(np.diff(places, axis=0), axis=2).sum(axis=0).max())


def stop_way(v: float, a: float, j: float) -> float:
    """[m] of a stop from constant v with deceleration a and jerk j, as short as can be: v^2 / (2 a) + v a / (2 j), or,
    where v is too small for a to be reached, v sqrt(v / j)."""
    return v * v / (2.0 * a) + v * a / (2.0 * j) if v >= a * a / j else v * math.sqrt(v / j)


def _first(flags: Flags, offset: int) -> int | None:
    found = np.flatnonzero(flags)
    return None if found.size == 0 else offset + int(found[0])


def _rising(flags: Flags) -> list[int]:
    return np.flatnonzero(flags & ~np.concatenate([[False], flags[:-1]])).tolist()
