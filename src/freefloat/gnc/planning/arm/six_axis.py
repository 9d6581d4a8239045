"""Six-axis arms with a spherical wrist: forward and closed-form inverse kinematics, with every way to reach a pose."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm import six_axis_step as step
from freefloat.six_axis_arms import AXES, SixAxisArm, six_axis_arm

SLACK = 1e-9  # [rad] by which rounding may take an axis over its limit
TURN = 2.0 * math.pi
_WAY = {step.TOO_FAR: "too far", step.TOO_NEAR: "too near"}


class OutOfReachError(InputError):
    """A pose that no branch reaches, or none within the limits of the axes; `distance` [m] is what lengths miss."""

    def __init__(self, message: str, distance: float = 0.0) -> None:
        self.distance = distance
        super().__init__(message)


@dataclass(frozen=True, eq=False)
class Solution:
    """One way to reach a pose."""

    q: Array  # [rad] (6,)
    branch: int  # 0 to 7: 4 looks back, 2 elbow down, 1 wrist flipped (q5 < 0), added up

    @property
    def name(self) -> str:
        """In words, such as "front, elbow up, wrist flipped"."""
        bits = (
            (step.FRONT_BACK, "front", "back"),
            (step.ELBOW, "elbow up", "elbow down"),
            (step.WRIST, "wrist straight", "wrist flipped"),
        )
        return ", ".join(yes if self.branch & bit else no for bit, no, yes in bits)


@dataclass(frozen=True)
class Singularity:
    """How near axes are to the three places where the arm loses a direction."""

    wrist: float  # [rad] q5 from 0 or pi, where A4 and A6 are in line
    shoulder: float  # [m] wrist's centre from the axis A1
    elbow: float  # [rad] of the bend between upper arm and forearm, from stretched or folded

    def near(self, angle: float = 0.02, distance: float = 0.02) -> tuple[str, ...]:
        """Names of those that are within an angle [rad] or a distance [m]."""
        limits = (("wrist", angle), ("shoulder", distance), ("elbow", angle))
        return tuple(name for name, limit in limits if getattr(self, name) < limit)

    def __str__(self) -> str:
        wrist, elbow = math.degrees(self.wrist), math.degrees(self.elbow)
        return f"wrist {wrist:.3g} deg, shoulder {self.shoulder:.3g} m, elbow {elbow:.3g} deg from singular"


@dataclass(frozen=True, eq=False)
class SixAxis:
    """An arm that stands at X_WB with a tool T at X_FT on its flange F.

    Poses are those of T in W, q [rad] (6,) the axes A1 to A6 in KUKA's sense of turning.
    """

    arm: SixAxisArm
    X_WB: Pose = field(default_factory=Pose.identity)
    X_FT: Pose = field(default_factory=Pose.identity)
    endless: tuple[str, ...] = ()  # axes that turn without limits, such as ("A4", "A6")

    def __post_init__(self) -> None:
        a = self.arm
        unknown = [axis for axis in self.endless if axis not in AXES]
        if unknown:
            raise InputError(f"six-axis arm {a.name!r}: endless {unknown[0]!r}; allowed: {', '.join(AXES)}")
        free = np.array([axis in self.endless for axis in AXES])
        arrays = {
            "size": np.array([a.d1, a.a1, a.a2, a.o, a.forearm, a.flange]),
            "lower": np.where(free, -np.inf, a.lower),
            "upper": np.where(free, np.inf, a.upper),
            "speed": np.array(a.speed),
            "_endless": free,
        }
        for name, value in arrays.items():
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_X_TF", self.X_FT.inverse())
        object.__setattr__(self, "_X_BW", self.X_WB.inverse())

    size: Array = field(init=False, repr=False)  # [m] (6,) d1, a1, a2, o, l, f
    lower: Array = field(init=False, repr=False)  # [rad] (6,)
    upper: Array = field(init=False, repr=False)  # [rad] (6,)
    speed: Array = field(init=False, repr=False)  # [rad/s] (6,)
    _endless: np.ndarray = field(init=False, repr=False)
    _X_TF: Pose = field(init=False, repr=False)
    _X_BW: Pose = field(init=False, repr=False)

    @classmethod
    def of(
        cls, name: str, X_WB: Pose | None = None, X_FT: Pose | None = None, endless: tuple[str, ...] = ()
    ) -> SixAxis:
        """An arm by its type: "kr16-2", "kr240-2" or "kr100-ha"."""
        eye = Pose.identity()
        return cls(six_axis_arm(name), eye if X_WB is None else X_WB, eye if X_FT is None else X_FT, endless)

    def flange(self, q: ArrayLike) -> Pose:
        """X_WF."""
        p, R = np.empty(3), np.empty((3, 3))
        step.forward(self.size, _axes(q), p, R)
        return self.X_WB @ Pose._trusted(R, p)

    def forward(self, q: ArrayLike) -> Pose:
        """X_WT."""
        return self.flange(q) @ self.X_FT

    def jacobian(self, q: ArrayLike) -> Array:
        """J (6, 6) with [w_WT; v_WT] = J q', both in W."""
        J, given = np.empty((6, 6)), _axes(q)
        step.jacobian(self.size, given, self._tool_in_base(given), J)
        return np.concatenate([self.X_WB.R @ J[:3], self.X_WB.R @ J[3:]])

    def drift(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """J' q' (6,): with q'', [alpha_WT; a_WT] = J q'' + J' q', both in W."""
        out, given = np.empty(6), _axes(q)
        step.drift(self.size, given, _axes(qd), self._tool_in_base(given), out)
        return np.concatenate([self.X_WB.R @ out[:3], self.X_WB.R @ out[3:]])

    def _tool_in_base(self, q: Array) -> Array:
        """p_BT."""
        p, R = np.empty(3), np.empty((3, 3))
        step.forward(self.size, q, p, R)
        return R @ self.X_FT.p + p

    def branches(self, X_WT: Pose, q_now: ArrayLike | None = None) -> tuple[Array, np.ndarray, Array]:
        """Axes (8, 6) of all branches without limits, whether each reaches (0 if so), and by how much [m] it does not.

        Where the wrist is singular, A4 stays as in `q_now`, or at 0.
        """
        X_BF = self._X_BW @ X_WT @ self._X_TF
        now = np.zeros(6) if q_now is None else _axes(q_now)
        q, told, by = np.empty((8, 6)), np.empty(8, np.int64), np.empty(8)
        step.inverse(self.size, X_BF.p, X_BF.R, now, q, told, by)
        return q, told, by

    def inverse(self, X_WT: Pose) -> list[Solution]:
        """Every way to reach a pose within the limits, copies that are whole turns apart among them.

        Of an endless axis there is one copy, in [-pi, pi). Empty where limits allow none; `OutOfReachError` where the
        arm is too short, or folded too far.
        """
        rows, told, by = self.branches(X_WT)
        if told.all():
            raise self._out_of_reach(X_WT, told, by)
        found: list[Solution] = []
        for b in np.flatnonzero(told == step.REACHED):
            copies = [self._copies(j, rows[b, j]) for j in range(6)]
            found += [Solution(np.array(q), int(b)) for q in product(*copies)]
        return found

    def nearest(self, X_WT: Pose, q_now: ArrayLike) -> Array:
        """The axes that reach a pose in the shortest time from those of now: the same branch, where that goes on.

        Raises `OutOfReachError` with the distance, or with the axes that would leave their limits.
        """
        now = _axes(q_now)
        q, told, by = self.branches(X_WT, now)
        step.nearest_copies(q, now, self.lower, self.upper, self._endless, SLACK)
        best = step.choose(q, now, self.speed)
        if best < 0:
            raise self._out_of_reach(X_WT, told, by)
        return q[best]

    def singularity(self, q: ArrayLike) -> Singularity:
        """How near these axes are to singular ones."""
        arm, (_, q2, q3, _, q5, _) = self.arm, _axes(q).tolist()
        s = q2 + q3
        out = arm.a1 + arm.a2 * math.cos(q2) + arm.forearm * math.cos(s) + arm.o * math.sin(s)
        wrist = abs(math.remainder(q5, TURN))
        bend = abs(math.remainder(q3 - math.atan2(arm.o, arm.forearm), TURN))
        return Singularity(min(wrist, math.pi - wrist), abs(out), min(bend, math.pi - bend))

    def _copies(self, j: int, value: float) -> list[float]:
        """Angles of axis j within its limits, whole turns from `value`."""
        if self._endless[j]:
            return [value]
        first = math.ceil((self.lower[j] - SLACK - value) / TURN)
        last = math.floor((self.upper[j] + SLACK - value) / TURN)
        return [value + TURN * k for k in range(first, last + 1)]

    def _out_of_reach(self, X_WT: Pose, told: np.ndarray, by: Array) -> OutOfReachError:
        where = f"{self.arm.name}: pose at ({', '.join(f'{x:.6g}' for x in X_WT.p)}) m"
        if told.all():
            b = int(np.argmin(by))
            return OutOfReachError(
                f"{where} is out of reach: its wrist would be {by[b]:.4g} m {_WAY[int(told[b])]}", by[b]
            )
        rows = self.branches(X_WT)[0]
        beyond = sorted(
            {
                AXES[j]
                for b in np.flatnonzero(told == step.REACHED)
                for j in range(6)
                if not self._copies(j, float(rows[b, j]))
            }
        )
        return OutOfReachError(f"{where} is out of the limits of {', '.join(beyond)} in every branch")


def _axes(q: ArrayLike) -> Array:
    a = np.ascontiguousarray(q, dtype=np.float64)
    if a.shape != (6,) or not np.isfinite(a).all():
        raise InputError(f"axes of a six-axis arm {np.asarray(q).tolist()}; allowed: 6 finite numbers")
    return a
