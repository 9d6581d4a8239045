"""Gyro, star tracker and Sun sensor: from true signals to readings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, not_negative, positive, take, take_rows
from freefloat.frames import Array, quat_canonical, quat_conj, quat_exp, quat_log, quat_mul, quat_rotate


@dataclass
class Gyro:
    """w_m = (1 + s) w + b + n on `X.w_WB_B`: white noise n of density `noise`, bias b a random walk.

    A sample's noise has the standard deviation noise / sqrt(dt), dt since the sample before (Farrenkopf 1978).
    """

    noise: Measure = 1e-5  # [rad/s/sqrt(Hz)] angle random walk
    walk: Measure = 1e-8  # [rad/s^2/sqrt(Hz)] rate random walk of the bias
    bias: Measure = 1e-4  # [rad/s] standard deviation of the bias at the start
    scale: Measure = 0.0  # [-] standard deviation of the scale errors
    _t: float = field(default=-1.0, init=False)
    _b: Array = field(default_factory=lambda: np.zeros(3), init=False)
    _s: Array = field(default_factory=lambda: np.zeros(3), init=False)

    def __post_init__(self) -> None:
        take(self, "gyro", noise=not_negative("rad/s/sqrt(Hz)"), walk=not_negative("rad/s^2/sqrt(Hz)"))
        take(self, "gyro", bias=not_negative("rad/s"), scale=not_negative("-"))

    def measure(self, t: float, truth: Array, rng: np.random.Generator) -> Array:
        """Angular velocity reading [rad/s] in the sensor's axes."""
        if self._t < 0.0:
            self._b = self.bias * rng.standard_normal(3)
            self._s = self.scale * rng.standard_normal(3)
            self._t = t
            return (1.0 + self._s) * truth + self._b
        dt = max(t - self._t, 1e-9)
        self._t = t
        self._b = self._b + self.walk * np.sqrt(dt) * rng.standard_normal(3)
        return (1.0 + self._s) * truth + self._b + self.noise / np.sqrt(dt) * rng.standard_normal(3)


@dataclass
class StarTracker:
    """q_WT of the tracker frame T (z along the boresight) from `X.q_WB`, with a small random rotation in T.

    W's axes are inertial. Noise about the boresight is larger than across it. Where the body turned faster than
    `max_rate` since the sample before, there is no reading: NaN.
    """

    across: Measure = 5e-5  # [rad] standard deviation across the boresight
    about: Measure = 3e-4  # [rad] about the boresight
    q_BT: Measures = (1.0, 0.0, 0.0, 0.0)  # [-]
    max_rate: Measure = np.inf  # [rad/s]
    _before: tuple[float, Array] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        take(self, "star tracker", across=not_negative("rad"), about=not_negative("rad"))
        take(self, "star tracker", max_rate=positive("rad/s", inf=True))
        take_rows(self, "star tracker", 4, q_BT=Amount("-"))

    def measure(self, t: float, truth: Array, rng: np.random.Generator) -> Array:
        """Attitude reading, scalar first."""
        error = np.array([self.across, self.across, self.about]) * rng.standard_normal(3)
        before, self._before = self._before, (t, truth.copy())
        if before is not None and t > before[0]:
            turn = float(np.linalg.norm(quat_log(quat_mul(quat_conj(before[1]), truth))))
            if turn > self.max_rate * (t - before[0]):
                return np.full(4, np.nan)
        q_WT = quat_mul(truth, np.array(self.q_BT))
        return quat_canonical(quat_mul(q_WT, quat_exp(error)))


@dataclass(frozen=True)
class SunSensor:
    """Direction to the Sun in B from `X.q_WB`; zeros while the Sun is hidden or outside the field of view."""

    sun: Callable[[float], Array]  # t -> unit vector to the Sun in W, zeros in eclipse
    noise: Measure = 1e-3  # [rad] standard deviation of each component
    axis: Measures | None = None  # [-] centre of the field of view in B; None: all around
    half_angle: Measure = np.pi  # [rad]

    def __post_init__(self) -> None:
        take(self, "Sun sensor", noise=not_negative("rad"), half_angle=not_negative("rad"))
        take_rows(self, "Sun sensor", 3, axis=Amount("-"))

    def measure(self, t: float, truth: Array, rng: np.random.Generator) -> Array:
        """Unit vector in B, or zeros."""
        s_W = np.asarray(self.sun(t), dtype=np.float64)
        noise = self.noise * rng.standard_normal(3)
        if not np.any(s_W):
            return np.zeros(3)
        s_B = quat_rotate(quat_conj(truth), s_W)
        if self.axis is not None:
            axis = np.array(self.axis) / np.linalg.norm(self.axis)
            if float(s_B @ axis) < np.cos(self.half_angle):
                return np.zeros(3)
        reading = s_B + noise
        return reading / np.linalg.norm(reading)
