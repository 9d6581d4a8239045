"""Attitude filter on gyro, star tracker and sun sensor."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.compiled import Ticking, inner
from freefloat.errors import InputError
from freefloat.frames import Array, quat_canonical, quat_to_matrix
from freefloat.gnc.estimation.attitude_ekf_step import TURNS, FilterOut, FilterState, believed, filter_step
from freefloat.gnc.estimation.belief import Belief, GyroModel


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


@inner
def filter_tick(t: float, meas: Any, state: Any, out: Any) -> None:
    """One update of `AttitudeEKF`."""
    own = FilterState(
        state.filter_numbers, state.tracker_noise, state.belief_q, state.belief_bias, state.belief_scale,
        state.belief_P, state.filter_memory, state.readings, state.turns, state.no_reading,
    )  # fmt: skip
    filter_step(
        t,
        getattr(meas, "w_gyro", state.no_reading),
        getattr(meas, "q_WT", state.no_reading),
        getattr(meas, "sun_B", state.no_reading),
        getattr(meas, "sun_W", state.no_reading),
        own,
        FilterOut(out.q_WB, out.w_WB_B, out.bias, out.P, out.sigma, out.nis_tracker, out.nis_sun),
    )


@dataclass(frozen=True, eq=False)
class AttitudeEKF(Ticking):
    """Attitude, rate and gyro bias from readings as they come.

    Reads w_gyro [rad/s] (instantaneous rate; the turn between two updates is taken at their mean) and, where they are
    present, q_WT of the star tracker T, and sun_B with sun_W of a sun sensor. A reading counts when it differs from the
    one before: sensors that are slower than the filter repeat theirs. One with a NaN, or a zero quaternion or vector,
    is missing; for a missing gyro the last reading stands in. Returns q_WB, w_WB_B, bias, P (attitude and bias,
    6 x 6), sigma (of [th, db(, ds)]), and nis_tracker, nis_sun (NaN without a new reading).

    A delayed tracker reading is turned forward by the gyro over its age; the gyro's noise over the delay is added to
    its own, their correlation is neglected. What turned before the filter ran counts as noise. Of more than `TURNS`
    steps within the delay, neighbours are taken together at their mean rate.
    """

    gyro: GyroModel = field(default_factory=GyroModel)
    tracker: TrackerModel = field(default_factory=TrackerModel)
    sun_sigma: float = 5e-3  # [rad]
    gate: float = math.inf  # [-] largest normalised innovation squared of a reading that is used
    q_WB: ArrayLike = (1.0, 0.0, 0.0, 0.0)  # at the start
    sigma: float = math.pi  # [rad] of it on each axis; pi: not known
    state: FilterState = field(init=False, repr=False)
    out: FilterOut = field(init=False, repr=False)

    tick = staticmethod(filter_tick)

    def __post_init__(self) -> None:
        if not (self.sun_sigma > 0.0 and self.gate > 0.0 and self.sigma > 0.0):
            given = (self.sun_sigma, self.gate, self.sigma)
            raise InputError(f"attitude filter: sun_sigma, gate and sigma must be positive, got {given}")
        g, b = self.gyro, Belief.start(self.gyro, self.q_WB, self.sigma)
        limits = self.sun_sigma, self.gate, self.tracker.delay
        readings = np.full(10, np.nan)
        readings[:3] = 0.0
        state = FilterState(
            np.array([g.noise, g.walk, *limits, *quat_canonical(self.tracker.q_BT)]),
            self.tracker.covariance(),
            *(b.q_WB, b.bias, b.scale, b.P),
            np.array([np.nan, 0.0]),
            readings,
            np.zeros((TURNS, 4)),
            np.zeros(0),
        )
        n = b.P.shape[0]
        shapes = (4, 3, 3, (6, 6), n, 1, 1)
        object.__setattr__(self, "state", state)
        object.__setattr__(self, "out", FilterOut(*(np.zeros(shape) for shape in shapes)))

    @property
    def belief(self) -> Belief:
        """The estimate now."""
        return believed(self.state).copy()

    @property
    def last_t(self) -> float | None:
        """[s] of the last update."""
        t = float(self.state.filter_memory[0])
        return None if math.isnan(t) else t
