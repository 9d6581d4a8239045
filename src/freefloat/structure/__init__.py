"""Parts that are structures: rigid spacecraft, and spacecraft made of modules."""

from freefloat.structure.body import RigidBody
from freefloat.structure.catalogue import Catalogue, PairTables, load_catalogue
from freefloat.structure.grid import Grid, cubic, hexagon_rings, hexagonal
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
    Transfer,
    check_identities,
    total_mass,
    transfer,
    transfer_all,
)

__all__ = [
    "Catalogue",
    "Grid",
    "Heater",
    "InterfaceType",
    "MassProperties",
    "Misalignment",
    "Module",
    "ModuleType",
    "PairTables",
    "PowerRole",
    "Record",
    "RigidBody",
    "StandardInterface",
    "State",
    "TensorBody",
    "Transfer",
    "carries_power",
    "check_identities",
    "compatible",
    "cubic",
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
    "transfer_all",
]
