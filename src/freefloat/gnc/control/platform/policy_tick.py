"""One tick of `PolicyTracker` on plain arrays: estimate, choose the valves, turn the wheel."""

from __future__ import annotations

import math
from typing import NamedTuple

from freefloat.compiled import inlined, inner, onboard
from freefloat.frames import Array
from freefloat.gnc.control.platform.commands import PlatformCommands, tell
from freefloat.gnc.control.platform.pulse_policy import value_after
from freefloat.gnc.control.platform.thrust import open_wrench, wrench_on_floor
from freefloat.gnc.control.platform.wheel import next_speed
from freefloat.gnc.estimation.disturbance_filter import correct_pose, is_new, predict_pose
from freefloat.gnc.estimation.kalman import wrapped
from freefloat.gnc.planning.platform.hermite_reference import hermite_at

HALF = 0.5  # of the wheel's momentum, from where a full wheel is feared
CERTAIN = 3.0  # deviations that a velocity must have to be acted upon while it is not well known
TICKS, SPEED = 0, 1  # places in `memory`
# places in `numbers`
DT, HOLD, MASS, INERTIA, WHEEL_INERTIA, THRUST, PULSE, TWIST, LENGTH, REACH_E, REACH_V = range(11)
MIN_OFF, SURE, DELAY, STRENGTH, ROUGHNESS, STIFFNESS, RESISTANCE, TORQUE, TOP, LAG = range(11, 21)
WHEEL_PRICE, FULL_PRICE, IDLE, KICKS = range(21, 25)  # and from KICKS how many pushes x and y have


class PolicyState(NamedTuple):
    """What the tracker remembers and what it needs."""

    axes: Array  # of `pose_filter`, as are the next four
    x: Array
    P: Array
    watch: Array
    last: Array
    times: Array  # of the reference, as are the next two
    poses: Array
    rates: Array
    target: Array  # (3, 3) pose, rate and acceleration of the reference now
    memory: Array  # (2,) ticks since the first pose, the wheel's measured speed
    shut: Array  # (n,) decisions for which each valve has been shut
    numbers: Array  # (26,)
    thrusters: Array  # (3, n)
    sets: Array  # (s, 4 + n) places in the kicks of x and y, torque per newton, thrusters, which of them
    kicks: Array  # (4, k) pushes along x and y [thrusters], and their values now
    table: Array  # of the `PulsePolicy`, as is the next
    pushes: Array


@onboard
def policy_tick(t: float, pose: Array, wheel: Array, state: PolicyState, out: PlatformCommands) -> None:
    """Estimate, every `hold` ticks choose the valves, then the wheel."""
    memory, numbers, target, x = state.memory, state.numbers, state.target, state.x
    speed = wheel[0] if math.isfinite(wheel[0]) else memory[SPEED]
    observe(pose, speed, state, out)
    memory[SPEED] = speed
    if math.isnan(state.last[0]):
        return
    hermite_at(state.times, state.poses, state.rates, t, target)
    if memory[TICKS] % numbers[HOLD] == 0.0:
        value_kicks(state)
        choose(numbers[WHEEL_INERTIA] * speed + numbers[INERTIA] * (x[2, 1] - target[1, 2]), state, out)
    memory[TICKS] += 1.0
    turn_wheel(speed, state, out)
    tell(x, out)


@inlined
def observe(pose: Array, speed: float, state: PolicyState, out: PlatformCommands) -> None:
    """Predict over the last tick with the thrust commanded and the wheel's measured change; correct with a new pose."""
    axes, x, P, numbers = state.axes, state.x, state.P, state.numbers
    fresh = is_new(pose, state.last)
    if state.memory[TICKS] == 0.0:
        out.wheel[0] = speed
        if fresh:
            x[0, 0], x[1, 0], x[2, 0] = pose[0], pose[1], wrapped(pose[2])
        return
    dt, push, turned = numbers[DT], numbers[THRUST] / numbers[MASS], numbers[INERTIA] + numbers[WHEEL_INERTIA]
    fx, fy, torque = wrench_on_floor(out.valves, state.thrusters, 1.0, x, dt)
    by_thrust = push * fx, push * fy, numbers[THRUST] * torque / turned
    turn = by_thrust[2] - numbers[WHEEL_INERTIA] * (speed - state.memory[SPEED]) / dt / turned
    predict_pose(axes, x, P, (by_thrust[0], by_thrust[1], turn), (0.0, 0.0, 0.0), numbers[ROUGHNESS], dt)
    for i in range(3):
        # a pulse is too strong or too weak in all of its ticks
        P[i, 1, 1] += numbers[HOLD] * (numbers[STRENGTH] * by_thrust[i] * dt) ** 2
    if fresh:
        correct_pose(axes, x, P, state.watch, pose, numbers[DELAY], dt)
    x[2, 0] = wrapped(x[2, 0])


