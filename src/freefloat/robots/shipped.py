"""Robot files: those that come with Freefloat, and any by path."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from freefloat.engine.graph import LinkGraph
from freefloat.errors import unknown_name
from freefloat.robots.mjcf import load_mjcf
from freefloat.robots.reading import Unsupported
from freefloat.robots.urdf import load_urdf

_DIRECTORY = Path(__file__).parent / "assets"


def asset_names() -> list[str]:
    return sorted(path.name for path in _DIRECTORY.glob("*.urdf"))


def asset(name: str) -> Path:
    """The path of a shipped robot file, by its name with or without ".urdf"."""
    stem = name.removesuffix(".urdf")
    if f"{stem}.urdf" not in asset_names():
        raise unknown_name("robot file", stem, [n.removesuffix(".urdf") for n in asset_names()])
    return _DIRECTORY / f"{stem}.urdf"


def load_robot(
    name: str | Path,
    unsupported: Unsupported = "refuse",
    balance: bool = False,
    search: Sequence[str | Path] = (),
) -> LinkGraph:
    """A robot by the path of its URDF (.urdf) or MJCF (.xml) file, or by the name of a shipped one.

    `unsupported`: "refuse" what cannot be modelled, or "skip" it by name. `balance`: inertias that miss the triangle
    inequality by less than 5 % are balanced. `search`: directories in which package://NAME/ is looked for.
    """
    suffix = Path(name).suffix.lower()
    if suffix == ".xml":
        return load_mjcf(Path(name), unsupported, balance)
    return load_urdf(Path(name) if suffix == ".urdf" else asset(str(name)), unsupported, balance, search)
