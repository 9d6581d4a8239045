"""The optional packages of the extra `plan`, imported on first use."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from freefloat.errors import InputError


@cache
def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"motion planning needs the package {name!r}, which is not installed: pip install 'freefloat[plan]'"
        ) from None


def mink() -> Any:
    """The module mink, with the solver daqp at hand."""
    _imported("daqp")
    return _imported("mink")


def ruckig() -> Any:
    """The module ruckig."""
    return _imported("ruckig")


def daqp() -> Any:
    """The module daqp."""
    return _imported("daqp")


def casadi() -> Any:
    """The module casadi, with the solvers IPOPT and fatrop inside."""
    return _imported("casadi")
