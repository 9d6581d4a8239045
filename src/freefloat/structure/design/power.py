"""Power in a design: who has a path to a source, and whether the sources and the bus can feed them all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array
from freefloat.structure.design.contacts import Contacts, first_of, names_of
from freefloat.structure.design.design import Finding, label, type_at
from freefloat.structure.module import ModuleType, PowerKind
from freefloat.structure.node_arrays import Flags, Integers, sum_at
from freefloat.structure.power.flow import Flow, solve_power
from freefloat.structure.power.network import Batteries, Lines, PowerNetwork, Sources
from freefloat.structure.power.search import powered
from freefloat.structure.tensor_body import TensorBody

LEAST_VOLTAGE = 0.9  # [-] of the nominal voltage; assumed, docs/reference/parameters.md


@dataclass(frozen=True, eq=False)
class PowerBudget:
    """The bus with every load on, per place (n,)."""

    network: PowerNetwork
    flow: Flow
    powered: Flags  # a path of closed interfaces leads to a source or a charged battery
    demand: Array  # [W] of the module and its heater
    through: Array  # [A] into the module, from its neighbours and its own source

    @property
    def losses(self) -> Array:
        """[W] (n,) heat of the currents inside sources and batteries, and half of that in every line beside."""
        ends = self.network.lines.edges
        half = 0.5 * self.flow.line_loss
        lines = sum_at(self.network.n, ends[:, 0], half) + sum_at(self.network.n, ends[:, 1], half)
        return self.flow.internal_loss + lines


def power_budget(contacts: Contacts, heaters: Array) -> PowerBudget:
    """Solve the bus with the demands of all modules and heaters [W] (n,)."""
    body = contacts.body
    chosen = contacts.powered
    edges, types = contacts.edges(chosen), contacts.types[chosen]
    resistance = body.catalogue.pairs.resistance[types[:, 0], types[:, 1]]

    def of(kind: PowerKind | None, read: Callable[[ModuleType], float]) -> Array:
        return body.catalogue.values(lambda t: read(t) if kind in (None, t.power.kind) else 0.0)[body.shape]

    charge = of("battery", lambda t: t.power.charge)
    network = PowerNetwork(
        of("consumer", lambda t: t.power.demand) + heaters,
        Lines(edges, resistance),
        Sources(
            voltage=of("source", lambda t: t.power.voltage),
            resistance=of("source", lambda t: t.power.resistance),
            power=of("source", lambda t: t.power.max_power),
        ),
        Batteries(
            capacity=of("battery", lambda t: t.power.capacity),
            voltage=of("battery", lambda t: t.power.voltage),
            resistance=of("battery", lambda t: t.power.resistance),
            discharge_power=of("battery", lambda t: t.power.max_power),
            charge_power=of("battery", lambda t: t.power.max_charge_power),
        ),
        conducting=body.shape > 0,
    )
    source = (network.sources.voltage > 0.0) | (charge > 0.0)
    flow = solve_power(network, charge)
    reached = powered(body.grid.n, edges, source, network.conducting)
    return PowerBudget(network, flow, reached, network.load, _through(edges, flow))


def _through(edges: Integers, flow: Flow) -> Array:
    n = len(flow.voltage)
    forth = sum_at(n, edges[:, 1], np.maximum(flow.line_current, 0.0))
    back = sum_at(n, edges[:, 0], np.maximum(-flow.line_current, 0.0))
    return forth + back + np.maximum(flow.source_current + flow.battery_current, 0.0)


def power_findings(contacts: Contacts, budget: PowerBudget) -> Iterator[Finding]:
    yield from _without_path(contacts, budget)
    yield from _overloads(contacts.body, budget)
    yield from _shortages(contacts, budget)
    yield from _at_modules(contacts.body, budget)


def _without_path(contacts: Contacts, budget: PowerBudget) -> Iterator[Finding]:
    body = contacts.body
    group = contacts.groups(contacts.powered)
    dark = (body.shape > 0) & ~budget.powered
    needy = dark & (budget.demand > 0.0)
    for number in np.unique(group[needy]).tolist():
        inside = dark & (group == number)
        if not budget.powered.any():
            reason = "the design has no source of power and no charged battery"
        else:
            reason = f"missing link: {contacts.missing(inside, (body.shape > 0) & ~inside)}"
        value = f"{budget.demand[inside].sum():.4g} W without supply"
        here, first = names_of(body, needy & inside), first_of(body, needy & inside)
        yield Finding("error", "power", here, f"no power path; {reason}", value, "0 W", first)


def _overloads(body: TensorBody, budget: PowerBudget) -> Iterator[Finding]:
    for trip in budget.flow.trips:
        shed = np.zeros(body.grid.n, dtype=np.bool_)
        shed[list(trip.nodes)] = True
        value = f"{budget.demand[shed].sum():.4g} W"
        message, first = "overload, the bus trips and sheds these", first_of(body, shed)
        yield Finding("error", "power", names_of(body, shed), message, value, "0 W", first)


def _shortages(contacts: Contacts, budget: PowerBudget) -> Iterator[Finding]:
    """Groups that live only while their batteries last."""
    network, flow = budget.network, budget.flow
    group = contacts.groups(contacts.powered)
    for number in np.unique(group[flow.fed & (budget.demand > 0.0)]).tolist():
        inside = group == number
        used = float(flow.load_power[inside].sum())
        given = float(network.sources.power[inside & (network.sources.voltage > 0.0)].sum())
        if used > given:
            stored = float((network.batteries.capacity * _charge(contacts.body))[inside].sum())
            hours = stored / (used - given) / 3600.0
            message = f"more than the sources give; the batteries are empty after {hours:.2g} h"
            these = inside & (contacts.body.shape > 0)
            place, first = names_of(contacts.body, these), first_of(contacts.body, these)
            yield Finding("warning", "power", place, message, f"{used:.4g} W", f"<= {given:.4g} W", first)


def _charge(body: TensorBody) -> Array:
    return body.catalogue.values(lambda t: t.power.charge)[body.shape]


def _at_modules(body: TensorBody, budget: PowerBudget) -> Iterator[Finding]:
    """Modules with too much current or too little voltage."""
    for place in np.flatnonzero(budget.flow.live).tolist():
        role = type_at(body, place).power
        module, current, voltage = (
            int(body.identity[place]),
            float(budget.through[place]),
            float(budget.flow.voltage[place]),
        )
        if current > role.max_current:
            message = "over-current through the module"
            allowed = f"<= {role.max_current:.4g} A"
            yield Finding("error", "power", label(body, place), message, f"{current:.4g} A", allowed, module)
        if budget.flow.fed[place] and budget.demand[place] > 0.0 and voltage < LEAST_VOLTAGE * role.voltage:
            allowed = f">= {LEAST_VOLTAGE * role.voltage:.4g} V"
            yield Finding("warning", "power", label(body, place), "under-voltage", f"{voltage:.4g} V", allowed, module)
