"""A robot's end with a standard interface: it latches on the structure, picks modules from it and places them there.

    open --latch--> closing --> closed --pick--> picking --> carrying --place--> placing --> closed
    closed --release--> opening --> open                     anything that goes wrong --> failed

`orders.py` takes orders, `drawing.py` draws ends in, `handover.py` goes on with what was begun, `watching.py` looks at
loads and touches.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from freefloat.engine.world import World
from freefloat.hand_words import UNDER_WAY, HandState
from freefloat.structure.interface import Misalignment, StandardInterface
from freefloat.structure.latches import Latches
from freefloat.structure.module import InterfaceType
from freefloat.structure.tensor_body import TensorBody


@dataclass(frozen=True)
class HandSetup:
    """Names: the frame of the interface (z outwards), the tensor part on it, the connection structure - frame."""

    name: str
    frame: str
    tool: str
    connection: str
    interface: InterfaceType
    fault: str = ""  # "close" or "open": it will fail to, until it is reset
    contact: str = ""  # of the structure with the tool part: what is carried should not touch anything


@dataclass(frozen=True, eq=False)
class Site:
    """What hands work on: the world, the contents of the tensor parts in it, and the interfaces between modules."""

    world: World
    bodies: dict[str, TensorBody]
    latches: Latches


@dataclass
class Hand:
    """State of one hand on the tensor part `structure`; `coupling` says how closed connections are held."""

    setup: HandSetup
    structure: str
    coupling: str  # "tree" | "constraint"
    eta: float  # [1/s] of a closed connection held by a constraint
    state: HandState = HandState.OPEN
    interface: StandardInterface = field(init=False)
    place: int = -1  # of the structure: where it holds on, or where the module goes
    side: int = -1
    misaligned: Misalignment = field(default_factory=Misalignment)  # measured at the last order to close
    alarms: int = 0  # orders refused, failures and overloads so far
    failed: tuple[int, int] = (-1, -1)  # place and side of the interface at which it failed last
    limits: tuple[float, float] = field(init=False)  # [N], [N m] that the interface bears

    def __post_init__(self) -> None:
        kind = self.setup.interface
        self.interface = StandardInterface(kind)
        self.limits = kind.max_force, kind.max_torque

    @property
    def name(self) -> str:
        return self.setup.name

    def holds(self, world: World) -> bool:
        """Whether its connection to the structure is closed, whatever state it is in."""
        return self.setup.connection in world.closed

    @property
    def under_way(self) -> bool:
        """Whether something was begun that goes on by itself."""
        return self.state in UNDER_WAY

    def refuse(self, world: World, what: str, reason: str) -> None:
        """Report an order that is not taken."""
        self.alarms += 1
        world.report(f"{self.name}.{what}", f"refused: {reason}")

    def fail(self, world: World, what: str, reason: str) -> None:
        """Report that what was begun has failed."""
        self.state = HandState.FAILED
        self.alarms += 1
        world.report(f"{self.name}.{what}", f"failed: {reason}")
