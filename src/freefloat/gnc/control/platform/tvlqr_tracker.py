"""The published tracker of the floating platform: two Kalman filters, TVLQR, modulated thrusters (REACSA ch. 4).

At 100 Hz: eqs 4.39 to 4.60 for x and y, eqs 4.61 to 4.74 for the angle, a filter of the wheel's speed; the law
u = u_0 + K (x - x_0) of eq. 4.38; the wheel's torque as a speed command (eq. 3.7); each thruster's command cut to what
a valve can give, then modulated. As x and y share no noise, their filter on R^4 is run as two on R^2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from freefloat.compiled import Ticking, inner, onboard
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Array
from freefloat.gnc.control.platform.commands import PlatformCommands, hand_out
from freefloat.gnc.control.platform.modulation import (
    PulseWidth,
    PulseWidthFrequency,
    SigmaDelta,
    Valves,
    pulse_width_frequency_tick,
    pulse_width_tick,
    sigma_delta_tick,
)
from freefloat.gnc.control.tvlqr import Weights, add_feedback, gain_times, platform_gains
from freefloat.gnc.estimation.kalman import axis_correct, axis_predict, wrapped
from freefloat.gnc.planning.hermite_reference import HermiteReference, hermite_at
from freefloat.gnc.planning.platform_model import STATES, PlatformModel
from freefloat.units import G0, RPM

NOISE_OF_TABLE_5_2 = (1e-3, 1e-3, 1e-3)  # [m^2, m^2, rad^2] exaggerated variance of a measured pose
MODULATORS = ("sigma-delta", "pulse-width", "pulse-width-frequency")
FOLLOWING = ("clock", "nearest")
PULSE = 0.1  # [s] shortest pulse, Table 4.2
STRENGTH_ERROR = 0.1  # [-] of one thruster, sec. 6.3
PULSE_RATE = 0.5  # [1/s] assumed: of the pulses along an axis, and of those that turn the body
PACE = (0.2, 2.0)  # [-] slowest and fastest course of the reference's time against the clock, follow = nearest
START_RATE = (0.05, 0.05, 0.1)  # [m/s, m/s, rad/s] standard deviation of the unknown rates at the start
# places in `numbers`
DT, MASS, INERTIA, WHEEL, THRUST, TORQUE, SPEED, LAG, IDLE, KIND, NEAREST, WHEEL_R, WHEEL_Q = range(13)
NOISE, VARIANCE, MODULATION = 13, 16, 19  # three, three and four numbers
# places in `memory`
STARTED, COMMAND, TORQUE_NOW, WHEEL_NOW, WHEEL_P, REFERENCE_TIME, POSE = range(7)


def process_noise(model: PlatformModel) -> tuple[float, float]:
    """Root densities of white acceleration on a flat floor: [m/s^1.5] of x and y, [rad/s^1.5] of the angle.

    What thrusters with `STRENGTH_ERROR` leave unknown at `PULSE_RATE` pulses a second: each pulse jumps the rate by
    that share of its impulse, and jumps of size e at a mean rate n have the density n e^2. At twice the rate the
    angle's steady deviation would miss Table 5.2.
    """
    jump = math.sqrt(PULSE_RATE) * STRENGTH_ERROR * model.thrust * PULSE
    push, turn = (math.sqrt(float(np.mean(w))) for w in (np.sum(model.thrusters[:2] ** 2, 0), model.thrusters[2] ** 2))
    return jump * push / model.mass, jump * turn / model.inertia


def slope_noise(slope: float, variance: float, dt: float) -> float:
    """Root density [m/s^1.5] of white acceleration that stands for a floor's unknown root mean square slope [-].

    A steady acceleration a, unknown to the filter, shifts its velocity by sqrt(2) a r^(1/4) q^(-1/2), r = variance dt;
    its own deviation is the root of sqrt(2) q^(3/2) r^(1/4). The two agree at this q.
    """
    return (math.sqrt(2.0) * (G0 * slope) ** 2 * (variance * dt) ** 0.25) ** 0.4


def table_weights(thrusters: int) -> Weights:
    """Table A.1, simulation."""
    Q = np.diag([1e4, 1e4, 1e4, 100.0, 100.0, 100.0, 1e-3])
    return Weights(Q, 10.0 * np.eye(1 + thrusters), np.diag([1e5, 1e5, 1e5, 1e6, 1e6, 1e6, 1e-7]))


class TvlqrState(NamedTuple):
    """What the paper's tracker gave last, what it needs and what it remembers."""

    given: Array  # valves, wheel, estimate
    times: Array
    poses: Array
    rates: Array
    knots: Array
    gains: Array
    jets: Array
    numbers: Array
    x: Array  # [p, v] of x, y, theta
    P: Array  # [P_pp, P_pv, P_vv]
    memory: Array
    pulses: Array  # of the modulators
    on: Valves


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
        n = self.model.thrusters.shape[1]
        weights = self.weights or table_weights(n)
        knots = gain_times(self.reference)
        self.out = PlatformCommands.of(n)
        self.state = TvlqrState(
            np.zeros(n + 7),
            np.array(self.reference.times, order="C"),
            np.array(self.reference.poses, order="C"),
            np.array(self.reference.rates, order="C"),
            knots,
            platform_gains(self.reference, self.model, weights, knots, self.wheel_idle),
            _jets(self.model),
            self._numbers(),
            np.zeros((3, 2)),
            np.zeros((3, 3)),
            np.zeros(POSE + 3),
            np.zeros((n, 3)),
            np.zeros(n, np.bool_),
        )

    @staticmethod
    @inner
    def tick(t: float, meas: Any, state: TvlqrState, out: PlatformCommands) -> None:
        """Commands from t [s] on, for the measured `pose` [x, y, theta] and `wheel` speed relative to the body.

        A pose that repeats the one before bit by bit, or is not finite, is a lost sample. This filter estimates no
        slope.
        """
        tracker_tick(t, meas.pose, meas.wheel, *state[:])
        hand_out(state.given, out)

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


