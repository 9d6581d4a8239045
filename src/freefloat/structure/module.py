"""Modules and the standard interfaces on their sides: what they are made of, and what a pair of interfaces can do."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import FreefloatError, InputError
from freefloat.inertia import check_inertia

Vector3 = tuple[float, float, float]
PowerKind = Literal["source", "consumer", "battery", "pass"]


@dataclass(frozen=True)
class InterfaceType:
    """A kind of standard interface SI. Conductances and resistance are those of a pair of two of this type."""

    name: str
    mass: float = 0.0  # [kg] already in the module's mass
    standard: str = "hotdock"  # only interfaces of one standard mate
    active: bool = True  # it has the drive that closes a pair
    androgynous: bool = True  # both halves have the same shape; else active plugs only into passive
    power: bool = True  # it carries electric power
    thermal: bool = False  # it carries the fluid of the thermal link
    symmetry: int = 4  # [-] roll positions per turn in which a pair mates
    closing_time: float = 10.0  # [s] assumed, docs/reference/parameters.md
    opening_time: float = 10.0  # [s] assumed
    position_tolerance: float = 0.01  # [m] assumed: largest misalignment at which closing may start
    angle_tolerance: float = math.radians(5.0)  # [rad] assumed
    max_force: float = 250.0  # [N] axial and radial
    max_torque: float = 204.0  # [N m] bending
    closed_conductance: float = 0.5  # [W/K] assumed: closed, without fluid
    open_conductance: float = 1e-4  # [W/K] assumed
    fluid_conductance: float = 125.0  # [W/K] assumed: closed, both with fluid
    resistance: float = 0.01  # [ohm] assumed: closed

    def __post_init__(self) -> None:
        where = f"interface {self.name!r}"
        for name in _POSITIVE:
            _check(where, name, getattr(self, name), 0.0, open_end=True)
        for name in ("mass", "closed_conductance", "open_conductance", "fluid_conductance", "resistance"):
            _check(where, name, getattr(self, name), 0.0)
        if self.symmetry not in range(1, 361):
            raise InputError(f"{where}: symmetry {self.symmetry!r}; allowed: 1 to 360 roll positions")

    @property
    def mechanical(self) -> bool:
        """Whether it holds and does nothing else."""
        return not (self.active or self.power or self.thermal)


_POSITIVE = ("closing_time", "opening_time", "position_tolerance", "angle_tolerance", "max_force", "max_torque")


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
    voltage: float = 48.0  # [V] nominal, open-circuit for a source or battery
    max_power: float = 0.0  # [W] source, battery: largest power delivered
    max_current: float = math.inf  # [A] through the module
    resistance: float = 0.0  # [ohm] internal: source, battery
    demand: float = 0.0  # [W] consumer: drawn when powered
    capacity: float = 0.0  # [J] battery: when full
    charge: float = 0.0  # [-] battery: state of charge at the start
    max_charge_power: float = 0.0  # [W] battery: largest power taken

    def __post_init__(self) -> None:
        where = f"power role {self.kind!r}"
        if self.kind not in ("source", "consumer", "battery", "pass"):
            raise InputError(f"{where} is not known; allowed: source | consumer | battery | pass")
        for name in ("voltage", "max_current"):
            _check(where, name, getattr(self, name), 0.0, open_end=True, infinite=True)
        for name in ("max_power", "resistance", "demand", "capacity", "charge", "max_charge_power"):
            _check(where, name, getattr(self, name), 0.0)
        if self.charge > 1.0:
            raise InputError(f"{where}: charge {self.charge!r}; allowed: 0 to 1")


@dataclass(frozen=True)
class Heater:
    """A thermostat: on below one temperature, off above another."""

    power: float  # [W]
    on_below: float  # [K]
    off_above: float  # [K]

    def __post_init__(self) -> None:
        _check("heater", "power", self.power, 0.0)
        _check("heater", "on_below", self.on_below, 0.0)
        _check("heater", "off_above", self.off_above, self.on_below)


@dataclass(frozen=True)
class ModuleType:
    """A kind of module. Frame M is at the centre of its prism; side numbers are those of the grid."""

    name: str
    mass: float  # [kg] with its interfaces
    I_MMcm_M: ArrayLike  # [kg m^2] (3, 3) about the centre of mass; kept as nested tuples
    sides: tuple[InterfaceType | None, ...]  # 6 of a cube, 7 of a hexagon
    p_MMcm: ArrayLike = (0.0, 0.0, 0.0)  # [m] (3,), kept as a tuple
    size: Vector3 = (0.4, 0.4, 0.4)  # [m] edges of a box; across flats (twice) and height of a hexagon
    heat_capacity: float = 8000.0  # [J/K] assumed, docs/reference/parameters.md
    absorptivity: float = 0.2  # [-] solar, of the outer faces
    emissivity: float = 0.88  # [-] infrared, of the outer faces
    dissipation: float = 0.0  # [W] heat released inside while powered
    power: PowerRole = field(default_factory=PowerRole)
    heater: Heater | None = None
    temperature_range: tuple[float, float] = (253.15, 333.15)  # [K] assumed: allowed
    colour: tuple[float, float, float, float] = (0.7, 0.7, 0.72, 1.0)
    about: str = ""
    where: str = field(default="", compare=False)  # place in the catalogue's file

    def __post_init__(self) -> None:
        where = f"module type {self.name!r}"
        _check(where, "mass", self.mass, 0.0, open_end=True)
        object.__setattr__(self, "p_MMcm", _nested(where, "p_MMcm", self.p_MMcm, (3,)))
        object.__setattr__(self, "I_MMcm_M", _nested(where, "I_MMcm_M", self.I_MMcm_M, (3, 3)))
        object.__setattr__(self, "size", _nested(where, "size", self.size, (3,)))
        object.__setattr__(self, "sides", tuple(self.sides))
        if len(self.sides) not in (6, 7):
            raise InputError(f"{where}: {len(self.sides)} sides; allowed: 6 (cubic) or 7 (hexagonal)")
        try:
            check_inertia(self.I_MMcm_M)
        except FreefloatError as error:
            raise InputError(f"{where}: {error}") from None
        for name in ("heat_capacity", "absorptivity", "emissivity", "dissipation"):
            _check(where, name, getattr(self, name), 0.0)


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


def _check(where: str, name: str, value: float, low: float, *, open_end: bool = False, infinite: bool = False) -> None:
    good = value > low if open_end else value >= low
    if not good or not (infinite or math.isfinite(value)):
        raise InputError(f"{where}: {name} {value!r}; allowed: {'>' if open_end else '>='} {low:g}")


def _nested(where: str, name: str, value: ArrayLike, shape: tuple[int, ...]) -> tuple:
    a = np.asarray(value, dtype=np.float64)
    if a.shape != shape or not np.isfinite(a).all():
        raise InputError(f"{where}: {name} must be finite numbers of shape {shape}, got {value!r}")
    return tuple(map(tuple, a.tolist())) if a.ndim == 2 else tuple(a.tolist())
