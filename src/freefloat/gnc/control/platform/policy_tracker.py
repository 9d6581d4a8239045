"""Tracker of a floating platform with on/off thrusters and a wheel, `controller=best`: fire only the pulses that pay.

Position: in the body's axes the error obeys e'' = d - a_ref + thrust / m with the slope d from a filter, and each axis
has the value W of `pulse_policy`. Each decision opens the set of thrusters with the least
    (thrusters open) + W_x + W_y + (price of the momentum left to the wheel),
so that of two thrusters that push alike the one whose torque unloads the wheel is taken, and when the wheel is nearly
full, thrusters unload it by torque alone. The body turns little while a pulse acts, and W takes it as not turning.
Angle: the wheel, by a PD law with the thrusters' torque fed forward. No map of the floor is used.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from freefloat.compiled import Ticking, inner, onboard
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control.platform.commands import PlatformCommands, hand_out
from freefloat.gnc.control.platform.pulse_policy import REACH, STANDARD, PulseProblem, pulse_policy, value_after
from freefloat.gnc.estimation.disturbance_filter import (
    ANGLE,
    POSITION,
    AxisTuning,
    axis_numbers,
    correct_axis,
    predict_axis,
)
from freefloat.gnc.estimation.kalman import wrapped
from freefloat.gnc.planning.hermite_reference import HermiteReference, hermite_at
from freefloat.gnc.planning.platform_model import PlatformModel

AT_REST = replace(POSITION, noise=0.0, walk=5e-5)  # `roughness` adds to its walk
TOGETHER = 4  # thrusters open at once, at most
HALF = 0.5  # of the wheel's momentum, from where a full wheel is feared
CERTAIN = 3.0  # deviations that a velocity must have to be acted upon while it is not well known
# places in `memory`; then for each valve the decisions for which it has been shut
TICKS, SPEED, LAST, SHUT = 0, 1, 2, 5
# places in `numbers`
DT, HOLD, MASS, INERTIA, WHEEL_INERTIA, THRUST, PULSE, TWIST, LENGTH, REACH_E, REACH_V = range(11)
MIN_OFF, SURE, DELAY, STRENGTH, ROUGHNESS, STIFFNESS, RESISTANCE, TORQUE, TOP, LAG = range(11, 21)
WHEEL_PRICE, FULL_PRICE, IDLE, KICKS = range(21, 25)  # and from KICKS how many pushes x and y have


@dataclass(frozen=True)
class PolicyTuning:
    """What the tracker weighs, and the limits that it keeps; the valves' raster is hold * dt."""

    length: float | None = None  # [m] L of the policy; None: 4.4 deviations of a measured position
    hold: int = 10  # [ticks] between decisions, Table 4.2
    dt: float = 0.01  # [s] of a tick
    min_on: float = 0.0  # [s] that a valve stays open; at most one decision
    min_off: float = 0.0  # [s] that a valve stays shut
    delay: float = 0.0  # [s] of a measured pose, where it is known
    strength: float = 0.05  # [-] deviation of a pulse from its nominal strength, for the filter
    roughness: float = 9e-4  # [m/s^2 per root of m] by which the slope's acceleration changes along the way
    bandwidth: float = 4.0  # [rad/s] of the angle's loop
    damping: float = 1.0  # [-]
    wheel_torque: float = 1.7  # [N m]
    wheel_speed: float = 52.36  # [rad/s] that is not passed
    wheel_idle: float = 0.0  # [rad/s] to which the wheel is unloaded
    wheel_lag: float = 0.02  # [s] of the wheel's drive
    wheel_price: float = 0.03  # [pulses] of leaving the wheel one thruster's angular impulse; grows as its square
    full_price: float = 20.0  # [pulses] of a full wheel; falls as a square to nothing at half
    sure: float = 0.35  # [pulses] deviation to which a velocity is well known
    position: AxisTuning = AT_REST
    angle: AxisTuning = ANGLE
    problem: PulseProblem = STANDARD

    def __post_init__(self) -> None:
        positive = (self.scale, self.dt, self.bandwidth, self.damping, self.wheel_torque, self.wheel_speed, self.sure)
        if not (min(positive) > 0.0 and self.wheel_lag > 0.0 and self.hold >= 1):
            raise InputError(f"policy tracker: {self}; allowed: positive lengths, times and limits, hold >= 1")
        if not abs(self.wheel_idle) < self.wheel_speed:
            raise InputError(
                f"policy tracker: wheel_idle {self.wheel_idle} rad/s; allowed: below {self.wheel_speed!r}"
            )
        weights = (self.min_off, self.delay, self.strength, self.roughness, self.wheel_price, self.full_price)
        if not min(weights) >= 0.0:
            raise InputError(f"policy tracker: {self}; allowed: no negative delay, deviation or price")
        period = self.hold * self.dt
        if not 0.0 <= self.min_on <= period * (1.0 + 1e-9):
            raise InputError(
                f"policy tracker: min_on {self.min_on!r} s; allowed: 0 to {period} s, one decision"
            )

    @property
    def scale(self) -> float:
        """L [m]: an error of L for the time L / w costs as much as one pulse, which changes the velocity by w."""
        return 4.4 * self.position.sigma if self.length is None else self.length


