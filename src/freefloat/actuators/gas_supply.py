"""Bottles of compressed gas behind a pressure regulator, which thrusters draw from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Measure, UnfitError, positive, take
from freefloat.engine.blueprint import Builder
from freefloat.engine.world import World
from freefloat.errors import InputError

AIR = 287.05  # [J/(kg K)] specific gas constant
AMBIENT = 1e5  # [Pa]


@dataclass(frozen=True)
class GasSupply:
    """Part and upkeep: gas at constant temperature; below the regulator's pressure the thrust falls with it.

    Signals: `name.pressure` [Pa] in the bottles, `name.gas` left [kg]. The platform's mass is not changed: a bottle of
    4.9 kg on 221.67 kg.
    """

    name: str
    thrusters: str  # name of the set; it must have manifolds
    volume: Measure = 13.6e-3  # [m^3] two bottles of 6.8 l
    pressure: Measure = 300e5  # [Pa] at the start
    regulator: Measure = 7e5  # [Pa] held at the valves
    temperature: Measure = 293.0  # [K]
    period: Measure = 1.0  # [s] between updates

    def __post_init__(self) -> None:
        where = f"gas supply {self.name!r}"
        take(self, where, volume=positive("m^3"), pressure=positive("Pa"), regulator=positive("Pa"))
        take(self, where, temperature=positive("K"), period=positive("s"))
        if self.regulator <= AMBIENT:
            raise UnfitError(where, "regulator", self.regulator, f"above {AMBIENT:g} Pa")

    def build(self, b: Builder) -> None:
        """Outputs only; the thrusters' bank draws."""
        b.upkeep(self)
        if f"{self.thrusters}.loss" not in b.blueprint.commands:
            raise InputError(f"gas supply {self.name!r}: thrusters {self.thrusters!r} have no manifolds")
        b.output("pressure", (1,), "Pa", "gas pressure in the bottles")
        b.output("gas", (1,), "kg", "gas left in the bottles")

    def pressure_after(self, drawn: float) -> float:
        """[Pa] in the bottles when `drawn` [kg] have left."""
        return max(0.0, self.pressure - AIR * self.temperature / self.volume * drawn)

    def tend(self, world: World, now_ns: int) -> None:
        """Take what was drawn; an empty bottle gives no more thrust."""
        pressure = self.pressure_after(float(world.read(f"{self.thrusters}.propellant").sum()))
        world.write(f"{self.name}.pressure", [pressure])
        world.write(f"{self.name}.gas", [pressure * self.volume / (AIR * self.temperature)])
        held = max(0.0, pressure - AMBIENT) / (self.regulator - AMBIENT)  # thrust goes with the pressure over the air's
        world.write(f"{self.thrusters}.loss", np.full(len(world.held(f"{self.thrusters}.loss")), max(0.0, 1.0 - held)))

    def restored(self, world: World) -> None:
        """A snapshot holds the outputs; at the start the bottles are full."""
        world.claim(f"the supply of {self.thrusters!r}", self.name)
        if world.now_ns == 0:
            self.tend(world, 0)
