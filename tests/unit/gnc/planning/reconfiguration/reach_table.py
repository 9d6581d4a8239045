"""Motions for tests that know only reach: shoulder and wrist 0.15 m over their faces, 0.337 to 1.30 m apart."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.motions import Leg, Verdict
from freefloat.gnc.planning.reconfiguration.problem import Carry, Flags, Places, Stance


class ReachTable:
    """Transfers take 100 s and more, steps 50; a seeded share of all has no motion."""

    def __init__(self, places: Places, refuted: float = 0.0) -> None:
        self.places, self.refuted, self.asked = places, refuted, 0
        self._joint = np.array([X.p + 0.15 * X.R[:, 2] for X in places.X_PF])
        self._known: dict[tuple[Stance, Stance], bool] = {}

    def _within(self, a: Stance, b: Stance) -> bool:
        key = (a, b)
        if key not in self._known:
            apart = self.places.p_TP[b.place] + self._joint[b.side] - self.places.p_TP[a.place] - self._joint[a.side]
            self._known[key] = 0.337 <= math.hypot(*apart.tolist()) <= 1.30
        return self._known[key]

    def least_step(self, stance: Stance, to: Stance) -> float:
        return 50.0 if self._within(stance, to) else math.inf

    def least_transfer(self, stance: Stance, carry: Carry) -> float:
        end = Stance(carry.target, int(self.places.side_at[carry.turn, carry.grip]))
        reached = self._within(stance, Stance(carry.source, carry.grip)) and self._within(stance, end)
        return 100.0 if reached else math.inf

    def leaves(self, occupied: Flags, place: int, side: int) -> bool:
        return True

    def _verdict(self, least: float, *question: object) -> Verdict:
        self.asked += 1
        dice = hashlib.md5(repr(question).encode()).digest()
        if math.isinf(least) or dice[0] < 256 * self.refuted:
            return Verdict(math.inf, "carry")
        return Verdict(least * (1.0 + dice[1] / 512))

    def step(self, occupied: Flags, stance: Stance, to: Stance, others: Sequence[Stance] = ()) -> Verdict:
        return self._verdict(self.least_step(stance, to), occupied.tobytes(), stance, to, tuple(others))

    def transfer(self, occupied: Flags, stance: Stance, carry: Carry, others: Sequence[Stance] = ()) -> Verdict:
        return self._verdict(self.least_transfer(stance, carry), occupied.tobytes(), stance, carry, tuple(others))

    def home(self, occupied: Flags, stance: Stance, others: Sequence[Stance] = ()) -> Array | None:
        return np.zeros(7)

    def legs_of_step(
        self, occupied: Flags, stance: Stance, to: Stance, others: Sequence[Stance] = ()
    ) -> tuple[Leg, Leg]:
        raise NotImplementedError

    def legs_of_transfer(
        self, occupied: Flags, stance: Stance, carry: Carry, others: Sequence[Stance] = ()
    ) -> tuple[Leg, Leg, Leg]:
        raise NotImplementedError
