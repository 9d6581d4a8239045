"""What the search asks of a robot's kinematics: whether an operation has a motion that keeps clear, and its time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from freefloat.frames import Array
from freefloat.gnc.planning.arm.joint_path import QuinticPieces
from freefloat.gnc.planning.reconfiguration.problem import Carry, Flags, Stance


@dataclass(frozen=True)
class Verdict:
    """How long an operation takes with the orders to its hands [s]; infinite where it has no motion, and why."""

    seconds: float
    refused: str = ""  # which leg, in words


@dataclass(frozen=True, eq=False)
class Leg:
    """One motion from rest to rest; its base is the end that stands."""

    name: str
    path: QuinticPieces
    clearance: float  # [m] proven: nothing is nearer, hands at their faces excepted


class Motions(Protocol):
    """Verified motions of a robot.

    `occupied` (n,) tells the places with a module before the operation, the carried one included; `others` are the
    stances of the other robots, which rest there. Between operations a robot rests at home, a posture that follows from
    stance, contents and others alone; an operation begins and ends there. It stands with roll 0 of the face's symmetry
    always, so that place and side say all. The same question has the same answer, in whatever order questions are
    asked; answers are kept.
    """

    def least_step(self, stance: Stance, to: Stance) -> float:
        """No such step is faster [s], whatever the contents; infinite where it is out of reach. Quick."""
        ...

    def least_transfer(self, stance: Stance, carry: Carry) -> float:
        """The same for a transfer. One that goes nowhere, unturned, tells the way to its face and back: no transfer is
        faster than the faster of those to its two faces.
        """
        ...

    def leaves(self, occupied: Flags, place: int, side: int) -> bool:
        """Whether a module at a place, held by a side of it, has a way off its neighbours; `occupied` without
        it. Quick; no transfer has a motion where its module does not leave both of its places.
        """
        ...

    def step(self, occupied: Flags, stance: Stance, to: Stance, others: Sequence[Stance] = ()) -> Verdict: ...

    def transfer(self, occupied: Flags, stance: Stance, carry: Carry, others: Sequence[Stance] = ()) -> Verdict: ...

    def home(self, occupied: Flags, stance: Stance, others: Sequence[Stance] = ()) -> Array | None:
        """Joint positions (n,) seen from the end that stands, or None where none is clear."""
        ...

    def legs_of_step(
        self, occupied: Flags, stance: Stance, to: Stance, others: Sequence[Stance] = ()
    ) -> tuple[Leg, Leg]:
        """Home to the face, seen from the old foot; from the face home, seen from the new foot."""
        ...

    def legs_of_transfer(
        self, occupied: Flags, stance: Stance, carry: Carry, others: Sequence[Stance] = ()
    ) -> tuple[Leg, Leg, Leg]:
        """Home to the grip, the grip to the goal with the module, the goal home."""
        ...
