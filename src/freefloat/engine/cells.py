"""Rows of whole numbers that compiled code reads: counts, and addresses of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


class Cells:
    """A row by the names of its places (`kernels.bank.places`). It keeps the arrays alive whose addresses it holds."""

    def __init__(self, places: Any, row: Integers) -> None:
        self._places = places
        self.row = row
        self.arrays: dict[str, np.ndarray] = {}

    @property
    def address(self) -> int:
        """Where compiled code finds the row."""
        return int(self.row.ctypes.data)

    def __getitem__(self, name: str) -> int:
        return int(self.row[getattr(self._places, name)])

    def set(self, **numbers: int) -> None:
        """Set counts."""
        for name, number in numbers.items():
            self.row[getattr(self._places, name)] = number

    def hold(self, **arrays: np.ndarray) -> None:
        """Set addresses."""
        for name, array in arrays.items():
            self.arrays[name] = array
            self.row[getattr(self._places, name)] = array.ctypes.data

    def state(self, numbers: tuple[str, ...], arrays: tuple[str, ...]) -> tuple[dict[str, int], dict[str, np.ndarray]]:
        """Copies of some counts and arrays."""
        return {n: self[n] for n in numbers}, {a: self.arrays[a].copy() for a in arrays}

    def set_state(self, state: tuple[dict[str, int], dict[str, np.ndarray]]) -> None:
        """Take over a state made by `state`."""
        self.set(**state[0])
        self.hold(**{name: array.copy() for name, array in state[1].items()})


class Queue:
    """Rows under way, each until an instant: a ring in the arrays `times` and `ring` of some cells, which grows."""

    NUMBERS = ("room", "first", "queued")
    ARRAYS = ("times", "ring")

    def __init__(self, cells: Cells, width: int, room: int = 8) -> None:
        self._cells, self._width = cells, width
        cells.set(room=room)
        cells.hold(times=np.zeros(room, dtype=np.int64), ring=np.zeros(room * width))

    def make_room(self) -> None:
        """Twice as much, where it is full."""
        cells = self._cells
        room, first = cells["room"], cells["first"]
        if cells["queued"] < room:
            return
        order = (first + np.arange(room)) % room
        rows = cells.arrays["ring"].reshape(room, self._width)[order]
        times, ring = np.zeros(2 * room, dtype=np.int64), np.zeros((2 * room, self._width))
        times[:room], ring[:room] = cells.arrays["times"][order], rows
        cells.set(room=2 * room, first=0)
        cells.hold(times=times, ring=ring.reshape(-1))
