"""The verbs of a user's own bank: compiled once, then called by address, so that the plant is not recompiled.

A call returns 0, or where to find what the function raised.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from numba import njit, types

from freefloat.errors import InputError
from freefloat.kernels import handle as H
from freefloat.kernels.bank import Bank, signature_of
from freefloat.kernels.by_address import Code, caller, code_of, reason
from freefloat.kernels.handle import ivec
from freefloat.kernels.jit import kernel
from freefloat.kernels.view import Answer, Rows, View

_t, _f1, _f2 = types.float64, types.float64[::1], types.float64[:, ::1]
_i1, _i2, _n1 = types.int64[::1], types.int64[:, ::1], types.int32[::1]
_rows = types.NamedTuple((_f2, _i2, _i2, _f1, types.int64, _f2, _i1, _f2), Rows)
_view = types.NamedTuple((_f1, _f1, _f2, _f2, _f2, _f2, _f2, _f2, _n1, _f1, _f2, _f2), View)
_answer = types.NamedTuple((_f1, _f2, _f2, _f2, types.int64, types.int64), Answer)

SIGNATURES = {
    "stage": types.void(_t, _rows, _f1, _f1, _view, _f1, _f1, _f2, _f1, _f1),
    "advance": types.void(_t, _t, _rows, _f1, _f1, _view, _answer, _f1, _f1, _f1, _f1),
    "guard": types.void(_t, _rows, _f1, _f1, _view, _f1),
    "settle": types.void(_t, _rows, _f1, _f1, _view, _answer, _i1, _f1, _f2, _f1),
    "stored": types.void(_rows, _f1, _view, _f1),
}


call_stage, call_advance, call_guard, call_settle, call_stored = (caller(wanted) for wanted in SIGNATURES.values())


@kernel
def note_raised(h, b, told):
    """Keep what a verb of bank b raised, if it did."""
    if told != 0:
        phase = ivec(h, H.PHASE)
        phase[H.RAISED], phase[H.TOLD] = b + 1, told


@lru_cache(maxsize=256)
def compiled_verb(verb: str, function: Callable[..., None], name: str) -> Code:
    """A verb of the effect `name` as machine code; made once, however many sessions and worlds use it."""
    plain = getattr(function, "py_func", function)  # plain Python or already njit
    try:
        made: Any = njit(SIGNATURES[verb], error_model="numpy")(plain)
    except Exception as e:  # numba raises many types for code that it cannot compile
        wanted = f"{verb}{signature_of(verb)}"
        raise InputError(f"effect {name!r}: its {verb} function does not compile as {wanted}: {reason(e)}") from e
    return code_of(made, SIGNATURES[verb])


def compiled_verbs(bank: Bank) -> dict[str, Code]:
    """The verbs that a bank has."""
    functions = {verb: getattr(bank, verb) for verb in SIGNATURES}
    return {verb: compiled_verb(verb, f, bank.name) for verb, f in functions.items() if f is not None}