def thruster_sets(model: PlatformModel, together: int = TOGETHER) -> tuple[Array, Array]:
    """Sets of thrusters worth opening (s, n) of 0 and 1, fewest first, and their wrenches (s, 3) per newton.

    A set is left out where fewer thrusters make the same wrench, and where it pushes harder than the policy weighs.
    """
    n = model.thrusters.shape[1]
    fewest: dict[tuple[float, ...], int] = {}
    sets = []
    for size in range(min(together, n) + 1):
        for chosen in itertools.combinations(range(n), size):
            row = np.zeros(n)
            row[list(chosen)] = 1.0
            if fewest.setdefault(tuple((model.thrusters @ row).round(9) + 0.0), size) == size:
                sets.append(row)
    rows = np.array(sets)
    wrenches = rows @ model.thrusters.T
    gentle = np.abs(wrenches[:, :2]).max(axis=1) < REACH + 1e-9
    return rows[gentle], wrenches[gentle]


class PolicyState(NamedTuple):
    """What the tracker remembers, what it gave last, and what it needs."""

    x: Array
    P: Array
    watch: Array
    memory: Array
    given: Array  # valves, wheel, estimate, slope
    target: Array
    times: Array
    poses: Array
    rates: Array
    numbers: Array
    axes: Array
    thrusters: Array
    sets: Array
    kicks: Array
    table: Array
    pushes: Array


@dataclass(eq=False)
class PolicyTracker(Ticking):
    """Follows a reference, then holds its end; call `update` at every tick from t = 0."""

    reference: HermiteReference
    model: PlatformModel = field(default_factory=PlatformModel)
    tuning: PolicyTuning = field(default_factory=PolicyTuning)

    def __post_init__(self) -> None:
        g, n = self.tuning, self.model.thrusters.shape[1]
        axes = (g.position, g.position, g.angle)
        sets, wrenches = thruster_sets(self.model)
        pushes_x, place_x = np.unique(wrenches[:, 0].round(9), return_inverse=True)
        pushes_y, place_y = np.unique(wrenches[:, 1].round(9), return_inverse=True)
        kicks = np.zeros((4, max(pushes_x.size, pushes_y.size)))  # pushes of x and y [thrusters]; below, their values
        kicks[0, : pushes_x.size], kicks[1, : pushes_y.size] = pushes_x, pushes_y
        policy, reference = pulse_policy(g.problem), self.reference
        x, P, memory = np.zeros((3, 3)), np.zeros((3, 3, 3)), np.zeros(SHUT + n)
        for i, a in enumerate(axes):
            np.fill_diagonal(P[i], np.square([a.sigma, a.rate_sigma, a.slope_sigma]))
        memory[SHUT:] = math.inf
        self.out = PlatformCommands.of(n)
        self.state = PolicyState(
            x, P, np.zeros((3, 4)), memory, np.zeros(n + 10), np.zeros((3, 3)),
            np.array(reference.times, order="C"),
            np.array(reference.poses, order="C"), np.array(reference.rates, order="C"),
            self._numbers(pushes_x.size, pushes_y.size),
            axis_numbers(axes),
            np.array(self.model.thrusters, order="C"),
            np.column_stack([place_x, place_y, wrenches[:, 2], sets.sum(axis=1), sets]).astype(np.float64),
            kicks, np.array(policy.table, order="C"), np.array(policy.pushes, order="C"),
        )  # fmt: skip

    def _numbers(self, x_kicks: int, y_kicks: int) -> Array:
        g, m = self.tuning, self.model
        impulse = m.thrust * g.hold * g.dt
        twist = impulse * (float(np.abs(m.thrusters[2]).max()) or 1.0)
        return np.array([
            g.dt, g.hold, m.mass, m.inertia, m.wheel_inertia, m.thrust, impulse / m.mass, twist, g.scale,
            g.problem.reach, g.problem.speed, math.ceil(g.min_off / (g.hold * g.dt) - 1e-9), g.sure,
            g.delay, g.strength, g.roughness, g.bandwidth**2, 2.0 * g.damping * g.bandwidth, g.wheel_torque,
            g.wheel_speed, g.wheel_lag, g.wheel_price, g.full_price, g.wheel_idle, x_kicks, y_kicks,
        ])  # fmt: skip

    @staticmethod
    @inner
    def tick(t: float, meas: Any, state: PolicyState, out: PlatformCommands) -> None:
        """Commands and beliefs from pose (3,) and wheel (1,) [rad/s]."""
        best_tick(t, meas.pose[0], meas.pose[1], meas.pose[2], meas.wheel[0], *state[:])
        hand_out(state.given, out)


