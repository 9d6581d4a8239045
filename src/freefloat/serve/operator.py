"""An operator at the control channel: requests as they are typed, with files of the operator's own machine."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from freefloat.errors import InputError
from freefloat.facility.trajectory import read_trajectory
from freefloat.links.control_channel import ControlChannel


def parsed(arguments: Sequence[str]) -> dict[str, Any]:
    """KEY=VALUE texts as arguments: numbers, true and false are read as such, everything else is a text."""
    found: dict[str, Any] = {}
    for text in arguments:
        key, equals, value = text.partition("=")
        if not equals or not key.isidentifier() or key in ("do", "id"):
            raise InputError(f"argument {text!r}; allowed: KEY=VALUE, such as mode=sync")
        if key in found:
            raise InputError(f"argument {text!r}: {key} was given before; allowed: once")
        try:
            read = json.loads(value)
        except (ValueError, RecursionError):
            read = value
        found[key] = read if isinstance(read, bool | int | float) else value
    return found


def perform(channel: ControlChannel, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Do an action; `load trajectory=FILE` is read here, and a picture is written here, to `path` or CAMERA.png."""
    given = dict(arguments)
    if name == "load":
        return channel.load(_rows(given))
    path = Path(str(given.pop("path"))) if name == "picture" and "path" in given else None
    told = channel.do(name, **given)
    return _kept(told, path or Path(f"{told['camera']}.png")) if "png" in told else told


def _rows(given: dict[str, Any]) -> list[list[float]]:
    if set(given) != {"trajectory"}:
        raise InputError(f"load: {', '.join(given) or 'nothing'}; allowed: trajectory=FILE")
    found = read_trajectory(str(given["trajectory"]))
    return [[frame, *values] for frame, values in zip(found.frames.tolist(), found.values.tolist(), strict=True)]


def _kept(told: dict[str, Any], path: Path) -> dict[str, Any]:
    try:
        path.write_bytes(base64.b64decode(told.pop("png")))
    except OSError as error:
        raise InputError(f"{path}: picture cannot be written: {error.strerror}") from None
    return {**told, "path": str(path)}
