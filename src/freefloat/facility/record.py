"""The facility's command and state record: a frame and 22 numbers in the units of its protocol.

Benninghoff and others 2017, sec. 2.2.5 and Tables 4, 6 to 9. Numbers 0 to 6 belong to robot 1, 7 to 13 to robot 2, 14
to 20 to the point of view, 21 is `data lin`. Quaternions are scalar last here, and nowhere else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array, array_of
from freefloat.six_axis_arms import AXES

VALUES = 22  # numbers of a record
ROW = VALUES + 2  # [cycle, mode, values] as a signal
ROB1, ROB2, POV = slice(0, 7), slice(7, 14), slice(14, 21)
LIN = 21
FRAME_BITS = 0b1111
ALIVE = 1 << 14  # commanded in each cycle
MOVING = 1 << 15  # moving to the start; the sign of an int16


class Frame(IntEnum):
    """What the numbers of a record mean."""

    CLW = 1  # user tools in the point of view, which is in the lab: m, quaternions
    GLC = 2  # user tools in the lab: m, deg
    IJT = 3  # axes: deg, mm
    IDC = 4  # plates in the robots' bases: mm, deg


_TOOL = ("x", "y", "z", "A", "B", "C")
_QUATERNION = ("x", "y", "z", "qx", "qy", "qz", "qw")
_PARTS: dict[Frame, tuple[tuple[str, ...], tuple[str, ...], str]] = {  # names, units, unit of data lin
    Frame.CLW: (_QUATERNION, ("m",) * 3 + ("-",) * 4, "m"),
    Frame.GLC: (_TOOL, ("m",) * 3 + ("deg",) * 3, "m"),
    Frame.IJT: (AXES, ("deg",) * 6, "mm"),
    Frame.IDC: (_TOOL, ("mm",) * 3 + ("deg",) * 3, "mm"),
}


def _labels(frame: Frame) -> tuple[str, ...]:
    names = _PARTS[frame][0]
    seventh = names[6:] or ("",)
    robots = [f"{device} {name}" if name else "" for device in ("rob1", "rob2") for name in (*names[:6], *seventh)]
    pov = [f"pov {name}" if frame is Frame.CLW else "" for name in _QUATERNION]
    return (*robots, *pov, "data lin" if frame in (Frame.CLW, Frame.GLC) else "E1")


def _units(frame: Frame) -> tuple[str, ...]:
    units = _PARTS[frame][1]
    units = units if len(units) == 7 else (*units, "-")
    return (*units, *units, *(units if frame is Frame.CLW else ("-",) * 7), _PARTS[frame][2])


LABELS: dict[Frame, tuple[str, ...]] = {frame: _labels(frame) for frame in Frame}  # (22,), "" where not used
UNITS: dict[Frame, tuple[str, ...]] = {frame: _units(frame) for frame in Frame}  # (22,)


def frame_of(mode: float) -> Frame:
    """The frame in bits 0 to 3 of a record's mode."""
    number = int(mode) & FRAME_BITS if math.isfinite(mode) and mode == int(mode) else 0
    try:
        return Frame(number)
    except ValueError:
        allowed = ", ".join(f"{frame.value} = {frame.name}" for frame in Frame)
        raise InputError(f"record: frame of mode {mode!r}; allowed in bits 0 to 3: {allowed}") from None


def mode_of(frame: Frame, *, alive: bool = False, moving: bool = False) -> int:
    """The mode as an int16 (two's complement)."""
    mode = int(frame) | (ALIVE if alive else 0) | (MOVING if moving else 0)
    return mode - (1 << 16) if mode & MOVING else mode


def is_alive(mode: float) -> bool:
    """Whether bit 14 is set."""
    return bool(int(mode) & ALIVE)


def is_moving(mode: float) -> bool:
    """Whether bit 15, the sign, is set."""
    return bool(int(mode) & MOVING)


@dataclass(frozen=True, eq=False)
class Record:
    """One command, or one state, in the units of the protocol. Two are equal when frame and every number are."""

    frame: Frame
    values: Array  # (22,) read-only; LABELS, UNITS

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", frame_of(self.frame))
        values = array_of(self.values, (VALUES,), f"{self.frame.name} record").copy()
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    def row(self, cycle: int = 0, *, alive: bool = False, moving: bool = False) -> Array:
        """(24,) [cycle, mode, values], as signals have it."""
        return np.concatenate([[float(cycle), float(mode_of(self.frame, alive=alive, moving=moving))], self.values])

    @classmethod
    def from_row(cls, row: ArrayLike) -> Record:
        """Of 24 numbers [cycle, mode, values]."""
        numbers = array_of(row, (ROW,), "record")
        return cls(frame_of(float(numbers[1])), numbers[2:])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return self.frame == other.frame and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self.frame, *self.values.tolist()))

    def __str__(self) -> str:
        shown = zip(LABELS[self.frame], self.values.tolist(), UNITS[self.frame], strict=True)
        return f"{self.frame.name}: " + ", ".join(f"{name} {value:.6g} {unit}" for name, value, unit in shown if name)
