"""Packages of an extra (`freefloat[orbit]`, `freefloat[plan]`, `freefloat[verify]`), imported on first use."""

from __future__ import annotations

import importlib
import json
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from freefloat.errors import InputError


def imported(name: str, extra: str, needs: str) -> Any:
    """The module `name`, or an error that says which extra has it; `needs` begins it, such as "orbits need"."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(f"{needs} the package {name!r}, which is not installed: {install(extra)}") from None


def install(extra: str = "") -> str:
    """The command that installs Freefloat with an extra: from the clone that it came from, where there is one."""
    clone, option = _clone()
    source = "freefloat" if clone is None else "." if clone == Path.cwd() else str(clone)
    return f"pip install {option}'{source}{f'[{extra}]' if extra else ''}'"


def _clone() -> tuple[Path | None, str]:
    """The folder of the sources, if known, and pip's option for installing as before."""
    here = Path(__file__).parents[2]
    if (here / "pyproject.toml").is_file() and (here / "src" / "freefloat").is_dir():
        return here, "-e "
    try:
        origin = json.loads(metadata.distribution("freefloat").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return None, ""
    if "dir_info" not in origin:
        return None, ""
    folder = Path(unquote(urlsplit(origin.get("url", "")).path))
    return (folder if (folder / "pyproject.toml").is_file() else None), ""
