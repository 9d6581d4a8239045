"""What a review knows of a mission besides its recorded signals: robots and hands, grids, limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from freefloat.engine.graph import LinkGraph
from freefloat.structure.assembly import Assembly
from freefloat.structure.hand import HandSetup
from freefloat.structure.tensor_body import TensorBody


@dataclass(frozen=True, eq=False)
class Reviewed:
    """A robot: its part's name, its links and joints, and its hands."""

    name: str
    graph: LinkGraph
    hands: Sequence[HandSetup] = ()

    def link_of(self, hand: HandSetup) -> str:
        """The link that ends in a hand's frame, by its full name."""
        frame = hand.frame.removeprefix(f"{self.name}.")
        holder = next((link.name for link in self.graph.links if frame in link.frames), frame)
        return f"{self.name}.{holder}"


@dataclass(frozen=True, eq=False)
class Subject:
    """Names are those of the mission's parts; the first of the bodies is the structure that robots work on."""

    robots: Sequence[Reviewed]
    bodies: Mapping[str, TensorBody]
    wheels: Mapping[str, float] = field(default_factory=dict[str, float])  # part -> largest momentum of a rotor [N m s]
    assembly: str = "modules"
    clearance: float = 0.002  # [m] by which the faces of a carried module stand back from the pitch

    @property
    def structure(self) -> str:
        return next(iter(self.bodies))


def subject_of(
    assembly: Assembly, graphs: Mapping[str, LinkGraph], wheels: Mapping[str, float], clearance: float
) -> Subject:
    """The subject of a mission whose assembly knows its robots; `graphs` are those of their parts."""
    setups = {name: hand.setup for name, hand in assembly.hands.items()}
    robots = [Reviewed(name, graphs[name], [setups[h] for h in of]) for name, of in assembly.robots.items()]
    return Subject(robots, assembly.bodies, wheels, assembly.name, clearance)
