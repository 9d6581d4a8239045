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
from functools import lru_cache
from typing import Any

import numpy as np

from freefloat.compiled import Ticking, inner
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control.platform.commands import PlatformCommands
from freefloat.gnc.control.platform.policy_tick import PolicyState, policy_tick
from freefloat.gnc.control.platform.pulse_policy import REACH, STANDARD, PulseProblem, pulse_policy
from freefloat.gnc.estimation.disturbance_filter import ANGLE, POSITION, AxisTuning, pose_filter
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference
from freefloat.gnc.planning.platform.model import PlatformModel

AT_REST = replace(POSITION, noise=0.0, walk=5e-5)  # `roughness` adds to its walk
TOGETHER = 4  # thrusters open at once, at most


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
            raise InputError(f"policy tracker: wheel_idle {self.wheel_idle} rad/s; allowed: below {self.wheel_speed!r}")
        weights = (self.min_off, self.delay, self.strength, self.roughness, self.wheel_price, self.full_price)
        if not min(weights) >= 0.0:
            raise InputError(f"policy tracker: {self}; allowed: no negative delay, deviation or price")
        period = self.hold * self.dt
        if not 0.0 <= self.min_on <= period * (1.0 + 1e-9):
            raise InputError(f"policy tracker: min_on {self.min_on!r} s; allowed: 0 to {period} s, one decision")

    @property
    def scale(self) -> float:
        """L [m]: an error of L for the time L / w costs as much as one pulse, which changes the velocity by w."""
        return 4.4 * self.position.sigma if self.length is None else self.length


@lru_cache(maxsize=4)  # many trackers have one model
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
    found = rows[gentle], wrenches[gentle]
    for array in found:
        array.flags.writeable = False
    return found


@dataclass(eq=False)
class PolicyTracker(Ticking):
    """Follows a reference, then holds its end; call `update` at every tick from t = 0."""

    reference: HermiteReference
    model: PlatformModel = field(default_factory=PlatformModel)
    tuning: PolicyTuning = field(default_factory=PolicyTuning)

    def __post_init__(self) -> None:
        g, n, reference = self.tuning, self.model.thrusters.shape[1], self.reference
        sets, wrenches = thruster_sets(self.model)
        pushes_x, place_x = np.unique(wrenches[:, 0].round(9), return_inverse=True)
        pushes_y, place_y = np.unique(wrenches[:, 1].round(9), return_inverse=True)
        kicks = np.zeros((4, max(pushes_x.size, pushes_y.size)))
        kicks[0, : pushes_x.size], kicks[1, : pushes_y.size] = pushes_x, pushes_y
        policy = pulse_policy(g.problem)
        self.out = PlatformCommands.of(n)
        self.state = PolicyState(
            *pose_filter(g.position, g.angle),
            *(np.array(a, order="C") for a in (reference.times, reference.poses, reference.rates)),
            target=np.zeros((3, 3)),
            memory=np.zeros(2),
            shut=np.full(n, math.inf),
            numbers=self._numbers(pushes_x.size, pushes_y.size),
            thrusters=np.array(self.model.thrusters, order="C"),
            sets=np.column_stack([place_x, place_y, wrenches[:, 2], sets.sum(axis=1), sets]).astype(np.float64),
            kicks=kicks,
            table=np.array(policy.table, order="C"),
            pushes=np.array(policy.pushes, order="C"),
        )

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
        policy_tick(t, meas.pose, meas.wheel, state, out)
