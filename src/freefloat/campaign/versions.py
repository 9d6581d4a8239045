"""What a campaign's numbers may depend on besides its files: the versions of what computes them."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version

PACKAGES = ("freefloat", "mujoco", "numba", "numpy")


def versions() -> dict[str, str]:
    """Of this process."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def difference(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """Names and versions that are not the same, in words; empty where all are."""
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return ", ".join(f"{name} {one.get(name, 'none')} and {other.get(name, 'none')}" for name in names)
