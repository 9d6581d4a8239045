"""Variable lists: text files that say which variables of the data pool a display shows, and in which units.

A line is `VARIABLE[LABEL] in UNIT: TITLE`, of which only the variable must be; a first line `# TITLE` names the list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from freefloat.errors import InputError, unknown_name
from freefloat.facility.pool import VARIABLES, Variable
from freefloat.units import dimension, to_si_factor

FOLDER = Path(__file__).parent / "lists"
_LINE = re.compile(r"(?P<name>[\w.]+)(?:\[(?P<label>[^\]]*)\])?(?:\s+in\s+(?P<unit>[^:]+?))?(?:\s*:\s*(?P<title>.*))?")
_ALLOWED = "VARIABLE[LABEL] in UNIT: TITLE"


@dataclass(frozen=True)
class Entry:
    """One line: some numbers of a variable, each with label, unit as shown and how much of its own unit that is."""

    name: str
    title: str
    labels: tuple[str, ...]
    units: tuple[str, ...]
    places: tuple[int, ...]
    factors: tuple[float, ...]

    def values(self, row: Mapping[str, Any]) -> list[float | None]:
        """Of the newest values by name; None where there are none yet."""
        found = row.get(self.name)
        numbers = found if isinstance(found, list) else [found]
        if found is None or len(numbers) <= max(self.places):
            return [None] * len(self.places)
        chosen = (numbers[place] for place in self.places)
        return [None if x is None else x / factor for x, factor in zip(chosen, self.factors, strict=True)]


@dataclass(frozen=True)
class VariableList:
    """What a display shows."""

    title: str
    entries: tuple[Entry, ...]

    @property
    def names(self) -> list[str]:
        """Of its variables, each once."""
        return list(dict.fromkeys(entry.name for entry in self.entries))


def read_variable_list(path: str | PathLike[str]) -> VariableList:
    """A text file; what is wrong in it is told with its line."""
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text"
        raise InputError(f"{path}: variable list cannot be read: {reason}") from None
    title, entries = path.stem, []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("#"):
            title = text.lstrip("# ") or title if number == 1 else title
        elif text:
            try:
                entries.append(_entry(text))
            except InputError as error:
                raise InputError(f"{path}:{number}: {error}") from None
    if not entries:
        raise InputError(f"{path}: no variable; allowed: one or more lines {_ALLOWED}")
    return VariableList(title, tuple(entries))


def shipped_lists() -> list[VariableList]:
    """Those that come with Freefloat."""
    return [read_variable_list(file) for file in sorted(FOLDER.glob("*.txt"))]


def _entry(text: str) -> Entry:
    match = _LINE.fullmatch(text)
    if match is None:
        raise InputError(f"{text!r}; allowed: {_ALLOWED}")
    name, label, unit, title = match["name"], match["label"], match["unit"], match["title"]
    if name not in VARIABLES:
        raise unknown_name("variable", name, VARIABLES)
    variable = VARIABLES[name]
    labels = variable.labels or ("",)
    units = tuple(variable.unit.split(", ")) if ", " in variable.unit else (variable.unit,) * len(labels)
    places = _places(variable, label, labels)
    shown = [(unit or units[k]) for k in places]
    return Entry(
        name,
        title or f"{variable.meaning}{f' {label}' if label else ''}",
        tuple(labels[k] for k in places),
        tuple(shown),
        places,
        tuple(_factor(units[k], wanted, name) for k, wanted in zip(places, shown, strict=True)),
    )


def _places(variable: Variable, label: str | None, labels: tuple[str, ...]) -> tuple[int, ...]:
    if label is None:
        return tuple(k for k, found in enumerate(labels) if not found.startswith("unused"))
    if label not in labels:
        raise unknown_name(f"label of {variable.name}", label, [found for found in labels if found])
    return (labels.index(label),)


def _factor(own: str, wanted: str, name: str) -> float:
    """How much of the variable's own unit is one of the wanted."""
    if own == wanted:
        return 1.0
    if own == "-" or dimension(wanted) != dimension(own):
        raise InputError(f"{name} in {wanted}; allowed: a unit like {own}")
    return to_si_factor(wanted) / to_si_factor(own)
