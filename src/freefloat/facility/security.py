"""Security of the facility: what its sensors and buttons say, and one table of what follows from it.

`INTERLOCKS` is the only place that says what is forbidden or caused: the operation asks it, the security display shows
it and the reference page is made of it. Sources are sections of Benninghoff and others 2017.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from freefloat.errors import InputError, unknown_name

DOORS = ("lab", "preparation", "control")  # names and numbers assumed, docs/reference/parameters.md
GATES = ("gate1", "gate2")
BLINDS = ("control-room", "window1", "window2")
ESTOPS = (*(f"door-{door}" for door in DOORS), "fence1", "fence2", "lrc1", "lrc2", "preparation-room", "control-room")
ROBOTS = ("rob1", "rob2")

FORBIDDEN: dict[str, str] = {
    "power": "switching the drives on",
    "motion": "any motion",
    "automatic": "Move to Start, Confirm and all motion but that of the manual control unit",
    "fast": "manual motion of a tool beyond 250 mm/s",
    "laser": "enabling lasers",
    "lamp": "switching the Sun lamp on",
    "acknowledge": "acknowledging a fault",
}
CAUSED: dict[str, str] = {
    "emergency stop": "motion is braked hard, power dropped, state `fault`",
    "safe stop": "automatic motion is stopped, jerk-limited",
    "laser off": "lasers are disabled at once",
    "lamp off": "the lamp is switched off at once",
}


@dataclass
class Security:
    """State of everything that the security display shows; `settle` draws the consequences for laser and lamp."""

    estops: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(ESTOPS, False))  # pressed
    doors: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(DOORS, False))  # open
    gates: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(GATES, False))  # open
    blinds: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(BLINDS, True))  # up
    errors: dict[str, str] = field(default_factory=lambda: dict.fromkeys(ROBOTS, ""))  # of robots; empty: none
    power: bool = False  # of the drives
    latched: bool = False  # an emergency stop that has not been acknowledged
    laser: bool = False
    lamp: bool = False

    def __post_init__(self) -> None:
        self.active: tuple[str, ...] = ()  # names of the interlocks that hold
        self.settle()

    def switch(self, what: str, name: str, on: bool) -> None:
        """Set one e-stop (pressed), door or gate (open) or blind (up)."""
        table: dict[str, bool] = {
            "estop": self.estops,
            "door": self.doors,
            "gate": self.gates,
            "blind": self.blinds,
        }[what]
        if name not in table:
            raise unknown_name(what, name, table)
        table[name] = on
        self.settle()

    def settle(self) -> None:
        """Find which interlocks hold, and switch off what they forbid."""
        self.active = tuple(name for name, lock in INTERLOCKS.items() if lock.places(self))
        causes = {effect for name in self.active for effect in INTERLOCKS[name].causes}
        self.laser = self.laser and "laser off" not in causes
        self.lamp = self.lamp and "lamp off" not in causes

    def forbids(self, what: str) -> str:
        """Why something is forbidden, in words; empty where it is allowed."""
        return "; ".join(INTERLOCKS[name].telling(self) for name in self.active if what in INTERLOCKS[name].forbids)

    def causes(self, what: str) -> list[str]:
        """Names of the interlocks that cause something now."""
        return [name for name in self.active if what in INTERLOCKS[name].causes]

    def rows(self) -> list[tuple[str, str, str]]:
        """The security display: what, which, state."""
        words = (("estop", self.estops, "pressed", "released"), ("door", self.doors, "open", "closed"))
        more = (("gate", self.gates, "open", "closed"), ("blind", self.blinds, "up", "down"))
        rows = [(what, name, yes if on else no) for what, of, yes, no in (*words, *more) for name, on in of.items()]
        rows += [("error", name, error or "none") for name, error in self.errors.items()]
        switches = (("power", self.power), ("laser", self.laser), ("lamp", self.lamp))
        return rows + [(what, "", "on" if on else "off") for what, on in switches]


@dataclass(frozen=True)
class Interlock:
    """One rule: while there are places where its condition holds, something is forbidden or caused."""

    when: str
    places: Callable[[Security], list[str]]
    forbids: tuple[str, ...]
    causes: tuple[str, ...]
    allowed: str  # what must be the case instead
    source: str

    def __post_init__(self) -> None:
        for what, known in ((self.forbids, FORBIDDEN), (self.causes, CAUSED)):
            if any(one not in known for one in what):
                raise InputError(f"interlock {self.when!r}: {what}; allowed: {', '.join(known)}")

    def telling(self, security: Security) -> str:
        """The condition with its places, and what is allowed."""
        where = ", ".join(place for place in self.places(security) if place)
        return f"{self.when}{f' ({where})' if where else ''}; allowed: {self.allowed}"


def _on(table: Mapping[str, bool]) -> list[str]:
    return [name for name, on in table.items() if on]


def _estops(s: Security) -> list[str]:
    return _on(s.estops)


def _doors(s: Security) -> list[str]:
    return _on(s.doors)


def _gates(s: Security) -> list[str]:
    return _on(s.gates)


def _blinds(s: Security) -> list[str]:
    return _on(s.blinds)


def _errors(s: Security) -> list[str]:
    return [f"{name}: {error}" for name, error in s.errors.items() if error]


def _latched(s: Security) -> list[str]:
    return [""] if s.latched else []


def _unpowered(s: Security) -> list[str]:
    return [] if s.power else [""]


_OPENED = ("automatic", "fast", "laser")
_ENDED = ("safe stop", "laser off")
_CLOSED = "all closed; or a jog in mode mcu at 250 mm/s"
_SOURCE = "sec. 2.2.6"
_STOPPED = ("power", "motion", "automatic", "acknowledge")
INTERLOCKS: dict[str, Interlock] = {
    "estop": Interlock("an emergency stop is pressed", _estops, _STOPPED, ("emergency stop",), "all released", _SOURCE),
    "error": Interlock(
        "a robot has an error", _errors, _STOPPED, ("emergency stop",), "no errors", f"{_SOURCE}; the stop assumed"
    ),
    "latch": Interlock(
        "a fault is not acknowledged",
        _latched,
        ("power", "motion", "automatic"),
        (),
        "acknowledge, once its cause is gone",
        "assumed",
    ),
    "power": Interlock("the drives have no power", _unpowered, ("motion", "automatic"), (), "power on", _SOURCE),
    "door": Interlock("a door is open", _doors, _OPENED, _ENDED, _CLOSED, f"{_SOURCE}; 250 mm/s assumed"),
    "gate": Interlock("a rolling gate is open", _gates, _OPENED, _ENDED, _CLOSED, f"{_SOURCE}; 250 mm/s assumed"),
    "blind": Interlock("a blind is up", _blinds, ("laser", "lamp"), ("laser off", "lamp off"), "all down", _SOURCE),
}
