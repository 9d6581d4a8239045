"""Which watched values have crossed zero: guards of the events first, then those of banks."""

from __future__ import annotations

from freefloat.kernels import handle as H
from freefloat.kernels.audit_layout import AUDIT_WIDTH
from freefloat.kernels.handle import imat, ivec, local, vec
from freefloat.kernels.jit import kernel
from freefloat.kernels.modes import bank_guards, mark_crossed
from freefloat.kernels.sample import sample


@kernel
def guard_values(h, x, out):
    """Watched signal minus level of every event's guard, then the values of banks."""
    guards, level, size = imat(h, H.GUARDS), vec(h, H.GUARD_LEVEL), ivec(h, H.SIZES)
    value = local(AUDIT_WIDTH)  # the longest source is the audit's row
    for g in range(size[H.NGUARD]):
        sample(h, x, guards[g, 0], guards[g, 1], guards[g, 2], value)
        out[g] = value[guards[g, 3]] - level[g]
    if size[H.NBANKGUARD] > 0:
        bank_guards(h, x, out, False)


@kernel
def crossed(guard, before, after):
    """Whether an event's guard fires between two values: direction +1 rising, -1 falling, 0 both; column 5 enables."""
    if guard[5] == 0:
        return False
    if before < 0.0 and after >= 0.0:
        return guard[4] >= 0
    if before > 0.0 and after <= 0.0:
        return guard[4] <= 0
    return False


@kernel
def any_crossed(h, before, after):
    """Whether some guard crosses between two sets of values."""
    guards, size = imat(h, H.GUARDS), ivec(h, H.SIZES)
    found = False
    for g in range(size[H.NGUARD]):
        found |= crossed(guards[g], before[g], after[g])
    if size[H.NBANKGUARD] > 0:
        found |= mark_crossed(h, before, after) > 0
    return found


@kernel
def mark_fired(h, before, after):
    """Column 6 of GUARDS: which events fire between two sets of values; returns whether any does."""
    guards = imat(h, H.GUARDS)
    found = False
    for g in range(ivec(h, H.SIZES)[H.NGUARD]):
        fires = crossed(guards[g], before[g], after[g])
        guards[g, 6] = 1 if fires else 0
        found |= fires
    return found
