"""Interfaces between the modules of a structure: which are closed, and those of the module that is being moved."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from freefloat.structure.interface import Misalignment, StandardInterface, State
from freefloat.structure.module import InterfaceType, Module, compatible
from freefloat.structure.tensor_body import TensorBody

Pair = tuple[int, int]  # place and side
Face = tuple[int, int]  # identity of a module and its own side, wherever it is
OCCUPIED = "another module is being moved; allowed: one at a time"


@dataclass
class Latches:
    """Closed interfaces of each tensor body as (n, sides) flags, set on both halves, and those under way.

    `faults` names (module identity, fault "close" | "open") of modules whose interfaces will fail. Those in `apart` are
    open at the start; those in `broken` too, and nothing ever closes on them.
    """

    closed: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    faults: dict[int, str] = field(default_factory=dict)
    under_way: dict[Pair, StandardInterface] = field(default_factory=dict)
    apart: frozenset[Face] = frozenset()
    broken: frozenset[Face] = frozenset()

    def close_all(self, body: TensorBody) -> None:
        """At the start, every pair of compatible neighbours is closed that nothing keeps apart."""
        flags = np.zeros((body.grid.n, body.grid.sides), dtype=bool)
        shown, pairs = body.interfaces(), body.catalogue.pairs
        a, s, b, r = body.contacts().T
        mated = pairs.compatible[shown[a, s], shown[b, r]]
        for k in np.flatnonzero(mated).tolist() if self.apart or self.broken else ():
            halves = {own_face(body, int(a[k]), int(s[k])), own_face(body, int(b[k]), int(r[k]))}
            mated[k] = halves.isdisjoint(self.apart | self.broken)
        flags[a[mated], s[mated]] = True
        flags[b[mated], r[mated]] = True
        self.closed[body.name] = flags

    def edges(self, body: TensorBody) -> NDArray[np.int64]:
        """(k, 4) place, side, neighbour, its side of the closed pairs."""
        contacts = body.contacts()
        return contacts[self.closed[body.name][contacts[:, 0], contacts[:, 1]]]

    def without(self, body: TensorBody, place: int) -> int:
        """In how many pieces the structure falls when the module at a place is gone."""
        edges = self.edges(body)
        edges = edges[(edges[:, 0] != place) & (edges[:, 2] != place)]
        n = body.grid.n
        graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 2])), shape=(n, n))
        labels = connected_components(graph, directed=False)[1]
        left = body.occupied[body.occupied != place]
        return len(np.unique(labels[left]))

    def begin_opening(self, body: TensorBody, place: int, t: float) -> str:
        """Order all closed interfaces of a module to open; returns why not, or nothing."""
        if self.under_way:
            return OCCUPIED
        fault = self.faults.get(int(body.identity[place]), "")
        shown = body.interfaces()
        for side in np.flatnonzero(self.closed[body.name][place]).tolist():
            drive = _active(body, shown, place, side)
            si = StandardInterface(drive, State.CLOSED, holds=True, fault=fault if fault == "open" else "")
            self.under_way[place, side], record = si.command("open", t)
            if not record.accepted:
                self.under_way = {}
                return record.reason
        return ""

    def begin_closing(
        self, body: TensorBody, place: int, module: Module, orientation: int, t: float, off: Misalignment
    ) -> str:
        """Order the interfaces of a module that arrives at an empty place to close; returns why not, or nothing."""
        if self.under_way:
            return OCCUPIED
        shown, grid = body.interfaces(), body.grid
        refused = "no neighbour with an interface that mates"
        for side in range(grid.sides):
            other = int(grid.neighbours[place, side])
            if other < 0 or body.shape[other] == 0:
                continue
            own_side = int(np.flatnonzero(grid.side_at[orientation] == side)[0])
            own = module.type.sides[own_side]
            number = int(shown[other, grid.facing[side]])
            mate = body.catalogue.interface(number) if number > 0 else None
            if own is None or mate is None or not compatible(own, mate):
                continue
            facing = own_face(body, other, int(grid.facing[side]))
            if not self.broken.isdisjoint({(module.identity, own_side), facing}):
                refused = f"the interface to module {body.identity[other]} has failed"
                continue
            drive, passive = (own, mate) if own.active else (mate, own)
            fault = self.faults.get(int(body.identity[other]), "")
            si = StandardInterface(drive, fault="close" if fault == "close" else "")
            si, record = si.command("close", t, off, passive)
            if not record.accepted:
                refused = record.reason
                continue
            self.under_way[place, side] = si
        return "" if self.under_way else refused

    def progress(self, t: float, residual: Misalignment | None) -> tuple[bool, str]:
        """(all done, why one failed)."""
        for pair, si in self.under_way.items():
            after, record = si.update(t, residual)
            self.under_way[pair] = after
            if after.state is State.FAILED:
                reason = record.reason if record is not None else "it has failed"
                self.under_way = {}
                return False, f"interface at place {pair[0]}, side {pair[1]}: {reason}"
        return all(si.state in (State.OPEN, State.CLOSED) for si in self.under_way.values()), ""

    def cleared(self, body: TensorBody, place: int) -> None:
        """The module has left the place."""
        self._set(body, [(place, side) for side in range(body.grid.sides)], False)
        self.under_way = {}

    def settled(self, body: TensorBody, place: int) -> None:
        """The module has arrived: what was under way is closed."""
        self._set(body, list(self.under_way), True)
        self.under_way = {}

    def _set(self, body: TensorBody, pairs: list[Pair], value: bool) -> None:
        flags, grid = self.closed[body.name], body.grid
        for place, side in pairs:
            other = int(grid.neighbours[place, side])
            flags[place, side] = value
            if other >= 0:
                flags[other, grid.facing[side]] = value


def own_face(body: TensorBody, place: int, side: int) -> Face:
    """The module at a place, and which of its own sides shows at a side of the place."""
    return int(body.identity[place]), int(np.flatnonzero(body.grid.side_at[body.orientation[place]] == side)[0])


def _active(body: TensorBody, shown: NDArray[np.int64], place: int, side: int) -> InterfaceType:
    """The half of a closed pair that has the drive, by the interfaces that show."""
    other = int(body.grid.neighbours[place, side])
    halves = (int(shown[place, side]), int(shown[other, body.grid.facing[side]]))
    types = [body.catalogue.interface(n) for n in halves]
    return types[0] if types[0].active else types[1]
