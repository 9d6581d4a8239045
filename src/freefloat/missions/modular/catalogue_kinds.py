"""A catalogue as plain arrays for planning: what closes on what, what carries power, where a robot's end closes."""

from __future__ import annotations

import numpy as np

from freefloat.errors import InputError
from freefloat.gnc.planning.reconfiguration.problem import Kinds
from freefloat.structure.catalogue.catalogue import Catalogue
from freefloat.structure.design.robot_kinds import RobotKind
from freefloat.structure.design.standing import end_fits
from freefloat.structure.grid import Grid
from freefloat.structure.module import ModuleType


def kinds_of(catalogue: Catalogue, grid: Grid, robot: RobotKind) -> Kinds:
    """Types and interfaces by their numbers in the catalogue.

    Sources feed; consumers, and modules with a heater, need power. Refused on a cubic grid: interfaces that close only
    in some of the four rolls, since a plan does not look at rolls.
    """
    for interface in catalogue.interfaces:
        if grid.kind == "cubic" and interface.symmetry % 4 != 0:
            told = f"symmetry {interface.symmetry}; allowed for plans on a cubic grid: a multiple of 4"
            raise InputError(f"interface {interface.name!r}: {told}")
    return Kinds(
        names=("", *(t.name for t in catalogue.types)),
        interface=catalogue.interface_numbers(grid.sides),
        mates=catalogue.pairs.compatible,
        power=catalogue.pairs.carries_power,
        grip=np.array([False, *(end_fits(robot, i) for i in catalogue.interfaces)]),
        feeds=np.array([False, *(t.power.kind == "source" for t in catalogue.types)]),
        needs=np.array([False, *(_needs(t) for t in catalogue.types)]),
    )


def _needs(kind: ModuleType) -> bool:
    return kind.power.demand > 0.0 or (kind.heater is not None and kind.heater.power > 0.0)


def catalogue_difference(a: Catalogue, b: Catalogue) -> str:
    """How b differs from a, in words; nothing where types and interfaces are equal, names and numbers included."""
    for what, ours, theirs in (("type", a.types, b.types), ("interface", a.interfaces, b.interfaces)):
        known, found = {t.name: t for t in ours}, {t.name: t for t in theirs}
        for name, item in found.items():
            if name not in known:
                return f"it has a {what} {name!r}; allowed: {', '.join(known)}"
            if item != known[name]:
                return f"its {what} {name!r} has other values"
        missing = [name for name in known if name not in found]
        if missing:
            return f"it has no {what} {missing[0]!r}"
        if list(known) != list(found):
            return f"its {what}s are in another order"
    return ""
