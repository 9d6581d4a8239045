"""Power of an assembly: who has a path to a source, voltages and currents, and the charge of the batteries."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from freefloat.frames import Array
from freefloat.structure.latches import Latches
from freefloat.structure.power.flow import Flow, Trip
from freefloat.structure.power.network import Batteries, Lines, PowerNetwork, Sources
from freefloat.structure.power.remembered import Remembered
from freefloat.structure.power.search import powered
from freefloat.structure.power.step import advance_power
from freefloat.structure.tensor_body import TensorBody

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Wire:
    """A line that is not between neighbours of one body: from a node to another."""

    a: int
    b: int
    resistance: float  # [ohm]


@dataclass
class Supply:
    """Nodes are the places of all bodies in order, then one per robot with its demand [W]."""

    robots: tuple[float, ...] = ()  # [W] demand of each
    charge: Array = field(default_factory=lambda: np.zeros(0))  # (nodes,) state of charge
    shed: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    opened: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))  # lines that tripped
    live: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))  # nodes under voltage
    network: PowerNetwork | None = None
    powered: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    flow: Flow | None = None  # at the end of the last step
    imbalance: float = 0.0  # [J] sum of amounts so far
    turnover: float = 0.0  # [J] so far
    _solve: Remembered = field(default_factory=Remembered, repr=False)
    _dimmed: tuple[PowerNetwork, float, bytes, PowerNetwork] | None = field(default=None, repr=False)  # of `_now`

    def rewire(
        self, bodies: Sequence[TensorBody], latches: Latches, wires: Sequence[Wire], dead: Collection[int] = ()
    ) -> None:
        """Network of the present structure; what was shed tries again. Modules that are `dead` take no part in it."""
        n = sum(b.grid.n for b in bodies) + len(self.robots)
        if len(self.charge) != n:
            self.charge = self._first_charge(bodies, n)
        out = np.zeros(n, bool)
        out[: n - len(self.robots)] = np.isin(np.concatenate([b.identity for b in bodies]), list(dead))
        edges, resistance = _lines(bodies, latches, wires)
        whole = ~out[edges].any(axis=1)
        edges, resistance = edges[whole], resistance[whole]
        role = {name: np.where(out, 0.0, _per_place(bodies, name, n)) for name in _FIELDS}
        role["demand"][n - len(self.robots) :] = self.robots
        kind = np.where(out, 0.0, _per_place(bodies, "kind", n))
        source, battery = kind == _KINDS["source"], kind == _KINDS["battery"]
        conducting = kind > 0
        conducting[n - len(self.robots) :] = True
        self.powered = powered(n, edges, source | (battery & (self.charge > 0.0)), conducting)
        self.network = PowerNetwork(
            role["demand"],
            Lines(edges, resistance, _limits(bodies, edges, n)),
            Sources(
                np.where(source, role["voltage"], 0.0), role["resistance"], power=np.where(source, role["max_power"], 0)
            ),
            Batteries(
                np.where(battery, role["capacity"], 0.0),
                role["voltage"],
                resistance=role["resistance"],
                discharge_power=role["max_power"],
                charge_power=role["max_charge_power"],
            ),
            conducting,
        )
        self.shed, self.opened, self.live = np.zeros(n, bool), np.zeros(len(edges), bool), np.ones(n, bool)

    def ask(self, robots: Sequence[float]) -> None:
        """Robots draw other powers [W] from now on."""
        self.robots = tuple(robots)
        if self.network is not None:
            load = np.array(self.network.load, dtype=np.float64)
            load[len(load) - len(self.robots) :] = self.robots
            self.network = replace(self.network, load=load)

    def advance(self, dt: float, sunlit: float, heaters: Array | None = None) -> tuple[Trip, ...]:
        """Go on by dt [s] with sources at a share `sunlit` of their power; returns what tripped.

        `heaters` [W] of the places draw from the bus as well.
        """
        step = advance_power(self._now(sunlit, heaters), dt, self.charge, self.shed, self.opened, self._solve)
        self.charge, self.shed, self.opened = step.charge, step.flow.shed, step.flow.opened
        self.flow = step.flow
        self.live = step.flow.live
        self.imbalance += abs(step.imbalance)
        self.turnover += step.turnover
        return step.trips

    def look(self, sunlit: float) -> None:
        """Voltages and currents of now, without a step of time."""
        self.flow = self._solve(self._now(sunlit, None), self.charge, self.shed, self.opened)
        self.live = self.flow.live

    def _now(self, sunlit: float, heaters: Array | None) -> PowerNetwork:
        """The network with dimmed sources and the loads of the heaters."""
        assert self.network is not None
        net, heating = self.network, b"" if heaters is None else heaters.tobytes()
        last = self._dimmed
        if last is not None and last[0] is net and last[1:3] == (sunlit, heating):
            return last[3]
        dimmed = replace(net.sources, power=sunlit * np.asarray(net.sources.power))
        load = np.array(net.load, dtype=np.float64)
        if heaters is not None:
            load[: len(heaters)] += heaters
        now = replace(net, load=load, sources=dimmed)
        self._dimmed = net, sunlit, heating, now
        return now

    @property
    def losses(self) -> Array:
        """[W] lost inside sources and batteries and in lines, half at each end (nodes,)."""
        n = len(self.charge)
        if self.flow is None or self.network is None or len(self.flow.line_loss) != len(self.network.lines.edges):
            return np.zeros(n)
        lost = np.array(self.flow.internal_loss, dtype=np.float64)
        for end in (0, 1):
            np.add.at(lost, self.network.lines.edges[:, end], 0.5 * self.flow.line_loss)
        return lost

    @property
    def fed(self) -> NDArray[np.bool_]:
        """(nodes,) whether a node has a path to a source that gives power now, and its load is not shed."""
        return self.powered & ~self.shed & self.live

    def move(self, a: int, b: int) -> None:
        """A module goes from node a to node b with its charge."""
        self.charge[b], self.charge[a] = self.charge[a], 0.0

    @staticmethod
    def _first_charge(bodies: Sequence[TensorBody], n: int) -> Array:
        return _per_place(bodies, "charge", n)


_KINDS = {"pass": 1, "consumer": 2, "source": 3, "battery": 4}
_FIELDS = ("demand", "voltage", "resistance", "max_power", "capacity", "max_charge_power")


def _per_place(bodies: Sequence[TensorBody], name: str, n: int) -> Array:
    """A quantity of the power roles at every node (n,); `kind` as its number."""
    out = np.zeros(n)
    start = 0
    for body in bodies:
        if name == "kind":
            table = body.catalogue.values(lambda t: float(_KINDS[t.power.kind]))
        else:
            table = body.catalogue.values(lambda t: float(getattr(t.power, name)))
        out[start : start + body.grid.n] = table[body.shape]
        start += body.grid.n
    return out


def _limits(bodies: Sequence[TensorBody], edges: Indices, n: int) -> Array:
    """[A] of each line: what the weaker of its two modules bears; robots bear any."""
    limit = _per_place(bodies, "max_current", n)
    limit[limit == 0.0] = np.inf
    return np.minimum(limit[edges[:, 0]], limit[edges[:, 1]])


def _lines(bodies: Sequence[TensorBody], latches: Latches, wires: Sequence[Wire]) -> tuple[Indices, Array]:
    edges, resistance = [np.zeros((0, 2), np.int64)], [np.zeros(0)]
    start = 0
    for body in bodies:
        pairs, shown = latches.edges(body), body.interfaces()
        tables = body.catalogue.pairs
        a, b = shown[pairs[:, 0], pairs[:, 1]], shown[pairs[:, 2], pairs[:, 3]]
        live = tables.carries_power[a, b]
        edges.append(start + pairs[live][:, [0, 2]])
        resistance.append(tables.resistance[a, b][live])
        start += body.grid.n
    edges.append(np.array([(w.a, w.b) for w in wires], np.int64).reshape(-1, 2))
    resistance.append(np.array([w.resistance for w in wires]))
    return np.concatenate(edges), np.concatenate(resistance)
