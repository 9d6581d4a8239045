"""Power and heat of an assembly in a world: its networks follow the structure, and both are brought up to date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.world import World
from freefloat.frames import Pose
from freefloat.hand_words import HandState
from freefloat.structure.hand import Hand
from freefloat.structure.heat.climate import Climate
from freefloat.structure.latches import Latches
from freefloat.structure.power.supply import Supply, Wire
from freefloat.structure.tensor_body import TensorBody

NS = 1_000_000_000


@dataclass
class Services:
    """Nodes are the places of all bodies in order, the first of which is the structure, then one per robot."""

    name: str  # of the assembly
    bodies: dict[str, TensorBody]
    robots: Mapping[str, Sequence[str]]  # robot -> its hands
    demand: float  # [W] of each robot
    energy: Mapping[str, str]  # robot -> signal of the energy [J] it has taken in besides
    climate: Climate | None
    supply: Supply = field(init=False)
    at_ns: int = 0  # power and heat have come this far
    trips: int = 0
    dead: set[int] = field(default_factory=set)  # modules that pass no power

    def __post_init__(self) -> None:
        self.supply = Supply(tuple(self.demand for _ in self.robots))
        self._drawn = dict.fromkeys(self.energy, 0.0)  # [J] that the supply has given for it

    @property
    def structure(self) -> str:
        return next(iter(self.bodies))

    def starts(self) -> dict[str, int]:
        """The first node of each body."""
        starts, n = {}, 0
        for name, body in self.bodies.items():
            starts[name] = n
            n += body.grid.n
        return starts

    def identities(self) -> NDArray[np.int64]:
        """(nodes,) module at each place of all bodies, 0 where it is empty."""
        return np.concatenate([body.identity for body in self.bodies.values()])

    def start(self) -> None:
        """Sunlight, voltages and currents at t = 0."""
        if self.climate is not None:
            self.climate.look(0.0)
        self.supply.look(self._sunlit)

    @property
    def _sunlit(self) -> float:
        return 1.0 if self.climate is None else self.climate.sunlit

    def follow(self, before: NDArray[np.int64]) -> None:
        """Charge and heat go with the modules that changed places since these identities; `rewire` follows."""
        now = self.identities()
        for node in np.flatnonzero((now != before) & (now > 0)).tolist():
            left = int(np.flatnonzero(before == now[node])[0])
            self.supply.move(left, node)
            if self.climate is not None:
                self.climate.move(left, node)

    def wires(self, hands: Mapping[str, Hand]) -> list[Wire]:
        """Lines through robots: from each to the module that its hands hold."""
        start, wires = self.starts(), []
        robot_node = sum(b.grid.n for b in self.bodies.values())
        for k, of in enumerate(self.robots.values()):
            for name in of:
                hand = hands[name]
                node = -1
                if len(self.bodies[hand.setup.tool].occupied):
                    node = start[hand.setup.tool]
                elif hand.state in (HandState.CLOSED, HandState.PICKING):
                    node = start[self.structure] + hand.place
                if node >= 0 and hand.setup.interface.power:
                    wires.append(Wire(robot_node + k, node, hand.setup.interface.resistance))
        return wires

    def rewire(self, world: World, hands: Mapping[str, Hand], latches: Latches) -> None:
        """Give power and heat the networks of the present structure."""
        bodies = list(self.bodies.values())
        self.supply.rewire(bodies, latches, self.wires(hands), self.dead)
        if self.climate is not None:
            self.climate.rewire(bodies, latches, self._poses(world, bodies))

    def _poses(self, world: World, bodies: Sequence[TensorBody]) -> list[Pose]:
        """X_BT of all bodies; where an empty one is does not matter."""
        X_BW = world.pose(self.structure).inverse()
        return [
            X_BW @ world.pose(body.name) if body.name != self.structure and len(body.occupied) else Pose.identity()
            for body in bodies
        ]

    def go_on(self, world: World, now_ns: int, bodies: Sequence[TensorBody]) -> None:
        """Bring power and heat to now; `bodies` are the contents until now."""
        dt = (now_ns - self.at_ns) / NS
        if dt <= 0.0:
            return
        if self.climate is not None:
            R_WB = world.pose(self.structure).R
            fed = self.supply.fed.astype(np.float64)
            losses = self.supply.losses
            self.climate.advance(self.at_ns / NS, dt, bodies, self._poses(world, bodies), R_WB, fed, losses)
        self._ask(world, dt)
        fed = self.supply.fed
        heat = None if self.climate is None or self.climate.network is None else self.climate.network.heating
        for trip in self.supply.advance(dt, self._sunlit, heat):
            self.trips += 1
            world.report(f"{self.name}.trip", f"{trip.kind} at nodes {trip.nodes}, lines {trip.lines}")
        lost = np.flatnonzero(fed & ~self.supply.fed)
        if len(lost):
            self.trips += 1
            world.report(f"{self.name}.blackout", f"no power any more at nodes {lost.tolist()}")
        self.at_ns = now_ns

    def _ask(self, world: World, dt: float) -> None:
        """Let the supply give what robots have taken in on average over dt [s]; what they give back is lost."""
        if not self.energy:
            return
        power = dict.fromkeys(self.robots, self.demand)
        for robot, signal in self.energy.items():
            taken = float(np.sum(world.read(signal)))
            power[robot] += max(taken - self._drawn[robot], 0.0) / dt
            self._drawn[robot] = taken
        self.supply.ask(list(power.values()))

    def balances(self) -> dict[str, float]:
        """How well heat and electric energy balance, relative to what was exchanged."""
        drifts = {}
        if self.climate is not None and self.climate.network is not None:
            drifts["heat_balance_drift"] = self.climate.network.ledger.drift
        if self.supply.turnover > 0.0:
            drifts["power_balance_drift"] = abs(self.supply.imbalance) / self.supply.turnover
        return drifts
