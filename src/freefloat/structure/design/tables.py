"""The report on a design as tables of texts, and as plain data for JSON."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from freefloat.structure.design.check import DesignReport
from freefloat.structure.design.design import StandingRobot, type_at
from freefloat.structure.design.loads import Loads

MOST_LOADED = 8  # interfaces of each manoeuvre that are printed


@dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def design_tables(report: DesignReport) -> list[Table]:
    """Findings, mass properties, interfaces, robots, power, loads and temperatures; those without rows are left out."""
    tables = [
        _findings(report),
        _mass(report),
        _interfaces(report),
        _robots(report),
        _power(report),
        _temperatures(report),
    ]
    tables += [_loads(report, name, loads) for name, loads in report.loads.items()]
    return [table for table in tables if table.rows]


def _module(report: DesignReport, place: int) -> tuple[str, str, str]:
    body = report.body
    cell = " ".join(map(str, body.grid.cells[place].tolist()))
    return str(body.identity[place]), type_at(body, place).name, cell


def _findings(report: DesignReport) -> Table:
    rows = tuple((f.severity, f.subject, f.where, f.place, f.message, f.value, f.allowed) for f in report.findings)
    return Table("findings", ("severity", "subject", "line", "place", "finding", "value", "allowed"), rows)


def _mass(report: DesignReport) -> Table:
    body, mass = report.body, report.mass
    rows: list[tuple[str, ...]] = []
    for place in report.places:
        kind, X_TM = type_at(body, place), body.X_TM(place)
        inertia = X_TM.R @ np.asarray(kind.I_MMcm_M) @ X_TM.R.T
        rows.append(
            (*_module(report, place), f"{kind.mass:.6g}", _numbers(X_TM.apply(kind.p_MMcm)), *_moments(inertia))
        )
    if rows:
        whole = np.asarray(mass.I_TTcm_T)
        rows.append(("all", "", "", f"{mass.mass:.6g}", _numbers(mass.p_TTcm), *_moments(whole)))
        rows.append(("", "", "", "", "principal moments", _numbers(report.principal_moments), ""))
    columns = ("id", "type", "cell", "mass [kg]", "cm in T [m]", "xx yy zz [kg m^2]", "xy xz yz [kg m^2]")
    return Table("mass properties, inertia about each centre of mass in axes of T", columns, tuple(rows))


def _moments(inertia: np.ndarray) -> tuple[str, str]:
    products = np.array([inertia[0, 1], inertia[0, 2], inertia[1, 2]])
    return _numbers(np.diag(inertia)), _numbers(products)


def _numbers(values: np.ndarray) -> str:
    return " ".join(f"{0.0 if abs(v) < 1e-12 else v:.4g}" for v in values.tolist())


def _interfaces(report: DesignReport) -> Table:
    states = Counter(report.contacts.state)
    return Table("pairs of neighbours", ("state", "pairs"), tuple((s, str(n)) for s, n in states.most_common()))


def _robots(report: DesignReport) -> Table:
    rows: list[tuple[str, ...]] = []
    for robot in report.design.robots:
        place = report.body.find(robot.identity)
        module = (str(robot.identity), "", "") if place is None else _module(report, place)
        angles = "home" if robot.q is None else _numbers(np.degrees(robot.q))
        rows.append((robot.name, robot.kind, *module, robot.side, angles))
    return Table("robots", ("name", "kind", "module", "type", "cell", "side", "q [deg]"), tuple(rows))


def _power(report: DesignReport) -> Table:
    flow, budget = report.power.flow, report.power
    rows: list[tuple[str, ...]] = []
    for place in report.places:
        role, given = type_at(report.body, place).power, flow.source_current[place] + flow.battery_current[place]
        own = f"{flow.voltage[place] * given:.4g}" if role.kind in ("source", "battery") else ""
        numbers = (f"{budget.demand[place]:.4g}", own, f"{flow.voltage[place]:.4g}", f"{budget.through[place]:.4g}")
        rows.append((*_module(report, place), role.kind, *numbers, power_state(report, place)))
    columns = ("id", "type", "cell", "role", "demand [W]", "delivers [W]", "voltage [V]", "through [A]", "state")
    return Table("power, all loads and needed heaters on", columns, tuple(rows))


def power_state(report: DesignReport, place: int) -> str:
    """In a word: powered, shed or without power."""
    if not report.power.flow.live[place]:
        return "without power"
    return "powered" if report.power.flow.fed[place] else "shed"


def _temperatures(report: DesignReport) -> Table:
    names = list(report.temperatures)
    rows: list[tuple[str, ...]] = []
    for place in report.places if names else ():
        low, high = type_at(report.body, place).temperature_range
        steady = [_span(float(t.cold[place]), float(t.warm[place])) for t in report.temperatures.values()]
        rows.append((*_module(report, place), *steady, f"{low:.5g} to {high:.5g}"))
    columns = ("id", "type", "cell", *(f"{name} [K]" for name in names), "allowed [K]")
    return Table("steady temperatures, heaters off to on", columns, tuple(rows))


def _span(cold: float, warm: float) -> str:
    return f"{cold:.1f}" if warm - cold < 0.05 else f"{cold:.1f} to {warm:.1f}"


def _loads(report: DesignReport, name: str, loads: Loads) -> Table:
    rows = [
        (
            report.contacts.name(int(loads.contact[k])),
            *(f"{v[k]:.4g}" for v in (loads.axial, loads.radial, loads.bending)),
            f"{loads.max_force[k]:.4g} N, {loads.max_torque[k]:.4g} N m",
            f"{100.0 * loads.use[k]:.3g}",
        )
        for k in np.argsort(-loads.use, kind="stable")[:MOST_LOADED].tolist()
    ]
    columns = ("interface", "axial [N]", "radial [N]", "torque [N m]", "allowed", "used [%]")
    pushed = report.body.identity[loads.pushed]
    shown = f"the {len(rows)} most loaded of {len(loads.contact)}"
    return Table(f"loads {name}, pushed at module {pushed}: {shown}", columns, tuple(rows))


def report_data(report: DesignReport) -> dict[str, Any]:
    """The report as plain data; a number that is not finite is None."""
    body, flow, budget = report.body, report.power.flow, report.power
    modules = [
        {
            "id": int(body.identity[p]),
            "type": type_at(body, p).name,
            "cell": body.grid.cells[p].tolist(),
            "orientation": int(body.orientation[p]),
            "mass_kg": type_at(body, p).mass,
            "demand_W": float(budget.demand[p]),
            "voltage_V": float(flow.voltage[p]),
            "through_A": float(budget.through[p]),
            "power": power_state(report, p),
            "temperature_K": {
                name: [_finite(float(t.cold[p])), _finite(float(t.warm[p]))] for name, t in report.temperatures.items()
            },
        }
        for p in report.places
    ]
    loads = {name: _load_data(report, of) for name, of in report.loads.items()}
    return {
        "ok": report.ok,
        "findings": [asdict(f) for f in report.findings],
        "mass_kg": report.mass.mass,
        "centre_of_mass_m": report.mass.p_TTcm.tolist(),
        "inertia_kg_m2": report.mass.I_TTcm_T.tolist(),
        "principal_moments_kg_m2": report.principal_moments.tolist(),
        "modules": modules,
        "neighbours": dict(Counter(report.contacts.state)),
        "robots": [_robot_data(robot) for robot in report.design.robots],
        "loads": loads,
    }


def _robot_data(robot: StandingRobot) -> dict[str, Any]:
    stands = {"module": robot.identity, "side": robot.side}
    return {"name": robot.name, "kind": robot.kind, "stands": stands, "q_rad": robot.q}


def _load_data(report: DesignReport, loads: Loads) -> list[dict[str, Any]]:
    return [
        {
            "interface": report.contacts.name(number),
            "axial_N": float(loads.axial[k]),
            "radial_N": float(loads.radial[k]),
            "torque_N_m": float(loads.bending[k]),
            "used": float(loads.use[k]),
        }
        for k, number in enumerate(loads.contact.tolist())
    ]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
