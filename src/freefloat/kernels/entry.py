"""The one compiled function that Python calls on a plant. One, because each entry holds a copy of the whole plant."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from numba import types

from freefloat.kernels import constraints, integrate, sample, worlds
from freefloat.kernels import handle as H
from freefloat.kernels.handle import ivec, vec
from freefloat.kernels.jit import entry
from freefloat.kernels.plant import evaluate_state

ADVANCE, RECORD, READ, AUDIT, PROJECT = range(5)


_SIGNATURE = types.int64(types.int64, types.int64, types.int64, types.int64, types.float64[::1])


@cache
def compiled() -> Callable[..., int]:
    """`_call` as machine code, from the cache or made now: when a world needs it, not when a module is imported."""
    return entry(_SIGNATURE)(_call)


def _call(h, what, a, b, out):
    """Do `what` on the plant of handle h, or on a fleet of them.

    ADVANCE the fleet of table h (`worlds`) to the instant a [ns], at most b steps each: a status of `integrate`; when
    done, readings taken ahead are in `out`.
    RECORD the rows due now: returns 1, or 0 when a buffer is full.
    READ the ops a..b into `out`. AUDIT: the audit's row into `out`.
    PROJECT the velocity `out` onto the constraints (plastic impact).
    """
    if what == ADVANCE:
        return worlds.advance_worlds(h, a, b, out)
    if what == PROJECT:
        evaluate_state(h, vec(h, H.X))
        constraints.project_velocity(h, out)
        return 0
    integrate.refresh(h)
    if what == READ:
        sample.fill_row(h, vec(h, H.X), a, b, out)
    elif what == AUDIT:
        sample.audit_row(h, vec(h, H.X), out)
    elif not sample.record(h, vec(h, H.X), ivec(h, H.CLOCK)[H.NOW]):
        return 0
    return 1
