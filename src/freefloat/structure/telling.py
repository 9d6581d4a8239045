"""What an assembly tells: its outputs, declared once, and written where they have changed."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from freefloat.engine.blueprint import Builder
from freefloat.engine.signals import Signal
from freefloat.engine.sources import ConnectionLoad, FrameSource, InterfaceLoad
from freefloat.engine.world import World
from freefloat.hand_words import HandState
from freefloat.structure.hand import Hand
from freefloat.structure.services import Services
from freefloat.structure.tensor_body import TensorBody, total_mass


def declare(b: Builder, hands: Mapping[str, Hand]) -> None:
    """Orders and reports of hands and modules."""
    for hand in hands.values():
        _declare_hand(b, hand)
    if hands:
        frames = [FrameSource(hand.setup.frame, "p") for hand in hands.values()]
        ends = Signal(b.full("ends"), "m", (3 * len(hands),), "W", "positions of the hands, one after the other")
        b.signal(ends, frames, recorded=False)
        meaning = "point behind each hand, in the structure's frame: from where it came"
        b.command("trail", (3 * len(hands),), "m", meaning, start=[math.nan] * 3 * len(hands), recorded=False)
    if any(hand.setup.contact for hand in hands.values()):
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


def _declare_hand(b: Builder, hand: Hand) -> None:
    name = hand.name
    b.command(f"{name}.order", (1,), "-", "1 latch, 2 release, 3 pick, 4 place, 5 reset; a change is an order")
    b.command(f"{name}.count", (1,), "-", "of orders: a change gives the order that stands once more")
    sides = "sides of the place at which nothing closes when a module is placed: the sum of 2^side"
    b.command(f"{name}.without", (1,), "-", sides)
    b.output(f"{name}.state", (1,), "-", "; ".join(f"{s.value} {s.name.lower()}" for s in HandState))
    b.output(f"{name}.module", (1,), "-", "identity of the module held; 0: none")
    measured = "measured at the last order to close"
    b.output(f"{name}.misaligned", (2,), "m, rad", measured, labels=("distance", "angle"))
    b.output(f"{name}.overloaded", (1,), "-", "1: its interface bore more than it may, until a reset")
    b.output(f"{name}.failed", (2,), "-", "interface at which it failed last; -1: none", labels=("place", "side"))
    meaning = "force and torque on the hand through its connection, about it; nan while open"
    grip = Signal(b.full(f"{name}.grip_load"), "N, N m", (6,), "W", meaning)
    b.signal(grip, [ConnectionLoad(hand.setup.connection, hand.setup.frame)], recorded=False)
    both = ("force", "torque")
    bears = b.output(f"{name}.limit", (2,), "N, N m", "what the interface bears", start=hand.limits, labels=both)
    through = hand.setup.connection, hand.setup.tool, hand.setup.frame
    load = Signal(b.full(f"{name}.load"), "N, N m", (2,), "", "through the interface", both)
    b.signal(load, [InterfaceLoad(*through)])
    share = Signal(b.full(f"{name}.load_share"), "-", (1,), "", "largest share of its limit; 1: overload")
    b.signal(share, [InterfaceLoad(*through, limits=bears)])


class Teller:
    """Writes the outputs of an assembly into its world."""

    def __init__(self, name: str, bodies: dict[str, TensorBody], structure: str) -> None:
        self.name, self.bodies, self.structure = name, bodies, structure
        self._told: dict[str, tuple[float, ...]] = {}  # what hands and alarms were last told to be

    def forget(self) -> None:
        """The world may hold something else now."""
        self._told = {}

    def hand(self, world: World, hand: Hand) -> None:
        """State of a hand, and what it holds."""
        at = f"{self.name}.{hand.name}"
        held = self.bodies[hand.setup.tool].identity[0]
        if held == 0 and hand.place >= 0 and hand.state in (HandState.CLOSED, HandState.PICKING):
            held = self.bodies[self.structure].identity[hand.place]
        self.change(world, f"{at}.state", float(hand.state))
        self.change(world, f"{at}.module", float(held))
        self.change(world, f"{at}.misaligned", hand.misaligned.position, hand.misaligned.angle)
        self.change(world, f"{at}.overloaded", float(hand.interface.overloaded))
        self.change(world, f"{at}.failed", *map(float, hand.failed))
        self.change(world, f"{at}.limit", *hand.limits)

    def change(self, world: World, name: str, *value: float) -> None:
        """Write an output that has another value now."""
        if self._told.get(name) != value:
            self._told[name] = value
            world.write(name, value)

    def modules(self, world: World, services: Services) -> None:
        """Contents, power and heat."""
        starts, supply, climate = services.starts(), services.supply, services.climate
        for name, body in self.bodies.items():
            here = slice(starts[name], starts[name] + body.grid.n)
            world.write(f"{name}.type", body.shape)
            world.write(f"{name}.identity", body.identity)
            world.write(f"{name}.orientation", body.orientation)
            world.write(f"{name}.powered", supply.fed[here])
            if climate is not None and climate.network is not None:
                world.write(f"{name}.temperature", climate.network.T[here])
        modules = total_mass(self.bodies.values())
        empty = sum(world.links[n].mass for n, b in self.bodies.items() if not len(b.occupied))
        world.write(f"{self.name}.mass", [modules, empty])
        if supply.flow is not None:
            flow = supply.flow
            sums = (flow.source_power, flow.load_power, flow.line_loss, flow.battery_power)
            world.write(f"{self.name}.power", [float(np.sum(s)) for s in sums])
        if supply.network is not None:
            capacity = np.asarray(supply.network.batteries.capacity)
            world.write(f"{self.name}.charge", [float(np.sum(supply.charge * capacity))])
        self._heat(world, services)

    def _heat(self, world: World, services: Services) -> None:
        climate = services.climate
        if climate is None or climate.network is None:
            return
        ledger = climate.network.ledger
        taken = ledger.dissipated + ledger.absorbed + ledger.heaters
        world.write(f"{self.name}.heat", [ledger.stored, taken, ledger.radiated, ledger.drift])
        world.write(f"{self.name}.sunlit", [climate.sunlit])
        filled = np.concatenate([body.shape > 0 for body in self.bodies.values()])
        T = climate.network.T[filled]
        world.write(f"{self.name}.temperature", [T.min(), T.mean(), T.max()] if len(T) else np.zeros(3))
