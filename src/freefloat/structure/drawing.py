"""A hand finds the nearest face and is drawn to its grid pose by a constraint.

Mass changes sides only when less than 1e-9 m and rad is left, and what is left stays as the module's offset.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from freefloat.engine.advice import Longest
from freefloat.engine.world import World
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.hand_words import HandState
from freefloat.structure.hand import Hand
from freefloat.structure.interface import Misalignment, State, misalignment
from freefloat.structure.tensor_body import TensorBody

DRAW = 25.0  # [-] eta times closing time: 10 mm fade to 4e-12 m

STABLE = 2.5  # [-] eta times the step at which explicit schemes of order 4 and 5 still damp (RK4 up to 2.78)

Faces = frozenset[tuple[int, int]]  # (place, side)


@dataclass(frozen=True)
class DrawingAdvice:
    """Advice of the fastest Baumgarte rate with which an assembly draws in or holds."""

    assembly: str
    eta: float  # [1/s]

    @property
    def name(self) -> str:
        """For the warning."""
        return f"assembly {self.assembly!r}"

    def longest_step(self, world: World) -> Longest:
        """[s]"""
        return Longest(STABLE / self.eta, f"eta {self.eta:.3g} 1/s; eta h at most {STABLE}")


def nearest_face(hand: Hand, world: World, body: TensorBody, barred: Faces) -> tuple[int, int, Pose]:
    """Place and side of the nearest free face of the structure, and X_F,end; -1 where there is none."""
    X_TE = world.pose(hand.structure).inverse() @ world.pose(hand.setup.frame)
    shown, grid = body.interfaces(), body.grid
    best = (np.inf, -1, -1, Pose.identity())
    for place in body.occupied.tolist():
        for side in np.flatnonzero(shown[place]).tolist():
            other = grid.neighbours[place, side]
            if (other >= 0 and body.shape[other] > 0) or (place, side) in barred:
                continue
            X_FE = body.X_TF(place, side).inverse() @ X_TE
            off = misalignment(X_FE, hand.setup.interface.symmetry)
            if off.position + off.angle < best[0]:
                best = (off.position + off.angle, place, side, X_FE)
    return best[1], best[2], best[3]


def start_closed(hand: Hand, world: World, body: TensorBody) -> None:
    """At t = 0 the connection is closed already: find the face."""
    place, side, X_FE = nearest_face(hand, world, body, frozenset())
    kind = hand.setup.interface
    hand.misaligned = misalignment(X_FE, kind.symmetry)
    if place < 0 or not hand.misaligned.within(kind.position_tolerance, kind.angle_tolerance):
        raise InputError(
            f"hand {hand.name!r} is closed at the start, but the nearest face is {hand.misaligned} away; "
            f"allowed: {kind.position_tolerance:.3g} m and {kind.angle_tolerance:.3g} rad"
        )
    hand.place, hand.side, hand.state = place, side, HandState.CLOSED
    hand.interface = replace(hand.interface, state=State.CLOSED, holds=True)


def draw(hand: Hand, world: World, X_TE: Pose) -> float:
    """Draw the end to a pose of the structure from now on; returns the energy lost [J]."""
    eta = DRAW / hand.setup.interface.closing_time
    return world.attach(hand.setup.connection, X_TE, "constraint", eta)


def residual(hand: Hand, world: World) -> Misalignment:
    """What the constraint has not drawn in yet."""
    error = world.read(f"{hand.setup.connection}.error")
    return Misalignment(float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:])))


def residual_text(hand: Hand, world: World) -> str:
    """The violation now, where a constraint holds the connection."""
    left = residual(hand, world)
    return "none: held by the tree" if np.isnan(left.position) else str(left)


def keep(hand: Hand, world: World) -> None:
    """From drawing to holding."""
    hold = "constraint" if hand.coupling == "constraint" else "tree"
    world.hold(hand.setup.connection, hold, hand.eta)
