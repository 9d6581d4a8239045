"""Attitude filter on gyro, star tracker and sun sensor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array, quat_canonical, quat_conj, quat_exp, quat_mul, quat_to_matrix
from freefloat.gnc.estimation.mekf import Belief, GyroModel, correct_attitude, correct_direction, predict


@dataclass(frozen=True)
class TrackerModel:
    """Star tracker T on body B, boresight along its z; noise across and about the boresight."""

    across: float = 5e-5  # [rad] standard deviation about x and y of T
    about: float = 4e-4  # [rad] about z of T
    q_BT: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    delay: float = 0.0  # [s] age of a reading when it arrives

    def __post_init__(self) -> None:
        if not (self.across > 0.0 and self.about > 0.0 and 0.0 <= self.delay < math.inf):
            raise InputError(f"tracker model: {self} needs positive noise and a delay >= 0")

    def covariance(self) -> Array:
        """Noise of one reading [rad^2] in B."""
        R_BT = quat_to_matrix(quat_canonical(self.q_BT))
        return (R_BT * np.square([self.across, self.across, self.about])) @ R_BT.T


@dataclass
class AttitudeEKF:
    """Attitude, rate and gyro bias from readings as they come.

    Reads w_gyro [rad/s] (instantaneous rate; the turn between two updates is taken at their mean) and, where they are
    present, q_WT of the star tracker T, and sun_B with sun_W of a sun sensor. A reading counts when it differs from the
    one before: sensors that are slower than the filter repeat theirs. One with a NaN, or a zero quaternion or vector,
    is missing; for a missing gyro the last reading stands in. Returns q_WB, w_WB_B, bias, P (attitude and bias,
    6 x 6), sigma (of [th, db(, ds)]), and nis_tracker, nis_sun (NaN without a new reading).

    A delayed tracker reading is turned forward by the gyro over its age; the gyro's noise over the delay is added to
    its own, their correlation is neglected. What turned before the filter ran counts as noise.
    """

    gyro: GyroModel = field(default_factory=GyroModel)
    tracker: TrackerModel = field(default_factory=TrackerModel)
    sun_sigma: float = 5e-3  # [rad]
    gate: float = math.inf  # [-] largest normalised innovation squared of a reading that is used
    q_WB: ArrayLike = (1.0, 0.0, 0.0, 0.0)  # at the start
    sigma: float = math.pi  # [rad] of it on each axis; pi: not known
    belief: Belief = field(init=False)
    last_t: float | None = field(init=False, default=None)
    last: dict[str, Array] = field(init=False, default_factory=dict)  # newest reading of each sensor
    turns: list[tuple[float, Array]] = field(init=False, default_factory=list)  # (dt, w), newest last

    def __post_init__(self) -> None:
        if not (self.sun_sigma > 0.0 and self.gate > 0.0 and self.sigma > 0.0):
            given = (self.sun_sigma, self.gate, self.sigma)
            raise InputError(f"attitude filter: sun_sigma, gate and sigma must be positive, got {given}")
        self.belief = Belief.start(self.gyro, self.q_WB, self.sigma)
        self.last["w_gyro"] = np.zeros(3)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Estimate at t."""
        w_gyro = np.array(meas.get("w_gyro", self.last["w_gyro"]), dtype=np.float64)
        if not np.all(np.isfinite(w_gyro)):
            w_gyro = self.last["w_gyro"]
        if self.last_t is not None and t > self.last_t:
            self.predict(0.5 * (w_gyro + self.last["w_gyro"]), t - self.last_t)
        self.last_t, self.last["w_gyro"] = t, w_gyro
        nis_tracker = self.correct_tracker(meas["q_WT"]) if self._is_new("q_WT", meas) else math.nan
        sun = "sun_W" in meas and self._is_new("sun_B", meas)
        nis_sun = self.correct_sun(meas["sun_W"], meas["sun_B"]) if sun else math.nan
        b = self.belief
        return {
            "q_WB": b.q_WB,
            "w_WB_B": b.rate(w_gyro),
            "bias": b.bias,
            "P": b.P[:6, :6],
            "sigma": np.sqrt(np.diag(b.P)),
            "nis_tracker": np.array([nis_tracker]),
            "nis_sun": np.array([nis_sun]),
        }

    def predict(self, w_gyro: Array, dt: float) -> None:
        """Propagate over dt [s] with the gyro's mean reading."""
        self.turns.append((dt, self.belief.rate(w_gyro)))
        while sum(step for step, _ in self.turns[1:]) >= self.tracker.delay and self.turns:
            self.turns.pop(0)
        self.belief = predict(self.belief, self.gyro, w_gyro, dt)

    def correct_tracker(self, q_WT: Array) -> float:
        """Use a star tracker reading; returns its normalised innovation squared."""
        q_WB = quat_mul(quat_canonical(q_WT), quat_conj(quat_canonical(self.tracker.q_BT)))
        R, left = self.tracker.covariance(), self.tracker.delay
        q_turn = np.array([1.0, 0.0, 0.0, 0.0])
        for dt, w in reversed(self.turns):
            part = min(dt, left)
            q_turn, left = quat_mul(quat_exp(w * part), q_turn), left - part
        age, unseen = self.tracker.delay - left, left * float(np.linalg.norm(self.belief.rate(self.last["w_gyro"])))
        R = R + (self.gyro.noise**2 * age + unseen**2) * np.eye(3) + self.belief.P[3:6, 3:6] * age**2
        self.belief, nis = correct_attitude(self.belief, quat_mul(q_WB, q_turn), R, self.gate)
        return nis

    def correct_sun(self, sun_W: Array, sun_B: Array) -> float:
        """Use a sun sensor reading; returns its normalised innovation squared."""
        self.belief, nis = correct_direction(self.belief, sun_W, sun_B, self.sun_sigma, self.gate)
        return nis

    def _is_new(self, name: str, meas: Mapping[str, Array]) -> bool:
        reading = meas.get(name)
        if reading is None or not np.all(np.isfinite(reading)) or not np.any(reading):
            return False
        if name in self.last and np.array_equal(reading, self.last[name]):
            return False
        self.last[name] = np.array(reading)
        return True
