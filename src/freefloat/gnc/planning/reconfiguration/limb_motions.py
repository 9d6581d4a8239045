"""Verified motions of a walking manipulator on a structure of modules, as a search asks for them.

Everything is computed seen from the place on which the robot stands, so that the same surroundings give the same
answer wherever they are. The robot is its own image: whichever end stands, joints count from it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.errors import ModelError, SimulationError
from freefloat.frames import Array
from freefloat.gnc.planning.arm.chain import Chain
from freefloat.gnc.planning.arm.clearance import Solid
from freefloat.gnc.planning.arm.flown_curve import limit_table
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits
from freefloat.gnc.planning.arm.joint_path import QuinticPieces
from freefloat.gnc.planning.arm.limb import Limb
from freefloat.gnc.planning.arm.limb_body import limb_body
from freefloat.gnc.planning.arm.limb_planner import LimbPlanner, SearchLimits
from freefloat.gnc.planning.reconfiguration.limb_ground import Answer, LimbGround
from freefloat.gnc.planning.reconfiguration.limb_locked import Locked, locked_grounds
from freefloat.gnc.planning.reconfiguration.limb_stepping import step_over
from freefloat.gnc.planning.reconfiguration.limb_transfer import transfer
from freefloat.gnc.planning.reconfiguration.limb_ways_out import Leaving
from freefloat.gnc.planning.reconfiguration.local_view import LocalView
from freefloat.gnc.planning.reconfiguration.motions import Leg, Verdict
from freefloat.gnc.planning.reconfiguration.problem import Carry, Flags, Places, Stance

KEPT = 200_000  # answers


class NoMotionError(SimulationError):
    """An operation for which no motion was found."""


@dataclass(frozen=True)
class Orders:
    """How long orders to hands take [s]: what a hand needs to close and to open."""

    close: float = 2.0
    open: float = 2.0


class LimbMotions:
    """`Motions` of a limb that stands on modules.

    `chain` leads from one end to the other, frames on the ends' faces with z outwards; `solids` are the links' shapes.
    """

    def __init__(
        self,
        places: Places,
        chain: Chain,
        solids: Mapping[str, Sequence[Solid]],
        limits: MotionLimits,
        orders: Orders | None = None,
        symmetry: int = 4,  # [-] rolls in which an end closes on a face
        gap: float = 2e-3,  # [m] between a carried module and its neighbours, on every face
        tries: SearchLimits | None = None,
        locked: Locked | None = None,  # a joint that does not move; stances then say which end stands
    ) -> None:
        limb = Limb.of(chain)
        _check_symmetric(limb)
        body = limb_body(chain, limb, solids)
        table = np.ascontiguousarray(np.stack([limb.to_steps(row) for row in limit_table(limits)]))
        planner = LimbPlanner(np.abs(table), tries or SearchLimits())
        self._setup = (places, limb, body, planner, orders or Orders(), symmetry, gap, locked)
        self._start()

    def _start(self) -> None:
        places, limb, body, planner, orders, symmetry, gap, locked = self._setup
        reach = limb.l1 + limb.l2 + 2.0 * abs(limb.X_HT.p[2]) + 2.0 * float(np.linalg.norm(places.outline[0])) + 0.1
        self.places, self.limb, self.orders = places, limb, orders
        self.view = LocalView(places, reach)
        self.ground = LimbGround(self.view, limb, body, planner, symmetry, gap)
        self.locked = locked
        self._by_end = {} if locked is None else locked_grounds(self.ground, locked, symmetry, gap)
        self._leaving = Leaving(self.ground)
        self._kept: dict[Any, Answer] = {}
        self.asked = self.computed = 0

    def __getstate__(self) -> Any:
        return self._setup

    def __setstate__(self, state: Any) -> None:
        self._setup = state
        self._start()

    def __deepcopy__(self, memo: Any) -> LimbMotions:
        other = object.__new__(LimbMotions)
        other.__setstate__(self._setup)
        return other

    def ground_of(self, stance: Stance) -> LimbGround:
        """Of the end that stands; where that does not matter, or is not told, with all joints."""
        return self._by_end.get(stance.end, self.ground)

    def least_step(self, stance: Stance, to: Stance) -> float:
        """No such step is faster [s]; infinite where the face is out of reach."""
        orders = self.orders.close + self.orders.open
        return orders + self.ground_of(stance).least(stance, [(to.place, to.side)])

    def least_transfer(self, stance: Stance, carry: Carry) -> float:
        """No such transfer is faster [s]; infinite where one of its faces is out of reach."""
        orders = 2.0 * (self.orders.close + self.orders.open)
        return orders + self.ground_of(stance).least(stance, self.ground.ends_of(carry))

    def leaves(self, occupied: Flags, place: int, side: int) -> bool:
        """Whether a module at a place, held by a side of it, has a way off its neighbours."""
        return self._leaving(occupied, place, side)

    def step(self, occupied: Flags, stance: Stance, to: Stance, others: Sequence[Stance] = ()) -> Verdict:
        """Whether and how fast the free end gets to a face, and the other end then home."""
        answer = self._answer(occupied, stance, to, others)
        if answer.refused:
            return Verdict(math.inf, answer.refused)
        return Verdict(answer.seconds + self.orders.close + self.orders.open)

    def transfer(self, occupied: Flags, stance: Stance, carry: Carry, others: Sequence[Stance] = ()) -> Verdict:
        """Whether and how fast a module is picked, carried and placed."""
        answer = self._answer(occupied, stance, carry, others)
        if answer.refused:
            return Verdict(math.inf, answer.refused)
        return Verdict(answer.seconds + 2.0 * (self.orders.close + self.orders.open))

    def home(self, occupied: Flags, stance: Stance, others: Sequence[Stance] = ()) -> Array | None:
        """Joint positions (7,) at rest, seen from the end that stands; None where none is clear."""
        q = self.ground_of(stance).homes(np.asarray(occupied, bool), [stance, *others])[stance]
        return None if q is None else self.limb.from_steps(q)

    def legs_of_step(
        self, occupied: Flags, stance: Stance, to: Stance, others: Sequence[Stance] = ()
    ) -> tuple[Leg, Leg]:
        """Home to the face, seen from the old foot; from the face home, seen from the new foot."""
        first, second = self._legs(occupied, stance, to, others, ("reach", "follow"))
        return first, second

    def legs_of_transfer(
        self, occupied: Flags, stance: Stance, carry: Carry, others: Sequence[Stance] = ()
    ) -> tuple[Leg, Leg, Leg]:
        """Home to the grip, the grip to the goal with the module, the goal home."""
        first, second, third = self._legs(occupied, stance, carry, others, ("pick", "carry", "return"))
        return first, second, third

    def _legs(
        self, occupied: Flags, stance: Stance, what: Stance | Carry, others: Sequence[Stance], names: Sequence[str]
    ) -> list[Leg]:
        answer = self._answer(occupied, stance, what, others)
        if answer.refused:
            raise NoMotionError(f"motion from {stance}: {what}: {answer.refused}")
        margin = self.ground.planner.tries.margin
        found = []
        for name, curve in zip(names, answer.curves, strict=True):
            q, qd, qdd = (self.limb.from_steps(curve.states[:, k]) for k in range(3))
            found.append(Leg(name, QuinticPieces(curve.times, q, qd, qdd), margin))
        return found

    def _answer(self, occupied: Flags, stance: Stance, what: Stance | Carry, others: Sequence[Stance]) -> Answer:
        self.asked += 1
        full = np.asarray(occupied, bool)
        ground = self.ground_of(stance)
        key = stance.end, ground.key(full, stance, what, others)
        if key not in self._kept:
            if len(self._kept) >= KEPT:
                self._kept.pop(next(iter(self._kept)))
            self.computed += 1
            if isinstance(what, Carry):
                self._kept[key] = transfer(ground, full, stance, what, others)
            else:
                self._kept[key] = step_over(ground, full, stance, stance.stepping(what), others)
        return self._kept[key]


def with_locked(motions: LimbMotions, joint: int, angle: float, end: int, q: Array) -> LimbMotions:
    """With a joint, from 0 at end A, that stays at an angle [rad]; the robot rests at q (7,), seen from an end."""
    locked = Locked(joint, angle, ((end, tuple(float(x) for x in q)),))
    other = object.__new__(LimbMotions)
    other.__setstate__((*motions.__getstate__()[:-1], locked))
    return other


def _check_symmetric(limb: Limb) -> None:
    """The robot must look the same from both ends, and its hand must turn about its own axis."""
    q = np.array([0.3, -0.4, 0.5, 0.9, -0.2, 0.7, 0.1])
    X_CH = limb.X_AC.inverse() @ limb.pose(limb.from_steps(q)) @ limb.X_HT.inverse()
    X = limb.X_AC @ X_CH @ limb.X_HT
    Y = limb.pose(limb.from_steps(q[::-1]))
    off = max(float(np.abs(X.inverse().p - Y.p).max()), float(np.abs(X.inverse().R - Y.R).max()))
    if off > 1e-9 or float(np.abs(limb.X_HT.p[:2]).max()) > 1e-12 or abs(limb.X_HT.R[2, 2] - 1.0) > 1e-12:
        raise ModelError(f"limb: it is not its own image from the other end (by {off:.3g}); allowed: 1e-9")
