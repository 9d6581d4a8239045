"""The sync link's datagram: 194 bytes, little-endian, the same both ways.

4 bytes   `EPOS`
uint32    cycle: of the state; an answer echoes it
int64     GPS time [ns]
int16     mode: frame in bits 0 to 3, bit 14 commands act, bit 15 (the sign) moving to the start
22 float64  values in the units of the frame (Benninghoff and others 2017, Tables 6 to 9)
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import InputError

MARK = b"EPOS"
VALUES = 22
FORMAT = struct.Struct(f"<4sIqh{VALUES}d")
SIZE = FORMAT.size  # 194
FRAMES = {"CLW": 1, "GLC": 2, "IJT": 3, "IDC": 4}  # bits 0 to 3 of the mode
FRAME_BITS = 0b1111
ALIVE = 1 << 14
MOVING = 1 << 15
CYCLES = 1 << 32  # after which the number begins anew


class DatagramError(InputError):
    """Bytes that are no record; `cause` is one word: size, mark, frame or number."""

    def __init__(self, cause: str, message: str) -> None:
        self.cause = cause
        super().__init__(message)


@dataclass(frozen=True, eq=False)
class Datagram:
    """A record on its way."""

    cycle: int
    gps_ns: int  # [ns]
    mode: int  # int16
    values: NDArray[np.float64]  # (22,)

    @property
    def frame(self) -> int:
        """1 to 4: CLW, GLC, IJT, IDC."""
        return self.mode & FRAME_BITS

    @property
    def alive(self) -> bool:
        """Whether the facility executes what it is told."""
        return bool(self.mode & ALIVE)

    @property
    def moving(self) -> bool:
        """Whether the facility moves to the start."""
        return bool(self.mode & MOVING)

    def pack(self) -> bytes:
        """As bytes."""
        return pack(self.cycle, self.gps_ns, self.mode, self.values)


def pack(cycle: int, gps_ns: int, mode: int, values: ArrayLike) -> bytes:
    """A record as 194 bytes; a cycle above 32 bits begins anew at 0."""
    numbers = np.asarray(values, np.float64)
    if numbers.shape != (VALUES,):
        raise InputError(f"record of shape {numbers.shape}; allowed: {VALUES} numbers")
    return FORMAT.pack(MARK, cycle % CYCLES, gps_ns, mode, *numbers.tolist())


def unpack(data: bytes) -> Datagram:
    """The record in 194 bytes; finite, in a known frame."""
    if len(data) != SIZE:
        raise DatagramError("size", f"datagram of {len(data)} bytes; allowed: {SIZE}")
    mark, cycle, gps_ns, mode, *numbers = FORMAT.unpack(data)
    if mark != MARK:
        raise DatagramError("mark", f"datagram begins with {mark!r}; allowed: {MARK!r}")
    if not 1 <= mode & FRAME_BITS <= len(FRAMES):
        allowed = ", ".join(f"{number} = {name}" for name, number in FRAMES.items())
        raise DatagramError("frame", f"mode {mode}: frame {mode & FRAME_BITS}; allowed in bits 0 to 3: {allowed}")
    values = np.array(numbers)
    if not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values)))
        raise DatagramError("number", f"value {place} of the record is {numbers[place]!r}; allowed: finite")
    return Datagram(cycle, gps_ns, mode, values)


def frame_number(name: str) -> int:
    """Of a frame's name."""
    if name.upper() not in FRAMES:
        raise InputError(f"frame {name!r}; allowed: {', '.join(FRAMES)}")
    return FRAMES[name.upper()]
