"""The fields of a catalogue file, with their units and bounds."""

from __future__ import annotations

import math
from typing import Literal

from freefloat.scenario.fields import Settings, Vector3, choice, quantity, setting


class InterfaceSettings(Settings):
    """A standard interface; conductances and resistance are those of a pair of two of this type."""

    mass: float = quantity(0.0, "kg", "mass, already in the module's", ge=0)
    standard: str = setting("hotdock", "only interfaces of one standard mate")
    active: bool = setting(True, "has the drive that closes a pair")
    androgynous: bool = setting(True, "both halves have the same shape")
    power: bool = setting(True, "carries electric power")
    thermal: bool = setting(False, "carries the fluid of the thermal link")
    symmetry: int = quantity(4, "-", "roll positions per turn in which a pair mates", ge=1, le=360)
    closing_time: float = quantity(10.0, "s", "time to close", gt=0)
    opening_time: float = quantity(10.0, "s", "time to open", gt=0)
    position_tolerance: float = quantity(0.01, "m", "largest misalignment at which closing may start", gt=0)
    angle_tolerance: float = quantity(math.radians(5.0), "rad", "the same, angle", gt=0, le=math.pi)
    approach_cone: float = quantity(
        math.radians(60.0), "rad", "half angle of the cone from which a hand may come", gt=0, le=math.pi
    )
    max_force: float = quantity(250.0, "N", "largest axial or radial force", gt=0)
    max_torque: float = quantity(204.0, "N m", "largest torque", gt=0)
    closed_conductance: float = quantity(0.5, "W/K", "closed, without fluid", ge=0)
    open_conductance: float = quantity(1e-4, "W/K", "open", ge=0)
    fluid_conductance: float = quantity(125.0, "W/K", "closed, both with fluid", ge=0)
    resistance: float = quantity(0.01, "ohm", "closed", ge=0)


class BusSettings(Settings):
    """What every role has."""

    voltage: float = quantity(48.0, "V", "nominal voltage", gt=0)
    max_current: float | None = quantity(None, "A", "largest current through the module", gt=0)


class PassSettings(BusSettings):
    """Passes power on."""

    kind: Literal["pass"] = setting("pass", "role on the bus")


class ConsumerSettings(BusSettings):
    """Draws power, and passes it on."""

    kind: Literal["consumer"] = setting("consumer", "role on the bus")
    demand: float = quantity(..., "W", "drawn when powered", ge=0)


class SourceSettings(BusSettings):
    """Delivers power."""

    kind: Literal["source"] = setting("source", "role on the bus")
    max_power: float = quantity(..., "W", "largest power delivered", gt=0)
    resistance: float = quantity(0.0, "ohm", "internal resistance", ge=0)


class BatterySettings(BusSettings):
    """Stores energy."""

    kind: Literal["battery"] = setting("battery", "role on the bus")
    max_power: float = quantity(..., "W", "largest power delivered", gt=0)
    max_charge_power: float = quantity(..., "W", "largest power taken", ge=0)
    resistance: float = quantity(0.0, "ohm", "internal resistance", ge=0)
    capacity: float = quantity(..., "J", "energy when full", gt=0)
    charge: float = quantity(1.0, "-", "state of charge at the start", ge=0, le=1)


Power = PassSettings | ConsumerSettings | SourceSettings | BatterySettings


class HeaterSettings(Settings):
    """A thermostat."""

    power: float = quantity(..., "W", "heating power", ge=0)
    on_below: float = quantity(..., "K", "on below this temperature", gt=0)
    off_above: float = quantity(..., "K", "off above this temperature", gt=0)


class ModuleSettings(Settings):
    """A module type; its inertia is that of a solid prism of `size` unless given."""

    about: str = setting("", "one line on this module")
    mass: float = quantity(..., "kg", "mass with its interfaces", gt=0)
    size: Vector3 | None = quantity(None, "m", "edges; across flats (twice) and height of a hexagon", gt=0)
    centre_of_mass: Vector3 = quantity((0.0, 0.0, 0.0), "m", "p_MMcm")
    inertia: tuple[float, ...] | None = quantity(None, "kg m^2", "xx yy zz, or xx yy zz xy xz yz, of I_MMcm_M")
    sides: dict[str, str | None] = setting({}, "interface on each side, or on `all` others; null: none")
    heat_capacity: float = quantity(8000.0, "J/K", "heat capacity", gt=0)
    absorptivity: float = quantity(0.2, "-", "solar, of the outer faces", ge=0, le=1)
    emissivity: float = quantity(0.88, "-", "infrared, of the outer faces", ge=0, le=1)
    dissipation: float = quantity(0.0, "W", "heat released inside while powered", ge=0)
    power: PassSettings | ConsumerSettings | SourceSettings | BatterySettings = choice(
        PassSettings(), "role on the bus"
    )
    heater: HeaterSettings | None = setting(None, "thermostat")
    temperature_range: tuple[float, float] = quantity((253.15, 333.15), "K", "allowed, lowest and highest", gt=0)
    colour: tuple[float, float, float] | None = quantity(
        None, "-", "red, green, blue; null: one that no other type has", ge=0, le=1
    )


class CatalogueSettings(Settings):
    """The whole file."""

    about: str = setting("", "one line on this catalogue")
    grid: Literal["cubic", "hexagonal"] = setting("cubic", "kind of grid that the modules fit")
    interfaces: dict[str, InterfaceSettings] = setting({}, "interfaces by name")
    modules: dict[str, ModuleSettings] = setting(..., "module types by name")
