"""Model predictive control of a floating platform by pulses, `controller=mpc`.

Ten times a second a mixed-integer QP (`mpc_problem`) plans the thrusters over 12 s: in its first ticks each
thruster is open or closed within the valves' dwell times, the rest is relaxed. The first tick is carried out. A pulse
has a price, and later pulses may be divided: so the plan waits until a whole pulse is worth it, which is the deadband
that a quadratic cost alone does not have. Of thrusters that push alike it takes the one that unloads the wheel. In
between, at 100 Hz, a filter finds pose, rate and slope, and the wheel holds the angle (`mpc_tick`).

Beside mimpc (dfki-ric-underactuated-lab, a C++ library made for the same platform). The same: receding horizon, linear
model, eight binary thrusters in ticks of 0.1 s, a price linear in pulses, dwell times as linear constraints that know
the valves' past, branch and bound. Different:
- mimpc plans 20 binary ticks, 2 s, with a set for the last state; here two binary ticks and relaxed blocks reach 12 s,
  which a platform that drifts at mm/s needs, and the problem is condensed to 40 variables.
- mimpc has the wheel's torque and speed in its problem, with their limits. Here the wheel has its own faster loop, and
  the plan sees its momentum as a cost.
- mimpc regulates to a set point, in its example with errors counted linearly (a MILP); here errors along a moving
  reference count by their squares, the thrust turns with the reference, and the floor's slope is in the prediction.
- mimpc leaves the search to SCIP under a time limit; here it ends after a fixed number of solver iterations, and by the
  clock only if asked to, so that a run repeats.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control.platform.dwell import Dwell, DwellConstraint
from freefloat.gnc.control.platform.mpc_branch import Pulses, branch_and_bound
from freefloat.gnc.control.platform.mpc_problem import PulseCost, PulseHorizon, assemble, grid, thrust_directions
from freefloat.gnc.control.platform.mpc_tick import COMMAND, MEMORY, SPEED, TARGET, sense, steer
from freefloat.gnc.estimation.disturbance_filter import AxisTuning, pose_filter
from freefloat.gnc.estimation.kalman import wrapped
from freefloat.gnc.planning import optional
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference
from freefloat.gnc.planning.platform.model import PlatformModel

POSITION = AxisTuning(sigma=3.2e-3, noise=1e-4, walk=1e-4, rate_sigma=3e-3, slope_sigma=2e-3, jump=0.05)
ANGLE = AxisTuning(sigma=3.2e-3, noise=2e-3, walk=1e-3, rate_sigma=1e-2, slope_sigma=1e-2, jump=0.2)


@dataclass(frozen=True)
class MpcTuning:
    """What the 100 Hz part of the MPC knows about noise, and its wheel."""

    position: AxisTuning = POSITION
    angle: AxisTuning = ANGLE
    travel: float = 1.2e-3  # [m/s^2 per root m] walk of the slope along the way, in addition to that in time
    strength: float = 0.07  # [-] unknown share of a thruster's strength
    bandwidth: float = 1.0  # [rad/s] of the angle's loop, critically damped
    wheel_torque: float = 1.7  # [N m] of the motor, Table 3.4
    wheel_speed: float = 52.0  # [rad/s] not to be commanded beyond
    wheel_lag: float = 0.02  # [s] of the drive
    dt: float = 0.01  # [s] between two calls

    def __post_init__(self) -> None:
        positive = (self.bandwidth, self.wheel_torque, self.wheel_speed, self.wheel_lag, self.dt)
        if not (min(positive) > 0.0 and min(self.travel, self.strength) >= 0.0):
            raise InputError(f"MPC tuning: {self}; allowed: positive, travel and strength 0 or more")


@dataclass
class Effort:
    """What the plans cost so far."""

    plans: int = 0
    waits: int = 0  # plans without a search: no pulse was already the optimum
    cut: int = 0  # searches that the limit ended
    iterations: int = 0  # of the last search
    nodes: int = 0  # of the last search
    most: int = 0  # [iterations] of a search

    def add(self, found: Pulses) -> None:
        """One more search."""
        self.iterations, self.nodes, self.most = found.iterations, found.nodes, max(self.most, found.iterations)
        self.cut += not found.optimal


@dataclass
class MpcTracker:
    """Controller of the platform; see the module."""

    reference: HermiteReference
    model: PlatformModel = field(default_factory=PlatformModel)
    horizon: PulseHorizon = field(default_factory=PulseHorizon)
    cost: PulseCost = field(default_factory=PulseCost)
    dwell: Dwell = field(default_factory=Dwell)
    tuning: MpcTuning = field(default_factory=MpcTuning)
    iterations: int = 4000  # of the solver, over all nodes of one search
    wall: float | None = None  # [s] of one search: for real time only, runs do not repeat with it
    effort: Effort = field(default_factory=Effort, init=False)

    def __post_init__(self) -> None:
        optional.daqp()  # asked for now, not at the first plan
        if self.iterations < 1 or (self.wall is not None and not self.wall > 0.0):
            raise InputError(f"MPC limits: {self.iterations} iterations, {self.wall} s; allowed: positive")
        r, m, u, h = self.reference, self.model, self.tuning, self.horizon
        self._hold = round(h.tick / u.dt)
        if self._hold < 1 or abs(self._hold * u.dt - h.tick) > 1e-9:
            raise InputError(f"MPC tick: {h.tick} s; allowed: a multiple of {u.dt} s")
        self._knots = (np.array(r.times), np.array(r.poses, order="C"), np.array(r.rates, order="C"))
        self._wrenches = np.array(m.thrusters, order="C")
        gains = (u.bandwidth**2, 2.0 * u.bandwidth)
        reach = u.wheel_torque * u.wheel_lag / m.wheel_inertia
        pulse = h.tick * m.thrust * float(np.abs(self._wrenches[2]).max()) / m.wheel_inertia
        limits = (reach, 2.0 * pulse + reach, u.wheel_speed, u.dt)
        unknown = (u.travel, u.strength * h.tick**0.5)
        self._platform = np.array([m.mass, m.inertia, m.wheel_inertia, m.thrust, *gains, *limits, *unknown])
        self._filter = pose_filter(u.position, u.angle)
        self._x, self._last = self._filter[1], self._filter[-1]
        self._memory, self._work, self._calls = np.zeros(MEMORY), np.zeros((3, 3)), 0
        self._set_up_problem()

    def _set_up_problem(self) -> None:
        h, cost, n = self.horizon, self.cost, self.model.thrusters.shape[1]
        self._directions, counts = thrust_directions(self._wrenches)
        self._nodes, self._C, self._K, self._slots = grid(h, cost)
        self._dwell = DwellConstraint.of(self.dwell, h.tick, n, h.binary)
        blocks = h.spans[h.binary :]
        binaries = n * h.binary
        size = binaries + counts.size * len(blocks)
        room = [counts * (b - a) / h.tick * self.dwell.duty(h.tick) for a, b in blocks]
        self._A = np.zeros((len(self._dwell.bounds), size))
        self._A[:, :binaries] = self._dwell.rows
        self._upper = np.concatenate([np.ones(binaries), *room, self._dwell.bounds])
        self._lower = np.concatenate([np.zeros(size), np.full(len(self._dwell.bounds), -np.inf)])
        torque = float(np.abs(self._wrenches[2]).max()) or 1.0
        weights = (cost.pulse, cost.convex, cost.momentum, cost.ahead, cost.fade, h.tick, torque, cost.full)
        self._weights = np.array(weights)
        self._H, self._f = np.zeros((size, size)), np.zeros(size)
        self._e0, self._push = np.zeros((self._nodes.size, 2)), np.zeros((3, size))
        self._valves, self._past = np.zeros(n), np.zeros(n * self._dwell.past)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Valves (n,), the wheel's speed [rad/s], estimate (6,) and slope (3,) for pose and wheel measured at t [s]."""
        pose, speed = np.array(meas["pose"], np.float64), float(meas["wheel"][0])
        if not math.isfinite(speed):
            speed = float(self._memory[SPEED])
        if self._calls == 0:
            self._memory[[COMMAND, TARGET, SPEED]] = speed
            if not math.isfinite(pose.sum()):
                return self._answer()
            self._start(t, pose)
        sense(pose, speed, self._valves, self._wrenches, self._platform, *self._filter, self._memory)
        if self._calls % self._hold == 0:
            self._valves = self._plan(t)
        steer(t, self._valves, self._wrenches, self._platform, self._knots, self._x, self._memory, self._work)
        self._calls += 1
        return self._answer()

    def _answer(self) -> dict[str, Array]:
        return {
            "valves": self._valves.copy(),
            "wheel": self._memory[COMMAND : COMMAND + 1].copy(),
            "estimate": self._x[:, :2].T.ravel(),
            "slope": self._x[:, 2].copy(),
        }

    def _start(self, t: float, pose: Array) -> None:
        """At the first pose, at rest; the angle counts from the reference's on."""
        angle = self.reference.at(t)[0][2]
        self._x[:, 0] = pose
        self._x[2, 0] = angle + wrapped(float(pose[2]) - angle)
        self._last[:] = pose

    def _plan(self, t: float) -> Array:
        """The first tick of the plan; no pulse where that is known to be the optimum.

        With u = 0 allowed, H positive and no negative gradient there, u = 0 is the optimum even of the relaxed problem.
        """
        n, h, effort = self._valves.size, self.horizon, self.effort
        assemble(
            t, self._x, self._memory, self._platform, self._wrenches, self._directions, self._knots, self._nodes,
            self._C, self._K, self._slots, h.binary, self._weights, self._H, self._f, self._e0, self._push, self._work,
        )  # fmt: skip
        size, upper = self._f.size, self._upper.copy()
        upper[size:] -= self._dwell.behind @ self._past
        valves = np.zeros(n)
        effort.plans += 1
        if self._f.min() >= 0.0 and (upper[size:] >= 0.0).all():
            effort.waits += 1
        else:
            found = branch_and_bound(
                self._H, self._f, self._A, upper, self._lower, n * h.binary, self.iterations, self.wall
            )
            effort.add(found)
            owed = self._A[upper[size:] < 0.0, :n].any(axis=0)  # valves that may not close yet
            valves[:] = owed if found.u is None else np.rint(found.u[:n])
        self._past = np.concatenate([self._past[n:], valves])
        return valves
