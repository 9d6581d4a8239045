"""Onboard code as machine code: a controller's tick(t, meas, state, out), called by address inside the plant's loop.

The three NamedTuples are made, call by call, from a table of their arrays [address, n0, n1, n2].
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit, types

from freefloat.compiled import room_of, stamp
from freefloat.errors import InputError
from freefloat.kernels.by_address import Code, caller, code_of, reason
from freefloat.kernels.handle import tuple_at
from freefloat.stamped_cache import fingerprint, stamped_cache

SIGNATURE = types.void(types.float64, types.int64)  # time [s], address of the table of arrays
call_tick = caller(SIGNATURE)

KINDS = {np.dtype(np.float64): types.float64, np.dtype(np.int64): types.int64, np.dtype(np.bool_): types.boolean}
LARGEST_NDIM = 3


def kind_of(values: Any, where: str) -> types.NamedTuple:
    """Numba's type of a NamedTuple of arrays; refused where compiled code cannot share them."""
    fields: tuple[str, ...] | None = getattr(values, "_fields", None)
    if fields is None:
        raise InputError(f"{where} is {type(values).__name__}; allowed: a NamedTuple of arrays")
    forms = []
    for name, value in zip(fields, values, strict=True):
        if not isinstance(value, np.ndarray):
            raise InputError(f"{where}.{name} is {type(value).__name__}; allowed: arrays")
        fits = value.dtype in KINDS and 1 <= value.ndim <= LARGEST_NDIM and value.flags.carray
        if not fits:
            form = "" if value.flags.c_contiguous else ", not C-contiguous"
            form += "" if value.flags.writeable else ", read-only"
            raise InputError(
                f"{where}.{name} is an array of {value.dtype} with {value.ndim} axes{form}; "
                "allowed: float64, int64 or bool, 1 to 3 axes, C-contiguous, writeable"
            )
        forms.append((value.dtype, value.ndim))
    return _kind(type(values), tuple(forms))


@lru_cache(maxsize=256)
def _kind(of: type, forms: tuple[tuple[np.dtype, int], ...]) -> types.NamedTuple:
    return types.NamedTuple([types.Array(KINDS[dtype], axes, "C") for dtype, axes in forms], of)


def compiled_tick(tick: Callable[..., None], kinds: tuple[types.NamedTuple, ...], where: str) -> Code:
    """A tick as machine code, for these kinds of measurements, state and outputs."""
    try:
        return _compiled(tick, kinds)
    except Exception as e:  # numba raises many types for code that it cannot compile
        raise InputError(f"{where}: its tick(t, meas, state, out) does not compile: {reason(e)}") from e


@lru_cache(maxsize=256)
def _compiled(tick: Callable[..., None], kinds: tuple[types.NamedTuple, ...]) -> Code:
    """A tick as machine code; made once for all tasks of these kinds of measurements, state and outputs.

    Freefloat's own are kept on disk; a user's are compiled once a process, for what they call may change anywhere.
    """
    starts = np.cumsum([0, *(len(kind.types) for kind in kinds)])
    meas_at, state_at, out_at = (tuple_at(kind, int(first)) for kind, first in zip(kinds, starts, strict=False))
    plain = tick if hasattr(tick, "py_func") else njit(error_model="numpy")(tick)

    def run(t, table):
        plain(t, meas_at(table), state_at(table), out_at(table))

    made: Any = njit(nogil=True, error_model="numpy")(run)
    source = getattr(tick, "py_func", tick)
    if source.__module__.startswith("freefloat."):
        sources = f"{stamp()} {fingerprint(Path(__file__).parent)}"
        key = f"{source.__module__}.{source.__qualname__} {[(kind.fields, kind.types) for kind in kinds]}"
        made._cache = stamped_cache(run, room_of(source), sources, key)
    made.compile(SIGNATURE)
    made.disable_compile()
    return code_of(made, SIGNATURE)
