"""Packages of an extra (`freefloat[orbit]`, `freefloat[plan]`, `freefloat[verify]`), imported on first use."""

from __future__ import annotations

import importlib
from typing import Any

from freefloat.errors import InputError


def imported(name: str, extra: str, needs: str) -> Any:
    """The module `name`, or an error that says which extra has it; `needs` begins it, such as "orbits need"."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"{needs} the package {name!r}, which is not installed: pip install 'freefloat[{extra}]'"
        ) from None
