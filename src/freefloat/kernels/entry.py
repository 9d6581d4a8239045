"""The one compiled function that Python calls on a plant. One, because each entry holds a copy of the whole plant."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from numba import types

from freefloat.kernels import agenda, constraints, integrate, sample, tasks
from freefloat.kernels import handle as H
from freefloat.kernels.handle import ivec, ivec_at, vec
from freefloat.kernels.jit import entry
from freefloat.kernels.plant import evaluate_state

ADVANCE, RECORD, READ, AUDIT, PROJECT, MEASURE, SAMPLE = range(7)


_SIGNATURE = types.int64(types.int64, types.int64, types.int64, types.int64, types.float64[::1])


@cache
def compiled() -> Callable[..., int]:
    """`_call` as machine code, from the cache or made now: when a world needs it, not when a module is imported."""
    return entry(_SIGNATURE)(_call)


def _call(h, what, a, b, out):
    """Do `what` on the plant of handle h, or on a fleet of them.

    ADVANCE the fleet of table h (`worlds`) to the instant a [ns], with about b steps: a status (`agenda.run`).
    RECORD the rows due now: returns 1, or 0 when a buffer is full.
    READ the ops a..b into `out`. AUDIT: the audit's row into `out`.
    PROJECT the velocity `out` onto the constraints (plastic impact).
    MEASURE with the channel of row h (`tasks`) into `out`. SAMPLE with it at the instant a [ns]: a status.
    """
    if what == ADVANCE:
        return agenda.run(h, a, b)
    if what == MEASURE:
        tasks.measure(ivec_at(h, tasks.N_CHANNEL), out)
        return 0
    if what == SAMPLE:
        return tasks.sample_late(ivec_at(h, tasks.N_CHANNEL), a)
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
