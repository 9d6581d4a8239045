"""Joint drives: which there are, their parameters and equations, and what follows from them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from freefloat.commands import Json
from freefloat.errors import InputError
from freefloat.terminal import print_table, say

if TYPE_CHECKING:
    from freefloat.drives.catalogue import DriveEntry
    from freefloat.scenario.yamltext import Document

Drive = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE", help="A drive, a YAML file of drives, or FILE:NAME; none: all that are shipped."
    ),
]
Inertia = Annotated[
    str, typer.Option(metavar="I", help='Of the load about the axis, such as "70 kg m^2"; default: J N^2 of the rotor.')
]


def drives(name: Drive = "", inertia: Inertia = "", as_json: Json = False) -> None:
    """Joint drives, one line each; or one with its parameters, equations and what follows from them."""
    from freefloat.drives.catalogue import find_entry, read_drives, shipped, split_name

    load = _inertia(inertia)
    path, inside = split_name(name)
    entries = shipped() if not name else read_drives(path) if path is not None and inside is None else {}
    if len(entries) > 1:
        if load is not None:
            raise InputError(f"--inertia {inertia}: of one drive only; allowed: a name of {', '.join(entries)}")
        _list(entries, as_json)
        return
    entry = next(iter(entries.values())) if entries else find_entry(name)
    if as_json:
        print(json.dumps(_data(entry, load), indent=2))
    else:
        _show(entry, load)


def check_drives_file(document: Document, file: str, as_json: bool) -> None:
    """Print what the file holds; what a user should know of a drive is a warning."""
    from freefloat.drives.behaviour import behaviour_of
    from freefloat.drives.catalogue import drives_from

    entries = drives_from(document)
    remarks = [remark for entry in entries.values() for remark in behaviour_of(entry.drive).remarks]
    if as_json:
        found = {"file": file, "kind": "drives", "ok": True, "drives": list(entries), "remarks": remarks}
        print(json.dumps(found))
        return
    say(*(f"warning: {file}: {remark}" for remark in remarks))
    print(f"{file}: ok (drives: {', '.join(entries)})")


def _inertia(text: str) -> float | None:
    from freefloat.units import parse_quantity

    if not text:
        return None
    try:
        value = parse_quantity(text, "kg m^2")
    except InputError as error:
        raise InputError(f"--inertia: {error}") from None
    if value <= 0.0:
        raise InputError(f"--inertia {text}; allowed: > 0 kg m^2")
    return value


def _list(entries: Mapping[str, DriveEntry], as_json: bool) -> None:
    from freefloat.drives.behaviour import behaviour_of

    found = {name: (entry, behaviour_of(entry.drive)) for name, entry in entries.items()}
    if as_json:
        rows = [
            {
                "name": name,
                "about": entry.about,
                "source": entry.source,
                "ratio": entry.drive.gear.ratio,
                "stall_torque_Nm": _finite(numbers.stall_torque),
                "joint_speed_rad_s": _finite(numbers.joint_speed),
            }
            for name, (entry, numbers) in found.items()
        ]
        print(json.dumps(rows, indent=2))
        return
    cells = [
        (name, *(_text(v) for v in (e.drive.gear.ratio, b.stall_torque, b.joint_speed)), e.about, e.source)
        for name, (e, b) in found.items()
    ]
    print_table(("drive", "ratio", "stall torque [N m]", "no-load speed [rad/s]", "about", "source"), cells)


def _show(entry: DriveEntry, load: float | None) -> None:
    from freefloat.drives.behaviour import behaviour_of
    from freefloat.drives.describe import equations, parameters

    print(": ".join(text for text in (entry.drive.name, entry.about) if text))
    print("\nparameters:")
    rows = [(p.name, _text(p.value), p.unit, p.meaning, p.source) for p in parameters(entry)]
    print_table(("parameter", "value", "unit", "meaning", "source"), rows)
    print("\nequations:")
    for part, text in equations().items():
        print(f"  {part}")
        for line in text.splitlines():
            print(f"    {line}".rstrip())
    found = behaviour_of(entry.drive, load)
    print("\nwhat follows:")
    cells = [(f.name, _text(f.value), f.unit, f.meaning) for f in found.findings()]
    print_table(("name", "value", "unit", "meaning"), cells)
    for remark in found.remarks:
        say(f"warning: {remark}")


def _data(entry: DriveEntry, load: float | None) -> dict[str, Any]:
    from freefloat.drives.behaviour import behaviour_of
    from freefloat.drives.describe import equations, parameters

    found = behaviour_of(entry.drive, load)
    return {
        "name": entry.drive.name,
        "about": entry.about,
        "source": entry.source,
        "parameters": [p._asdict() for p in parameters(entry)],
        "equations": equations(),
        "behaviour": [f._asdict() | {"value": _finite(f.value)} for f in found.findings()],
        "remarks": list(found.remarks),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _text(value: float | int | str | tuple[float, ...]) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_text, value))
    return value if isinstance(value, str) else f"{value:.6g}"
