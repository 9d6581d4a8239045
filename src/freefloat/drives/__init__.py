"""Joint drives as numbers: motors, drivers, gears, friction, brakes, resolvers, and what follows from them.

Names that read files or compute are imported when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from freefloat.drives.brake import Brake
from freefloat.drives.driver import Driver
from freefloat.drives.friction import Friction
from freefloat.drives.gear import Gear
from freefloat.drives.joint_drive import LEVELS, JointDrive
from freefloat.drives.motor import Motor
from freefloat.drives.resolver import Resolver

if TYPE_CHECKING:
    from freefloat.drives.behaviour import Behaviour, behaviour_of, needed_substeps
    from freefloat.drives.catalogue import drive_names, load_drive

__all__ = [
    "LEVELS",
    "Behaviour",
    "Brake",
    "Driver",
    "Friction",
    "Gear",
    "JointDrive",
    "Motor",
    "Resolver",
    "behaviour_of",
    "drive_names",
    "load_drive",
    "needed_substeps",
]

_HOMES = {
    "Behaviour": "behaviour",
    "behaviour_of": "behaviour",
    "needed_substeps": "behaviour",
    "drive_names": "catalogue",
    "load_drive": "catalogue",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'freefloat.drives' has no attribute {name!r}")
    return getattr(importlib.import_module(f"freefloat.drives.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
