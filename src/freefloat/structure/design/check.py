"""The check of a design: placement, interfaces, connection, robots, power, loads, temperatures, mass properties."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from freefloat.frames import Array
from freefloat.structure.design.contacts import Contacts, connection_findings, contacts_of, interface_findings
from freefloat.structure.design.design import Design, Finding, assembled
from freefloat.structure.design.fit import fit_findings
from freefloat.structure.design.heat import DesignHeat, Temperatures, temperature_findings
from freefloat.structure.design.loads import Loads, interface_loads, load_findings
from freefloat.structure.design.power import PowerBudget, power_budget, power_findings
from freefloat.structure.design.standing import robot_findings
from freefloat.structure.mass_properties import MassProperties
from freefloat.structure.tensor_body import TensorBody

_ORDER = ("error", "warning", "note")


@dataclass(frozen=True, eq=False)
class DesignReport:
    """What `check_design` found. `body` holds the modules that have a place."""

    design: Design
    body: TensorBody
    findings: tuple[Finding, ...]  # errors first
    contacts: Contacts
    mass: MassProperties
    power: PowerBudget
    loads: dict[str, Loads] = field(default_factory=dict)  # by manoeuvre
    temperatures: dict[str, Temperatures] = field(default_factory=dict)  # by environment

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not self.errors

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.severity == "error")

    @property
    def principal_moments(self) -> Array:
        """[kg m^2] (3,) of the whole about its centre of mass, smallest first."""
        return np.linalg.eigvalsh(self.mass.I_TTcm_T).astype(np.float64)

    @property
    def places(self) -> list[int]:
        """Occupied places in the order of their modules' identities."""
        occupied = self.body.occupied
        return occupied[np.argsort(self.body.identity[occupied])].tolist()


def check_structure(design: Design) -> tuple[Contacts, list[Finding]]:
    """Whether the modules fit, mate and hold together: what must hold before they can be simulated."""
    body, found = assembled(design)
    contacts = contacts_of(body, design.held)
    found += fit_findings(body)
    found += interface_findings(contacts, design.held)
    found += connection_findings(contacts)
    return contacts, found


def located(design: Design, found: Iterable[Finding]) -> list[Finding]:
    """Findings with the line of their module in the design's file, where they have no place of their own."""
    lines = {module.identity: module.where for module in reversed(design.modules)}
    return [f if f.where else replace(f, where=lines.get(f.module, design.where)) for f in found]


def check_design(design: Design) -> DesignReport:
    """Every check, each on what the ones before it left standing; a bad design is reported, never raised."""
    contacts, found = check_structure(design)
    body = contacts.body
    found += robot_findings(body, design)
    power, temperatures = _power_and_heat(design, contacts)
    found += power_findings(contacts, power)
    for name, of_environment in temperatures.items():
        found += temperature_findings(name, body, of_environment)
    loads: dict[str, Loads] = {}
    for name, manoeuvre in design.manoeuvres.items() if len(body.occupied) else ():
        if manoeuvre.pushed is not None and body.find(manoeuvre.pushed) is None:
            message, value = "the module that is to be pushed is not in the design", str(manoeuvre.pushed)
            found.append(Finding("error", "load", f"loads {name}", message, value, "a module of the design"))
            continue
        loads[name] = interface_loads(contacts, manoeuvre)
        found += load_findings(name, contacts, loads[name])
    findings = tuple(sorted(located(design, found), key=lambda f: _ORDER.index(f.severity)))
    return DesignReport(design, body, findings, contacts, body.mass_properties(), power, loads, temperatures)


def _power_and_heat(design: Design, contacts: Contacts) -> tuple[PowerBudget, dict[str, Temperatures]]:
    """The bus with the heaters of all environments on, and the temperatures without and with their own."""
    nothing = np.zeros(design.grid.n)
    without = power_budget(contacts, nothing)
    if not design.environments or len(contacts.body.occupied) == 0:
        return without, {}
    heat = DesignHeat(contacts)
    outside = {name: heat.from_outside(e) for name, e in design.environments.items()}
    cold = {name: heat.steady(q, without, nothing) for name, q in outside.items()}
    heating = {name: heat.heaters(T) for name, T in cold.items()}
    budget = power_budget(contacts, np.max(list(heating.values()), axis=0))
    warm = {name: np.maximum(T, heat.steady(outside[name], budget, heating[name])) for name, T in cold.items()}
    return budget, {name: Temperatures(cold[name], warm[name], heating[name], outside[name]) for name in outside}
