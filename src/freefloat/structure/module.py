"""Modules and the standard interfaces on their sides: what they are made of, and what a pair of interfaces can do."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from freefloat.amounts import (
    Amount,
    Count,
    Measure,
    Measures,
    UnfitError,
    not_negative,
    positive,
    share,
    take,
    take_rows,
)
from freefloat.errors import FreefloatError, InputError
from freefloat.inertia import check_inertia

ANGLE_TOLERANCE = math.radians(5.0)  # [rad]
APPROACH_CONE = math.radians(60.0)  # [rad] to each side of the axis
PowerKind = Literal["source", "consumer", "battery", "pass"]


@dataclass(frozen=True)
class InterfaceType:
    """A kind of standard interface SI. Conductances and resistance are those of a pair of two of this type."""

    name: str
    mass: Measure = 0.0  # [kg] already in the module's mass
    standard: str = "hotdock"  # only interfaces of one standard mate
    active: bool = True  # it has the drive that closes a pair
    androgynous: bool = True  # both halves have the same shape; else active plugs only into passive
    power: bool = True  # it carries electric power
    thermal: bool = False  # it carries the fluid of the thermal link
    symmetry: int = 4  # [-] roll positions per turn in which a pair mates
    closing_time: Measure = 10.0  # [s] assumed, docs/reference/parameters.md
    opening_time: Measure = 10.0  # [s] assumed
    position_tolerance: Measure = 0.01  # [m] assumed: largest misalignment at which closing may start
    angle_tolerance: Measure = ANGLE_TOLERANCE  # [rad] assumed
    approach_cone: Measure = APPROACH_CONE  # [rad] about its axis, half angle: from where a hand may come
    max_force: Measure = 250.0  # [N] axial and radial
    max_torque: Measure = 204.0  # [N m] bending
    closed_conductance: Measure = 0.5  # [W/K] assumed: closed, without fluid
    open_conductance: Measure = 1e-4  # [W/K] assumed
    fluid_conductance: Measure = 125.0  # [W/K] assumed: closed, both with fluid
    resistance: Measure = 0.01  # [ohm] assumed: closed

    def __post_init__(self) -> None:
        where = f"interface {self.name!r}"
        take(self, where, mass=not_negative("kg"), symmetry=Count(1, 360))
        take(self, where, closing_time=positive("s"), opening_time=positive("s"), resistance=not_negative("ohm"))
        take(self, where, position_tolerance=positive("m"), angle_tolerance=positive("rad"))
        take(self, where, approach_cone=Amount("rad", gt=0.0, le=math.pi))
        take(self, where, max_force=positive("N"), max_torque=positive("N m"))
        conducts = not_negative("W/K")
        take(self, where, closed_conductance=conducts, open_conductance=conducts, fluid_conductance=conducts)

    @property
    def mechanical(self) -> bool:
        """Whether it holds and does nothing else."""
        return not (self.active or self.power or self.thermal)


def compatible(a: InterfaceType, b: InterfaceType) -> bool:
    """Whether two interfaces can be closed on each other.

    One standard and one symmetry, and at least one active; if either is not androgynous, exactly one active (the
    active half is the plug, the passive one the socket).
    """
    if (a.standard, a.symmetry) != (b.standard, b.symmetry):
        return False
    return (a.active or b.active) if a.androgynous and b.androgynous else a.active != b.active


def carries_power(a: InterfaceType, b: InterfaceType) -> bool:
    """Whether current flows through the pair once it is closed."""
    return compatible(a, b) and a.power and b.power


def pair_conductance(a: InterfaceType, b: InterfaceType, closed: bool) -> float:
    """Thermal conductance [W/K] of a pair that faces each other.

    Open: `open_conductance`; closed: `closed_conductance`, or `fluid_conductance` where both are thermal. Unequal types
    are two halves in series, each of twice its type's value: 1/G = (1/G_a + 1/G_b) / 2.
    """
    if not closed or not compatible(a, b):
        return _series(a.open_conductance, b.open_conductance)
    if a.thermal and b.thermal:
        return _series(a.fluid_conductance, b.fluid_conductance)
    return _series(a.closed_conductance, b.closed_conductance)


def pair_resistance(a: InterfaceType, b: InterfaceType) -> float:
    """Electric resistance [ohm] of a closed pair, the mean of both types; infinite where it carries no power."""
    return 0.5 * a.resistance + 0.5 * b.resistance if carries_power(a, b) else math.inf


def _series(a: float, b: float) -> float:
    low, high = min(a, b), max(a, b)
    return low / (0.5 + 0.5 * low / high) if high > 0.0 else 0.0


@dataclass(frozen=True)
class PowerRole:
    """What a module is on the electric bus. Fields that do not belong to its kind are zero."""

    kind: PowerKind = "pass"
    voltage: Measure = 48.0  # [V] nominal, open-circuit for a source or battery
    max_power: Measure = 0.0  # [W] source, battery: largest power delivered
    max_current: Measure = math.inf  # [A] through the module
    resistance: Measure = 0.0  # [ohm] internal: source, battery
    demand: Measure = 0.0  # [W] consumer: drawn when powered
    capacity: Measure = 0.0  # [J] battery: when full
    charge: Measure = 0.0  # [-] battery: state of charge at the start
    max_charge_power: Measure = 0.0  # [W] battery: largest power taken

    def __post_init__(self) -> None:
        where = f"power role {self.kind!r}"
        if self.kind not in ("source", "consumer", "battery", "pass"):
            raise InputError(f"{where} is not known; allowed: source | consumer | battery | pass")
        watts = not_negative("W")
        take(self, where, max_power=watts, demand=watts, max_charge_power=watts, capacity=not_negative("J"))
        take(self, where, voltage=positive("V"), max_current=positive("A", inf=True))
        take(self, where, resistance=not_negative("ohm"), charge=share())


@dataclass(frozen=True)
class Heater:
    """A thermostat: on below one temperature, off above another."""

    power: Measure  # [W]
    on_below: Measure  # [K]
    off_above: Measure  # [K]

    def __post_init__(self) -> None:
        take(self, "heater", power=not_negative("W"), on_below=not_negative("K"), off_above=not_negative("K"))
        if self.off_above < self.on_below:
            raise UnfitError("heater", "off_above", self.off_above, f">= on_below, {self.on_below:g} K")


@dataclass(frozen=True)
class ModuleType:
    """A kind of module. Frame M is at the centre of its prism; side numbers are those of the grid."""

    name: str
    mass: Measure  # [kg] with its interfaces
    I_MMcm_M: Measures  # [kg m^2] (3, 3) about the centre of mass
    sides: tuple[InterfaceType | None, ...]  # 6 of a cube, 7 of a hexagon
    p_MMcm: Measures = (0.0, 0.0, 0.0)  # [m] (3,)
    size: Measures = (0.4, 0.4, 0.4)  # [m] edges of a box; across flats (twice) and height of a hexagon
    heat_capacity: Measure = 8000.0  # [J/K] assumed, docs/reference/parameters.md
    absorptivity: Measure = 0.2  # [-] solar, of the outer faces
    emissivity: Measure = 0.88  # [-] infrared, of the outer faces
    dissipation: Measure = 0.0  # [W] heat released inside while powered
    power: PowerRole = field(default_factory=PowerRole)
    heater: Heater | None = None
    temperature_range: Measures = (253.15, 333.15)  # [K] assumed: allowed
    colour: Measures = (0.7, 0.7, 0.72, 1.0)  # [-] red, green, blue, opacity
    about: str = ""
    where: str = field(default="", compare=False)  # place in the catalogue's file

    def __post_init__(self) -> None:
        where = f"module type {self.name!r}"
        take(self, where, mass=positive("kg"), heat_capacity=not_negative("J/K"), dissipation=not_negative("W"))
        take(self, where, absorptivity=share(), emissivity=share())
        take_rows(self, where, 3, p_MMcm=Amount("m"), size=not_negative("m"))
        take_rows(self, where, 3, 3, I_MMcm_M=Amount("kg m^2"))
        take_rows(self, where, 2, temperature_range=not_negative("K"))
        take_rows(self, where, 4, colour=share())
        object.__setattr__(self, "sides", tuple(self.sides))
        if len(self.sides) not in (6, 7):
            raise InputError(f"{where}: {len(self.sides)} sides; allowed: 6 (cubic) or 7 (hexagonal)")
        try:
            check_inertia(self.I_MMcm_M)
        except FreefloatError as error:
            raise InputError(f"{where}: {error}") from None


@dataclass(frozen=True)
class Module:
    """One module: its identity is a whole number from 1 that no other module of the run has."""

    identity: int
    type: ModuleType

    def __post_init__(self) -> None:
        whole = isinstance(self.identity, (int, np.integer)) and not isinstance(self.identity, bool)
        if not whole or not 1 <= self.identity < 2**63:
            raise InputError(f"identity {self.identity!r} of a {self.type.name}; allowed: a whole number from 1")
        object.__setattr__(self, "identity", int(self.identity))


def prism_inertia(mass: float, across_flats: float, height: float) -> NDArray[np.float64]:
    """Inertia about the centre of a solid regular hexagonal prism, z along its axis: diag [kg m^2].

    With the edge s = across_flats / sqrt(3): Ixx = Iyy = m (5 s^2 / 24 + h^2 / 12), Izz = 5 m s^2 / 12.
    """
    s2 = across_flats**2 / 3.0
    side = 5.0 * s2 / 24.0 + height**2 / 12.0
    return mass * np.diag([side, side, 5.0 * s2 / 12.0])
