"""The console's buttons and their keys: which request each sends, and what it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from freefloat.facility.axes import DEVICES
from freefloat.facility.components import NAMES, SLIDES
from freefloat.facility.modes import Mode
from freefloat.facility.record import Frame

Status = Mapping[str, Any]
Request = tuple[str, dict[str, Any]]

ORDERS = [list(order) for order in permutations(DEVICES)]
SPEEDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4)  # [m/s, rad/s] of jogs
PLACE = "control-room"  # of the emergency stop at the console


@dataclass(frozen=True)
class Button:
    """One of the command centre: its request, or the text that the operator completes."""

    key: str
    title: str
    about: str
    request: Callable[[Status], Request] | None = None
    typed: str = ""
    lit: Callable[[Status], bool] = lambda status: False
    needs: str = ""  # what interlocks may forbid of it, a word of `security.FORBIDDEN`


def _turned(name: str) -> Callable[[Status], Request]:
    return lambda status: (name, {"on": not status.get(name)})


def _mode(mode: Mode) -> Callable[[Status], Request]:
    return lambda status: ("mode", {"mode": str(mode)})


def _chosen(mode: Mode) -> Callable[[Status], bool]:
    return lambda status: status.get("mode") == str(mode)


def _plain(name: str, **arguments: Any) -> Callable[[Status], Request]:
    return lambda status: (name, dict(arguments))


def _pressed(pressed: bool) -> Callable[[Status], Request]:
    return _plain("estop", place=PLACE, pressed=pressed)


def _in(*states: str) -> Callable[[Status], bool]:
    return lambda status: status.get("state") in states


def _next_order(status: Status) -> Request:
    now = list(status.get("order", ()))
    place = ORDERS.index(now) + 1 if now in ORDERS else 0
    return "order", {"order": ORDERS[place % len(ORDERS)]}


_MODES = {
    Mode.SYNC: ("Sync", "an application, each cycle"),
    Mode.ASYNC: ("Async", "a trajectory file"),
    Mode.MCU: ("MCU", "jogs by hand"),
    Mode.SINE: ("Sinewave", "a sine of one component"),
    Mode.RSI: ("RSI", "corrections of axes"),
}


def _button(key: str, title: str, about: str, name: str, needs: str = "") -> Button:
    """One that turns something on or off."""
    return Button(key, title, about, _turned(name), lit=lambda status: bool(status.get(name)), needs=needs)


_AUTO = "automatic"
GROUPS: dict[str, list[Button]] = {
    "facility": [
        _button("p", "Power", "drives on or off", "power", "power"),
        _button("h", "Real HW", "or the simulation", "hardware"),
        _button("x", "Laser Enable", "lasers on or off", "laser", "laser"),
        _button("u", "Sun lamp", "on or off", "lamp", "lamp"),
    ],
    "commands from": [
        Button(str(n), title, about, _mode(mode), lit=_chosen(mode))
        for n, (mode, (title, about)) in enumerate(_MODES.items(), 1)
    ],
    "a run": [
        Button("l", "Load", "a trajectory for Async", typed="load trajectory="),
        Button("w", "Sine", "set that of Sinewave", typed="sine component=E1 amplitude=0.1 frequency=0.2 cycles=1"),
        Button("o", "Order", "of Move to Start, next one", _next_order),
        Button("s", "Move to Start", "go to the first command", _plain("start"), "", _in("waiting", "moving"), _AUTO),
        Button("c", "Confirm", "commands act from here on", _plain("confirm"), "", _in("ready"), _AUTO),
        Button(" ", "SAFE STOP", "brake gently", _plain("stop"), lit=_in("stopping")),
    ],
    "emergency": [
        Button("e", "EMERGENCY STOP", "press that of this room", _pressed(True)),
        Button("E", "Release", "that of this room", _pressed(False)),
        Button("a", "Acknowledge", "a fault whose cause is gone", _plain("acknowledge"), needs="acknowledge"),
    ],
    "more": [
        Button("P", "Picture", "of a camera, into a file", typed="picture camera=docking path=docking.png"),
        Button("Q", "Shut down", "the facility, not only this", typed="shutdown"),
    ],
}
BUTTONS: dict[str, Button] = {button.key: button for group in GROUPS.values() for button in group}
OTHER_KEYS: dict[str, str] = {  # of the console itself
    "up, down": "choose in the security display",
    "enter": "press or release, open or close what is chosen",
    "f": "frame of jogs",
    "left, right": "component of jogs",
    "[ ]": "slower, faster jogs",
    "+ -": "jog; held down it goes on",
    "v": "next variable list",
    "tab": "next page, where the terminal is too small for all",
    ":": "type any action, such as `gate name=gate1 open=true`",
    "q": "leave; the facility goes on",
}


def components(frame: Frame) -> list[tuple[int, str]]:
    """What can be jogged in a frame: robot (0: the rail) and name."""
    return [(0, SLIDES[frame]), *((robot, name) for robot in (1, 2) for name in NAMES[frame])]


def key_name(key: str) -> str:
    """As it stands on a keyboard."""
    return {" ": "space", "\r": "enter", "\n": "enter"}.get(key, key)
