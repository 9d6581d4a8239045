"""Which faces, edges and corners of modules look outside, and may touch something: for `kernels.modules`."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.blueprint import Places
from freefloat.frames import Array
from freefloat.structure.tensor_body import TensorBody

EMPTY = -1.0  # the place has no module


def hidden_features(body: TensorBody) -> Array:
    """(n,) for each place the sum of 2^feature over what an occupied neighbour shares; -1 where there is no module.

    An edge or a corner that several modules share is a border, or a notch in which the neighbours' faces are nearer.
    Two modules that only meet there (over the diagonal) need no order: a point that is nearest to the edge of one is
    inside the other.
    """
    masks = _of_cubes(body) if body.grid.kind == "cubic" else _of_hexagons(body)
    return np.where(body.shape > 0, masks, EMPTY).astype(np.float64)


def _of_cubes(body: TensorBody) -> NDArray[np.int64]:
    size = body.grid.size
    full = np.pad((body.shape > 0).reshape(size), 1)
    masks = np.zeros(size, dtype=np.int64)
    for signs in product((-1, 0, 1), repeat=3):
        feature = 9 * (signs[0] + 1) + 3 * (signs[1] + 1) + signs[2] + 1
        sharing = [step for step in product(*((0, s) if s else (0,) for s in signs)) if any(step)]
        for step in sharing:
            there = full[tuple(slice(1 + d, 1 + d + n) for d, n in zip(step, size, strict=True))]
            masks |= there.astype(np.int64) << feature
    return masks.ravel()


def _of_hexagons(body: TensorBody) -> NDArray[np.int64]:
    beside = body.grid.neighbours[:, :6]
    full = (beside >= 0) & (body.shape[beside] > 0)
    masks = np.zeros(body.grid.n, dtype=np.int64)
    for level, k in product(range(3), range(6)):
        masks |= full[:, k].astype(np.int64) << (13 * level + k)
        masks |= (full[:, k] | full[:, (k + 1) % 6]).astype(np.int64) << (13 * level + 6 + k)
    return masks


def places_of(body: TensorBody, clearance: float = 0.0) -> Places:
    """All places at full pitch, less `clearance` [m] on every side."""
    low, high = body.grid.outline.min(axis=0), body.grid.outline.max(axis=0)
    half = 0.5 * body.grid.spacing - clearance
    up = 0.5 * float(high[2] - low[2]) - clearance
    centres = tuple((x, y, z) for x, y, z in body.grid.p_TP.tolist())
    hidden = tuple(hidden_features(body).tolist())
    if body.grid.kind == "cubic":
        return Places("box", (half, half, up), centres, hidden)
    return Places("prism", (half, up), centres, hidden)
