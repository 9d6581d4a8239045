"""A DC network: constant-power loads, sources and batteries with limits, lines with resistance.

Kirchhoff's current law at node i, with V its voltage against the common return:

    sum_j (V_i - V_j) / R_ij + P_i / V_i = sum_k I_k(V_i),    I_k = (E_k - V) / r_k clipped to its limits

so that a source at its limit is a current source, and what it cannot give comes from batteries. All arrays have one
entry per node (n,) or per line (m,); a single number stands for all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.structure.node_arrays import (
    Flags,
    Integers,
    check_amount,
    check_edges,
    check_flags,
    check_limit,
)

LEAST_RESISTANCE = 1e-4  # [ohm] stands for less: an ideal line or source


def _nothing() -> Array:
    return np.zeros(())


def _unlimited() -> Array:
    return np.full((), np.inf)


@dataclass(frozen=True, eq=False)
class Lines:
    """m lines between nodes: one per closed interface that carries power."""

    edges: Integers = field(default_factory=lambda: np.zeros((0, 2), np.int64))  # (m, 2) nodes
    resistance: Array = field(default_factory=lambda: np.array(0.01))  # [ohm]
    limit: Array = field(default_factory=_unlimited)  # [A] trips above


@dataclass(frozen=True, eq=False)
class Sources:
    """Voltage E behind a resistance; gives at most its current and its power, and takes none."""

    voltage: Array = field(default_factory=_nothing)  # [V] 0 where there is no source
    resistance: Array = field(default_factory=_nothing)  # [ohm]
    current: Array = field(default_factory=_unlimited)  # [A] largest
    power: Array = field(default_factory=_unlimited)  # [W] largest at the terminals


@dataclass(frozen=True, eq=False)
class Batteries:
    """Voltage E(charge) behind a resistance, with limits on both ways; the state of charge is energy / capacity."""

    capacity: Array = field(default_factory=_nothing)  # [J] 0 where there is no battery
    voltage: Array = field(default_factory=lambda: np.array(48.0))  # [V] open circuit when empty
    rise: Array = field(default_factory=_nothing)  # [V] from empty to full, linear in the charge
    resistance: Array = field(default_factory=_nothing)  # [ohm]
    discharge_current: Array = field(default_factory=_unlimited)  # [A] largest
    discharge_power: Array = field(default_factory=_unlimited)  # [W] largest at the terminals
    charge_current: Array = field(default_factory=_unlimited)  # [A] largest
    charge_power: Array = field(default_factory=_unlimited)  # [W] largest at the terminals


@dataclass(frozen=True, eq=False)
class Elements:
    """Sources and batteries at one instant: emf, resistance and limits of current and power, out and in."""

    node: Integers  # (k,)
    emf: Array  # [V]
    resistance: Array  # [ohm]
    out_current: Array  # [A]
    out_power: Array  # [W]
    in_current: Array  # [A]
    in_power: Array  # [W]
    sag: Array  # [ohm] part of the resistance that stands for the change of emf over the time ahead

    @property
    def gives(self) -> Flags:
        """Whether it can hold up a voltage."""
        return (self.out_current > 0.0) & (self.out_power > 0.0)

    def most_power(self) -> Array:
        """The most each can give at its terminals at any voltage [W]: max over I of (E - r I) I within the limits."""
        current = np.minimum(self.out_current, 0.5 * self.emf / self.resistance)
        return np.minimum((self.emf - self.resistance * current) * current, self.out_power)


@dataclass(frozen=True, eq=False)
class PowerNetwork:
    """n nodes with loads [W], sources, batteries and lines. A node that does not conduct takes no part.

    Where the sources cannot feed the loads of a connected group, its loads of the lowest priority are shed first.
    """

    load: Array  # [W] (n,) constant power
    lines: Lines = field(default_factory=Lines)
    sources: Sources = field(default_factory=Sources)
    batteries: Batteries = field(default_factory=Batteries)
    conducting: Flags = field(default_factory=lambda: np.array(True))
    priority: Integers = field(default_factory=lambda: np.array(0))  # whole numbers, the lowest is shed first

    def __post_init__(self) -> None:
        n = np.size(self.load)
        edges = check_edges(n, self.lines.edges)
        m = len(edges)
        lines = Lines(edges, _resistance(m, self.lines.resistance), check_limit(m, self.lines.limit, "line limit"))
        s, b = self.sources, self.batteries
        checked = {
            "load": check_amount(n, np.atleast_1d(self.load), "load"),
            "lines": lines,
            "sources": Sources(
                check_amount(n, s.voltage, "source voltage"),
                _resistance(n, s.resistance),
                check_limit(n, s.current, "source current limit"),
                check_limit(n, s.power, "source power limit"),
            ),
            "batteries": Batteries(
                check_amount(n, b.capacity, "battery capacity"),
                check_amount(n, b.voltage, "battery voltage"),
                check_amount(n, b.rise, "battery voltage rise"),
                _resistance(n, b.resistance),
                check_limit(n, b.discharge_current, "battery discharge current"),
                check_limit(n, b.discharge_power, "battery discharge power"),
                check_limit(n, b.charge_current, "battery charge current"),
                check_limit(n, b.charge_power, "battery charge power"),
            ),
            "conducting": check_flags(n, self.conducting, "conducting"),
            "priority": np.array(np.broadcast_to(np.asarray(self.priority, dtype=np.int64), (n,))),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def n(self) -> int:
        return len(self.load)

    def elements(self, charge: Array, ahead: float = 0.0) -> Elements:
        """Sources, then batteries, at the states of charge (n,); an empty one gives and a full one takes nothing.

        In the middle of the time `ahead` [s] a battery's voltage has changed by -rise E I ahead / (2 capacity).
        """
        s, b = self.sources, self.batteries
        here = np.flatnonzero((s.voltage > 0.0) & self.conducting)
        there = np.flatnonzero((b.capacity > 0.0) & self.conducting)
        full, empty = charge[there] >= 1.0, charge[there] <= 0.0
        nothing = np.zeros(len(here))
        emf = self.battery_voltage(charge)[there]
        sag = b.rise[there] * emf * ahead / (2.0 * b.capacity[there])

        def joined(of_source: Array, of_battery: Array) -> Array:
            return np.concatenate([of_source, of_battery])

        return Elements(
            np.concatenate([here, there]),
            joined(s.voltage[here], emf),
            joined(s.resistance[here], b.resistance[there] + sag),
            joined(s.current[here], np.where(empty, 0.0, b.discharge_current[there])),
            joined(s.power[here], np.where(empty, 0.0, b.discharge_power[there])),
            joined(nothing, np.where(full, 0.0, b.charge_current[there])),
            joined(nothing, np.where(full, 0.0, b.charge_power[there])),
            joined(nothing, sag),
        )

    def battery_voltage(self, charge: Array) -> Array:
        """Open-circuit voltage [V] (n,) at the states of charge."""
        b = self.batteries
        return b.voltage + b.rise * charge

    def check_charge(self, charge: ArrayLike) -> Array:
        """States of charge (n,) between 0 and 1."""
        c = check_amount(self.n, charge, "state of charge")
        if (c > 1.0).any():
            raise InputError(f"state of charge must be within 0 and 1, got {c.max()}")
        return c


def _resistance(n: int, values: ArrayLike) -> Array:
    return np.maximum(check_amount(n, values, "resistance"), LEAST_RESISTANCE)
