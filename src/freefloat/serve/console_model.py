"""What the console knows and what keys do, apart from terminal and sockets."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from freefloat.errors import FreefloatError, InputError
from freefloat.facility.pool import VARIABLES
from freefloat.facility.record import Frame
from freefloat.serve.console_keys import BUTTONS, SPEEDS, Request, components
from freefloat.serve.operator import parsed
from freefloat.serve.variable_list import VariableList

HOLD = 0.6  # [s] for which a jog goes on after its key: terminals repeat a key that is held only after a while
REQUEST = 0.08  # [s] between requests of a jog
SWITCHES = {"estop": "pressed", "door": "open", "gate": "open", "blind": "up"}  # what, and the word of its argument
PAGES = 3  # command centre, security display, variables
WATCHED = [name for name in VARIABLES if name.startswith("security.")]


@dataclass
class ConsoleModel:
    """State of the screen; `press` gives the request that a key sends."""

    lists: Sequence[VariableList]
    where: str = ""
    status: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    cycle: int = 0
    time: float = 0.0  # [s] of the facility
    cursor: int = 0  # in the security display
    shown: int = 0  # number of the variable list
    page: int = 0  # of a small terminal
    frame: Frame = Frame.IJT  # of jogs
    component: int = 0
    speed: int = 3  # among SPEEDS
    message: str = "connected"
    failed: bool = False  # whether the message tells of something refused
    typing: str | None = None  # what is being typed
    done: bool = False
    _jog: tuple[float, int] = (-1.0, 0)  # [s] of the clock until when, and which way
    _asked: float = -1.0  # [s] of the clock of the last request

    @property
    def switches(self) -> list[tuple[str, str, bool]]:
        """Rows of the security display that can be switched: what, which, on."""
        found: list[tuple[str, str, bool]] = []
        for what in SWITCHES:
            labels = VARIABLES[f"security.{what}"].labels
            numbers = self.values.get(f"security.{what}") or [0.0] * len(labels)
            found += [(what, label, bool(on)) for label, on in zip(labels, numbers, strict=True)]
        return found

    @property
    def names(self) -> list[str]:
        """Variables to watch."""
        return list(dict.fromkeys([*WATCHED, *(self.lists[self.shown].names if self.lists else ())]))

    @property
    def jogged(self) -> tuple[int, str]:
        """Robot and component of jogs."""
        found = components(self.frame)
        return found[self.component % len(found)]

    def told(self, frame: Mapping[str, Any]) -> None:
        """A watch has told something."""
        self.status = dict(frame.get("status", {}))
        self.values = dict(frame.get("values", {}))
        self.cycle, self.time = int(frame.get("cycle", 0)), float(frame.get("time", 0.0))

    def answered(self, request: Request, told: Mapping[str, Any] | FreefloatError) -> None:
        """A request has been answered, or refused."""
        self.failed = isinstance(told, FreefloatError)
        if isinstance(told, FreefloatError):
            self.message = str(told)
            return
        name, arguments = request
        words = " ".join(f"{key}={value}" for key, value in arguments.items())
        extra = f": {told['path']}" if "path" in told else f": {told['rows']} rows" if name == "load" else ""
        self.message = f"done: {name} {words}".rstrip() + extra

    def press(self, key: str, now: float) -> Request | None:
        """What a key asks for; None: nothing of the facility."""
        if self.typing is not None:
            return self._type(key)
        if key in BUTTONS:
            button = BUTTONS[key]
            if button.request is None:
                self.typing = button.typed
                return None
            self._jog = (-1.0, 0)
            return button.request(self.status)
        if key == "enter":
            what, name, on = self.switches[self.cursor]
            return what, {"place" if what == "estop" else "name": name, SWITCHES[what]: not on}
        if key in ("+", "=", "-"):
            self._jog = now + HOLD, -1 if key == "-" else 1
            return self.jog(now)
        self._choose(key)
        return None

    def jog(self, now: float) -> Request | None:
        """The request of a jog under way, where it is time for one."""
        until, way = self._jog
        if now >= until or now < self._asked + REQUEST:
            return None
        self._asked = now
        robot, name = self.jogged
        arguments = {"frame": self.frame.name, "component": name, "robot": robot, "speed": way * SPEEDS[self.speed]}
        return "jog", arguments

    def _choose(self, key: str) -> None:
        if key in ("up", "down"):
            self.cursor = (self.cursor + (1 if key == "down" else -1)) % len(self.switches)
        elif key in ("left", "right"):
            self.component = (self.component + (1 if key == "right" else -1)) % len(components(self.frame))
        elif key in ("[", "]"):
            self.speed = min(max(self.speed + (1 if key == "]" else -1), 0), len(SPEEDS) - 1)
        elif key == "f":
            frames = list(Frame)
            self.frame, self.component = frames[(frames.index(self.frame) + 1) % len(frames)], 0
        elif key == "v" and self.lists:
            self.shown = (self.shown + 1) % len(self.lists)
        elif key == "tab":
            self.page = (self.page + 1) % PAGES
        elif key == ":":
            self.typing = ""
        elif key == "q":
            self.done = True

    def _type(self, key: str) -> Request | None:
        """Keys complete a line; enter sends it, escape forgets it."""
        text = self.typing or ""
        if key == "escape":
            self.typing = None
        elif key == "backspace":
            self.typing = text[:-1]
        elif key == "enter":
            self.typing = None
            try:
                return typed_request(text)
            except InputError as error:
                self.message, self.failed = str(error), True
        elif len(key) == 1 and key.isprintable() and len(text) < 500:
            self.typing = text + key
        return None


def typed_request(text: str) -> Request | None:
    """Of a line such as `door name=lab open=true`; None for an empty one."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f"{text!r}: {error}; allowed: NAME KEY=VALUE ...") from None
    return (words[0], parsed(words[1:])) if words else None
