"""Robot files that come with Freefloat."""

from __future__ import annotations

from pathlib import Path

from freefloat.errors import unknown_name

_DIRECTORY = Path(__file__).parent / "assets"


def asset_names() -> list[str]:
    return sorted(path.name for path in _DIRECTORY.glob("*.urdf"))


def asset(name: str) -> Path:
    """The path of a shipped robot file, by its name with or without ".urdf"."""
    stem = name.removesuffix(".urdf")
    if f"{stem}.urdf" not in asset_names():
        raise unknown_name("robot file", stem, [n.removesuffix(".urdf") for n in asset_names()])
    return _DIRECTORY / f"{stem}.urdf"
