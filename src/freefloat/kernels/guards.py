"""Guards of the events: which watched signals have crossed their levels."""

from __future__ import annotations

from freefloat.kernels import handle as H
from freefloat.kernels.handle import imat, local, vec
from freefloat.kernels.jit import kernel
from freefloat.kernels.sample import sample


@kernel
def guard_values(h, x, out):
    """Watched signal minus level, for every guard."""
    guards, level = imat(h, H.GUARDS), vec(h, H.GUARD_LEVEL)
    value = local(32)  # the longest source is the audit's row
    for g in range(guards.shape[0]):
        sample(h, x, guards[g, 0], guards[g, 1], guards[g, 2], value)
        out[g] = value[guards[g, 3]] - level[g]


@kernel
def crossed(guard, before, after):
    """Whether a guard fires between two values: direction +1 rising, -1 falling, 0 both; column 5 enables."""
    if guard[5] == 0:
        return False
    if before < 0.0 and after >= 0.0:
        return guard[4] >= 0
    if before > 0.0 and after <= 0.0:
        return guard[4] <= 0
    return False


@kernel
def any_crossed(h, before, after):
    """Whether some guard fires between two sets of values."""
    guards = imat(h, H.GUARDS)
    found = False
    for g in range(guards.shape[0]):
        found |= crossed(guards[g], before[g], after[g])
    return found
