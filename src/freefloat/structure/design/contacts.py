"""Which neighbours in a design are joined, and why the others are not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from freefloat.structure.design.design import Finding, Held, label, type_at
from freefloat.structure.interface import misalignment
from freefloat.structure.module import InterfaceType
from freefloat.structure.node_arrays import Flags, Integers
from freefloat.structure.tensor_body import TensorBody

CLOSED, NO_INTERFACE, NO_DRIVE = "closed", "no interface", "neither interface has a drive"
HELD_OPEN, FAILED = "held open", "failed"
MATING = "one standard, one symmetry, at most one plug, rolled by steps of the symmetry"
_SHOWN = 3  # links named in a message


@dataclass(frozen=True, eq=False)
class Contacts:
    """k pairs of neighbouring modules."""

    body: TensorBody
    pairs: Integers  # (k, 4) place, side, neighbour, its side
    types: Integers  # (k, 2) interface numbers, 0: none
    state: tuple[str, ...]  # (k,) CLOSED, or why it is not

    @property
    def closed(self) -> Flags:
        """(k,)"""
        return np.array([s == CLOSED for s in self.state], dtype=np.bool_)

    @property
    def powered(self) -> Flags:
        """(k,) closed, and carries power."""
        return self.closed & self.body.catalogue.pairs.carries_power[self.types[:, 0], self.types[:, 1]]

    def edges(self, chosen: Flags) -> Integers:
        """(m, 2) places joined by the chosen pairs."""
        return self.pairs[chosen][:, [0, 2]]

    def groups(self, chosen: Flags) -> Integers:
        """(n,) number of the connected group of each place."""
        i, j = self.edges(chosen).T
        n = self.body.grid.n
        return connected_components(coo_array((np.ones(len(i)), (i, j)), shape=(n, n)), directed=False)[1]

    def name(self, k: int) -> str:
        """A pair in words: "3 +x - 4 -x"."""
        place, side, other, facing = self.pairs[k].tolist()
        sides, identity = self.body.grid.side_names, self.body.identity
        return f"{identity[place]} {sides[side]} - {identity[other]} {sides[facing]}"

    def module(self, k: int) -> int:
        """Identity of the first module of a pair."""
        return int(self.body.identity[self.pairs[k, 0]])

    def halves(self, k: int) -> str:
        """The interfaces of a pair in words."""
        return " and ".join(self.body.catalogue.interface(int(t)).name for t in self.types[k])

    def missing(self, inside: Flags, outside: Flags) -> str:
        """Why the places `inside` (n,) are not joined to those `outside`, in words."""
        a, b = self.pairs[:, 0], self.pairs[:, 2]
        across = np.flatnonzero((inside[a] & outside[b]) | (outside[a] & inside[b])).tolist()
        if not across:
            return "no module beside it leads there"
        reasons = [f"{self.name(k)}: {self._lack(k)}" for k in across[:_SHOWN]]
        return "; ".join(reasons) + (f"; and {len(across) - _SHOWN} more" if len(across) > _SHOWN else "")

    def _lack(self, k: int) -> str:
        if self.state[k] != CLOSED:
            return self.state[k]
        halves = [self.body.catalogue.interface(int(t)) for t in self.types[k]]
        without = [half.name for half in halves if not half.power]
        return f"closed, but {' and '.join(dict.fromkeys(without))} carries no power" if without else CLOSED


def contacts_of(body: TensorBody, held: Sequence[Held] = ()) -> Contacts:
    """Every pair of neighbours, closed where its interfaces allow it and nothing holds it open."""
    pairs = body.contacts()
    shown = body.interfaces()
    types = np.stack([shown[pairs[:, 0], pairs[:, 1]], shown[pairs[:, 2], pairs[:, 3]]], axis=1)
    kept = _held_sides(body, held)
    reasons: dict[tuple[int, int], str] = {}
    state: list[str] = []
    for (place, side, other, facing), (a, b) in zip(pairs.tolist(), types.tolist(), strict=True):
        if (a, b) not in reasons:
            reasons[a, b] = _misfit(body, a, b)
        ends = (kept.get((place, side), ""), kept.get((other, facing), ""))
        kept_open = FAILED if FAILED in ends else max(ends)
        state.append(reasons[a, b] or kept_open or _rolled(body, place, side, other, facing, a) or CLOSED)
    return Contacts(body, pairs, types, tuple(state))


def _held_sides(body: TensorBody, held: Sequence[Held]) -> dict[tuple[int, int], str]:
    """Reasons by place and side; a failed interface counts before one that is held open."""
    kept: dict[tuple[int, int], str] = {}
    for item in sorted(held, key=lambda h: h.state == "failed"):
        place = body.find(item.identity)
        if place is not None and item.side in body.grid.side_names:
            reason = FAILED if item.state == "failed" else HELD_OPEN
            kept[place, body.grid.side_names.index(item.side)] = reason
    return kept


def _misfit(body: TensorBody, a: int, b: int) -> str:
    """Why interfaces of two numbers cannot mate; empty where they can."""
    if a == 0 or b == 0:
        return NO_INTERFACE
    if body.catalogue.pairs.compatible[a, b]:
        return ""
    first, second = body.catalogue.interface(a), body.catalogue.interface(b)
    return _incompatible(first, second)


def _incompatible(a: InterfaceType, b: InterfaceType) -> str:
    if a.standard != b.standard:
        return f"standards {a.standard} and {b.standard} do not fit"
    if a.symmetry != b.symmetry:
        return f"symmetries {a.symmetry} and {b.symmetry} do not fit"
    if a.active and b.active:
        return f"{a.name} and {b.name} are both plugs"
    return NO_DRIVE


def _rolled(body: TensorBody, place: int, side: int, other: int, facing: int, a: int) -> str:
    """Why the halves cannot mate as they are rolled; a quarter turn never matters to four-fold symmetry."""
    symmetry = body.catalogue.interface(a).symmetry
    if symmetry % 4 == 0 or body.grid.kind != "cubic":
        return ""
    angle = misalignment(body.X_TF(place, side).inverse() @ body.X_TF(other, facing), symmetry).angle
    return f"rolled by {math.degrees(angle):.0f} deg out of a {symmetry}-fold symmetry" if angle > 1e-6 else ""


def interface_findings(contacts: Contacts, held: Sequence[Held]) -> Iterator[Finding]:
    """Errors for neighbours that cannot fit, warnings for failed interfaces, a note on those without a drive."""
    known = (CLOSED, NO_INTERFACE, NO_DRIVE, HELD_OPEN, FAILED)
    for k, state in enumerate(contacts.state):
        if state not in known:
            message, names = f"incompatible interfaces, {state}", contacts.halves(k)
            yield Finding("error", "interface", contacts.name(k), message, names, MATING, contacts.module(k))
        elif state == FAILED:
            message = "a failed interface stays open"
            yield Finding("warning", "interface", contacts.name(k), message, FAILED, "closed", contacts.module(k))
    for item in held:
        if contacts.body.find(item.identity) is None:
            message, value = "its interface is named, but it is not in the design", str(item.identity)
            here = f"module {item.identity}"
            yield Finding("warning", "interface", here, message, value, "a module of the design", where=item.where)
    idle = [k for k, state in enumerate(contacts.state) if state == NO_DRIVE]
    if idle:
        names = ", ".join(map(contacts.name, idle[:_SHOWN])) + (", ..." if len(idle) > _SHOWN else "")
        pairs = "1 pair of neighbours stays" if len(idle) == 1 else f"{len(idle)} pairs of neighbours stay"
        yield Finding("note", "interface", names, f"{pairs} open, {NO_DRIVE}", module=contacts.module(idle[0]))


def connection_findings(contacts: Contacts) -> Iterator[Finding]:
    """An error for every group of modules that no closed interface joins to the heaviest one."""
    body = contacts.body
    group = contacts.groups(contacts.closed)
    occupied = body.shape > 0
    if not occupied.any():
        return
    main = group == int(np.argmax(np.bincount(group, body.catalogue.mass[body.shape])))
    for number in np.unique(group[occupied & ~main]).tolist():
        inside = (group == number) & occupied
        message = f"not connected to the rest; {contacts.missing(inside, occupied & ~inside)}"
        value = f"{int(inside.sum())} of {int(occupied.sum())} modules apart"
        yield Finding("error", "connection", names_of(body, inside), message, value, "none", first_of(body, inside))


def first_of(body: TensorBody, places: NDArray[np.bool_]) -> int:
    """The identity in the first of some places."""
    return int(body.identity[np.flatnonzero(places)[0]])


def names_of(body: TensorBody, places: NDArray[np.bool_]) -> str:
    """Modules in words: the only one with its cell, or the identities of several."""
    where = np.flatnonzero(places).tolist()
    if len(where) == 1:
        return label(body, where[0])
    listed = ", ".join(f"{body.identity[p]} ({type_at(body, p).name})" for p in where[:6])
    return f"modules {listed}" + (f" and {len(where) - 6} more" if len(where) > 6 else "")
