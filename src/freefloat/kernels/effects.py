"""The one signature of a bank, and how a user's own effect joins the plant without recompiling it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from numba import njit, types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.typed import List
from numba.typed.listobject import _meminfo_listptr, ll_list_type

from freefloat.errors import InputError
from freefloat.kernels.handle import compiled_inline
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


@compiled_inline
def stages_at(typingctx, address):
    """The list of stages at an address that `Stages` gave; a new reference."""

    def codegen(context, builder, signature, args):
        stages = cgutils.create_struct_proxy(EFFECT_LIST)(context, builder)
        meminfo = builder.inttoptr(args[0], context.get_value_type(_meminfo_listptr))
        data = context.nrt.meminfo_data(builder, meminfo)
        stages.data = builder.load(builder.bitcast(data, ll_list_type.as_pointer()))
        stages.meminfo = meminfo
        return impl_ret_borrowed(context, builder, EFFECT_LIST, stages._getvalue())

    return EFFECT_LIST(types.int64), codegen


@compiled_inline
def _place(typingctx, stages):
    """The address of a list, for `stages_at`."""

    def codegen(context, builder, signature, args):
        inside = cgutils.create_struct_proxy(EFFECT_LIST)(context, builder, value=args[0])
        return builder.ptrtoint(inside.meminfo, context.get_value_type(types.int64))

    return types.int64(EFFECT_LIST), codegen


@cache
def _finder() -> Any:
    """Compiled when a world first has an effect."""
    return njit(types.int64(EFFECT_LIST))(lambda stages: _place(stages))


class Stages:
    """Compiled stage functions of a world's effects, kept alive, and the address by which compiled code finds them.

    An address, because handing over the list itself costs a microsecond at every call.
    """

    def __init__(self, stages: Iterable[Any]) -> None:
        self._list = List.empty_list(_FUNCTION)
        for stage in stages:
            self._list.append(stage)
        self.address = int(_finder()(self._list)) if len(self._list) else 0
