"""Calls of compiled functions by their address, in Numba's own convention: what a user's code raised is known."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from numba import types
from numba.core import cgutils, serialize

from freefloat.kernels.handle import compiled_inline


class Code(NamedTuple):
    """Machine code, which must be kept as long as its address is used."""

    function: Any
    address: int


def code_of(dispatcher: Any, signature: Any) -> Code:
    """The machine code of a dispatcher that is compiled for a signature."""
    made = dispatcher.overloads[signature.args]
    return Code(dispatcher, int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name)))


def reason(error: Exception) -> str:
    """Why Numba could not compile a function, in one line."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and "nopython mode pipeline" not in line]
    return "; ".join(told[:2]) or type(error).__name__


def caller(wanted: Any) -> Any:
    """Intrinsic (address, arguments) -> 0, or where to find what the function there raised (`raised`)."""

    @compiled_inline
    def call(typingctx, address, arguments):
        def codegen(context, builder, signature, args):
            convention = context.call_conv
            kind = convention.get_function_type(wanted.return_type, wanted.args)
            function = builder.inttoptr(args[0], kind.as_pointer())
            values = cgutils.unpack_tuple(builder, args[1], len(wanted.args))
            status, _ = convention.call_function(builder, function, wanted.return_type, wanted.args, values)
            word = context.get_value_type(types.int64)
            told = builder.select(status.is_user_exc, builder.ptrtoint(status.excinfoptr, word), word(1))
            return builder.select(status.is_error, told, word(0))

        return types.int64(types.int64, types.Tuple(wanted.args)), codegen

    return call


def raised(place: int) -> str:
    """The exception that a call by address returned, as text: its type, and its message where that is constant."""
    if place <= 1:
        return "an exception"
    # Numba keeps {pickled (type, arguments, place in the source), its size, hash, maker of arguments, flag}
    pickled, maker = (ctypes.c_void_p.from_address(place + offset).value for offset in (0, 24))
    size = ctypes.c_int32.from_address(place + 8).value
    if not pickled or maker:
        return "an exception"
    kind, arguments, _ = serialize.loads(ctypes.string_at(pickled, size))
    if kind is None:
        return "an exception"
    text = " ".join(str(a) for a in arguments or ())
    return f"{kind.__name__}: {text}" if text else kind.__name__
