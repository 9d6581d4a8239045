"""A modular spacecraft while it is rebuilt: contents, interfaces, power and heat, tied to the world.

It is a part (it declares orders and reports) and brings itself as an upkeep (it carries them out).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from freefloat.amounts import Measure, not_negative, positive
from freefloat.engine.blueprint import Builder
from freefloat.engine.signals import Signal
from freefloat.engine.sources import ConnectionLoad
from freefloat.engine.world import World
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Pose
from freefloat.structure.hand import Hand, HandSetup, HandState, Order
from freefloat.structure.heat.climate import Climate
from freefloat.structure.latches import Face, Latches
from freefloat.structure.power.supply import Supply, Wire
from freefloat.structure.tensor_body import TensorBody, check_identities, total_mass
from freefloat.structure.tensor_part import TensorPart

NS = 1_000_000_000


class Assembly:
    """Looks after tensor parts, the first of which is the structure that hands work on.

    Commands: `name.HAND.order` (see `Order`). Signals: `name.HAND.state` (see `HandState`), `.module`, `.misaligned`
    [m, rad] at the last order to close, `.load` [N, N m]; `name.alarms`, `.power` [W], `.heat` [J], `.mass` [kg].
    """

    def __init__(
        self,
        name: str,
        parts: Sequence[TensorPart],
        hands: Sequence[HandSetup] = (),
        robots: Mapping[str, Sequence[str]] | None = None,  # robot -> its hands
        robot_demand: Measure = 0.0,  # [W]
        robot_energy: Mapping[str, str] | None = None,  # robot -> signal of the energy [J] it has taken in besides
        coupling: str = "auto",
        eta: Measure = 50.0,  # [1/s]
        climate: Climate | None = None,
        period: Measure = 0.02,  # [s] between looks at hands and loads
        slow: Measure = 2.0,  # [s] between steps of power and heat
        faults: Mapping[int, str] | None = None,  # module identity -> "close" | "open"
        closed: Sequence[str] = (),  # hands that hold the structure at the start
        apart: Collection[Face] = (),  # interfaces that are open at the start: module identity, its own side
        broken: Collection[Face] = (),  # interfaces on which nothing ever closes
    ) -> None:
        if coupling not in ("auto", "tree", "constraint"):
            raise InputError(f"assembly {name!r}: coupling {coupling!r}; allowed: auto, tree, constraint")
        self.name, self.period = name, positive("s").number(period, f"assembly {name!r}: period")
        slow = positive("s").number(slow, f"assembly {name!r}: slow")
        eta = not_negative("1/s").number(eta, f"assembly {name!r}: eta")
        demand = not_negative("W").number(robot_demand, f"assembly {name!r}: robot_demand")
        self.bodies = {p.name: p.contents.copy(p.name) for p in parts}
        check_identities(self.bodies.values())
        structure = parts[0].name
        self.structure = structure
        self.latches = Latches(faults=dict(faults or {}), apart=frozenset(apart), broken=frozenset(broken))
        for body in self.bodies.values():
            self.latches.close_all(body)
        hold = "constraint" if coupling == "constraint" else "tree"
        self.hands = {h.name: Hand(h, structure, hold, eta) for h in hands}
        self.robots = {r: tuple(of) for r, of in (robots or {}).items()}
        self.supply = Supply(tuple(demand for _ in self.robots))
        for robot in robot_energy or {}:
            if robot not in self.robots:
                raise unknown_name(f"robot (robot_energy of assembly {name!r})", robot, self.robots)
        self._robot_demand, self._robot_energy = demand, dict(robot_energy or {})
        self._drawn = dict.fromkeys(self._robot_energy, 0.0)  # [J] that the supply has given for it
        self.climate = climate
        self._closed = tuple(closed)
        self._orders: dict[str, int] = dict.fromkeys(self.hands, 0)
        self._slow_ns = round(slow * NS)
        self._at_ns = 0  # power and heat have come this far
        self._started = False
        self._trips = 0
        self._met: set[str] = set()  # hands that were told to have carried a module into another
        self._told: dict[str, tuple[float, ...]] = {}  # what hands and alarms were last told to be

    def build(self, b: Builder) -> None:
        """Declare orders and reports; it carries them out itself."""
        b.upkeep(self)
        for hand, its in self.hands.items():
            b.command(f"{hand}.order", (1,), "-", "1 latch, 2 release, 3 pick, 4 place, 5 reset; a change is an order")
            b.output(f"{hand}.state", (1,), "-", "; ".join(f"{s.value} {s.name.lower()}" for s in HandState))
            b.output(f"{hand}.module", (1,), "-", "identity of the module held; 0: none")
            b.output(
                f"{hand}.misaligned",
                (2,),
                "m, rad",
                "measured at the last order to close",
                labels=("distance", "angle"),
            )
            b.output(f"{hand}.load", (2,), "N, N m", "through the interface", labels=("force", "torque"))
            meaning = "force and torque on the hand through its connection, about it; nan while open"
            grip = Signal(b.full(f"{hand}.grip_load"), "N, N m", (6,), "W", meaning)
            b.signal(grip, [ConnectionLoad(its.setup.connection, its.setup.frame)], recorded=False)
        if any(its.setup.contact for its in self.hands.values()):
            b.output("collisions", (1,), "-", "hands that have carried a module into another")
        b.output("alarms", (1,), "-", "orders refused, failures, overloads and trips so far")
        dummies = "dummies in free empty bodies"
        b.output("mass", (2,), "kg", f"of all modules, and of {dummies}", labels=("modules", dummies))
        flows = ("from sources", "to loads", "lost in lines", "out of batteries")
        b.output("power", (4,), "W", "electric power", labels=flows)
        b.output("charge", (1,), "J", "in all batteries")
        meaning = "stored, taken in and radiated since the start; relative error of the balance"
        b.output("heat", (4,), "J, J, J, -", meaning, labels=("stored", "taken in", "radiated", "balance error"))
        spread = ("coldest module", "mean", "warmest module")
        b.output("temperature", (3,), "K", "temperature of the modules", labels=spread)
        b.output("sunlit", (1,), "-", "share of the Sun's disc that is seen")

    def restored(self, world: World) -> None:
        """Claim the bodies."""
        self._told = {}
        for body in self.bodies:
            world.claim(f"the contents of {body}", self.name)

    def tend(self, world: World, now_ns: int) -> None:
        """Take orders, go on with what was begun, watch loads; power and heat now and then."""
        t = now_ns / NS
        if not self._started:
            self._start(world)
        changed = False
        for name, hand in self.hands.items():
            order = round(float(world.held(f"{self.name}.{name}.order")[0]))
            if order != self._orders[name]:
                self._orders[name] = order
                mate = self._also_holding(world, name)
                if order not in set(Order):
                    hand.refuse(world, "order", f"{order}; allowed: 0 to {max(Order)}")
                elif order == Order.PICK and mate:
                    hand.refuse(world, "pick", f"hand {mate!r} holds the same module")
                else:
                    barred = self._barred(world, name)
                    hand.take(Order(order), t, world, self.bodies, self.latches, self._alone(name), barred)
            if hand.under_way:
                before, was = self.identities(), [b.copy() for b in self.bodies.values()]
                if hand.progress(t, world, self.bodies, self.latches):
                    self._go_on(world, now_ns, was)  # as it was until now
                    self.follow(before)
                    changed = True
            hand.watch(t, world, f"{self.name}.{name}.grip_load")
            self._feel(world, name)
            self._tell(world, name)
        if changed:
            self.rewire(world)
            self._tell_bodies(world)
        elif now_ns - self._at_ns >= self._slow_ns:
            self._go_on(world, now_ns, list(self.bodies.values()))
            self._tell_bodies(world)
        self._tell_change(world, f"{self.name}.alarms", self.alarms)

    def _feel(self, world: World, name: str) -> None:
        """The first touch of what a hand carries is an alarm; a pair that never touched began at 0."""
        hand = self.hands[name]
        if not hand.setup.contact or name in self._met:
            return
        began = world.read(f"{hand.setup.contact}.began")
        if not began.any():
            return
        self._met.add(name)
        world.write(f"{self.name}.collisions", [len(self._met)])
        hand.alarms += 1
        place = int(np.flatnonzero(began == began[began > 0.0].min())[0])
        carried, other = self.bodies[hand.setup.tool].identity[0], self.bodies[self.structure].identity[place]
        what = f"module {carried} touched module {other} at place {place}, at t = {began[place]:.6f} s"
        world.report(f"{name}.collision", what)

    @property
    def alarms(self) -> float:
        """Things that went wrong so far."""
        return float(sum(h.alarms for h in self.hands.values()) + self._trips)

    def balances(self) -> dict[str, float]:
        """For the audit: how well heat and electric energy balance, relative to what was exchanged."""
        drifts = {}
        if self.climate is not None and self.climate.network is not None:
            drifts["heat_balance_drift"] = self.climate.network.ledger.drift
        if self.supply.turnover > 0.0:
            drifts["power_balance_drift"] = abs(self.supply.imbalance) / self.supply.turnover
        return drifts

    def _start(self, world: World) -> None:
        for name in self._closed:
            self.hands[name].start_closed(world, self.bodies[self.structure])
        self._started = True
        self.rewire(world)
        if self.climate is not None:
            self.climate.look(0.0)
        self.supply.look(1.0 if self.climate is None else self.climate.sunlit)
        self._tell_bodies(world)

    def _alone(self, name: str) -> bool:
        """Whether it is the hand of a walking robot, and no other hand of it holds the structure."""
        mates = [h for of in self.robots.values() if name in of for h in of]
        return bool(mates) and not any(self.hands[h].state == HandState.CLOSED for h in mates if h != name)

    def _barred(self, world: World, name: str) -> frozenset[tuple[int, int]]:
        """Faces that another hand holds, and all of a module that another hand is picking."""
        sides = range(self.bodies[self.structure].grid.sides)
        others = [h for n, h in self.hands.items() if n != name and h.holds(world)]
        faces = {(h.place, h.side) for h in others}
        return frozenset(faces | {(h.place, s) for h in others if h.state == HandState.PICKING for s in sides})

    def _also_holding(self, world: World, name: str) -> str:
        """Another hand on the module that this hand holds."""
        here = self.hands[name].place
        others = [n for n, h in self.hands.items() if n != name and h.holds(world) and h.place == here]
        return others[0] if here >= 0 and others else ""

    def _nodes(self) -> dict[str, int]:
        starts, n = {}, 0
        for name, body in self.bodies.items():
            starts[name] = n
            n += body.grid.n
        return starts

    def identities(self) -> NDArray[np.int64]:
        """(nodes,) module at each place of all bodies, 0 where it is empty."""
        return np.concatenate([body.identity for body in self.bodies.values()])

    def follow(self, before: NDArray[np.int64]) -> None:
        """Charge and heat go with the modules that changed places since these identities; `rewire` follows."""
        now = self.identities()
        for node in np.flatnonzero((now != before) & (now > 0)).tolist():
            left = int(np.flatnonzero(before == now[node])[0])
            self.supply.move(left, node)
            if self.climate is not None:
                self.climate.move(left, node)

    def _wires(self) -> list[Wire]:
        """Lines through robots: from each to the module that its hands hold."""
        start, wires = self._nodes(), []
        robot_node = sum(b.grid.n for b in self.bodies.values())
        for k, of in enumerate(self.robots.values()):
            for name in of:
                hand = self.hands[name]
                node = -1
                if len(self.bodies[hand.setup.tool].occupied):
                    node = start[hand.setup.tool]
                elif hand.state in (HandState.CLOSED, HandState.PICKING):
                    node = start[self.structure] + hand.place
                if node >= 0 and hand.setup.interface.power:
                    wires.append(Wire(robot_node + k, node, hand.setup.interface.resistance))
        return wires

    def _poses(self, world: World) -> list[Pose]:
        X_BW = world.pose(self.structure).inverse()
        return [Pose.identity() if n == self.structure else X_BW @ world.pose(n) for n in self.bodies]

    def rewire(self, world: World) -> None:
        """Give power and heat the networks of the present structure."""
        bodies = list(self.bodies.values())
        self.supply.rewire(bodies, self.latches, self._wires())
        if self.climate is not None:
            self.climate.rewire(bodies, self.latches, self._poses(world))

    def _go_on(self, world: World, now_ns: int, bodies: Sequence[TensorBody]) -> None:
        """Bring power and heat to now; `bodies` are the contents until now."""
        dt = (now_ns - self._at_ns) / NS
        if dt <= 0.0:
            return
        if self.climate is not None:
            R_WB = world.pose(self.structure).R
            fed = self.supply.fed.astype(np.float64)
            losses = self.supply.losses
            self.climate.advance(self._at_ns / NS, dt, bodies, self._poses(world), R_WB, fed, losses)
        self._ask(world, dt)
        fed = self.supply.fed
        heat = None if self.climate is None or self.climate.network is None else self.climate.network.heating
        for trip in self.supply.advance(dt, 1.0 if self.climate is None else self.climate.sunlit, heat):
            self._trips += 1
            world.report(f"{self.name}.trip", f"{trip.kind} at nodes {trip.nodes}, lines {trip.lines}")
        lost = np.flatnonzero(fed & ~self.supply.fed)
        if len(lost):
            self._trips += 1
            world.report(f"{self.name}.blackout", f"no power any more at nodes {lost.tolist()}")
        self._at_ns = now_ns

    def _ask(self, world: World, dt: float) -> None:
        """Let the supply give what robots have taken in on average over dt [s]; what they give back is lost."""
        if not self._robot_energy:
            return
        power = dict.fromkeys(self.robots, self._robot_demand)
        for robot, signal in self._robot_energy.items():
            taken = float(np.sum(world.read(signal)))
            power[robot] += max(taken - self._drawn[robot], 0.0) / dt
            self._drawn[robot] = taken
        self.supply.ask(list(power.values()))

    def _tell(self, world: World, name: str) -> None:
        hand, at = self.hands[name], f"{self.name}.{name}"
        held = self.bodies[hand.setup.tool].identity[0]
        if held == 0 and hand.place >= 0 and hand.state in (HandState.CLOSED, HandState.PICKING):
            held = self.bodies[self.structure].identity[hand.place]
        self._tell_change(world, f"{at}.state", float(hand.state))
        self._tell_change(world, f"{at}.module", float(held))
        self._tell_change(world, f"{at}.misaligned", hand.misaligned.position, hand.misaligned.angle)
        self._tell_change(world, f"{at}.load", *hand.load)

    def _tell_change(self, world: World, name: str, *value: float) -> None:
        if self._told.get(name) != value:
            self._told[name] = value
            world.write(name, value)

    def _tell_bodies(self, world: World) -> None:
        start = self._nodes()
        for name, body in self.bodies.items():
            here = slice(start[name], start[name] + body.grid.n)
            world.write(f"{name}.type", body.shape)
            world.write(f"{name}.identity", body.identity)
            world.write(f"{name}.orientation", body.orientation)
            world.write(f"{name}.powered", self.supply.fed[here])
            if self.climate is not None and self.climate.network is not None:
                world.write(f"{name}.temperature", self.climate.network.T[here])
        modules = total_mass(self.bodies.values())
        empty = sum(world.links[n].mass for n, b in self.bodies.items() if not len(b.occupied))
        world.write(f"{self.name}.mass", [modules, empty])
        if self.supply.flow is not None:
            flow = self.supply.flow
            sums = (flow.source_power, flow.load_power, flow.line_loss, flow.battery_power)
            world.write(f"{self.name}.power", [float(np.sum(s)) for s in sums])
        if self.supply.network is not None:
            capacity = np.asarray(self.supply.network.batteries.capacity)
            world.write(f"{self.name}.charge", [float(np.sum(self.supply.charge * capacity))])
        if self.climate is not None and self.climate.network is not None:
            ledger = self.climate.network.ledger
            taken = ledger.dissipated + ledger.absorbed + ledger.heaters
            world.write(f"{self.name}.heat", [ledger.stored, taken, ledger.radiated, ledger.drift])
            world.write(f"{self.name}.sunlit", [self.climate.sunlit])
            filled = np.concatenate([body.shape > 0 for body in self.bodies.values()])
            T = self.climate.network.T[filled]
            world.write(f"{self.name}.temperature", [T.min(), T.mean(), T.max()] if len(T) else np.zeros(3))