@onboard
def tracker_tick(
    t: float,
    pose: Array,
    wheel: Array,
    out: Array,
    times: Array,
    poses: Array,
    rates: Array,
    knots: Array,
    gains: Array,
    jets: Array,
    numbers: Array,
    x: Array,
    P: Array,
    memory: Array,
    pulses: Array,
    on: Valves,
) -> None:
    """One update of `TvlqrTracker`; what it remembers is in x, P, memory, pulses and on, what it gives in out."""
    count = jets.shape[1]
    _estimate(pose, wheel[0], jets, numbers, x, P, memory, on)
    if memory[STARTED] == 0.0:
        out[count] = memory[COMMAND]
        return
    wanted, error, u = np.empty((3, 3)), np.empty(STATES), np.empty(1 + count)
    _reference(t, times, poses, rates, numbers, x, memory, wanted)
    for a in range(3):
        error[a], error[3 + a] = x[a, 0] - wanted[0, a], x[a, 1] - wanted[1, a]
    error[2] = wrapped(error[2])
    error[6] = memory[WHEEL_NOW] + error[5] + (1.0 + numbers[INERTIA] / numbers[WHEEL]) * wanted[1, 2] - numbers[IDLE]
    _feedforward(wanted, jets, numbers, u)
    last = knots.size - 1
    if memory[REFERENCE_TIME] >= knots[last]:
        for i in range(u.size):
            for j in range(STATES):
                u[i] += gains[last + 1, i, j] * error[j]
    else:
        add_feedback(knots, gains, memory[REFERENCE_TIME], error, u)
    _modulate(u[1:], numbers, pulses, on)
    _turn_wheel(u[0], numbers, memory)
    for i in range(count):
        out[i] = 1.0 if on[i] else 0.0
    out[count] = memory[COMMAND]
    for a in range(3):
        out[count + 1 + a], out[count + 4 + a] = x[a, 0], x[a, 1]


@inner
def _estimate(
    pose: Array, wheel: float, jets: Array, numbers: Array, x: Array, P: Array, memory: Array, on: Valves
) -> None:
    """The filters over the tick that has passed, then with this measurement."""
    fresh = math.isfinite(pose[0] + pose[1] + pose[2])
    if memory[STARTED] == 0.0:
        memory[COMMAND] = wheel if math.isfinite(wheel) else memory[COMMAND]
        if fresh:
            _start(pose, memory[COMMAND], numbers, x, P, memory)
        return
    fresh = fresh and (pose[0] != memory[POSE] or pose[1] != memory[POSE + 1] or pose[2] != memory[POSE + 2])
    T, turn = numbers[DT], x[2, 0] + 0.5 * numbers[DT] * x[2, 1]
    force_x, force_y, torque = 0.0, 0.0, 0.0
    for i in range(on.size):
        if on[i]:
            force_x += numbers[THRUST] * jets[0, i]
            force_y += numbers[THRUST] * jets[1, i]
            torque += numbers[THRUST] * jets[2, i]
    c, s = math.cos(turn), math.sin(turn)
    alpha = (torque - memory[TORQUE_NOW]) / numbers[INERTIA]
    known = ((c * force_x - s * force_y) / numbers[MASS], (s * force_x + c * force_y) / numbers[MASS], alpha)
    for a in range(3):
        axis_predict(x[a], P[a], known[a], T, numbers[NOISE + a])
        if fresh:
            innovation = pose[a] - x[a, 0]
            axis_correct(x[a], P[a], wrapped(innovation) if a == 2 else innovation, numbers[VARIANCE + a])
            memory[POSE + a] = pose[a]
    x[2, 0] = wrapped(x[2, 0])
    memory[WHEEL_NOW] += T * (memory[TORQUE_NOW] / numbers[WHEEL] - alpha)
    memory[WHEEL_P] += numbers[WHEEL_Q]
    if math.isfinite(wheel):
        gain = memory[WHEEL_P] / (memory[WHEEL_P] + numbers[WHEEL_R])
        memory[WHEEL_NOW] += gain * (wheel - memory[WHEEL_NOW])
        memory[WHEEL_P] *= 1.0 - gain


