"""What a rehearsal of faults is judged by: the log of every cycle, as plain arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.result import Result
from freefloat.facility.axes import COUNT, CYCLE, RAIL, ROBOT1, ROBOT2
from freefloat.facility.modes import CAUSES, Mode, State
from freefloat.facility.pool import MODES, STATES
from freefloat.facility.record import FRAME_BITS, LIN, Frame
from freefloat.frames import Array
from freefloat.missions.facility.fault_application import LINKS, RECORD
from freefloat.missions.facility.measures import axes_of

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]
REST = 1e-9  # [m, rad] a cycle: what an axis may move by that rests
AUTOMATIC = (State.MOVING, State.RUNNING)
MOTION = (*AUTOMATIC, State.STOPPING)


@dataclass(frozen=True, eq=False)
class SafetyLog:
    """n cycles; what happened in a cycle is what its instant shows."""

    t: Array  # [s] (n,)
    state: Numbers  # (n,) numbers of `facility.pool.STATES`
    mode: Numbers  # (n,) numbers of `facility.pool.MODES`
    reason: Numbers  # (n,) numbers of `facility.modes.CAUSES`
    told: Array  # [m, rad] (n, 13) set-points
    done: Array  # [m, rad] (n, 13) links; with elastic gears, which let links swing, encoders
    asked: Array  # (n, 24) records of the application
    door: Flags  # (n,) a door is open
    gate: Flags  # (n,) a rolling gate is open
    blind: Flags  # (n,) a blind is up
    estop: Flags  # (n,) an emergency stop is pressed
    error: Flags  # (n,) a robot has an error
    power: Flags  # (n,) drives have power
    laser: Flags  # (n,) lasers are on
    delay: float  # [s] of the robot controllers

    def within(self, *states: State) -> Flags:
        """Cycles (n,) in one of these states."""
        return np.isin(self.state, [STATES.index(state) for state in states])

    @property
    def manual(self) -> Flags:
        """Cycles (n,) of the manual control unit."""
        return self.mode == MODES.index(Mode.MCU)

    def cause(self, cycle: int) -> str:
        """Why the last motion ended, as the facility tells it."""
        return list(CAUSES)[int(self.reason[cycle])]

    @property
    def moves(self) -> Flags:
        """(n, 13) axes that have moved since the cycle before."""
        return np.abs(differences(self.done)) > REST

    @property
    def late(self) -> int:
        """Cycles, rounded up, from a set-point to its execution."""
        return math.ceil(self.delay / CYCLE - 1e-9)

    def asked_axes(self) -> Array:
        """[m, rad] (n, 13) of the application's records in IJT; nan of the others."""
        rows = np.full((len(self.t), COUNT), np.nan)
        ijt = frames(self.asked) == int(Frame.IJT)
        values = self.asked[ijt, 2:]
        rows[ijt, RAIL] = values[:, LIN] / 1000.0
        rows[ijt, ROBOT1], rows[ijt, ROBOT2] = np.radians(values[:, 0:6]), np.radians(values[:, 7:13])
        return rows


def some(flags: Flags) -> Flags:
    """(n,) whether any of a row (n, m) is up."""
    return np.asarray(flags.any(axis=1), np.bool_)


def frames(asked: Array) -> Numbers:
    """(n,) of records (n, 24)."""
    return asked[:, 1].astype(np.int64) & FRAME_BITS


def differences(rows: Array) -> Array:
    """Of the same shape: what has changed since the row before, zero in the first."""
    return np.diff(rows, axis=0, prepend=rows[:1])


def safety_log(result: Result, delay: float, elastic: bool) -> SafetyLog:
    """Of a finished run."""

    def flags(name: str) -> Flags:
        return some(result[f"security.{name}"].reshape(n, -1) > 0.5)

    def numbers(name: str) -> Numbers:
        return np.rint(result[f"fmc.{name}"]).astype(np.int64).reshape(-1)

    t = result.time("fmc.state")
    n = len(t)
    return SafetyLog(
        t=t,
        state=numbers("state"),
        mode=numbers("mode"),
        reason=numbers("reason"),
        told=axes_of(result, "cmd"),
        done=axes_of(result, "act") if elastic else result[LINKS][:n],
        asked=result[RECORD][:n],
        door=flags("door"),
        gate=flags("gate"),
        blind=flags("blind"),
        estop=flags("estop"),
        error=flags("error"),
        power=flags("power"),
        laser=flags("laser"),
        delay=delay,
    )
