"""States and modes of the facility's operation, which state leads to which, and why a motion ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """What the FMC does (Benninghoff and others 2017, sec. 2.2.6)."""

    OFF = "off"  # drives without power, brakes closed
    IDLE = "idle"  # powered, at rest
    WAITING = "waiting"  # started, for the application's first command
    MOVING = "moving"  # to the start, one device after the other
    READY = "ready"  # at the start, for Confirm
    RUNNING = "running"  # a trajectory, an application, a jog or a sine
    STOPPING = "stopping"  # a safe or an emergency stop
    FAULT = "fault"  # power dropped; only acknowledge leads out


class Mode(StrEnum):
    """Where commands come from (sec. 2.2.5, 2.2.6; rsi: sec. 2.2.2)."""

    SYNC = "sync"  # an application, every cycle
    ASYNC = "async"  # a trajectory file
    MCU = "mcu"  # the manual control unit
    SINE = "sine"  # a sine of one axis or component
    RSI = "rsi"  # corrections of axes


TRANSITIONS: dict[State, frozenset[State]] = {
    State.OFF: frozenset({State.IDLE, State.FAULT}),
    State.IDLE: frozenset({State.OFF, State.WAITING, State.MOVING, State.READY, State.RUNNING, State.FAULT}),
    State.WAITING: frozenset({State.OFF, State.IDLE, State.MOVING, State.READY, State.FAULT}),
    State.MOVING: frozenset({State.READY, State.STOPPING}),
    State.READY: frozenset({State.OFF, State.IDLE, State.RUNNING, State.FAULT}),
    State.RUNNING: frozenset({State.IDLE, State.STOPPING}),
    State.STOPPING: frozenset({State.IDLE, State.FAULT}),
    State.FAULT: frozenset({State.OFF}),
}
MOTION = frozenset({State.MOVING, State.RUNNING, State.STOPPING})  # states in which set-points move
AUTOMATIC = frozenset(Mode) - {Mode.MCU}  # modes that begin with start and Confirm

CAUSES: dict[str, str] = {  # why a motion ended, in the order of the numbers of `fmc.reason`
    "none": "nothing has ended a motion",
    "operator": "the operator stopped it",
    "end": "the trajectory, the sine or the jog has come to its end",
    "silent": "the application has not answered for too many cycles",
    "invalid": "the application's record is none: not finite, of another size or of an unknown frame",
    "jump": "a command far from where the one before was heading",
    "reach": "a pose that the robots cannot reach",
    "range": "an axis or a pose beyond its range",
    "speed": "an axis or a tool beyond its speed",
    "acceleration": "an axis beyond its acceleration",
    "clearance": "solids nearer to each other than allowed",
    "door": "a door was opened",
    "gate": "a rolling gate was opened",
    "estop": "an emergency stop was pressed",
    "error": "a robot has an error",
    "limit": "another limit",
}


@dataclass(frozen=True)
class Reason:
    """Why a motion ended: one of `CAUSES`, and one line with place, value and limit."""

    cause: str = "none"
    text: str = ""

    @property
    def code(self) -> int:
        """Its number in the data pool."""
        return list(CAUSES).index(self.cause)


NO_REASON = Reason()
