"""What is near a place, seen from it: the same numbers wherever in the grid it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from freefloat.frames import Array
from freefloat.gnc.planning.arm.convex_step import PRISM, gap, rows
from freefloat.gnc.planning.arm.surroundings import ring_of
from freefloat.gnc.planning.reconfiguration.problem import Flags, Indices, Places
from freefloat.gnc.planning.reconfiguration.ways_out import directions

DIGITS = 9  # of the relative places [m]: the same for the same cells


@dataclass(frozen=True, eq=False)
class Near:
    """Places within reach of one, in the order of their cells seen from it."""

    index: Indices  # (m,) their numbers
    cells: Indices  # (m, 2 or 3) relative
    places: Array  # [m] (m, 3) relative
    neighbours: Indices  # (m, sides) numbers
    codes: NDArray[np.int64]  # (m,) of the relative cells, one number each

    def occupied(self, occupied: Flags) -> Indices:
        """Which of them have a module."""
        return np.flatnonzero(occupied[self.index])

    def key(self, occupied: Flags) -> bytes:
        """The same for the same modules around, wherever that is."""
        return self.codes[occupied[self.index]].tobytes()

    def exposed(self, occupied: Flags) -> Indices:
        """Which of them have a module that is not enclosed by others on all sides."""
        around = occupied[self.neighbours] & (self.neighbours >= 0)
        return np.flatnonzero(occupied[self.index] & ~around.all(axis=1))


class LocalView:
    """A grid's places around each, up to a distance [m]."""

    def __init__(self, places: Places, reach: float) -> None:
        self.places, self.reach = places, reach
        self.ring, self.half = ring_of(np.asarray(places.outline, np.float64))
        span = 2 * np.ptp(np.asarray(places.cells), axis=0) + 1
        self._radix = np.cumprod(np.concatenate([[1], span[:-1]])).astype(np.int64)
        self._near: dict[int, Near] = {}
        self._beside: dict[tuple[float, ...], bool] = {}

    def near(self, place: int) -> Near:
        """Places within reach of this one."""
        if place not in self._near:
            p = self.places
            away = np.round(np.asarray(p.p_TP) - p.p_TP[place], DIGITS) + 0.0
            index = np.flatnonzero(np.linalg.norm(away, axis=1) <= self.reach)
            cells = np.asarray(p.cells)[index] - p.cells[place]
            order = np.lexsort(cells.T[::-1])
            index = index[order]
            cells = cells[order]
            codes = (cells @ self._radix).astype(np.int64)
            self._near[place] = Near(index, cells, away[index], np.asarray(p.neighbours)[index], codes)
        return self._near[place]

    def relative(self, place: int, other: int) -> tuple[tuple[int, ...], Array]:
        """Cell and place [m] (3,) of another place, seen from one."""
        p = self.places
        cell = tuple(int(c) for c in p.cells[other] - p.cells[place])
        return cell, np.round(p.p_TP[other] - p.p_TP[place], DIGITS) + 0.0

    def beside(self, away: Array) -> bool:
        """Whether prisms so far apart (3,) [m] touch, or nearly."""
        key = tuple(away)
        if key not in self._beside:
            S, W = rows(2), np.empty((4, 3))
            S[:, 0], S[:, 4], S[:, 8], S[:, 12], S[:, 13], S[:, 14] = PRISM, 1.0, 1.0, 1.0, 1.0, self.half
            S[1, 1:4] = away
            self._beside[key] = float(np.linalg.norm(away)) < 1e-9 or gap(S, 0, S, 1, self.ring, 0.01, -1.0, W) < 5e-3
        return self._beside[key]

    @cached_property
    def directions(self) -> Array:
        """(k, 3) unit vectors along which modules may leave."""
        return directions(self.places.X_PF)

    @cached_property
    def apothem(self) -> float:
        """[m] least distance of a prism's sides from its axis."""
        a = self.ring
        b = np.roll(a, -1, axis=0)
        return float(np.min(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / np.linalg.norm(b - a, axis=1)))
