"""One tick of `TvlqrTracker` on plain arrays: two Kalman filters, the law u = u_0 + K (x - x_0), wheel and valves."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from freefloat.compiled import inlined, inner, onboard
from freefloat.frames import Array
from freefloat.gnc.control.platform.commands import PlatformCommands, tell
from freefloat.gnc.control.platform.modulation import (
    Valves,
    pulse_width_frequency_tick,
    pulse_width_tick,
    sigma_delta_tick,
)
from freefloat.gnc.control.platform.thrust import wrench_on_floor
from freefloat.gnc.control.platform.wheel import next_speed
from freefloat.gnc.control.tvlqr import add_feedback
from freefloat.gnc.estimation.disturbance_filter import is_new
from freefloat.gnc.estimation.kalman import axis_correct, axis_predict, wrapped
from freefloat.gnc.planning.platform.hermite_reference import hermite_at
from freefloat.gnc.planning.platform.model import STATES

PACE = (0.2, 2.0)  # [-] slowest and fastest course of the reference's time against the clock, follow = nearest
START_RATE = (0.05, 0.05, 0.1)  # [m/s, m/s, rad/s] standard deviation of the unknown rates at the start
# places in `numbers`
DT, MASS, INERTIA, WHEEL, THRUST, TORQUE, SPEED, LAG, IDLE, KIND, NEAREST, WHEEL_R, WHEEL_Q = range(13)
NOISE, VARIANCE, MODULATION = 13, 16, 19  # three, three and four numbers
# places in `memory`
STARTED, COMMAND, TORQUE_NOW, WHEEL_NOW, WHEEL_P, REFERENCE_TIME, MEMORY = range(7)


class TvlqrState(NamedTuple):
    """What the tracker needs and what it remembers."""

    times: Array  # of the reference, as are the next two
    poses: Array
    rates: Array
    knots: Array  # (k,) times of the gains
    gains: Array  # (k + 1, 1 + n, 7), the last one for the end
    jets: Array  # (4, n) wrenches per newton, and how many thrusters push alike
    numbers: Array
    x: Array  # (3, 2) [p, v] of x, y, theta
    P: Array  # (3, 3) [P_pp, P_pv, P_vv]
    last: Array  # (3,) pose
    memory: Array
    pulses: Array  # (n, 3) of the modulators
    on: Valves  # (n,)


@onboard
def tvlqr_tick(t: float, pose: Array, wheel: Array, state: TvlqrState, out: PlatformCommands) -> None:
    """One update of `TvlqrTracker`."""
    x, knots, gains, memory = state.x, state.knots, state.gains, state.memory
    _estimate(pose, wheel[0], state)
    out.wheel[0] = memory[COMMAND]
    if memory[STARTED] == 0.0:
        return
    wanted, error, u = np.empty((3, 3)), np.empty(STATES), np.empty(1 + state.on.size)
    _refer(t, state, wanted)
    _stray(wanted, state, error)
    _feedforward(wanted, state.jets, state.numbers, u)
    last = knots.size - 1
    if memory[REFERENCE_TIME] >= knots[last]:
        for i in range(u.size):
            for j in range(STATES):
                u[i] += gains[last + 1, i, j] * error[j]
    else:
        add_feedback(knots, gains, memory[REFERENCE_TIME], error, u)
    _modulate(u[1:], state)
    _turn_wheel(u[0], state.numbers, memory)
    for i in range(state.on.size):
        out.valves[i] = 1.0 if state.on[i] else 0.0
    out.wheel[0] = memory[COMMAND]
    tell(x, out)


@inlined
def _estimate(pose: Array, wheel: float, state: TvlqrState) -> None:
    """The filters over the tick that has passed, then with this measurement."""
    numbers, memory, x, P = state.numbers, state.memory, state.x, state.P
    fresh = is_new(pose, state.last)
    if memory[STARTED] == 0.0:
        memory[COMMAND] = wheel if math.isfinite(wheel) else memory[COMMAND]
        if fresh:
            _start(pose, memory[COMMAND], state)
        return
    T = numbers[DT]
    force_x, force_y, torque = wrench_on_floor(state.on, state.jets, numbers[THRUST], x, T)
    alpha = (torque - memory[TORQUE_NOW]) / numbers[INERTIA]
    known = force_x / numbers[MASS], force_y / numbers[MASS], alpha
    for a in range(3):
        axis_predict(x[a], P[a], known[a], T, numbers[NOISE + a])
        if fresh:
            innovation = pose[a] - x[a, 0]
            axis_correct(x[a], P[a], wrapped(innovation) if a == 2 else innovation, numbers[VARIANCE + a])
    x[2, 0] = wrapped(x[2, 0])
    memory[WHEEL_NOW] += T * (memory[TORQUE_NOW] / numbers[WHEEL] - alpha)
    memory[WHEEL_P] += numbers[WHEEL_Q]
    if math.isfinite(wheel):
        gain = memory[WHEEL_P] / (memory[WHEEL_P] + numbers[WHEEL_R])
        memory[WHEEL_NOW] += gain * (wheel - memory[WHEEL_NOW])
        memory[WHEEL_P] *= 1.0 - gain


@inlined
def _start(pose: Array, wheel: float, state: TvlqrState) -> None:
    """At the first measurement, at rest with an uncertainty."""
    numbers, memory, x, P = state.numbers, state.memory, state.x, state.P
    for a in range(3):
        x[a, 0], x[a, 1] = pose[a], 0.0
        P[a, 0], P[a, 1], P[a, 2] = numbers[VARIANCE + a], 0.0, START_RATE[a] ** 2
    x[2, 0] = wrapped(x[2, 0])
    memory[STARTED], memory[WHEEL_NOW], memory[COMMAND] = 1.0, wheel, wheel
    memory[WHEEL_P] = numbers[WHEEL_R]


@inlined
def _refer(t: float, state: TvlqrState, wanted: Array) -> None:
    """Pose, rate and acceleration to follow into `wanted`, and their time into the memory."""
    numbers, memory = state.numbers, state.memory
    if numbers[NEAREST] == 0.0:
        memory[REFERENCE_TIME] = t
        hermite_at(state.times, state.poses, state.rates, t, wanted)
        return
    hermite_at(state.times, state.poses, state.rates, memory[REFERENCE_TIME], wanted)
    along = length = 0.0
    for a in range(3):
        gap = state.x[a, 0] - wanted[0, a]
        weight = numbers[INERTIA] / numbers[MASS] if a == 2 else 1.0
        along += weight * wanted[1, a] * (wrapped(gap) if a == 2 else gap)
        length += weight * wanted[1, a] * wanted[1, a]
    T = numbers[DT]
    ahead = along / length if length > 0.0 else T
    memory[REFERENCE_TIME] += min(max(ahead, PACE[0] * T), PACE[1] * T)
    hermite_at(state.times, state.poses, state.rates, memory[REFERENCE_TIME], wanted)


@inlined
def _stray(wanted: Array, state: TvlqrState, error: Array) -> None:
    """x - x_0 (7,) of eq. 4.38; the wheel's speed counts in W."""
    numbers, x = state.numbers, state.x
    for a in range(3):
        error[a], error[3 + a] = x[a, 0] - wanted[0, a], x[a, 1] - wanted[1, a]
    error[2] = wrapped(error[2])
    wheel = state.memory[WHEEL_NOW]
    error[6] = wheel + error[5] + (1.0 + numbers[INERTIA] / numbers[WHEEL]) * wanted[1, 2] - numbers[IDLE]


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
    """Speed command within torque and speed limits, and the torque that the drive makes of it."""
    T, lag, limit, J = numbers[DT], numbers[LAG], numbers[TORQUE], numbers[WHEEL]
    now, change = memory[WHEEL_NOW], T / J * min(max(torque, -limit), limit)
    memory[COMMAND] = next_speed(memory[COMMAND], change, now, limit / J * (lag + T), numbers[SPEED])
    made = J * (memory[COMMAND] - now) * (1.0 - math.exp(-T / lag)) / T
    memory[TORQUE_NOW] = min(max(made, -limit), limit)


@inlined
def _modulate(command: Array, state: TvlqrState) -> None:
    """Valves for commands (n,) [N] by the chosen law; each cuts its command to [0, thrust] first."""
    numbers, pulses, on = state.numbers, state.pulses, state.on
    m = numbers[MODULATION : MODULATION + 4]
    if numbers[KIND] == 0.0:
        sigma_delta_tick(pulses, command, on, numbers[THRUST], numbers[DT], m[0], m[1])
    elif numbers[KIND] == 1.0:
        pulse_width_tick(pulses, command, on, numbers[THRUST], m[0], m[1], m[2])
    else:
        pulse_width_frequency_tick(pulses, command, on, numbers[THRUST], m[0], m[1], m[2], m[3])
