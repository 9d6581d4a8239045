"""Steady temperatures of a design in each of its environments.

Thermostats are bounded rather than solved: temperatures rise with every input, so that those with all heaters off, and
with every heater on that would switch on, enclose the true ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.structure.design.contacts import Contacts
from freefloat.structure.design.design import Environment, Finding, label, type_at
from freefloat.structure.design.power import PowerBudget
from freefloat.structure.heat.exposure import absorbed, exposed_faces
from freefloat.structure.heat.network import HeatNetwork
from freefloat.structure.node_arrays import Flags
from freefloat.structure.tensor_body import TensorBody


@dataclass(frozen=True, eq=False)
class Temperatures:
    """Steady, per place (n,) [K]; NaN where no module with a heat capacity is."""

    cold: Array  # heaters off
    warm: Array  # with the heaters in `heating` on
    heating: Array  # [W]
    absorbed: Array  # [W] from Sun and Earth


class DesignHeat:
    """The heat network of a design."""

    def __init__(self, contacts: Contacts) -> None:
        self.body = contacts.body
        values = self.body.catalogue.values
        shape = self.body.shape
        self.faces = exposed_faces([(self.body, Pose.identity())])
        pairs, (a, b) = self.body.catalogue.pairs, contacts.types.T
        conductance = np.where(contacts.closed, pairs.closed_conductance[a, b], pairs.open_conductance[a, b])
        capacity = values(lambda t: t.heat_capacity)[shape]
        self.network = HeatNetwork(capacity, contacts.pairs[:, [0, 2]], conductance, self.faces.radiating)
        self.dissipation = values(lambda t: t.dissipation)[shape]
        self.heater = values(lambda t: 0.0 if t.heater is None else t.heater.power)[shape]
        self.on_below = values(lambda t: 0.0 if t.heater is None else t.heater.on_below)[shape]

    def from_outside(self, environment: Environment) -> Array:
        """Absorbed power [W] (n,)."""
        earth = np.asarray(environment.earth) / np.linalg.norm(environment.earth)
        sky = 0.5 * (1.0 + self.faces.normal @ earth)  # view factor of a half-space
        lit = self.faces.lit(environment.sun)
        fluxes = (environment.solar_flux, environment.albedo * sky, environment.infrared * sky)
        return absorbed(self.faces, lit, environment.sun, *fluxes)

    def steady(self, outside: Array, budget: PowerBudget, heating: Array) -> Array:
        """Temperatures [K] (n,) with the dissipation of what is fed, losses of the bus, and heaters [W] (n,)."""
        inside = np.where(budget.flow.fed, self.dissipation, 0.0) + budget.losses
        T = self.network.steady(outside + inside + np.where(budget.flow.fed, heating, 0.0))
        return np.where(self.network.capacity > 0.0, T, np.nan)

    def heaters(self, T: Array) -> Array:
        """Heaters [W] (n,) that switch on at temperatures (n,)."""
        return np.where(self.on_below >= T, self.heater, 0.0)


def temperature_findings(name: str, body: TensorBody, found: Temperatures) -> Iterator[Finding]:
    """Errors for modules that are out of their range however the heaters switch; warnings where it depends on them."""
    known: Flags = np.isfinite(found.cold) | np.isinf(found.cold)
    for place in np.flatnonzero(known).tolist():
        low, high = type_at(body, place).temperature_range
        cold, warm = float(found.cold[place]), float(found.warm[place])
        module = int(body.identity[place])
        here, allowed = f"{label(body, place)}, environment {name}", f"{low:.5g} to {high:.5g} K"
        if cold > high:
            yield Finding("error", "temperature", here, "too hot in the steady state", f"{cold:.5g} K", allowed, module)
        elif warm < low:
            yield Finding(
                "error", "temperature", here, "too cold in the steady state", f"{warm:.5g} K", allowed, module
            )
        elif cold < low and found.heating[place] == 0.0:
            message = "in range only by heaters of other modules"
            yield Finding("warning", "temperature", here, message, f"{cold:.5g} to {warm:.5g} K", allowed, module)
