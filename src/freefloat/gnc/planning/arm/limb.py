"""Limbs of seven joints, spherical-elbow-spherical: every way to reach a pose, in closed form.

The rolls 1, 3, 5, 7 lie on one line at q = 0, the pitches 2, 4, 6 cross it at right angles in shoulder, elbow, wrist.
Base frame A, tip T and the joints' sense of turning are those of the chain that the limb is made from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError, ModelError
from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm import limb_step as step
from freefloat.gnc.planning.arm.chain import Chain
from freefloat.gnc.planning.arm.six_axis import OutOfReachError

EXACT = 1e-12  # [m and -] by which axes may miss one another
SLACK = 1e-9  # [rad] by which rounding may take a joint over its limit
TURN = 2.0 * math.pi
UP = (0.0, 0.0, 1.0)  # in C: the elbow is over the shoulder at psi = 0


@dataclass(frozen=True, eq=False)
class Posture:
    """One way to reach a pose."""

    q: Array  # [rad] (7,)
    branch: int  # 0 to 7: 4 elbow bent the other way (q4 < 0), 2 shoulder flipped, 1 wrist flipped, added up
    psi: float  # [rad] swivel of the elbow about the line from shoulder to wrist
    singular: tuple[str, ...]  # of shoulder, wrist: where q1 or q5 was free and is 0; elbow: stretched


@dataclass(frozen=True, eq=False)
class Limb:
    """Links l1 and l2 [m], and where the limb is: X_AC of its shoulder, X_HT of the tip in its hand.

    Compiled steps count joints from the base, in the sense of C's axes: q = sign * (steps' q)[order].
    """

    joints: tuple[str, ...]
    l1: float
    l2: float
    X_AC: Pose
    X_HT: Pose
    sign: Array  # (7,) in the order of `joints`
    order: np.ndarray  # (7,) place along the limb of each of `joints`
    lower: Array  # [rad] in the order of `joints`
    upper: Array
    _X_TH: Pose = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_X_TH", self.X_HT.inverse())

    @classmethod
    def of(cls, chain: Chain) -> Limb:
        """The limb that a chain is; `ModelError` says what it lacks."""
        axes, points = _screws(chain)
        S, E, W, x, y, z = _triad(axes, points)
        X_AC = Pose(np.column_stack([x, y, z]), S)
        l1, l2 = float(z @ (E - S)), float(z @ (W - E))
        X_AH = Pose(X_AC.R, W)
        order = np.argsort(chain.order(np.arange(7.0)))
        along = np.where(np.arange(7) % 2 == 0, axes @ z, axes @ y)
        sign = np.sign(along)[order]
        return cls(
            chain.joints, l1, l2, X_AC, X_AH.inverse() @ chain.X_AT0, sign, order,
            np.array(chain.lower), np.array(chain.upper),
        )  # fmt: skip

    @property
    def limits(self) -> tuple[Array, Array]:
        """Lower and upper limits as compiled steps count joints."""
        ends = np.stack([self.to_steps(self.lower), self.to_steps(self.upper)])
        return ends.min(axis=0), ends.max(axis=0)

    def to_steps(self, q: ArrayLike) -> Array:
        """Joint angles as compiled steps count them."""
        out = np.empty(7)
        out[self.order] = self.sign * np.asarray(q, np.float64)
        return out

    def from_steps(self, q: ArrayLike) -> Array:
        """The inverse of `to_steps`, of one or more rows."""
        return np.asarray(q, np.float64)[..., self.order] * self.sign

    def hand(self, X_AT: Pose) -> Pose:
        """X_CH for a pose of the tip."""
        return self.X_AC.inverse() @ X_AT @ self._X_TH

    @property
    def reach(self) -> tuple[float, float]:
        """[m] least and largest distance of the wrist from the shoulder that the elbow's limits allow."""
        k = int(np.flatnonzero(self.order == 3)[0])
        bends = [a for a in (self.lower[k], self.upper[k], 0.0, math.pi) if self.lower[k] <= a <= self.upper[k]]
        far = [math.sqrt(self.l1**2 + self.l2**2 + 2.0 * self.l1 * self.l2 * math.cos(a)) for a in bends]
        return min(far), max(far)

    def pose(self, q: ArrayLike) -> Pose:
        """X_AT."""
        axes, centres = np.empty((8, 3, 3)), np.empty((8, 3))
        step.frames(self.l1, self.l2, self.to_steps(_seven(q)), axes, centres)
        return self.X_AC @ Pose(axes[7], centres[7]) @ self.X_HT

    def swivel(self, q: ArrayLike) -> float:
        """psi [rad] of joint angles."""
        return float(step.swivel(self.l1, self.l2, self.to_steps(_seven(q)), np.array(UP)))

    def branches(self, X_AT: Pose, psi: float = 0.0) -> tuple[Array, np.ndarray]:
        """Joint angles (8, 7) of all branches in [-pi, pi] without limits, and what is singular: 1 shoulder, 2 wrist.

        -1 where the pose is out of reach. Raises nothing.
        """
        X, now = self.hand(X_AT), np.zeros(7)
        q, told = np.full((8, 7), np.nan), np.empty(8, np.int64)
        step.inverse(self.l1, self.l2, X.p, X.R, np.array(UP), psi, now, q, told)
        return self.from_steps(q), told

    def inverse(self, X_AT: Pose, psi: float = 0.0) -> list[Posture]:
        """Every way to reach a pose at a swivel within the limits, copies whole turns apart among them.

        Empty where limits allow none; `OutOfReachError` where the limb is too short or folded too far.
        """
        rows, told = self.branches(X_AT, psi)
        if told[0] < 0:
            raise self._out_of_reach(X_AT)
        found: list[Posture] = []
        for b in range(step.BRANCHES):
            copies = [self._copies(j, float(rows[b, j])) for j in range(7)]
            singular = self._singular(int(told[b]), rows[b])
            found += [Posture(np.array(q), b, psi, singular) for q in product(*copies)]
        return found

    def locked(self, X_AT: Pose, joint: str, value: float, turn: float = TURN) -> list[Posture]:
        """Every way to reach a pose with a joint at an angle [rad], up to multiples of `turn`: six joints move.

        The swivel of each branch is where the locked joint has that angle; a locked elbow reaches one distance only.
        """
        k = self.joints.index(joint)
        at, X = int(self.order[k]), self.hand(X_AT)
        if self._too_far(X)[0]:
            raise self._out_of_reach(X_AT)
        found: list[Posture] = []
        for b in range(step.BRANCHES):
            psi = np.empty(16)
            wanted = self.sign[k] * value
            n = step.locked_swivels(self.l1, self.l2, X.p, X.R, np.array(UP), b, at, wanted, turn, psi)
            for angle in psi[:n]:
                near = [p for p in self.inverse(X_AT, float(angle)) if p.branch == b]
                whole = [p for p in near if turn != TURN or abs(p.q[k] - value) < 1e-6]
                found += whole
        return found

    def why_not(self, X_AT: Pose, swivels: int = 72) -> str:
        """Why a pose has no posture within the limits, in words; empty where it has one at one of the swivels."""
        if self._too_far(self.hand(X_AT))[0]:
            return str(self._out_of_reach(X_AT))
        beyond: set[int] = set()
        for psi in np.arange(swivels) * (TURN / swivels):
            for row in self.branches(X_AT, float(psi))[0]:
                outside = {j for j in range(7) if not self._copies(j, float(row[j]))}
                if not outside:
                    return ""
                beyond |= outside
        names = ", ".join(self.joints[j] for j in sorted(beyond))
        return f"limb: pose at {_at(X_AT)} m is out of the limits of {names} at every one of {swivels} swivels"

    def _copies(self, j: int, value: float) -> list[float]:
        """Angles of a joint within its limits, whole turns from `value`; one where it turns without end."""
        if not math.isfinite(self.upper[j] - self.lower[j]):
            return [value]
        first = math.ceil((self.lower[j] - SLACK - value) / TURN)
        last = math.floor((self.upper[j] + SLACK - value) / TURN)
        return [value + TURN * k for k in range(first, last + 1)]

    def _singular(self, told: int, q: Array) -> tuple[str, ...]:
        elbow = abs(float(q[int(np.flatnonzero(self.order == 3)[0])]))
        flags = (("shoulder", bool(told & 1)), ("wrist", bool(told & 2)), ("elbow", elbow < step.ALIGNED))
        return tuple(name for name, yes in flags if yes)

    def _too_far(self, X_CH: Pose) -> tuple[float, float]:
        """By how much [m] the wrist is out of the limb's own reach, 0 if not, and its distance from the shoulder."""
        D = float(np.linalg.norm(X_CH.p))
        return float(step.elbow_angle(self.l1, self.l2, D)[2]), D

    def _out_of_reach(self, X_AT: Pose) -> OutOfReachError:
        by, D = self._too_far(self.hand(X_AT))
        low, high = self.reach
        return OutOfReachError(
            f"limb: pose at {_at(X_AT)} m is out of reach: its wrist would be {D:.4g} m from the shoulder;"
            f" allowed: {low:.4g} to {high:.4g} m",
            by,
        )


