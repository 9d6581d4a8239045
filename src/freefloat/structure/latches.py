"""Interfaces between the modules of a structure: which are closed, and those of the module that is being moved."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from freefloat.structure.faults import Face, Faults
from freefloat.structure.interface import Misalignment, StandardInterface, State
from freefloat.structure.module import InterfaceType, Module, compatible
from freefloat.structure.tensor_body import TensorBody

Pair = tuple[int, int]  # place and side


@dataclass
class Move:
    """The interfaces of a module that leaves its place, or that arrives there, by (place, side)."""

    place: int
    leaves: bool
    interfaces: dict[Pair, StandardInterface] = field(default_factory=dict)


@dataclass
class Latches:
    """Closed interfaces of each tensor body as (n, sides) flags, set on both halves, and the moves under way by hand.

    Interfaces in `apart` are open at the start; those in `broken` too, and nothing ever closes on them.

    Several modules may be moved at once. Each is barred to the others: a module that leaves holds nothing any more, one
    that arrives holds nothing yet, and neighbours do not move together, since they share an interface.
    """

    closed: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)
    under_way: dict[str, Move] = field(default_factory=dict)
    apart: frozenset[Face] = frozenset()
    broken: frozenset[Face] = frozenset()
    failed: dict[str, Pair] = field(default_factory=dict)  # hand -> the interface that ended its last move

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

    def without(self, body: TensorBody, *places: int) -> int:
        """In how many pieces the structure falls when the modules at some places are gone."""
        edges = self.edges(body)
        edges = edges[~(np.isin(edges[:, 0], places) | np.isin(edges[:, 2], places))]
        n = body.grid.n
        graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 2])), shape=(n, n))
        labels = connected_components(graph, directed=False)[1]
        left = body.occupied[~np.isin(body.occupied, places)]
        return len(np.unique(labels[left]))

    def leaving(self) -> list[int]:
        """Places whose modules are on their way out."""
        return [move.place for move in self.under_way.values() if move.leaves]

    def arriving(self) -> list[int]:
        """Places to which modules are on their way."""
        return [move.place for move in self.under_way.values() if not move.leaves]

    def opening_refused(self, body: TensorBody, place: int) -> str:
        """Why the module at a place may not leave now: the structure stays whole whichever move ends first."""
        module = f"module {body.identity[place]}"
        leaving = self.leaving()
        if place in leaving:
            return f"{module} is being picked by another hand"
        shared = set(body.grid.neighbours[place].tolist())
        for other in leaving:
            if other in shared and self.closed[body.name][place, body.grid.neighbours[place] == other].any():
                return f"{module} shares an interface with module {body.identity[other]}, which is being picked"
        for other in self.arriving():
            if other in shared:
                return f"a module is being placed beside {module}, at {body.grid.named(other)}"
        for count in range(len(leaving) + 1):
            for gone in itertools.combinations(leaving, count):
                rest = self.without(body, place, *gone)
                if rest > 1:
                    also = "".join(f" and {body.identity[p]}" for p in gone)
                    return f"without {module}{also} the rest is {rest} pieces"
        return ""

    def begin_opening(self, body: TensorBody, place: int, t: float, by: str = "") -> str:
        """Order all closed interfaces of a module to open, for a hand; returns why not, or nothing."""
        shown, move, grid = body.interfaces(), Move(place, True), body.grid
        for side in np.flatnonzero(self.closed[body.name][place]).tolist():
            drive = _active(body, shown, place, side)
            facing = own_face(body, int(grid.neighbours[place, side]), int(grid.facing[side]))
            stuck = self.faults.of_pair("open", t, own_face(body, place, side), facing)
            si = StandardInterface(drive, State.CLOSED, holds=True, fault="open" if stuck else "")
            move.interfaces[place, side], record = si.command("open", t)
            if not record.accepted:
                return record.reason
        self.under_way[by] = move
        return ""

    def begin_closing(
        self,
        body: TensorBody,
        place: int,
        module: Module,
        orientation: int,
        t: float,
        off: Misalignment,
        by: str = "",
        without: Collection[int] = (),
    ) -> str:
        """Order the interfaces of a module that arrives at an empty place to close, `without` some of the place's
        sides; returns why not, or nothing."""
        refused = self._arrival_refused(body, place)
        if refused:
            return refused
        shown, grid, move = body.interfaces(), body.grid, Move(place, False)
        refused = "no neighbour with an interface that mates"
        for side in range(grid.sides):
            other = int(grid.neighbours[place, side])
            if other < 0 or body.shape[other] == 0:
                continue
            if side in without:
                refused = "no neighbour with an interface that mates, but for those that are to stay open"
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
            si, record = StandardInterface(drive).command("close", t, off, passive)
            if not record.accepted:
                refused = record.reason
                continue
            loose = self.faults.of_pair("close", t, (module.identity, own_side), facing)
            move.interfaces[place, side] = replace(si, fault="close") if loose else si
        if not move.interfaces:
            return refused
        self.under_way[by] = move
        return ""

    def _arrival_refused(self, body: TensorBody, place: int) -> str:
        """Why no module may arrive at a place while others are on their way."""
        arriving, beside = self.arriving(), set(body.grid.neighbours[place].tolist())
        if place in arriving:
            return "another hand is placing a module there"
        for other in arriving:
            if other in beside:
                return f"a module is being placed beside it, at {body.grid.named(other)}"
        for other in self.leaving():
            if other in beside:
                return f"module {body.identity[other]} beside it is being picked"
        return ""

    def progress(self, body: TensorBody, t: float, residual: Misalignment | None, by: str = "") -> tuple[bool, str]:
        """Of the move of a hand: (all done, why one failed)."""
        interfaces = self.under_way[by].interfaces
        for pair, si in interfaces.items():
            after, record = si.update(t, residual)
            interfaces[pair] = after
            if after.state is State.FAILED:
                reason = record.reason if record is not None else "it has failed"
                self.failed[by] = pair
                self.give_up(by)
                return False, f"interface at {body.grid.named(*pair)}: {reason}"
        return all(si.state in (State.OPEN, State.CLOSED) for si in interfaces.values()), ""

    def give_up(self, by: str = "") -> None:
        """A hand does not go on: what was closed stays closed, what was open stays open."""
        self.under_way.pop(by, None)

    def cleared(self, body: TensorBody, place: int, by: str = "") -> None:
        """The module has left the place."""
        self._set(body, [(place, side) for side in range(body.grid.sides)], False)
        self.give_up(by)

    def settled(self, body: TensorBody, place: int, by: str = "") -> None:
        """The module has arrived: what was under way is closed."""
        self._set(body, list(self.under_way[by].interfaces), True)
        self.give_up(by)

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
