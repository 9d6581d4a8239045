"""Faults of a rehearsal, by kind: who makes them, why the facility must stop, and what an operator does about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from freefloat.errors import FieldError, unknown_name
from freefloat.facility.procedure import Step
from freefloat.facility.security import BLINDS, DOORS, ESTOPS, GATES, ROBOTS
from freefloat.missions.facility.fault_courses import settling
from freefloat.scenario.fields import Settings, quantity, setting

Name = Literal[
    "silent", "jump", "nan", "speed", "range", "reach", "clearance", "door", "gate", "estop", "error", "stop"
]
PAUSE = 0.1  # [s] at rest before the next round
LASTING = 1.0  # [s] for which a robot's error is there


@dataclass(frozen=True)
class Kind:
    """One kind of fault."""

    meaning: str
    cause: str  # one of `facility.modes.CAUSES`, for which the facility must stop
    told: str  # a word or two for the picture
    action: str = ""  # by which an operator makes it
    word: str = ""  # argument of the action that is true while it lasts
    places: tuple[str, ...] = ()  # where it can be
    own: bool = False  # an axis of its own moves, instead of the rail


KINDS: dict[str, Kind] = {
    "silent": Kind("the application stops answering", "silent", "silent"),
    "jump": Kind("a record 50 mm beside the one before, on the rail", "jump", "jump"),
    "nan": Kind("a record with a number that is none", "invalid", "not a number"),
    "speed": Kind("A4 of robot 2 speeds up beyond its limit, steadily", "speed", "too fast", own=True),
    "range": Kind("robot 1 lowers its tool beyond the range of Table 3", "range", "out of range", own=True),
    "reach": Kind("robot 2 stretches its arm straight, and goes on", "reach", "out of reach", own=True),
    "clearance": Kind("robot 2 lowers its mock-up towards the rail", "clearance", "too near", own=True),
    "door": Kind("a door is opened", "door", "door", "door", "open", DOORS),
    "gate": Kind("a rolling gate is opened", "gate", "gate", "gate", "open", GATES),
    "estop": Kind("an emergency stop is pressed", "estop", "e-stop", "estop", "pressed", ESTOPS),
    "error": Kind("a robot reports an error", "error", "robot error", places=ROBOTS),
    "stop": Kind("no fault: the operator's Safe Stop", "operator", "Safe Stop", "stop"),
}


class FaultSettings(Settings):
    """One round of the timeline: from power to running, a fault, the stop."""

    kind: Name = setting("silent", "what goes wrong; the how-to lists the kinds")
    after: float = quantity(0.6, "s", "from Confirm until it begins", gt=0, le=1e4)
    speed: float = quantity(0.3, "m/s", "of the rail then, where the fault is not in the motion itself", gt=0, le=1.4)
    place: str = setting("", "name of the door, gate, emergency stop or robot; empty: the first")

    @property
    def of(self) -> Kind:
        """Its kind."""
        return KINDS[self.kind]

    @property
    def where(self) -> str:
        """The place, or the first."""
        return self.place or next(iter(self.of.places), "")

    def check(self, field: str) -> None:
        """Refuse a place that there is not, and a fault before the motion is steady, when its stop is not told apart
        from the motion."""
        if self.place and self.place not in self.of.places:
            raise FieldError(f"{field}.place", str(unknown_name(f"place of {self.kind}", self.place, self.of.places)))
        least = 0.0 if self.of.own else settling(self.speed)
        if self.after < least:
            told = f"allowed: {least:.3g} s and more, when the rail moves steadily at {self.speed:g} m/s"
            raise FieldError(f"{field}.after", f"{self.after:g} s; {told}")


def steps_of(faults: Sequence[FaultSettings]) -> list[Step]:
    """What the operator does: the blinds down, all rounds, and a blind up at the end, with the lasers on."""
    steps = [Step("blind", {"name": name, "up": False}) for name in BLINDS]
    for fault in faults:
        steps += _round(fault)
    return [*steps, Step("laser", {"on": True}, when="idle"), Step("blind", {"name": BLINDS[0]}, after=PAUSE)]


def _round(fault: FaultSettings) -> list[Step]:
    return [
        Step("power", {"on": True}),
        Step("mode", {"mode": "sync"}, when="idle"),
        Step("laser", {"on": True}),
        Step("start", when="idle", after=PAUSE),
        Step("confirm", when="ready"),
        *_made(fault),
        *_cured(fault),
    ]


def _made(fault: FaultSettings) -> list[Step]:
    kind = fault.of
    return [Step(kind.action, _switched(fault, True), after=fault.after)] if kind.action else []


def _cured(fault: FaultSettings) -> list[Step]:
    """What leads back to where the next round can begin; a safe stop needs nothing."""
    if fault.kind == "error":
        return [Step("acknowledge", when="fault", after=fault.after + LASTING + PAUSE)]
    if not fault.of.word:
        return []
    if fault.kind == "estop":
        return [Step("estop", _switched(fault, False), when="fault"), Step("acknowledge", after=PAUSE)]
    return [Step(fault.of.action, _switched(fault, False), when="idle", after=PAUSE)]


def _switched(fault: FaultSettings, on: bool) -> dict[str, object]:
    kind = fault.of
    return {"place" if kind.action == "estop" else "name": fault.where, kind.word: on} if kind.word else {}
