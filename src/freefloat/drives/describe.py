"""A drive as rows: every parameter with unit, meaning and source, and the equations that they are in."""

from __future__ import annotations

import inspect
from typing import NamedTuple

from freefloat.drives.catalogue import DriveEntry, fields_of
from freefloat.drives.joint_drive import PARTS, JointDrive
from freefloat.drives.settings import DriveSettings
from freefloat.scenario.quantities import Quantity

Value = float | int | str | tuple[float, ...]


class Parameter(NamedTuple):
    """A number of a drive."""

    name: str  # `gear.ratio`
    value: Value
    unit: str
    meaning: str
    source: str


def parameters(entry: DriveEntry) -> list[Parameter]:
    """Every number of a drive."""
    settings = DriveSettings()
    rows: list[Parameter] = []
    for path in fields_of(settings):
        group, value = settings, entry.drive
        *parts, name = path.split(".")
        for part in parts:
            group, value = getattr(group, part), getattr(value, part)
        found = type(group).model_fields[name]
        unit = Quantity.of(found)
        meaning = found.description or ""
        source = entry.sources.get(path, entry.source)
        rows.append(Parameter(path, getattr(value, name), unit.unit if unit else "", meaning, source))
    return rows


def equations() -> dict[str, str]:
    """What each part of a drive does, as text with its equations."""
    kinds = {name.removeprefix("motor_"): kind for name, kind in PARTS.items() if name != "load_resolver"}
    return {name: inspect.getdoc(kind) or "" for name, kind in {**kinds, "rotor": JointDrive}.items()}
