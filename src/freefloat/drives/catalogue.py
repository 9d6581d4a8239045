"""Drives by name: those that are shipped, and files of one's own.

kind: drives
schema: 1
drives:
  elbow:
    source: data sheet of the motor; friction measured
    motor: {torque_constant: 0.2 N m/A, resistance: 0.8 ohm}
    gear: {ratio: 100, stiffness: 2e4 N m/rad, backlash: 1 arcmin}

What a file leaves out is as in `JointDrive()`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from freefloat.amounts import UnfitError
from freefloat.drives.joint_drive import PARTS, JointDrive
from freefloat.drives.settings import DriveSettings, DrivesSettings
from freefloat.errors import InputError, unknown_name
from freefloat.scenario.files import is_path
from freefloat.scenario.problems import Misfit, Problem, ScenarioError, dotted, listed, misfits_of, short, suggest
from freefloat.scenario.yamltext import Document, read_file

KIND = "drives"
SCHEMA = 1  # version of the file format
SHIPPED = Path(__file__).with_name("catalogue.yaml")
_OTHER = ("substeps", "torque_quantum")  # numbers of a drive that are in none of its parts


@dataclass(frozen=True)
class DriveEntry:
    """A drive of a file, and what the file says on it."""

    drive: JointDrive
    about: str = ""
    source: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)  # by field, `gear.ratio`; "default" where not given


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, DriveEntry]:
    """The drives that are shipped, by name."""
    return MappingProxyType(read_drives(SHIPPED))


def drive_names() -> list[str]:
    """Names of the drives that are shipped."""
    return list(shipped())


def load_drive(name_or_path: str | Path, name: str | None = None) -> JointDrive:
    """A shipped drive by its name, or one of a file: `FILE` where it holds one, `FILE:NAME` or `name` otherwise."""
    return find_entry(name_or_path, name).drive


def find_entry(name_or_path: str | Path, name: str | None = None) -> DriveEntry:
    """As `load_drive`, with what the file says on the drive."""
    path, inside = split_name(name_or_path)
    if path is None:
        if name is not None:
            raise InputError(f"drive {name!r} of {str(name_or_path)!r}; allowed: a name inside a file, FILE.yaml")
        return _of(shipped(), str(name_or_path))
    if name is not None and inside is not None:
        raise InputError(
            f"drive {str(name_or_path)!r} with the name {name!r}; allowed: one name, after the file or alone"
        )
    entries, wanted = read_drives(path), name if name is not None else inside
    if wanted is not None:
        return _of(entries, wanted, f" of {path}")
    if len(entries) > 1:
        raise InputError(f"{path}: {len(entries)} drives; allowed: {path}:NAME with one of {listed(list(entries))}")
    return next(iter(entries.values()))


def split_name(name_or_path: str | Path) -> tuple[Path | None, str | None]:
    """File and name of `FILE:NAME`; no file where it is a name alone, no name where it is a file alone."""
    if isinstance(name_or_path, Path):
        return name_or_path, None
    head, colon, tail = name_or_path.rpartition(":")
    if colon and is_path(head) and not is_path(tail):
        return Path(head), tail
    return (Path(name_or_path), None) if is_path(name_or_path) else (None, None)


def is_drives(document: Document) -> bool:
    """Whether a document says that it holds drives."""
    return isinstance(document.value, dict) and document.value.get("kind") == KIND


def read_drives(path: str | Path) -> dict[str, DriveEntry]:
    """Every drive of a file. Raises an InputError with every problem of the file, each with its place."""
    return drives_from(read_file(Path(path)))


def drives_from(document: Document) -> dict[str, DriveEntry]:
    """Every drive of a document."""
    if not is_drives(document):
        raise _error(document, [Misfit(("kind",), f"not a file of drives; allowed: 'kind: {KIND}'", at="group")])
    data, problems = document.value, []
    schema = data.get("schema")
    if isinstance(schema, bool) or schema != SCHEMA:
        found, at = (f"{short(schema)} is not known", "value") if "schema" in data else ("missing", "group")
        problems.append(Misfit(("schema",), f"{found}; allowed: {SCHEMA}", at=at))
    entries: dict[str, DriveEntry] = {}
    try:
        settings = DrivesSettings.model_validate({k: v for k, v in data.items() if k not in ("kind", "schema")})
    except ValidationError as error:
        problems += misfits_of(DrivesSettings, error)
    else:
        if not settings.drives:
            problems.append(Misfit(("drives",), "no drive; allowed: one or more by name"))
        for name, given in settings.drives.items():
            entries[name] = _entry(document, name, given, problems)
    if problems:
        raise _error(document, problems)
    return entries


def drives_schema() -> dict[str, Any]:
    """JSON schema of files of drives, for editors."""
    schema = DrivesSettings.model_json_schema()
    head = {
        "kind": {"const": KIND, "description": "a file of drives"},
        "schema": {"const": SCHEMA, "description": "version of the file format"},
    }
    schema["properties"] = head | schema.get("properties", {})
    schema["required"] = ["kind", "schema", *schema.get("required", [])]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def fields_of(settings: DriveSettings) -> list[str]:
    """Every number of a drive, such as `gear.ratio`."""
    inside = [f"{part}.{name}" for part in PARTS for name in type(getattr(settings, part)).model_fields]
    return [*inside, *_OTHER]


def _of(entries: Mapping[str, DriveEntry], name: str, where: str = "") -> DriveEntry:
    if name not in entries:
        raise unknown_name(f"drive{where}", name, entries)
    return entries[name]


def _entry(document: Document, name: str, given: DriveSettings, problems: list[Misfit]) -> DriveEntry:
    here, parts = ("drives", name), {}
    for part, kind in PARTS.items():
        try:
            parts[part] = kind(**getattr(given, part).model_dump())
        except UnfitError as error:  # of several fields together: each alone has passed
            message = f"{short(error.value)} is out of range; allowed: {error.allowed}"
            problems.append(Misfit((*here, part, error.field), message))
    known = fields_of(given)
    for path in given.sources:
        if path not in known:
            message = f"unknown field; {suggest(path, known)}allowed: {listed(known)}"
            problems.append(Misfit((*here, "sources", path), message, at="key"))
    in_file = {path for path in known if (*here, *path.split(".")) in document.keys}
    sources = {p: given.sources.get(p, given.source) if p in in_file else "default" for p in known}
    drive = JointDrive(**parts, substeps=given.substeps, torque_quantum=given.torque_quantum, name=name)
    return DriveEntry(drive, given.about, given.source, MappingProxyType(sources))


def _error(document: Document, found: list[Misfit]) -> ScenarioError:
    ordered = sorted(found, key=lambda f: document.mark(f.path, f.at))
    return ScenarioError([Problem(document.place(f.path, f.at), dotted(f.path), f.message) for f in ordered])
