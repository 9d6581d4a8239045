"""Control on the motors' side, the same law in the plant and in a reference: start, stop, reversal, stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.task import Task
from freefloat.frames import Array

PERIOD = 0.004  # [s] between samples
LEGS = ((0.0, 0.4, 1.0), (0.5, 0.95, -1.3))  # (start, end) as shares of the duration, and how far: there, and back
FASTEST = 1.875  # peak rate of a quintic over its mean


class MotorPD:
    """tau = k (q_d - theta / N) + d (q_d' - Omega / N) for n drives, k = J N^2 w^2 and d = 2 J N^2 w.

    q_d follows quintics there, a stop, and back beyond the start, each joint with its largest `rates` [rad/s] on the
    first.
    """

    def __init__(
        self,
        drives: Sequence[JointDrive],
        start: ArrayLike,  # [rad]
        rates: ArrayLike,  # [rad/s]
        duration: float,  # [s]
        w: float,  # [rad/s]
    ) -> None:
        self.N = np.array([d.gear.ratio for d in drives])
        geared = np.array([d.motor.inertia for d in drives]) * self.N**2
        self.k, self.d = geared * w**2, 2.0 * geared * w
        self.start, self.duration = np.asarray(start, dtype=np.float64), duration
        begin, end, _ = LEGS[0]
        self.way = np.asarray(rates, dtype=np.float64) * (end - begin) * duration / FASTEST  # [rad]

    def law(self, t: float, theta: Array, speed: Array) -> Array:
        """Joint efforts [N m] at time t from the motors' angles [rad] and rates [rad/s]."""
        place, rate = self._path(t / self.duration)
        q, qd = self.start + place * self.way, rate * self.way / self.duration
        return self.k * (q - theta / self.N) + self.d * (qd - speed / self.N)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        return {"tau": self.law(t, meas["theta"], meas["speed"])}

    def task(self) -> Task:
        """The law as a task on a part `arm`, which reads angle and rate as they are, not through the resolvers."""
        reads = {"theta": "arm.motor_q", "speed": "arm.motor_qd"}
        return Task(self, PERIOD, reads, {"tau": "arm.tau"}, name="pd")

    @staticmethod
    def _path(share: float) -> tuple[float, float]:
        """Place and its slope over the share of the duration, for a way of 1."""
        place = rate = 0.0
        for begin, end, way in LEGS:
            s = min(max((share - begin) / (end - begin), 0.0), 1.0)
            place += way * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
            rate += way * 30.0 * s**2 * (1.0 - s) ** 2 / (end - begin)
        return place, rate