@onboard
def best_tick(
    t: float,
    px: float,
    py: float,
    theta: float,
    wheel: float,
    x: Array,
    P: Array,
    watch: Array,
    memory: Array,
    out: Array,
    target: Array,
    times: Array,
    poses: Array,
    rates: Array,
    numbers: Array,
    axes: Array,
    thrusters: Array,
    sets: Array,
    kicks: Array,
    table: Array,
    pushes: Array,
) -> None:
    """One tick: estimate, every `hold` ticks choose the valves, then the wheel. x to target, and kicks, change."""
    n = thrusters.shape[1]
    if not math.isfinite(wheel):
        wheel = memory[SPEED]
    if not math.isfinite(px + py + theta):  # lost, as is a pose that repeats the one before
        px, py, theta = memory[LAST], memory[LAST + 1], memory[LAST + 2]
        if memory[TICKS] == 0.0:
            out[n], memory[SPEED] = wheel, wheel
            return
    observe((px, py, theta), wheel, x, P, watch, memory, out, numbers, axes, thrusters)
    hermite_at(times, poses, rates, t, target)
    if memory[TICKS] % numbers[HOLD] == 0.0:
        value_kicks(x, P, target, numbers, kicks, table, pushes)
        momentum = numbers[WHEEL_INERTIA] * wheel + numbers[INERTIA] * (x[2, 1] - target[1, 2])
        choose(momentum, memory, out, numbers, sets, kicks)
    memory[TICKS] += 1.0
    turn_wheel(wheel, x, out, target, numbers, thrusters)
    for i in range(3):
        out[n + 1 + i], out[n + 4 + i], out[n + 7 + i] = x[i, 0], x[i, 1], x[i, 2]


@inner
def observe(
    pose: tuple[float, float, float],
    wheel: float,
    x: Array,
    P: Array,
    watch: Array,
    memory: Array,
    out: Array,
    numbers: Array,
    axes: Array,
    thrusters: Array,
) -> None:
    """Predict over the last tick with the thrust commanded and the wheel's measured change; correct with a new pose."""
    dt, turned = numbers[DT], numbers[INERTIA] + numbers[WHEEL_INERTIA]
    if memory[TICKS] == 0.0:
        x[0, 0], x[1, 0], x[2, 0] = pose[0], pose[1], wrapped(pose[2])
        out[thrusters.shape[1]] = wheel
    else:
        angle = x[2, 0] + 0.5 * dt * x[2, 1]
        c, s = math.cos(angle), math.sin(angle)
        fx, fy, torque = open_wrench(out, thrusters)
        push = numbers[THRUST] / numbers[MASS]
        ax, ay, twist = push * (c * fx - s * fy), push * (s * fx + c * fy), numbers[THRUST] * torque / turned
        turn = twist - numbers[WHEEL_INERTIA] * (wheel - memory[SPEED]) / dt / turned
        walk = numbers[ROUGHNESS] ** 2 * math.sqrt(x[0, 1] ** 2 + x[1, 1] ** 2)
        for i, known, by_thrust, more in ((0, ax, ax, walk), (1, ay, ay, walk), (2, turn, twist, 0.0)):
            predict_axis(x[i], P[i], known, dt, axes[i, 4], axes[i, 5] + more)
            # a pulse is too strong or too weak in all of its ticks
            P[i, 1, 1] += numbers[HOLD] * (numbers[STRENGTH] * by_thrust * dt) ** 2
        if pose[0] != memory[LAST] or pose[1] != memory[LAST + 1] or pose[2] != memory[LAST + 2]:
            for i in range(3):
                innovation = pose[i] - x[i, 0] + numbers[DELAY] * x[i, 1]
                innovation = wrapped(innovation) if i == 2 else innovation
                correct_axis(x[i], P[i], watch[i], innovation, dt, axes[i, 0], axes[i, 1], axes[i, 2], axes[i, 3])
        x[2, 0] = wrapped(x[2, 0])
    memory[SPEED], memory[LAST], memory[LAST + 1], memory[LAST + 2] = wheel, pose[0], pose[1], pose[2]


