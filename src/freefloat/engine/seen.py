"""What a world shows beside the shapes of its links: drawings, jets of thrusters, paths that links have gone."""

from __future__ import annotations

from dataclasses import dataclass, field

from freefloat.geometry.scenery import Drawn


@dataclass(frozen=True)
class Jet:
    """The exhaust of one thruster, seen while it fires: entry `index` of the signal is its thrust [N]."""

    name: str
    signal: str
    index: int
    link: str
    p_LN: tuple[float, float, float]  # [m] where the exhaust leaves
    d_L: tuple[float, float, float]  # unit vector along the exhaust
    thrust: float  # [N] at which the jet has its full length


@dataclass
class Seen:
    """Filled by the parts of a world while they build."""

    drawn: dict[str, Drawn] = field(default_factory=dict[str, Drawn])  # by name
    jets: list[Jet] = field(default_factory=list[Jet])
    traced: list[str] = field(default_factory=list[str])  # links whose path is drawn, beside the free roots
