"""A catalogue of module types, numbered from 1 (0 is an empty place), with their values as arrays by number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from freefloat.errors import InputError, unknown_name
from freefloat.frames import Array
from freefloat.structure.catalogue.file import read_catalogue
from freefloat.structure.module import (
    InterfaceType,
    ModuleType,
    carries_power,
    compatible,
    pair_conductance,
    pair_resistance,
)

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PairTables:
    """What pairs of interfaces can do, by their numbers (k + 1, k + 1); 0 is a side without an interface."""

    compatible: NDArray[np.bool_]
    carries_power: NDArray[np.bool_]
    closed_conductance: Array  # [W/K] 0 where a side has no interface
    open_conductance: Array  # [W/K] the same
    resistance: Array  # [ohm] closed; infinite where no power flows


class Catalogue:
    """Module types and interface types with unique names.

    Types have the numbers 1, 2, ... in the order given; interfaces too, those of the types after those given.
    """

    def __init__(self, types: Iterable[ModuleType], interfaces: Iterable[InterfaceType] = ()) -> None:
        self.types = tuple(types)
        used = [side for module_type in self.types for side in module_type.sides if side is not None]
        self.interfaces = tuple(dict.fromkeys([*interfaces, *used]))
        self._numbers = {t.name: i for i, t in enumerate(self.types, start=1)}
        self._interface_numbers = {t.name: i for i, t in enumerate(self.interfaces, start=1)}
        for what, numbers, items in (
            ("module type", self._numbers, self.types),
            ("interface", self._interface_numbers, self.interfaces),
        ):
            if len(numbers) != len(items):
                names = [item.name for item in items]
                twice = next(name for name in names if names.count(name) > 1)
                raise InputError(f"catalogue: {what} {twice!r} is given twice with different values")

    def number(self, module_type: str | ModuleType) -> int:
        """The number of a type, by its name or itself (equal in every value)."""
        name = module_type if isinstance(module_type, str) else module_type.name
        found = self._numbers.get(name)
        if found is None:
            raise unknown_name("module type", name, self._numbers)
        known = self.types[found - 1]
        if not isinstance(module_type, str) and module_type is not known and module_type != known:
            raise InputError(f"module type {name!r} differs from the one of this name in the catalogue")
        return found

    def type(self, which: int | str) -> ModuleType:
        """The type of a name or a number from 1."""
        if isinstance(which, str):
            return self.types[self.number(which) - 1]
        if not 1 <= which <= len(self.types):
            raise InputError(f"module type number {which!r}; allowed: 1 to {len(self.types)}")
        return self.types[which - 1]

    def interface(self, which: int | str) -> InterfaceType:
        """The interface of a name or a number from 1."""
        number = self._interface_numbers.get(which) if isinstance(which, str) else int(which)
        if number is None or not 1 <= number <= len(self.interfaces):
            raise unknown_name("interface", str(which), self._interface_numbers)
        return self.interfaces[number - 1]

    def values(self, read: Callable[[ModuleType], float]) -> Array:
        """(types + 1,) one value per type number, 0 for an empty place: `values(lambda t: t.heat_capacity)`."""
        return np.array([0.0, *(float(read(t)) for t in self.types)])

    @cached_property
    def mass(self) -> Array:
        """[kg] (types + 1,)."""
        return _frozen(self.values(lambda t: t.mass))

    @cached_property
    def p_MMcm(self) -> Array:
        """[m] (types + 1, 3)."""
        return _frozen(np.array([np.zeros(3), *(t.p_MMcm for t in self.types)], dtype=np.float64))

    @cached_property
    def I_MMcm_M(self) -> Array:
        """[kg m^2] (types + 1, 3, 3)."""
        return _frozen(np.array([np.zeros((3, 3)), *(t.I_MMcm_M for t in self.types)], dtype=np.float64))

    def interface_numbers(self, sides: int) -> Indices:
        """(types + 1, sides) interface number on each side of a type; 0: none, or a type of the other kind of grid."""
        table = np.zeros((len(self.types) + 1, sides), dtype=np.int64)
        for row, module_type in enumerate(self.types, start=1):
            if len(module_type.sides) == sides:
                table[row] = [0 if s is None else self._interface_numbers[s.name] for s in module_type.sides]
        return table

    @cached_property
    def pairs(self) -> PairTables:
        """Tables over pairs of interface numbers."""

        def table(read: Callable[[InterfaceType, InterfaceType], float], none: float, kind: type) -> NDArray:
            rows = [[read(a, b) for b in self.interfaces] for a in self.interfaces]
            full = np.full((len(rows) + 1, len(rows) + 1), none, dtype=kind)
            full[1:, 1:] = np.reshape(rows, (len(rows), len(rows)))
            return _frozen(full)

        return PairTables(
            table(compatible, False, np.bool_),
            table(carries_power, False, np.bool_),
            table(lambda a, b: pair_conductance(a, b, closed=True), 0.0, np.float64),
            table(lambda a, b: pair_conductance(a, b, closed=False), 0.0, np.float64),
            table(pair_resistance, math.inf, np.float64),
        )


def load_catalogue(source: str | Path) -> Catalogue:
    """The catalogue of a YAML file, or one that is shipped: `mosar`, `mirror`. Raises with every problem found."""
    types, interfaces = read_catalogue(source)
    return Catalogue(types, interfaces)


def _frozen(a: NDArray) -> NDArray:
    a.setflags(write=False)
    return a
