"""Parts that are structures: rigid spacecraft, and spacecraft made of modules."""

from freefloat.structure.assembly import Assembly
from freefloat.structure.body import RigidBody
from freefloat.structure.catalogue import Catalogue, PairTables, load_catalogue
from freefloat.structure.climate import Climate, Light
from freefloat.structure.grid import Grid, cubic, hexagon_rings, hexagonal
from freefloat.structure.hand import HandSetup, HandState, Order
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
