"""The one signature of a bank, and how a user's own effect joins the plant without recompiling it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from numba import njit, types
from numba.typed import List

from freefloat.errors import InputError
from freefloat.kernels.view import Rows, View

_f1, _f2, _i2, _n1 = types.float64[::1], types.float64[:, ::1], types.int64[:, ::1], types.int32[::1]
_rows = types.NamedTuple((_f2, _i2), Rows)
_view = types.NamedTuple((_f1, _f1, _f2, _f2, _f2, _f2, _f2, _f2, _n1, _f1, _f2, _f2), View)

# stage(t, p, x, u, view, dx, tau, wrench, y, power)
STAGE = types.void(types.float64, _rows, _f1, _f1, _view, _f1, _f1, _f2, _f1, _f1)
_FUNCTION = types.FunctionType(STAGE)
EFFECT_LIST = types.ListType(_FUNCTION)


def compile_stage(function: Callable[..., None], name: str) -> Any:
    """Compile a user's stage function (plain Python or already njit) to the bank signature."""
    plain = getattr(function, "py_func", function)
    try:
        return njit(STAGE, error_model="numpy")(plain)
    except Exception as e:  # numba raises many types for code that it cannot compile
        told = [line.strip() for line in str(e).splitlines() if line.strip() and "nopython mode pipeline" not in line]
        reason = "; ".join(told[:2]) or type(e).__name__
        raise InputError(
            f"effect {name!r}: its stage function does not compile as "
            f"stage(t, p, x, u, view, dx, tau, wrench, y, power): {reason}"
        ) from e


def stage_list(stages: Iterable[Any]) -> Any:
    """Typed list of compiled stage functions, as `advance` takes it."""
    effects = List.empty_list(_FUNCTION)
    for stage in stages:
        effects.append(stage)
    return effects