def _at(X_AT: Pose) -> str:
    return f"({', '.join(f'{x:.4g}' for x in X_AT.p)})"


def _seven(q: ArrayLike) -> Array:
    a = np.asarray(q, np.float64)
    if a.shape != (7,) or not np.isfinite(a).all():
        raise InputError(f"joint angles of a limb {a.tolist()}; allowed: 7 finite numbers")
    return a


def _screws(chain: Chain) -> tuple[Array, Array]:
    """Directions (7, 3) of the axes and points on them from the base to the tip, in A at q = 0."""
    if len(chain) != 7 or not chain.hinges.all():
        turning = int(chain.hinges.sum())
        raise ModelError(f"limb: {len(chain)} joints, {turning} of them turn; allowed: 7 that turn")
    chain.pose(np.zeros(7))
    return np.array(chain.data.xaxis), np.array(chain.data.xanchor)


def _triad(axes: Array, points: Array) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Shoulder, elbow and wrist, and the axes x, y, z of C."""
    line, y = axes[0], axes[1]
    on_line = [points[0] + line * float(line @ (points[k] - points[0])) for k in (1, 3, 5)]
    S, E, W = on_line
    z = line * (1.0 if float(line @ (W - S)) >= 0.0 else -1.0)
    for k in range(7):
        along, off = (z, np.cross(z, points[k] - S)) if k % 2 == 0 else (y, points[k] - on_line[k // 2])
        if k % 2:
            off = np.cross(y, off)
        apart = max(float(np.linalg.norm(np.cross(axes[k], along))), float(np.linalg.norm(off)))
        if apart > EXACT:
            what = "the line of the rolls" if k % 2 == 0 else "a common direction through that line"
            raise ModelError(f"limb: axis {k + 1} misses {what} by {apart:.3g}; allowed: {EXACT:g} (m or rad)")
    if abs(float(y @ z)) > EXACT or not (float(z @ (E - S)) > 0.0 and float(z @ (W - E)) > 0.0):
        raise ModelError("limb: pitches must cross the line of the rolls at right angles: shoulder, elbow, wrist")
    y = y - z * float(y @ z)
    y = y / np.linalg.norm(y)
    return S, E, W, np.cross(y, z), y, z
