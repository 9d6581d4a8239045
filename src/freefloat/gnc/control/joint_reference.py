"""A joint motion as knots in arrays that never move: what a compiled controller flies, and what others read ahead."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.planning.arm.jerk_limited import Path
from freefloat.gnc.planning.arm.joint_path import State, resting, state_at

KNOTS = 4096  # room
SPAN = 0.02  # [s] between the knots of a path that has none of its own


class JointReference:
    """The curve of n joints that `quintic_at` gives for the first `count` knots at t - `start`.

    A path with `knots` (`QuinticPieces`) is flown as it is. One without, or with more than there is room for, is
    sampled every `SPAN`, or more rarely where it lasts longer than that allows. A jerk-limited path is then found
    again but where its jerk jumps by J between knots: there the piece of length h is off by at most J h^3 / 768 in
    position and J h / 16 in acceleration.
    """

    def __init__(self, n: int) -> None:
        self.start = np.zeros(1)  # [s]
        self.count: NDArray[np.int64] = np.ones(1, np.int64)
        self.times = np.zeros(KNOTS)  # [s] rising
        self.knots = np.zeros((KNOTS, 3, n))  # position, rate, acceleration

    @property
    def rests(self) -> bool:
        """Whether there is no motion in it."""
        return bool(self.count[0] == 1)

    @property
    def end(self) -> float:
        """[s] at which it comes to rest."""
        return float(self.start[0] + self.times[self.count[0] - 1])

    def follow(self, path: Path, start: float) -> None:
        """The path from now on; its time 0 is `start` [s]."""
        own: tuple[Array, Array] | None = getattr(path, "knots", None)
        times, knots = own if own is not None and len(own[0]) <= KNOTS else _sampled(path)
        if knots.shape[1:] != self.knots.shape[1:]:
            raise InputError(f"path of {knots.shape[2]} joints; allowed: {self.knots.shape[2]}")
        k = len(times)
        self.times[:k], self.knots[:k] = times, knots
        self.start[0], self.count[0] = start, k

    def rest(self, q: ArrayLike) -> None:
        """At rest in q."""
        self.start[0], self.times[0], self.knots[0], self.count[0] = 0.0, 0.0, resting(q), 1

    def at(self, t: float) -> State:
        """Position, rate and acceleration at t [s]; before its first knot the state there."""
        k = int(self.count[0])
        return state_at(self.times[:k], self.knots[:k], max(t - self.start[0], self.times[0]))


def _sampled(path: Path) -> tuple[Array, Array]:
    """Times and states of evenly spaced knots."""
    pieces = min(math.ceil(path.duration / SPAN - 1e-9), KNOTS - 1)
    times = np.linspace(0.0, path.duration, pieces + 1)
    return times, np.array([path.at(t) for t in times])
