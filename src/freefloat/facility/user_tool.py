"""User tools: frames U on the adapter plates, from a file such as `user_tool.val` (mm, deg, Euler angles A, B, C).

Benninghoff and others 2017, Fig. 24.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from freefloat.errors import InputError
from freefloat.facility.euler import euler_angles, euler_matrix
from freefloat.frames import Pose

COMPONENTS = ("X", "Y", "Z", "A", "B", "C")
KEYS = tuple(f"USER_ROB{robot}_TOOL_{component}" for robot in (1, 2) for component in COMPONENTS)


@dataclass(frozen=True)
class UserTools:
    """X_TU of both robots."""

    rob1: Pose
    rob2: Pose


def user_tool(x: float, y: float, z: float, a: float, b: float, c: float) -> Pose:
    """X_TU of a place [mm] and Euler angles [deg], as the file has them."""
    return Pose(euler_matrix(math.radians(a), math.radians(b), math.radians(c)), np.array([x, y, z]) / 1e3)


FIG24 = UserTools(user_tool(0.0, 140.0, 50.0, 0.0, 90.0, -90.0), user_tool(0.0, 0.0, 480.0, 0.0, -90.0, -90.0))


def read_user_tools(path: str | PathLike[str]) -> UserTools:
    """Both tools of a file: each of the twelve keys once, `KEY=NUMBER` a line."""
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text"
        raise InputError(f"{path}: user tools cannot be read: {reason}") from None
    found: dict[str, tuple[int, float]] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            key, value = _entry(line, f"{path}:{number}")
            if key in found:
                raise InputError(f"{path}:{number}: {key} again; allowed: once (first in line {found[key][0]})")
            found[key] = number, value
    missing = [key for key in KEYS if key not in found]
    if missing:
        raise InputError(f"{path}: missing {', '.join(missing)}; allowed: all of {KEYS[0]} to {KEYS[-1]}, one a line")
    numbers = [found[key][1] for key in KEYS]
    return UserTools(user_tool(*numbers[:6]), user_tool(*numbers[6:]))


def _entry(line: str, where: str) -> tuple[str, float]:
    key, equals, text = (part.strip() for part in line.partition("="))
    if not equals:
        raise InputError(f"{where}: {line.strip()!r}; allowed: KEY=NUMBER")
    if key not in KEYS:
        raise InputError(f"{where}: key {key!r}; allowed: {', '.join(KEYS)}")
    unit = "mm" if key[-1] in "XYZ" else "deg"
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{where}: {key} {text!r}; allowed: a finite number [{unit}]")
    return key, value


def write_user_tools(path: str | PathLike[str], tools: UserTools) -> None:
    """A file that `read_user_tools` reads."""
    numbers: list[float] = []
    for X_TU in (tools.rob1, tools.rob2):
        angles = euler_angles(X_TU.R)  # pyright: ignore[reportArgumentType]
        numbers += [*(1e3 * X_TU.p).tolist(), *map(math.degrees, angles)]
    lines = [f"{key}={value + 0.0!r}\n" for key, value in zip(KEYS, numbers, strict=True)]
    try:
        Path(path).write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: user tools cannot be written: {error.strerror}") from None
