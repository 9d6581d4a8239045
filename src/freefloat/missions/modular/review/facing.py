"""At which place of the structure a hand is, was last and will be next."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from freefloat.frames import Array
from freefloat.hand_words import HandState

Indices = NDArray[np.int64]
NEAR = 0.03  # [m] beside the axis of a face


def held_places(
    state: Indices, empty: NDArray[np.bool_], p_TE: Array, z_TE: Array, p_TP: Array, full: NDArray
) -> Indices:
    """(rows,) the place in front of a hand that is not open and carries nothing; -1: none.

    p_TE, z_TE (rows, 3): where the hand is, and its axis, which points into what it holds; full (rows, n).
    """
    there = (state != HandState.OPEN) & empty
    found = np.full(len(state), -1)
    for first, last in _stretches(there, state, full):
        d = p_TP - p_TE[first]
        along = d @ z_TE[first]
        beside = np.linalg.norm(d - along[:, None] * z_TE[first], axis=1)
        seen = np.flatnonzero(full[first] & (along > 0.0) & (beside < NEAR))
        if len(seen):
            found[first:last] = seen[np.argmin(along[seen])]
    return found


def last_and_next(places: Indices) -> tuple[Indices, Indices]:
    """(rows,) the place at the latest row that has one, and at the next; -1 where there is none."""
    rows = np.arange(len(places))
    before = np.maximum.accumulate(np.where(places >= 0, rows, -1))
    after = np.minimum.accumulate(np.where(places >= 0, rows, len(places))[::-1])[::-1]
    known = np.append(places, -1)
    return known[before], known[np.where(after < len(places), after, -1)]


def nearer(values: Indices) -> Indices:
    """(rows,) the value of the nearest row that has one, the last before the next; -1 where none has."""
    rows, there = np.arange(len(values)), np.where(values >= 0, np.arange(len(values)), -1)
    last, following = last_and_next(there)
    before = np.where(last >= 0, rows - last, len(values))
    after = np.where(following >= 0, following - rows, len(values))
    return np.append(values, -1)[np.where(before <= after, last, following)]


def _stretches(there: NDArray[np.bool_], *constant: NDArray) -> list[tuple[int, int]]:
    """First row of every stretch of `there` in which the others do not change, and the row behind its last."""
    new = np.ones(len(there), bool)
    new[1:] = there[1:] != there[:-1]
    for values in constant:
        changes = values[1:] != values[:-1]
        new[1:] |= changes if values.ndim == 1 else changes.any(axis=1)
    starts = [*np.flatnonzero(new).tolist(), len(there)]
    return [(a, b) for a, b in pairwise(starts) if there[a]]
