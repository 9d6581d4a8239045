"""The verbs of a user's own bank: compiled once, then called by address, so that the plant is not recompiled.

A call returns 1 where the function raised, and 0 otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from numba import njit, types
from numba.core import cgutils

from freefloat.errors import InputError
from freefloat.kernels.bank import Bank, signature_of
from freefloat.kernels.handle import compiled_inline
from freefloat.kernels.view import Answer, Rows, View

_t, _f1, _f2 = types.float64, types.float64[::1], types.float64[:, ::1]
_i1, _i2, _n1 = types.int64[::1], types.int64[:, ::1], types.int32[::1]
_rows = types.NamedTuple((_f2, _i2, _i2, _f1, types.int64), Rows)
_view = types.NamedTuple((_f1, _f1, _f2, _f2, _f2, _f2, _f2, _f2, _n1, _f1, _f2, _f2), View)
_answer = types.NamedTuple((_f1, _f2, _f2), Answer)

SIGNATURES = {
    "stage": types.void(_t, _rows, _f1, _f1, _view, _f1, _f1, _f2, _f1, _f1),
    "advance": types.void(_t, _t, _rows, _f1, _f1, _view, _answer, _f1, _f1, _f1, _f1),
    "guard": types.void(_t, _rows, _f1, _f1, _view, _f1),
    "settle": types.void(_t, _rows, _f1, _f1, _view, _answer, _i1, _f1, _f2, _f1),
}


def _caller(verb: str) -> Any:
    """Intrinsic (address, arguments) -> whether the function there raised."""
    wanted = SIGNATURES[verb]

    @compiled_inline
    def call(typingctx, address, arguments):
        def codegen(context, builder, signature, args):
            convention = context.call_conv
            kind = convention.get_function_type(wanted.return_type, wanted.args)
            function = builder.inttoptr(args[0], kind.as_pointer())
            values = cgutils.unpack_tuple(builder, args[1], len(wanted.args))
            status, _ = convention.call_function(builder, function, wanted.return_type, wanted.args, values)
            return builder.zext(status.is_error, context.get_value_type(types.int64))

        return types.int64(types.int64, types.Tuple(wanted.args)), codegen

    return call


call_stage, call_advance, call_guard, call_settle = (_caller(verb) for verb in SIGNATURES)


class CompiledVerb(NamedTuple):
    """Machine code, which must be kept as long as its address is used."""

    function: Any
    address: int


@lru_cache(maxsize=256)
def compiled_verb(verb: str, function: Callable[..., None], name: str) -> CompiledVerb:
    """A verb of the effect `name` as machine code; made once, however many sessions and worlds use it."""
    plain = getattr(function, "py_func", function)  # plain Python or already njit
    try:
        made: Any = njit(SIGNATURES[verb], error_model="numpy")(plain)
    except Exception as e:  # numba raises many types for code that it cannot compile
        lines = [line.strip() for line in str(e).splitlines()]
        told = [line for line in lines if line and "nopython mode pipeline" not in line]
        reason = "; ".join(told[:2]) or type(e).__name__
        raise InputError(
            f"effect {name!r}: its {verb} function does not compile as {verb}{signature_of(verb)}: {reason}"
        ) from e
    code = made.overloads[SIGNATURES[verb].args]
    return CompiledVerb(made, int(code.library.get_pointer_to_function(code.fndesc.llvm_func_name)))


def compiled_verbs(bank: Bank) -> dict[str, CompiledVerb]:
    """The verbs that a bank has."""
    functions = {verb: getattr(bank, verb) for verb in SIGNATURES}
    return {verb: compiled_verb(verb, f, bank.name) for verb, f in functions.items() if f is not None}