@inner
def open_wrench(out: Array, thrusters: Array) -> tuple[float, float, float]:
    """[F_x, F_y, torque] in B per newton of the open valves."""
    fx = fy = torque = 0.0
    for i in range(thrusters.shape[1]):
        if out[i] > 0.0:
            fx, fy, torque = fx + thrusters[0, i], fy + thrusters[1, i], torque + thrusters[2, i]
    return fx, fy, torque


@inner
def value_kicks(x: Array, P: Array, target: Array, numbers: Array, kicks: Array, table: Array, pushes: Array) -> None:
    """Value W of every push that the thrusters can make along each body axis, into the last rows of kicks."""
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


@inner
def choose(momentum: float, memory: Array, out: Array, numbers: Array, sets: Array, kicks: Array) -> None:
    """Open the cheapest set of thrusters; momentum [N m s] is the wheel's once the body turns as the reference does."""
    n = sets.shape[1] - 4
    impulse, room = numbers[PULSE] * numbers[MASS], numbers[WHEEL_INERTIA] * numbers[TOP]
    best, chosen = math.inf, 0
    for i in range(sets.shape[0]):
        held = momentum + impulse * sets[i, 2]
        loaded = (held - numbers[WHEEL_INERTIA] * numbers[IDLE]) / numbers[TWIST]
        full = max(0.0, abs(held) / room - HALF) / (1.0 - HALF)
        cost = sets[i, 3] + kicks[2, int(sets[i, 0])] + kicks[3, int(sets[i, 1])]
        cost += numbers[WHEEL_PRICE] * loaded * loaded + numbers[FULL_PRICE] * full * full
        if cost < best and may_open(sets[i], memory, out, numbers[MIN_OFF]):
            best, chosen = cost, i
    for i in range(n):
        out[i] = sets[chosen, 4 + i]
        memory[SHUT + i] = 0.0 if out[i] > 0.0 else memory[SHUT + i] + 1.0


@inner
def may_open(row: Array, memory: Array, out: Array, min_off: float) -> bool:
    """Has every valve of this set that is now shut been so for min_off decisions?"""
    early = 0
    for i in range(row.size - 4):
        early += row[4 + i] > 0.0 and out[i] == 0.0 and memory[SHUT + i] < min_off
    return early == 0


@inner
def turn_wheel(wheel: float, x: Array, out: Array, target: Array, numbers: Array, thrusters: Array) -> None:
    """Speed to command: the torque wanted, integrated from the last command (eq. 3.7) within reach of the speed."""
    n, most = thrusters.shape[1], numbers[TORQUE]
    torque = numbers[THRUST] * open_wrench(out, thrusters)[2]
    error, rate = wrapped(x[2, 0] - target[0, 2]), x[2, 1] - target[1, 2]
    wanted = x[2, 2] - target[2, 2] + numbers[STIFFNESS] * error + numbers[RESISTANCE] * rate
    tau = min(max(torque + numbers[INERTIA] * wanted, -most), most)
    # the command is relative to the body, which the torques turn too
    command = out[n] + numbers[DT] * (tau / numbers[WHEEL_INERTIA] - (torque - tau) / numbers[INERTIA])
    reach = numbers[LAG] * most / numbers[WHEEL_INERTIA]
    command = min(max(command, wheel - reach), wheel + reach)
    out[n] = min(max(command, -numbers[TOP]), numbers[TOP])