@inner
def _start(pose: Array, wheel: float, numbers: Array, x: Array, P: Array, memory: Array) -> None:
    """At the first measurement, at rest with an uncertainty."""
    for a in range(3):
        x[a, 0], x[a, 1] = pose[a], 0.0
        P[a, 0], P[a, 1], P[a, 2] = numbers[VARIANCE + a], 0.0, START_RATE[a] ** 2
        memory[POSE + a] = pose[a]
    x[2, 0] = wrapped(x[2, 0])
    memory[STARTED], memory[WHEEL_NOW], memory[COMMAND] = 1.0, wheel, wheel
    memory[WHEEL_P] = numbers[WHEEL_R]


@inner
def _reference(
    t: float, times: Array, poses: Array, rates: Array, numbers: Array, x: Array, memory: Array, wanted: Array
) -> None:
    """Pose, rate and acceleration to follow into `wanted`, and their time into the memory."""
    if numbers[NEAREST] == 0.0:
        memory[REFERENCE_TIME] = t
        hermite_at(times, poses, rates, t, wanted)
        return
    hermite_at(times, poses, rates, memory[REFERENCE_TIME], wanted)
    along = length = 0.0
    for a in range(3):
        gap = x[a, 0] - wanted[0, a]
        weight = numbers[INERTIA] / numbers[MASS] if a == 2 else 1.0
        along += weight * wanted[1, a] * (wrapped(gap) if a == 2 else gap)
        length += weight * wanted[1, a] * wanted[1, a]
    T = numbers[DT]
    ahead = along / length if length > 0.0 else T
    memory[REFERENCE_TIME] += min(max(ahead, PACE[0] * T), PACE[1] * T)
    hermite_at(times, poses, rates, memory[REFERENCE_TIME], wanted)


@inner
def _feedforward(wanted: Array, jets: Array, numbers: Array, u: Array) -> None:
    """`PlatformModel.feedforward` for the acceleration wanted, into u (1 + n,)."""
    c, s = math.cos(wanted[0, 2]), math.sin(wanted[0, 2])
    force_x = numbers[MASS] * (c * wanted[2, 0] + s * wanted[2, 1])
    force_y = numbers[MASS] * (c * wanted[2, 1] - s * wanted[2, 0])
    u[0] = -numbers[INERTIA] * wanted[2, 2]
    for i in range(jets.shape[1]):
        u[1 + i] = max(force_x * jets[0, i] + force_y * jets[1, i], 0.0) / jets[3, i]
        u[0] += jets[2, i] * u[1 + i]


@inner
def _turn_wheel(torque: float, numbers: Array, memory: Array) -> None:
    """Speed command by eq. 3.7 within torque and speed limits, and the torque that the drive makes of it.

    The command stays within what the drive can follow, so that a wheel at its limits does not wind it up.
    """
    T, lag, limit, J = numbers[DT], numbers[LAG], numbers[TORQUE], numbers[WHEEL]
    now, reach = memory[WHEEL_NOW], limit / J * (lag + T)
    command = memory[COMMAND] + T / J * min(max(torque, -limit), limit)
    command = min(max(command, now - reach), now + reach)
    memory[COMMAND] = min(max(command, -numbers[SPEED]), numbers[SPEED])
    made = J * (memory[COMMAND] - now) * (1.0 - math.exp(-T / lag)) / T
    memory[TORQUE_NOW] = min(max(made, -limit), limit)


@inner
def _modulate(command: Array, numbers: Array, pulses: Array, on: Valves) -> None:
    """Valves for commands (n,) [N] by the chosen law; each cuts its command to [0, thrust] first."""
    m = numbers[MODULATION : MODULATION + 4]
    if numbers[KIND] == 0.0:
        sigma_delta_tick(pulses, command, on, numbers[THRUST], numbers[DT], m[0], m[1])
    elif numbers[KIND] == 1.0:
        pulse_width_tick(pulses, command, on, numbers[THRUST], m[0], m[1], m[2])
    else:
        pulse_width_frequency_tick(pulses, command, on, numbers[THRUST], m[0], m[1], m[2], m[3])
