"""Scenarios by name: the YAML files beside the modules that registered their kinds, and kinds without a file."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

from freefloat.scenario import registry, yamltext
from freefloat.scenario.problems import ScenarioError


@dataclass(frozen=True)
class Preset:
    """A scenario that can be run by name. Without a `file`, every field has its default."""

    name: str
    kind: str
    title: str
    file: Path | None


def presets() -> dict[str, Preset]:
    """Every preset by name, sorted."""
    found: dict[str, Preset] = {}
    for file in sorted({f for kind in registry.names() for f in _beside(kind)}):
        preset = _read(file)
        if preset is not None and preset.name in found:
            first = found[preset.name].file
            warnings.warn(f"scenario {preset.name!r} is in {first} and {file}; the first is used", stacklevel=2)
        elif preset is not None:
            found[preset.name] = preset
    used = {preset.kind for preset in found.values()}
    for kind in registry.names():
        if kind not in used and kind not in found:
            found[kind] = Preset(kind, kind, registry.get(kind).title, None)
    return dict(sorted(found.items()))


def _beside(kind: str) -> list[Path]:
    module = registry.get(kind).__module__
    file = getattr(sys.modules.get(module), "__file__", None)
    return [] if file is None or module == "__main__" else sorted(Path(file).parent.glob("*.yaml"))


def _read(file: Path) -> Preset | None:
    """The preset in a file; None where the file is something else."""
    try:
        header = yamltext.read_file(file).value
    except ScenarioError as error:
        warnings.warn(f"scenario file skipped: {error.errors[0]}", stacklevel=3)
        return None
    kind = header.get("kind") if isinstance(header, dict) else None
    if not isinstance(kind, str) or kind not in registry.names():
        return None
    return Preset(file.stem, kind, str(header.get("about") or registry.get(kind).title), file)
