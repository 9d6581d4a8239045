"""Lines of the control channel: what can be asked for, and a line read as a request."""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from freefloat.errors import InputError, unknown_name
from freefloat.facility.actions import ACTIONS, REQUIRED
from freefloat.facility.trajectory import COLUMNS
from freefloat.frames import Array

LINE = 1 << 18  # [bytes] of a request, at most
TEXT = 200  # [characters] of a text in it
ITEMS = 1000  # of a list in it
WHOLE = 2**53  # largest whole number
ROWS = 1_000_000  # of a trajectory


class BadLineError(InputError):
    """A line that is no request."""


@dataclass(frozen=True)
class Known:
    """One thing that can be asked for: its arguments with their defaults, and what it does."""

    about: str
    arguments: Mapping[str, Any]


DESK: dict[str, Known] = {  # what the desk itself answers; the rest is the operation's
    "hello": Known("begin, with the token where the facility has one", {"token": ""}),
    "status": Known("state, mode, reason of the last stop, counters", {}),
    "watch": Known("status and variables again and again; a period of 0 ends it", {"names": [], "period": 0.1}),
    "list": Known("variables, actions, interlocks or cameras", {"what": "variables"}),
    "get": Known("newest values of variables; names may have * and ?", {"names": REQUIRED}),
    "picture": Known(
        "what an observation camera sees: a PNG in base64, or written into the folder of the run",
        {"camera": "overview", "file": "", "width": 640, "height": 400},
    ),
    "shutdown": Known("Safe Stop, then the facility ends", {}),
}
MORE = {"load": {"more": False}}  # what the channel takes beyond the operation: a trajectory comes in pieces


def known() -> dict[str, Known]:
    """All that can be asked for, by name: the desk's, then the operation's."""
    table = {n: Known(a.about, {**a.arguments, **MORE.get(n, {})}) for n, a in ACTIONS.items()}
    return {**DESK, **table}


KNOWN = known()


@dataclass(frozen=True)
class Request:
    """A line that was understood."""

    action: str
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str | int | None = None  # the client's own, given back with the reply


def read_line(line: bytes) -> dict[str, Any]:
    """The JSON object of a line; what is none is a `BadLineError`."""
    try:
        found = json.loads(line.decode("utf-8"), parse_constant=_refuse, object_pairs_hook=_once)
    except UnicodeDecodeError as error:
        raise BadLineError(f"line: byte {error.start} is no UTF-8; allowed: a JSON object a line") from None
    except json.JSONDecodeError as error:
        raise BadLineError(f"line: no JSON at character {error.pos}; allowed: a JSON object a line") from None
    except (ValueError, RecursionError) as error:
        raise BadLineError(f"line: {str(error)[:TEXT]}; allowed: a JSON object a line") from None
    if not isinstance(found, dict):
        raise BadLineError(f'line: JSON of type {type(found).__name__}; allowed: an object such as {{"do": ...}}')
    return found


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a name that stands twice would be read differently by others."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def request_of(found: Mapping[str, Any]) -> Request:
    """The request of an object: its action is known, its arguments have names and plain values."""
    action = found.get("do")
    if not isinstance(action, str):
        raise InputError(f'do: {_told(action)}; allowed: a name, such as "status"')
    if action not in KNOWN:
        raise unknown_name("action", action[:TEXT], KNOWN)
    own = found.get("id")
    if not (own is None or isinstance(own, str | int)) or isinstance(own, bool) or len(str(own)) > TEXT:
        raise InputError(f"{action}: id {_told(own)}; allowed: a whole number or a text of up to {TEXT} characters")
    arguments = {key: value for key, value in found.items() if key not in ("do", "id")}
    allowed = KNOWN[action].arguments
    for key, value in arguments.items():
        if key not in allowed:
            raise unknown_name(f"argument of {action}", key[:TEXT], allowed)
        if key != "trajectory":
            _check_plain(value, f"{action}: {key}")
    missing = [key for key, value in allowed.items() if value is REQUIRED and key not in arguments]
    if missing:
        raise InputError(f"{action}: {missing[0]} is missing; needed: {', '.join(missing)}")
    return Request(action, arguments, own)


def _check_plain(value: Any, what: str) -> None:
    """Refuse what no action can mean: objects, nothing, nested lists, texts without end."""
    if isinstance(value, list):
        if len(value) > ITEMS or not all(isinstance(v, str) and len(v) <= TEXT for v in value):
            raise InputError(f"{what} {_told(value)}; allowed: up to {ITEMS} texts of up to {TEXT} characters")
    elif isinstance(value, str):
        if len(value) > TEXT:
            raise InputError(f"{what}: a text of {len(value)} characters; allowed: {TEXT}")
    elif isinstance(value, bool):
        pass
    elif not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > WHOLE:
        raise InputError(f"{what} {_told(value)}; allowed: a number, a text, true, false or a list of texts")


def _told(value: Any) -> str:
    """A short form for messages, however deep it is."""
    return reprlib.repr(value)


def rows_of(given: Any, before: int) -> Array:
    """A piece of a trajectory, (n, 23), `before` which other rows have come."""
    if not isinstance(given, list):
        raise InputError(f"load: trajectory {_told(given)}; allowed: rows of 23 numbers, a frame and 22 values")
    if before + len(given) > ROWS:
        raise InputError(f"load: {before + len(given)} rows; allowed: {ROWS}")
    for n, row in enumerate(given, before + 1):
        numbers = isinstance(row, list) and len(row) == COLUMNS and all(type(v) in (int, float) for v in row)
        if not numbers or not all(abs(v) <= WHOLE for v in row):
            raise InputError(f"load: row {n}: {_told(row)}; allowed: {COLUMNS} numbers, a frame and 22 values")
    return np.array(given, np.float64).reshape(-1, COLUMNS)
