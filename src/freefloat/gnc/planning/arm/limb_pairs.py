"""Which solids of a limb never meet, though they are near: what they keep at every angle of the joint between them."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from freefloat.frames import Array
from freefloat.gnc.planning.arm.convex_step import gap
from freefloat.gnc.planning.arm.limb_step import frames

STEPS = 720  # of the angle between its limits


class _Body(Protocol):
    @property
    def links(self) -> Array: ...
    @property
    def lower(self) -> Array: ...
    @property
    def upper(self) -> Array: ...
    @property
    def solids(self) -> Array: ...
    @property
    def segment(self) -> NDArray[np.int64]: ...
    @property
    def span(self) -> Array: ...
    @property
    def pairs(self) -> NDArray[np.int64]: ...


def always_apart(body: _Body) -> Array:
    """Distance [m] (p,) that each pair keeps for certain, 0 where that is not known.

    Known it is of pairs with two joints between them of which one is a roll that turns one of the solids in itself:
    over a net of the other joint's angle, less what half a step of the net can move.
    """
    return np.array([_kept(body, int(i), int(j)) for i, j in body.pairs])


def _kept(body: _Body, i: int, j: int) -> float:
    k = int(body.segment[i])
    if body.segment[j] != k - 2:
        return 0.0
    # the roll next to the solid: before the first pitch for the nearer one, after the last for the farther one
    nearer, farther = k % 2 == 0 and _coaxial(body.solids[j]), k % 2 == 1 and _coaxial(body.solids[i])
    if not nearer and not farther:
        return 0.0
    joint = k - 1 if nearer else k - 2
    step = (body.upper[joint] - body.lower[joint]) / STEPS
    if not np.isfinite(step):
        return 0.0
    # either solid may be taken as the one that moves about the joint's centre
    mover = i if nearer else j
    moved = 0.5 * step * (float(np.linalg.norm(body.solids[mover, 1:4])) + float(body.span[mover]))
    if not nearer:
        moved += 0.5 * step * float(np.max(body.links))  # the nearer one is given from the centre before
    least, q, W = np.inf, np.zeros(7), np.empty((4, 3))
    for n in range(STEPS):
        q[joint] = body.lower[joint] + (n + 0.5) * step
        S = _placed(body, q, (i, j))
        least = min(least, float(gap(S, 0, S, 1, np.zeros((1, 2)), np.inf, -np.inf, W)))
    return max(least - moved, 0.0)


def _coaxial(row: Array) -> bool:
    return float(np.hypot(row[1], row[2])) < 1e-12 and abs(abs(row[12]) - 1.0) < 1e-12


def _placed(body: _Body, q: Array, which: tuple[int, int]) -> Array:
    axes, centres = np.empty((8, 3, 3)), np.empty((8, 3))
    frames(float(body.links[0]), float(body.links[1]), q, axes, centres)
    S = body.solids[list(which)].copy()
    for row, m in zip(S, which, strict=True):
        k = body.segment[m]
        row[1:4] = axes[k] @ row[1:4] + centres[k]
        for first in (4, 7, 10):
            row[first : first + 3] = axes[k] @ row[first : first + 3]
    return S
