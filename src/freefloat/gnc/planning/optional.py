"""The optional packages of the extra `plan`, imported on first use."""

from __future__ import annotations

from functools import partial
from typing import Any

from freefloat.extras import imported

_imported = partial(imported, extra="plan", needs="motion planning needs")


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
