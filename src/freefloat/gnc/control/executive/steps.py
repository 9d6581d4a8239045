"""What an operation is made of: motion along verified curves, orders to hands, another end to stand on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from freefloat.gnc.planning.arm.jerk_limited import Path
from freefloat.gnc.planning.arm.retimed import Brake, Ride
from freefloat.gnc.planning.reconfiguration.problem import Stance
from freefloat.hand_words import Order

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
    order: Order
    module: int = 0  # identity of the one that it must have in its grip then; 0: any
    without: frozenset[int] = frozenset()  # sides of the place at which nothing is to close, of a module that is placed
    returns: bool = False  # a module that is placed goes back where it came from
    patience: float = 60.0  # [s]


@dataclass(frozen=True)
class Stand:
    """From now on the robot stands with this end on this face."""

    name: str
    end: str
    stance: Stance


Step = Follow | Ask | Stand


def slowed(step: Follow, brake: Follow | None, share: float) -> Follow:
    """The rest of a motion from where its brake ends, at a share of its pace."""
    law = step.ride
    end = step.path.duration if law is None else law.end if isinstance(law, Ride) else law.at(law.duration)[0]
    rate = law.rate if isinstance(law, Ride) else 1.0
    begin = end if brake is None or not isinstance(brake.ride, Brake) else brake.ride.at(brake.ride.duration)[0]
    forwards = not isinstance(law, Ride) or law.end >= law.start
    begin = min(begin, end) if forwards else max(begin, end)
    return replace(step, ride=Ride(begin, end, share * rate))


def halved(step: Step) -> Step:
    """A motion at half its pace; other steps as they are."""
    if not isinstance(step, Follow) or isinstance(step.ride, Brake):
        return step
    ride = step.ride or Ride(0.0, step.path.duration)
    return replace(step, ride=replace(ride, rate=0.5 * ride.rate))
