"""The published tracker of the floating platform: two Kalman filters, TVLQR, modulated thrusters (REACSA ch. 4).

At 100 Hz: eqs 4.39 to 4.60 for x and y, eqs 4.61 to 4.74 for the angle, a filter of the wheel's speed; the law
u = u_0 + K (x - x_0) of eq. 4.38; the wheel's torque as a speed command (eq. 3.7); each thruster's command cut to what
a valve can give, then modulated. As x and y share no noise, their filter on R^4 is run as two on R^2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from freefloat.compiled import Ticking, inner
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Array
from freefloat.gnc.control.platform.commands import PlatformCommands
from freefloat.gnc.control.platform.modulation import PulseWidth, PulseWidthFrequency, SigmaDelta
from freefloat.gnc.control.platform.tvlqr_gains import gain_times, platform_gains, table_weights
from freefloat.gnc.control.platform.tvlqr_noise import PULSE, process_noise, slope_noise
from freefloat.gnc.control.platform.tvlqr_tick import (
    MEMORY,
    MODULATION,
    NOISE,
    REFERENCE_TIME,
    VARIANCE,
    WHEEL_Q,
    TvlqrState,
    tvlqr_tick,
)
from freefloat.gnc.control.tvlqr import Weights
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference
from freefloat.gnc.planning.platform.model import PlatformModel
from freefloat.units import RPM

MODULATORS = ("sigma-delta", "pulse-width", "pulse-width-frequency")
FOLLOWING = ("clock", "nearest")


@dataclass(eq=False)
class TvlqrTracker(Ticking):
    """`controller=paper`: follows a reference and then holds its end; `update` runs at 1 / dt.

    follow = "nearest" takes the reference at the time of its point nearest to the platform instead of the clock's
    (sec. 6.3): that time never falls, and runs within `PACE` of the clock, so that the end is reached.
    """

    reference: HermiteReference
    model: PlatformModel = field(default_factory=PlatformModel)
    weights: Weights | None = None  # Table A.1 unless given
    modulator: str = "sigma-delta"  # of MODULATORS
    follow: str = "clock"  # of FOLLOWING
    slope: float = 0.0  # [-] root mean square slope of the floor, which the filter does not know
    variance: tuple[float, float, float] = (1e-5, 1e-5, 1e-5)  # [m^2, m^2, rad^2] of a measured pose, Table 5.3
    wheel_variance: float = 1e-4  # [(rad/s)^2] of a measured wheel speed, Table 5.3
    wheel_noise: float = 0.1  # [rad/s^1.5] root density of the wheel speed: Table A.1's 1 through T, at T = 0.01 s
    wheel_torque: float = 1.7  # [N m] Table 3.3
    wheel_speed: float = 500.0 * RPM  # [rad/s] sec. 3.2.1
    wheel_idle: float = 0.0  # [rad/s] speed of the wheel while the reference rests
    drive_lag: float = 0.02  # [s] of the wheel's speed drive: torque I_w (command - speed) / lag
    dt: float = 0.01  # [s] Table 4.2
    state: TvlqrState = field(init=False, repr=False)
    out: PlatformCommands = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._check()
        reference, n = self.reference, self.model.thrusters.shape[1]
        weights = self.weights or table_weights(n)
        knots = gain_times(reference)
        self.out = PlatformCommands.of(n)
        self.state = TvlqrState(
            *(np.array(a, order="C") for a in (reference.times, reference.poses, reference.rates)),
            knots=knots,
            gains=platform_gains(reference, self.model, weights, knots, self.wheel_idle),
            jets=_jets(self.model),
            numbers=self._numbers(),
            x=np.zeros((3, 2)),
            P=np.zeros((3, 3)),
            last=np.full(3, np.nan),
            memory=np.zeros(MEMORY),
            pulses=np.zeros((n, 3)),
            on=np.zeros(n, np.bool_),
        )

    @staticmethod
    @inner
    def tick(t: float, meas: Any, state: TvlqrState, out: PlatformCommands) -> None:
        """Commands from t [s] on, for the measured `pose` [x, y, theta] and `wheel` speed relative to the body.

        A pose that repeats the one before bit by bit, or is not finite, is a lost sample. This filter estimates no
        slope.
        """
        tvlqr_tick(t, meas.pose, meas.wheel, state, out)

    @property
    def reference_time(self) -> float:
        """[s] of the reference at the last update: the clock's, or that of the nearest point."""
        return float(self.state.memory[REFERENCE_TIME])

    def _check(self) -> None:
        for name, value, allowed in (("modulator", self.modulator, MODULATORS), ("follow", self.follow, FOLLOWING)):
            if value not in allowed:
                raise unknown_name(f"TVLQR tracker: {name}", value, allowed)
        positive = (*self.variance, self.wheel_variance, self.wheel_torque, self.wheel_speed, self.drive_lag)
        if not (
            min(*positive, self.dt) > 0.0 <= min(self.slope, self.wheel_noise)
            and math.isfinite(sum(positive) + self.dt + self.wheel_noise + self.slope)
        ):
            raise InputError(
                f"TVLQR tracker: slope {self.slope}, variances {self.variance}, {self.wheel_variance}, wheel "
                f"{self.wheel_torque} N m, {self.wheel_speed} rad/s, lag {self.drive_lag} s, tick {self.dt} s; "
                "allowed: positive, the slope 0 or more"
            )

    def _numbers(self) -> Array:
        m, kind = self.model, MODULATORS.index(self.modulator)
        numbers = np.zeros(MODULATION + 4)
        numbers[: WHEEL_Q + 1] = (
            self.dt,
            m.mass,
            m.inertia,
            m.wheel_inertia,
            m.thrust,
            self.wheel_torque,
            self.wheel_speed,
            self.drive_lag,
            self.wheel_idle,
            kind,
            self.follow == "nearest",
            self.wheel_variance,
            self.wheel_noise**2 * self.dt,
        )
        thrust, angle = process_noise(m)
        for axis in range(2):
            numbers[NOISE + axis] = math.hypot(thrust, slope_noise(self.slope, self.variance[axis], self.dt))
        numbers[NOISE + 2] = angle
        numbers[VARIANCE : VARIANCE + 3] = self.variance
        numbers[MODULATION:] = _modulation(kind, m.thrust, self.dt)
        return numbers


def _modulation(kind: int, thrust: float, dt: float) -> tuple[float, float, float, float]:
    """What the tick of modulator `kind` takes after thrust and dt, filled up with zeros."""
    hold = round(PULSE / dt)
    if kind == 0:
        sigma = SigmaDelta(thrust, dt, hold)
        return sigma.hold, sigma.threshold, 0.0, 0.0
    if kind == 1:
        width = PulseWidth(thrust, dt, hold)
        return width.period, width.min_on, width.min_off, 0.0
    law = PulseWidthFrequency(thrust, dt)
    return -math.expm1(-dt / law.lag), law.gain, law.on_level, law.off_level


def _jets(model: PlatformModel) -> Array:
    """Wrenches per newton, and in the fourth row how many thrusters push alike (`PlatformModel.feedforward`)."""
    d = model.thrusters[:2]
    return np.ascontiguousarray(np.vstack([model.thrusters, np.sum(d.T @ d > 0.5, axis=1)]))
