"""What an operation is made of: motion along verified curves, orders to hands, another end to stand on."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.gnc.control.executive.hand_words import Told
from freefloat.gnc.planning.arm.jerk_limited import Path
from freefloat.gnc.planning.arm.retimed import Brake, Ride
from freefloat.gnc.planning.reconfiguration.problem import Stance

SETTLE = 1.0  # [s] of rest after a motion


@dataclass(frozen=True, eq=False)
class Follow:
    """Move along a leg, or along a stretch of it at another pace, then wait for `settle`. Joints count from end A."""

    name: str
    path: Path
    ride: Ride | Brake | None = None
    settle: float = SETTLE  # [s]
    watched: bool = True  # whether loads and joints are looked at meanwhile

    @property
    def duration(self) -> float:
        """[s] with the rest"""
        return (self.path if self.ride is None else self.ride).duration + self.settle

    def place(self, t: float) -> tuple[float, float]:
        """Where on the leg's own clock [s] the motion is at t [s], and at which share of the leg's pace."""
        if self.ride is None:
            return min(t, self.path.duration), float(t < self.path.duration)
        return self.ride.at(t)[:2]


@dataclass(frozen=True)
class Ask:
    """Give the hand at an end of the robot an order, and wait until it says so; the joints give way meanwhile."""

    name: str
    end: str
    order: Told
    module: int = 0  # identity of the one that it must have in its grip then; 0: any
    patience: float = 60.0  # [s]


@dataclass(frozen=True)
class Stand:
    """From now on the robot stands with this end on this face."""

    name: str
    end: str
    stance: Stance


Step = Follow | Ask | Stand
