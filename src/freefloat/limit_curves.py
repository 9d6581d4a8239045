"""Limits on the RMS acceleration in third-octave bands: named curves, and tables of one's own in CSV files.

frequency [Hz], limit [ug]
0.1, 1.8
100, 1800

A curve is straight between its points on two logarithmic axes. It holds for half a band beyond its ends, since tables
often have rounded centres (315 Hz for 316.2 Hz); further out there is no limit.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import InputError, unknown_name
from freefloat.units import G0, dimension, to_si_factor

Array: TypeAlias = NDArray[np.float64]

MICRO_G = 1e-6 * G0  # [m/s^2]
HALF_BAND = 10.0**0.05  # [-] from a band's centre to its edge
_COLUMNS = ("frequency", "limit")
_SI = ("Hz", "m/s^2")
_UNITS = ("Hz, kHz", "ug, m/s^2, mm/s^2, um/s^2")
_MICRO_G_NAMES = ("ug", "µg", "μg")  # the micro sign and the Greek letter
_HEADING = re.compile(r"\s*[^\[\]()]*?\s*(?:[\[(]\s*(.*?)\s*[\])])?\s*")


def _check(where: str, point: tuple[float, float], units: tuple[str, str], before: float) -> None:
    """Refuse a point that is no pair of positive numbers, or does not stand above the frequency before it."""
    for column, number, unit in zip(_COLUMNS, point, units, strict=True):
        if not 0.0 < number < math.inf:
            raise InputError(f"{where}: {column} {number:.12g} {unit}; allowed: finite, > 0")
    if point[0] <= before:
        told = f"bands in rising order, here > {before:.12g} {units[0]}"
        raise InputError(f"{where}: frequency {point[0]:.12g} {units[0]}; allowed: {told}")


@dataclass(frozen=True)
class LimitCurve:
    """Largest RMS acceleration in a band by the band's centre; rising frequencies, two points or more."""

    name: str
    frequencies: tuple[float, ...]  # [Hz]
    values: tuple[float, ...]  # [m/s^2]
    source: str = ""

    def __post_init__(self) -> None:
        if len(self.frequencies) != len(self.values) or len(self.values) < 2:
            given = f"{len(self.frequencies)} frequencies and {len(self.values)} limits"
            raise InputError(f"limit curve {self.name!r}: {given}; allowed: as many of each, two or more")
        before = 0.0
        for i, (frequency, value) in enumerate(zip(self.frequencies, self.values, strict=True)):
            _check(f"limit curve {self.name!r}, point {i}", (frequency, value), _SI, before)
            before = frequency

    def at(self, frequency: ArrayLike) -> Array:
        """The limit [m/s^2] at frequencies [Hz]; nan where the curve has none."""
        f, ends = np.asarray(frequency, dtype=np.float64), (self.frequencies[0], self.frequencies[-1])
        inside = (f * HALF_BAND >= ends[0]) & (f <= ends[1] * HALF_BAND)
        held = np.log(np.clip(f, *ends))
        values = np.exp(np.interp(held, np.log(self.frequencies), np.log(self.values)))
        return np.where(inside, values, np.nan)


CURVES = {
    "iss-microgravity": LimitCurve(
        "iss-microgravity",
        frequencies=(0.01, 0.1, 100.0, 10.0**2.5),
        values=(1.8 * MICRO_G, 1.8 * MICRO_G, 1800.0 * MICRO_G, 1800.0 * MICRO_G),
        source="ISS Microgravity Control Plan: 1.8 ug to 0.1 Hz, 18 ug/Hz to 100 Hz, 1800 ug above, in 46 bands",
    ),
}


def load_limit(name_or_path: str | PathLike[str]) -> LimitCurve:
    """A curve of `CURVES` by its name, or a CSV file: a path, or a text that ends in `.csv`."""
    if isinstance(name_or_path, str) and not name_or_path.lower().endswith(".csv"):
        if name_or_path not in CURVES:
            raise unknown_name("limit curve", name_or_path, [*CURVES, "FILE.csv"])
        return CURVES[name_or_path]
    return _read_table(Path(name_or_path))


def _read_table(path: Path) -> LimitCurve:
    """Rows of frequency and limit; a heading may say their units, otherwise they are in Hz and m/s^2."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        raise InputError(f"limit table {str(path)!r}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"limit table {str(path)!r} cannot be read: {error}") from None
    rows = [(n, row) for n, row in enumerate(csv.reader(lines), 1) if any(row) and not row[0].startswith("#")]
    units, points = _SI, list[tuple[float, float]]()
    for place, (n, row) in enumerate(rows):
        where = f"limit table {str(path)!r}, line {n}"
        if len(row) != 2:
            raise InputError(f"{where}: {','.join(row)!r}; allowed: two columns, frequency and limit")
        if place == 0 and not any(map(_is_number, row)):
            units = _units_of(row, where)
            continue
        numbers = _numbers(row, where)
        before = points[-1][0] if points else 0.0
        _check(where, numbers, units, before)
        points.append(numbers)
    if len(points) < 2:
        raise InputError(f"limit table {str(path)!r}: {len(points)} rows of numbers; allowed: two or more")
    f, v = (_factor(unit) for unit in units)
    return LimitCurve(path.stem, tuple(f * a for a, _ in points), tuple(v * b for _, b in points), str(path))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(row: Sequence[str], where: str) -> tuple[float, float]:
    for column, text in zip(_COLUMNS, row, strict=True):
        if not _is_number(text):
            raise InputError(f"{where}: {column} {text.strip()!r}; allowed: a number > 0")
    return float(row[0]), float(row[1])


def _units_of(heading: Sequence[str], where: str) -> tuple[str, str]:
    """Units in brackets; a column without has SI."""
    found: list[str] = []
    for text, column, si, allowed in zip(heading, _COLUMNS, _SI, _UNITS, strict=True):
        match = _HEADING.fullmatch(text)
        unit = (match[1] if match else text) or si
        if not (column == "limit" and unit in _MICRO_G_NAMES) and not _is_like(unit, si):
            raise InputError(f"{where}: unit {unit!r} of the {column}; allowed: {allowed}")
        found.append(unit)
    return found[0], found[1]


def _is_like(unit: str, si: str) -> bool:
    try:
        return dimension(unit) == dimension(si)
    except InputError:
        return False


def _factor(unit: str) -> float:
    return MICRO_G if unit in _MICRO_G_NAMES else to_si_factor(unit)