@inlined
def value_kicks(state: PolicyState) -> None:
    """Value W of every push that the thrusters can make along each body axis, into the last rows of kicks."""
    x, P, target, numbers, kicks = state.x, state.P, state.target, state.numbers, state.kicks
    table, pushes = state.table, state.pushes
    period, w, length = numbers[HOLD] * numbers[DT], numbers[PULSE], numbers[LENGTH]
    angle = x[2, 0] + 0.5 * period * x[2, 1]
    c, s = math.cos(angle), math.sin(angle)
    for axis in range(2):
        a, b = (c, s) if axis == 0 else (-s, c)
        e = a * (x[0, 0] - target[0, 0]) + b * (x[1, 0] - target[0, 1])
        v = a * (x[0, 1] - target[1, 0]) + b * (x[1, 1] - target[1, 1])
        d = a * (x[0, 2] - target[2, 0]) + b * (x[1, 2] - target[2, 1])
        deviation = math.sqrt(a * a * P[0, 1, 1] + b * b * P[1, 1, 1])
        known = deviation < numbers[SURE] * w or abs(v) > CERTAIN * deviation
        for i in range(int(numbers[KICKS + axis])):
            k = kicks[axis, i]
            # a pulse moves what follows as a step of the velocity at its middle does
            place = (e - 0.5 * k * w * period) / length
            value = value_after(table, pushes, numbers[REACH_E], numbers[REACH_V], place, v / w, d * length / w**2, k)
            kicks[2 + axis, i] = value if known or k == 0.0 else math.inf


@inlined
def choose(momentum: float, state: PolicyState, out: PlatformCommands) -> None:
    """Open the cheapest set of thrusters; momentum [N m s] is the wheel's once the body turns as the reference does."""
    numbers, sets, kicks, shut, valves = state.numbers, state.sets, state.kicks, state.shut, out.valves
    impulse, room = numbers[PULSE] * numbers[MASS], numbers[WHEEL_INERTIA] * numbers[TOP]
    least, chosen = math.inf, 0
    for i in range(sets.shape[0]):
        held = momentum + impulse * sets[i, 2]
        loaded = (held - numbers[WHEEL_INERTIA] * numbers[IDLE]) / numbers[TWIST]
        full = max(0.0, abs(held) / room - HALF) / (1.0 - HALF)
        cost = sets[i, 3] + kicks[2, int(sets[i, 0])] + kicks[3, int(sets[i, 1])]
        cost += numbers[WHEEL_PRICE] * loaded * loaded + numbers[FULL_PRICE] * full * full
        if cost < least and may_open(sets[i], shut, valves, numbers[MIN_OFF]):
            least, chosen = cost, i
    for i in range(valves.size):
        valves[i] = sets[chosen, 4 + i]
        shut[i] = 0.0 if valves[i] > 0.0 else shut[i] + 1.0


@inner
def may_open(row: Array, shut: Array, valves: Array, min_off: float) -> bool:
    """Has every valve of this set that is now shut been so for min_off decisions?"""
    early = 0
    for i in range(valves.size):
        early += row[4 + i] > 0.0 and valves[i] == 0.0 and shut[i] < min_off
    return early == 0


@inlined
def turn_wheel(speed: float, state: PolicyState, out: PlatformCommands) -> None:
    """A PD law on the angle, with the thrusters' torque fed forward."""
    x, target, numbers, most = state.x, state.target, state.numbers, state.numbers[TORQUE]
    torque = numbers[THRUST] * open_wrench(out.valves, state.thrusters, 1.0)[2]
    error, rate = wrapped(x[2, 0] - target[0, 2]), x[2, 1] - target[1, 2]
    wanted = x[2, 2] - target[2, 2] + numbers[STIFFNESS] * error + numbers[RESISTANCE] * rate
    tau = min(max(torque + numbers[INERTIA] * wanted, -most), most)
    # the command is relative to the body, which the torques turn too
    change = numbers[DT] * (tau / numbers[WHEEL_INERTIA] - (torque - tau) / numbers[INERTIA])
    reach = numbers[LAG] * most / numbers[WHEEL_INERTIA]
    out.wheel[0] = next_speed(out.wheel[0], change, speed, reach, numbers[TOP])
