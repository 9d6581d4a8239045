"""The eighth-order Runge-Kutta formula of Dormand and Prince (DOP853) with fixed steps and compensated sums.

Fixed steps put every knot of a table at the end of a step, where the formula has its full order, and fix the instants
of all stages in advance, so that slow functions of time are evaluated in bulk.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import DOP853

from freefloat.frames import Array

STAGES: int = DOP853.n_stages
NODES: Array = np.ascontiguousarray(DOP853.C[:STAGES])  # [-] instants of the stages within a step

_A: Array = np.ascontiguousarray(DOP853.A[:STAGES, :STAGES])
_B: Array = np.ascontiguousarray(DOP853.B)


def step(acceleration: Callable[[int, Array], Array], y: Array, carry: Array, h: float) -> tuple[Array, Array]:
    """One step of y = [p, v] (6,): the new y and its rounding carry. `acceleration(stage, p)` -> (3,)."""
    k = np.empty((STAGES, 6))
    for i in range(STAGES):
        x = y + h * (_A[i, :i] @ k[:i]) if i else y
        k[i, :3] = x[3:]
        k[i, 3:] = acceleration(i, x[:3])
    change = h * (_B @ k) + carry
    new = y + change
    return new, change - (new - y)
