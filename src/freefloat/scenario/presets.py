"""Scenarios by name: the YAML files beside the modules that register their kinds, and kinds without a file."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from freefloat.errors import InputError
from freefloat.scenario import registry

_PLAIN = r"[A-Za-z][\w ,.;()'+/-]*"  # values that need no reader of YAML
_LINE = re.compile(rf"^(kind|about):[ \t]+({_PLAIN}?)[ \t]*(?:[ \t]#.*)?\r?$(?!\n[ \t])", re.MULTILINE)
_KEY = re.compile(r"""^["']?(?:kind|about)["']?[ \t]*:""", re.MULTILINE)


@dataclass(frozen=True)
class Preset:
    """A scenario that can be run by name. Without a `file`, every field has its default."""

    name: str
    kind: str
    about: str  # the file's own line, may be empty
    file: Path | None

    @property
    def title(self) -> str:
        """The file's own line, or the title of the kind."""
        return self.about or registry.title(self.kind)


def presets() -> dict[str, Preset]:
    """Every preset by name, sorted."""
    found = _first_of_each(_files())
    used = {preset.kind for preset in found.values()}
    for kind in registry.names():
        if kind not in used and kind not in found:
            found[kind] = Preset(kind, kind, "", None)
    return dict(sorted(found.items()))


def preset_file(name: str) -> Path | None:
    """The file of the preset called `name`; no other file is read."""
    found = _first_of_each(file for file in _files() if file.stem == name)
    return found[name].file if found else None


def _files() -> list[Path]:
    """YAML files beside the modules of all kinds, sorted."""
    folders = {registry.folder(kind) for kind in registry.names()} - {None}
    return sorted(file for folder in folders if folder for file in folder.glob("*.yaml"))


def _first_of_each(files: Iterable[Path]) -> dict[str, Preset]:
    found: dict[str, Preset] = {}
    for file in files:
        preset = _read(file)
        if preset is not None and preset.name in found:
            first = found[preset.name].file
            warnings.warn(f"scenario {preset.name!r} is in {first} and {file}; the first is used", stacklevel=3)
        elif preset is not None:
            found[preset.name] = preset
    return found


def _read(file: Path) -> Preset | None:
    """The preset in a file; None where the file is something else."""
    try:
        found = header(file)
    except InputError as error:
        warnings.warn(f"scenario file skipped: {str(error).splitlines()[0]}", stacklevel=4)
        return None
    kind = found.get("kind") if isinstance(found, dict) else None
    if not isinstance(kind, str) or kind not in registry.names():
        return None
    return Preset(file.stem, kind, str(found.get("about") or ""), file)


def header(file: Path) -> Any:
    """`kind` and `about` where they are plain lines, as almost always; else all of the file, which is read with care.

    What else may be wrong with a file is told when it is used.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    found = dict(_LINE.findall(text))
    if "kind" in found and len(_KEY.findall(text)) == len(found) and not {"true", "null", "false"} & {*found.values()}:
        return found
    from freefloat.scenario.yamltext import read_file

    return read_file(file).value
