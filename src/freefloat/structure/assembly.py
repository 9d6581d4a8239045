"""A modular spacecraft while it is rebuilt: contents, interfaces, power and heat, tied to the world.

It is a part (it declares orders and reports) and brings itself as an upkeep (it carries them out).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from freefloat.amounts import Measure, not_negative, positive
from freefloat.engine.blueprint import Builder
from freefloat.engine.world import World
from freefloat.errors import InputError, unknown_name
from freefloat.hand_words import HandState, Order
from freefloat.structure.approach import trail_task
from freefloat.structure.drawing import DRAW, DrawingAdvice, Faces, start_closed
from freefloat.structure.faults import Face, Fault, Faults
from freefloat.structure.hand import Hand, HandSetup, Site
from freefloat.structure.handover import progress
from freefloat.structure.heat.climate import Climate
from freefloat.structure.latches import Latches
from freefloat.structure.orders import Others, take
from freefloat.structure.power.supply import Supply
from freefloat.structure.services import NS, Services
from freefloat.structure.telling import Teller, declare
from freefloat.structure.tensor_body import check_identities
from freefloat.structure.tensor_part import TensorPart
from freefloat.structure.watching import feel, watch


class Assembly:
    """Looks after tensor parts, the first of which is the structure that hands work on.

    Commands: `name.HAND.order` (see `Order`), taken at the instant at which it changes, and `.count`, whose change is
    the order that stands once more; `.without`, sides of a place at which nothing closes. Signals: `name.HAND.state`
    (see `HandState`), `.module`, `.misaligned` [m, rad] at the last order to close, `.load` [N, N m] and `.load_share`
    of its `.limit`; `name.alarms`, `.power` [W], `.heat` [J], `.mass` [kg]. What goes wrong by intent is in `faults`
    (see `Fault`).
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
        period: Measure = 0.02,  # [s] between looks at what is drawn in
        slow: Measure = 2.0,  # [s] between steps of power and heat
        faults: Mapping[int, str] | Sequence[Fault] = (),  # or module identity -> "close" | "open": it never does
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
        self.structure = parts[0].name
        given = Faults.of(faults, {h.name: h.fault for h in hands})
        for fault in given.faults:
            if fault.hand and fault.hand not in [h.name for h in hands]:
                raise unknown_name(
                    f"hand (fault {fault.name!r} of assembly {name!r})", fault.hand, [h.name for h in hands]
                )
        self.latches = Latches(faults=given, apart=frozenset(apart), broken=frozenset(broken))
        for body in self.bodies.values():
            self.latches.close_all(body)
        hold = "constraint" if coupling == "constraint" else "tree"
        self.hands = {h.name: Hand(h, self.structure, hold, eta) for h in hands}
        self.robots = {r: tuple(of) for r, of in (robots or {}).items()}
        for robot in robot_energy or {}:
            if robot not in self.robots:
                raise unknown_name(f"robot (robot_energy of assembly {name!r})", robot, self.robots)
        self.services = Services(name, self.bodies, self.robots, demand, dict(robot_energy or {}), climate)
        self.teller = Teller(name, self.bodies, self.structure)
        self._closed = tuple(closed)
        self._orders: dict[str, tuple[float, float]] = dict.fromkeys(self.hands, (0.0, 0.0))
        self._slow_ns = round(slow * NS)
        self._started = False
        self._met: set[str] = set()  # hands that were told to have carried a module into another

    @property
    def supply(self) -> Supply:
        """Power."""
        return self.services.supply

    @property
    def climate(self) -> Climate | None:
        """Heat."""
        return self.services.climate

    @property
    def alarms(self) -> float:
        """Things that went wrong so far."""
        return float(sum(h.alarms for h in self.hands.values()) + self.services.trips)

    def build(self, b: Builder) -> None:
        """Declare orders and reports; it carries them out itself."""
        b.upkeep(self)
        rates = [max(hand.eta, DRAW / hand.setup.interface.closing_time) for hand in self.hands.values()]
        if rates:
            b.advise(DrawingAdvice(self.name, max(rates)))
        declare(b, self.hands)
        if self.hands:
            b.task(trail_task(self.name, self.structure, len(self.hands)))

    def restored(self, world: World) -> None:
        """Claim the bodies."""
        self.teller.forget()
        for body in self.bodies:
            world.claim(f"the contents of {body}", self.name)

    @property
    def wakes(self) -> tuple[str, ...]:
        """Orders are taken at the instant at which they are written."""
        return tuple(f"{self.name}.{hand}.{what}" for hand in self.hands for what in ("order", "count"))

    @property
    def watches(self) -> tuple[str, ...]:
        """Overloads are located."""
        return tuple(f"{self.name}.{hand}.load_share" for hand in self.hands)

    def due(self, now_ns: int) -> int:
        """When power and heat are due, or a hand may be done, or a fault begins; draws are looked at every period."""
        instants = [self.services.at_ns + self._slow_ns]
        instants += [self._next_look(hand, now_ns) for hand in self.hands.values() if hand.under_way]
        if any(h.setup.contact and h.name not in self._met for h in self.hands.values()):
            instants.append(now_ns + round(self.period * NS))
        fault = self.latches.faults.next()
        return min([*instants, math.ceil(fault * NS)] if math.isfinite(fault) else instants)

    def _next_look(self, hand: Hand, now_ns: int) -> int:
        soon, move = now_ns + round(self.period * NS), self.latches.under_way.get(hand.name)
        parts = [hand.interface] if move is None else move.interfaces.values()
        ends = [si.ends(now_ns / NS) for si in parts]
        later = [ns for ns in (round(t * NS) for t in ends if math.isfinite(t)) if ns > now_ns]
        opens = hand.state in (HandState.OPENING, HandState.PICKING) and later
        return min(later) if opens else min([soon, *later])

    def crossed(self, world: World, signal: str) -> None:
        """The load through a hand has reached its limit."""
        site, hand = self._site(world), self.hands[signal.removeprefix(f"{self.name}.").removesuffix(".load_share")]
        watch(hand, world.time, site, f"{self.name}.{hand.name}.load")
        self.teller.hand(world, hand)
        self.teller.change(world, f"{self.name}.alarms", self.alarms)

    def tend(self, world: World, now_ns: int) -> None:
        """Take orders, go on with what was begun, watch loads; power and heat now and then."""
        if not self._started:
            self._start(world)
        site = self._site(world)
        changed = self._go_wrong(site, now_ns)
        for name, hand in self.hands.items():
            self._obey(site, hand, now_ns / NS)
            if hand.under_way:
                before, was = self.identities(), [b.copy() for b in self.bodies.values()]
                if progress(hand, now_ns / NS, site):
                    self.services.go_on(world, now_ns, was)  # as it was until now
                    self.follow(before)
                    changed = True
            watch(hand, now_ns / NS, site, f"{self.name}.{name}.load")
            if hand.setup.contact and name not in self._met and feel(hand, site):
                self._met.add(name)
                world.write(f"{self.name}.collisions", [len(self._met)])
            self.teller.hand(world, hand)
        if changed:
            self.rewire(world)
            self.teller.modules(world, self.services)
        elif now_ns - self.services.at_ns >= self._slow_ns:
            self.services.go_on(world, now_ns, list(self.bodies.values()))
            self.teller.modules(world, self.services)
        self.teller.change(world, f"{self.name}.alarms", self.alarms)

    def _site(self, world: World) -> Site:
        return Site(world, self.bodies, self.latches)

    def _start(self, world: World) -> None:
        for name in self._closed:
            start_closed(self.hands[name], world, self.bodies[self.structure])
        self._started = True
        self.rewire(world)
        self.services.start()
        self.teller.modules(world, self.services)

    def _go_wrong(self, site: Site, now_ns: int) -> bool:
        """Begin the faults whose time has come; whether the networks are others now."""
        changed = False
        for fault in self.latches.faults.begin(now_ns / NS):
            if fault.name == "overload":
                self.hands[fault.hand].limits = force, torque = float(fault.max_force), float(fault.max_torque)
                told = f"the interface of hand {fault.hand!r} bears only {force:g} N and {torque:g} N m"
            else:
                self.services.go_on(site.world, now_ns, list(self.bodies.values()))
                self.services.dead.add(fault.module)
                told, changed = f"module {fault.module} passes no power", True
            site.world.report(f"{self.name}.fault", f"{told} (injected fault)")
        return changed

    def _obey(self, site: Site, hand: Hand, t: float) -> None:
        """Take an order that is new."""
        world, name = site.world, hand.name
        order, count = (float(world.held(f"{self.name}.{name}.{what}")[0]) for what in ("order", "count"))
        if (order, count) == self._orders[name]:
            return
        self._orders[name] = order, count
        number = round(order)
        if number != Order.NONE and self.latches.faults.loses_order(t, name):
            world.report(f"{name}.order", f"{number} lost (injected fault)")
            return
        if number not in set(Order):
            hand.refuse(world, "order", f"{number}; allowed: 0 to {max(Order)}")
            return
        mate, held = self._also_holding(world, name), self._held(world)
        k = 3 * list(self.hands).index(name)
        trail = world.held(f"{self.name}.trail")[k : k + 3]
        bits = round(float(world.held(f"{self.name}.{name}.without")[0]))
        without = frozenset(side for side in range(self.bodies[self.structure].grid.sides) if bits >> side & 1)
        others = Others(self._alone(name), self._barred(world, name), mate, held, trail, without)
        take(hand, Order(number), t, site, others)

    def _alone(self, name: str) -> bool:
        """Whether it is the hand of a walking robot, and no other hand of it holds the structure."""
        mates = [h for of in self.robots.values() if name in of for h in of]
        return bool(mates) and not any(self.hands[h].state == HandState.CLOSED for h in mates if h != name)

    def _barred(self, world: World, name: str) -> Faces:
        """Faces that another hand holds, all of a module that another hand is picking, and those beside an arrival."""
        grid = self.bodies[self.structure].grid
        others = [h for n, h in self.hands.items() if n != name and h.holds(world)]
        faces = {(h.place, h.side) for h in others}
        faces |= {(h.place, s) for h in others if h.state == HandState.PICKING for s in range(grid.sides)}
        for place in self.latches.arriving():
            beside = [(int(p), int(s)) for p, s in zip(grid.neighbours[place], grid.facing, strict=True) if p >= 0]
            faces |= set(beside)
        return frozenset(faces)

    def _held(self, world: World) -> Faces:
        """Faces that hands hold."""
        return frozenset((h.place, h.side) for h in self.hands.values() if h.holds(world))

    def _also_holding(self, world: World, name: str) -> str:
        """Another hand on the module that this hand holds."""
        here = self.hands[name].place
        others = [n for n, h in self.hands.items() if n != name and h.holds(world) and h.place == here]
        return others[0] if here >= 0 and others else ""

    def identities(self) -> NDArray[np.int64]:
        """(nodes,) module at each place of all bodies, 0 where it is empty."""
        return self.services.identities()

    def follow(self, before: NDArray[np.int64]) -> None:
        """Charge and heat go with the modules that changed places since these identities; `rewire` follows."""
        self.services.follow(before)

    def rewire(self, world: World) -> None:
        """Give power and heat the networks of the present structure."""
        self.services.rewire(world, self.hands, self.latches)

    def balances(self) -> dict[str, float]:
        """For the audit: how well heat and electric energy balance, relative to what was exchanged."""
        return self.services.balances()
