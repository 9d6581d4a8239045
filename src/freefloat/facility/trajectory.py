"""Trajectory files of the asynchronous command interface: a line each 4 ms, a frame and 22 numbers separated by blanks.

Benninghoff and others 2017, sec. 2.2.5, Table 4. Row i of a trajectory is line i + 1 of its file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from freefloat.errors import InputError
from freefloat.facility.axes import CYCLE
from freefloat.facility.record import LABELS, VALUES, Frame, Record
from freefloat.frames import Array

COLUMNS = VALUES + 1
_FORMAT = "%d" + " %.17g" * VALUES + "\n"  # 17 significant digits: every float64 comes back as it was
_FRAMES = ", ".join(f"{frame.value} = {frame.name}" for frame in Frame)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Commands of consecutive cycles, each in a frame of its own."""

    frames: NDArray[np.int16]  # (n,) Frame of each row
    values: Array  # (n, 22) in the units of the protocol

    def __post_init__(self) -> None:
        frames, values = np.array(self.frames), np.array(self.values, dtype=np.float64)
        if frames.ndim != 1 or values.shape != (len(frames), VALUES) or not len(frames):
            raise InputError(
                f"trajectory: frames {frames.shape}, values {values.shape}; allowed: (n,) and (n, {VALUES}), n > 0"
            )
        unknown = np.flatnonzero(~np.isin(frames, list(Frame)))
        if len(unknown):
            raise InputError(f"trajectory: row {unknown[0]}: frame {frames[unknown[0]]}; allowed: {_FRAMES}")
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            row, column = bad[0]
            what = f"row {row}: {_column(column + 1, int(frames[row]))} {float(values[row, column])!r}"
            raise InputError(f"trajectory: {what}; allowed: a finite number")
        frames = frames.astype(np.int16)
        frames.flags.writeable = values.flags.writeable = False
        object.__setattr__(self, "frames", frames)
        object.__setattr__(self, "values", values)

    @classmethod
    def of(cls, records: Iterable[Record]) -> Trajectory:
        """Of records, one a cycle."""
        rows = list(records)
        return cls(
            np.array([r.frame for r in rows], np.int16), np.array([r.values for r in rows]).reshape(len(rows), -1)
        )

    def __len__(self) -> int:
        return len(self.frames)

    def record(self, row: int) -> Record:
        """The command of a row."""
        return Record(Frame(int(self.frames[row])), self.values[row])

    @property
    def duration(self) -> float:
        """[s] from the first command to the last."""
        return (len(self) - 1) * CYCLE


def read_trajectory(path: str | PathLike[str]) -> Trajectory:
    """A file of 23 columns. Frames may change from line to line; blank lines are allowed at the end only."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text"
        raise InputError(f"{path}: trajectory cannot be read: {reason}") from None
    if not text.strip():
        raise InputError(f"{path}: no line; allowed: one or more, of {COLUMNS} columns")
    rows = [line.split() for line in text.rstrip().split("\n")]
    for number, row in enumerate(rows, 1):
        if len(row) != COLUMNS:
            raise InputError(f"{path}:{number}: {len(row)} columns; allowed: {COLUMNS}, a frame and {VALUES} numbers")
    try:
        table = np.array(list(map(float, chain.from_iterable(rows)))).reshape(-1, COLUMNS)
    except ValueError:
        table = None
    if table is None or "_" in text or not np.isfinite(table).all() or not np.isin(table[:, 0], list(Frame)).all():
        raise _first_error(path, rows)
    return Trajectory(table[:, 0].astype(np.int16), table[:, 1:])


def _first_error(path: Path, rows: Sequence[list[str]]) -> InputError:
    for number, row in enumerate(rows, 1):
        frame = _number(row[0])
        if frame not in list(Frame):
            return InputError(f"{path}:{number}: frame {row[0]!r}; allowed: {_FRAMES}")
        for column, text in enumerate(row):
            if not math.isfinite(_number(text)):
                where = f"{path}:{number}: column {column + 1} ({_column(column, int(frame))})"
                return InputError(f"{where} {text!r}; allowed: a finite number")
    raise AssertionError(path)


def _number(text: str) -> float:
    """nan for what is none; `1_000`, which Python would take, is none."""
    try:
        return float(text) if "_" not in text else math.nan
    except ValueError:
        return math.nan


def _column(column: int, frame: int) -> str:
    """What a column after the frame's means."""
    return LABELS[Frame(frame)][column - 1] or "not used"


def write_trajectory(path: str | PathLike[str], trajectory: Trajectory) -> None:
    """A file that `read_trajectory` reads to the same numbers, bit by bit."""
    rows = zip(trajectory.frames.tolist(), trajectory.values.tolist(), strict=True)
    try:
        Path(path).write_text("".join(_FORMAT % (frame, *values) for frame, values in rows), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: trajectory cannot be written: {error.strerror}") from None
