"""Voltages, currents and trips of a DC network at one instant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from freefloat.frames import Array
from freefloat.structure.node_arrays import Flags, Integers, check_flags, sum_at
from freefloat.structure.power.network import Elements, PowerNetwork
from freefloat.structure.power.newton import Groups, solve_voltages

TRIP_MARGIN = 1e-9  # [-] above a line's limit before it trips


@dataclass(frozen=True)
class Trip:
    """What a protection switched off: loads that could not be fed, or lines above their limit."""

    kind: Literal["overload", "over-current"]
    nodes: tuple[int, ...]  # loads shed; of an over-current: the ends of the lines
    lines: tuple[int, ...]  # opened
    time: float = 0.0  # [s] from the start of the step


@dataclass(frozen=True, eq=False)
class Flow:
    """State of the network. Currents out of a source or battery are positive, in lines from first to second node."""

    voltage: Array  # [V] (n,), 0 without power
    live: Flags  # (n,) connected to a source or charged battery that holds the voltage
    fed: Flags  # (n,) live, and its load is not shed
    load_power: Array  # [W] (n,) taken by loads
    source_current: Array  # [A] (n,)
    source_power: Array  # [W] (n,) with its internal loss
    battery_current: Array  # [A] (n,)
    battery_power: Array  # [W] (n,) taken from the store, negative while charging
    internal_loss: Array  # [W] (n,) inside sources and batteries
    line_current: Array  # [A] (m,)
    line_loss: Array  # [W] (m,)
    shed: Flags  # (n,) loads switched off, those of the call included
    opened: Flags  # (m,) lines switched off, those of the call included
    trips: tuple[Trip, ...]
    residual: float  # [-] of Kirchhoff's current law, relative to the largest current of each group


def solve_power(
    network: PowerNetwork,
    charge: ArrayLike = 1.0,
    shed: ArrayLike = False,
    opened: ArrayLike = False,
    ahead: float = 0.0,
) -> Flow:
    """Solve at the states of charge (n,), with loads `shed` (n,) and lines `opened` (m,) that tripped before.

    In a group that cannot be fed, loads are shed class by class from the lowest priority; of the lines above their
    limit the most overloaded opens first. Both repeat until the rest holds. Voltages of batteries are those in the
    middle of the time `ahead` [s] (implicit midpoint rule).
    """
    state = network.check_charge(charge)
    off = check_flags(network.n, shed, "shed")
    cut = check_flags(len(network.lines.edges), opened, "opened")
    trips: list[Trip] = []
    while True:
        grouped = _Solved(network, state, off, cut, ahead)
        overload = grouped.overload()
        if overload is not None:
            off = off.copy()
            off[list(overload.nodes)] = True
            trips.append(overload)
            continue
        flow = grouped.flow()
        over = grouped.over_current(flow)
        if over is None:
            return replace(flow, trips=tuple(trips))
        cut = cut.copy()
        cut[list(over.lines)] = True
        trips.append(over)


class _Solved:
    """One solution of the network as it is switched, before its protections act."""

    def __init__(self, network: PowerNetwork, charge: Array, shed: Flags, opened: Flags, ahead: float = 0.0) -> None:
        self.network, self.shed, self.opened = network, shed, opened
        self.elements = network.elements(charge, ahead)
        self.lines = np.flatnonzero(~opened & network.conducting[network.lines.edges].all(axis=1))
        self.nodes, self.group, self.reference = self._live()
        self.groups = self._local()
        self.d, self.holds = solve_voltages(self.groups)

    def _live(self) -> tuple[Integers, Integers, Array]:
        """Nodes of groups with an element that gives, their groups, and the highest voltage of each group."""
        n, e = self.network.n, self.elements
        i, j = self.network.lines.edges[self.lines].T
        count, label = connected_components(coo_array((np.ones(len(i)), (i, j)), shape=(n, n)), directed=False)
        highest = np.zeros(count)
        np.maximum.at(highest, label[e.node[e.gives]], e.emf[e.gives])
        nodes = np.flatnonzero((highest[label] > 0.0) & self.network.conducting)
        names, group = np.unique(label[nodes], return_inverse=True)
        return nodes, group.astype(np.int64), highest[names]

    def _local(self) -> Groups:
        local = np.full(self.network.n, -1, dtype=np.int64)
        local[self.nodes] = np.arange(len(self.nodes))
        self.lines = self.lines[(local[self.network.lines.edges[self.lines]] >= 0).all(axis=1)]
        self.ends = local[self.network.lines.edges[self.lines]]
        self.conductance = 1.0 / self.network.lines.resistance[self.lines]
        self.kept = np.flatnonzero(local[self.elements.node] >= 0)
        e = self.elements
        arrays = (e.emf, e.resistance, e.out_current, e.out_power, e.in_current, e.in_power, e.sag)
        elements = Elements(local[e.node[self.kept]], *(a[self.kept] for a in arrays))
        load = np.where(self.shed, 0.0, self.network.load)[self.nodes]
        return Groups(
            _laplacian(self.ends, self.conductance, len(self.nodes)), load, self.group, self.reference, elements
        )

    def overload(self) -> Trip | None:
        """The loads of the lowest priority in every group that cannot be fed."""
        failed = ~self.holds[self.group] & (self.groups.load > 0.0)
        if not failed.any():
            return None
        priority = self.network.priority[self.nodes]
        lowest = np.full(self.groups.count, np.iinfo(np.int64).max)
        np.minimum.at(lowest, self.group[failed], priority[failed])
        return Trip("overload", tuple(self.nodes[failed & (priority == lowest[self.group])].tolist()), ())

    def over_current(self, flow: Flow) -> Trip | None:
        """The most overloaded lines of every group, with ties."""
        limit = self.network.lines.limit[self.lines]
        current = np.abs(flow.line_current[self.lines])
        over = current > limit * (1.0 + TRIP_MARGIN)
        if not over.any():
            return None
        with np.errstate(divide="ignore"):
            ratio = np.where(over, current / limit, 0.0)
        group = self.group[self.ends[:, 0]]
        worst = np.zeros(self.groups.count)
        np.maximum.at(worst, group, ratio)
        lines = self.lines[over & (ratio >= (1.0 - TRIP_MARGIN) * worst[group])]
        ends = np.unique(self.network.lines.edges[lines])
        return Trip("over-current", tuple(ends.tolist()), tuple(lines.tolist()))

    def flow(self) -> Flow:
        """Voltages and currents; groups that do not hold without any load have none."""
        n, m = self.network.n, len(self.network.lines.edges)
        on = self.holds[self.group]
        voltage, load, live = np.zeros(n), np.zeros(n), np.zeros(n, dtype=np.bool_)
        live[self.nodes] = on
        voltage[self.nodes] = np.where(on, self.reference[self.group] + self.d, 0.0)
        load[self.nodes] = np.where(on, self.groups.load, 0.0)
        F, _, scale = self.groups.residual(self.d)
        error = np.where(self.holds, self.groups.error(F, scale), 0.0)
        line = np.zeros(m)
        drop = self.d[self.ends[:, 0]] - self.d[self.ends[:, 1]]
        line[self.lines] = np.where(on[self.ends[:, 0]], drop * self.conductance, 0.0)
        source, battery, source_loss, battery_power, battery_loss = self._elements(voltage)
        return Flow(
            voltage, live, live & ~self.shed, load,
            source, voltage * source + source_loss, battery, battery_power, source_loss + battery_loss,
            line, line**2 * self.network.lines.resistance,
            self.shed, self.opened, (), float(error.max(initial=0.0)),
        )  # fmt: skip

    def _elements(self, voltage: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Per node: current and loss r I^2 of sources; current, store power E I and loss (E - V) I of batteries.

        A source at its limit lowers its own voltage (a solar array); a battery at its limit loses the difference.
        """
        n, node = self.network.n, self.elements.node[self.kept]
        current = self.groups.currents(self.d)[0] * self.holds[self.group[self.groups.elements.node]]
        emf, r = self.groups.elements.emf, self.groups.elements.resistance
        is_source = self.kept < np.count_nonzero((self.network.sources.voltage > 0.0) & self.network.conducting)
        of_source, of_battery = np.where(is_source, current, 0.0), np.where(is_source, 0.0, current)
        drop = (emf - self.reference[self.group[self.groups.elements.node]]) - self.d[self.groups.elements.node]
        sag = self.groups.elements.sag * current
        return (
            sum_at(n, node, of_source),
            sum_at(n, node, of_battery),
            sum_at(n, node, r * of_source**2),
            sum_at(n, node, (emf - sag) * of_battery),
            sum_at(n, node, (drop - sag) * of_battery),
        )


def _laplacian(ends: Integers, conductance: Array, k: int) -> csr_array:
    i, j = ends.T
    g = conductance
    rows, columns = np.concatenate([i, j, i, j]), np.concatenate([i, j, j, i])
    return csr_array(coo_array((np.concatenate([g, g, -g, -g]), (rows, columns)), shape=(k, k)))
