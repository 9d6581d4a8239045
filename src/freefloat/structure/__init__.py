"""Parts that are structures: rigid spacecraft, and spacecraft made of modules.

Names are imported when first used: a rigid body needs none of the networks of heat and power.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from freefloat.hand_words import HandState, Order
    from freefloat.structure.assembly import Assembly
    from freefloat.structure.body import RigidBody
    from freefloat.structure.catalogue.catalogue import Catalogue, PairTables, load_catalogue
    from freefloat.structure.grid import Grid, cubic, hexagon_rings, hexagonal
    from freefloat.structure.hand import HandSetup
    from freefloat.structure.heat.climate import Climate, Light
    from freefloat.structure.interface import (
        Misalignment,
        Record,
        StandardInterface,
        State,
        mated_rotation,
        misalignment,
        nearest_symmetric,
    )
    from freefloat.structure.module import (
        Heater,
        InterfaceType,
        Module,
        ModuleType,
        PowerRole,
        carries_power,
        compatible,
        pair_conductance,
        pair_resistance,
    )
    from freefloat.structure.tensor_body import (
        MassProperties,
        TensorBody,
        check_identities,
        total_mass,
        transfer,
    )
    from freefloat.structure.tensor_part import TensorPart, empty_hand

__all__ = [
    "Assembly",
    "Catalogue",
    "Climate",
    "Grid",
    "HandSetup",
    "HandState",
    "Heater",
    "InterfaceType",
    "Light",
    "MassProperties",
    "Misalignment",
    "Module",
    "ModuleType",
    "Order",
    "PairTables",
    "PowerRole",
    "Record",
    "RigidBody",
    "StandardInterface",
    "State",
    "TensorBody",
    "TensorPart",
    "carries_power",
    "check_identities",
    "compatible",
    "cubic",
    "empty_hand",
    "hexagon_rings",
    "hexagonal",
    "load_catalogue",
    "mated_rotation",
    "misalignment",
    "nearest_symmetric",
    "pair_conductance",
    "pair_resistance",
    "total_mass",
    "transfer",
]

_NAMES = {
    "assembly": "Assembly",
    "body": "RigidBody",
    "catalogue.catalogue": "Catalogue PairTables load_catalogue",
    "heat.climate": "Climate Light",
    "grid": "Grid cubic hexagon_rings hexagonal",
    "hand": "HandSetup",
    "interface": "Misalignment Record StandardInterface State mated_rotation misalignment nearest_symmetric",
    "module": "Heater InterfaceType Module ModuleType PowerRole "
    "carries_power compatible pair_conductance pair_resistance",
    "tensor_body": "MassProperties TensorBody check_identities total_mass transfer",
    "tensor_part": "TensorPart empty_hand",
}

_HOMES = {name: f"structure.{home}" for home, names in _NAMES.items() for name in names.split()}
_HOMES |= dict.fromkeys(("HandState", "Order"), "hand_words")


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'freefloat.structure' has no attribute {name!r}")
    return getattr(importlib.import_module(f"freefloat.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
