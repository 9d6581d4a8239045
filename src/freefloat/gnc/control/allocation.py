"""From a torque on the bus to the actuators that make it: reaction wheels, and thrusters that take momentum out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog, nnls

from freefloat.errors import InputError, SimulationError
from freefloat.frames import Array

FUEL_WEIGHT = 1e-4  # [-] of propellant against wrench error; removed again from the result


def _columns(directions: ArrayLike, what: str) -> Array:
    """Unit vectors, given as rows (n, 3), as columns (3, n)."""
    rows = np.atleast_2d(np.asarray(directions, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[1] != 3 or not np.all(np.linalg.norm(rows, axis=1) > 0.0):
        raise InputError(f"{what}: needs rows of three numbers, none of them zero, got {directions!r}")
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).T


def pyramid_axes(elevation: float = float(np.arctan(np.sqrt(0.5)))) -> Array:
    """Axes (4, 3) of four wheels about z at azimuths 45, 135, 225, 315 deg.

    The default elevation [rad] above the xy plane, 35.26 deg, gives the same capacity along x, y and z.
    """
    azimuth = np.deg2rad([45.0, 135.0, 225.0, 315.0])
    c, s = np.cos(elevation), np.sin(elevation)
    return np.column_stack([c * np.cos(azimuth), c * np.sin(azimuth), np.full(4, s)])


@dataclass(frozen=True)
class WheelAllocation:
    """Motor torques u of n wheels from a torque on the bus, with A (3, n) the axes in B: A u = -tau.

        u = -A^+ tau - k (1 - A^+ A) (J s - J s_bias)

    for wheel speeds s relative to the bus: least norm, and what turns nothing drives the speeds to their bias. Torque
    that the limits forbid is cut along its direction to the largest that they allow (a linear programme); a wheel is
    not driven past its speed limit within `horizon`. Reads tau, speed; returns tau_wheel, tau_made (on the bus), h_B.
    """

    axes: ArrayLike  # (n, 3) in B
    inertia: float  # [kg m^2] J of one rotor about its axis
    max_torque: float  # [N m]
    max_speed: float = np.inf  # [rad/s]
    bias_speed: ArrayLike = 0.0  # [rad/s] one or n
    bias_gain: float = 0.01  # [1/s] k above
    horizon: float = 0.1  # [s]
    A: Array = field(init=False, repr=False, compare=False)
    A_pinv: Array = field(init=False, repr=False, compare=False)
    bias: Array = field(init=False, repr=False, compare=False)  # [N m s]

    def __post_init__(self) -> None:
        A = _columns(self.axes, "wheel axes")
        if np.linalg.matrix_rank(A) < 3:
            raise InputError(f"wheel axes: {A.shape[1]} axes do not span space; three-axis control needs rank 3")
        if not (min(self.inertia, self.max_torque, self.max_speed, self.horizon) > 0.0 and self.bias_gain >= 0.0):
            raise InputError(f"wheels: inertia, limits and horizon must be positive, bias_gain not negative: {self}")
        object.__setattr__(self, "A", A)
        object.__setattr__(self, "A_pinv", np.linalg.pinv(A))
        object.__setattr__(self, "bias", self.inertia * np.broadcast_to(self.bias_speed, A.shape[1]))

    def momentum(self, speed: Array) -> Array:
        """h_B [N m s] that wheels at these speeds [rad/s] hold against the bus."""
        return self.A @ (self.inertia * speed)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Motor torques for the next period."""
        speed = meas["speed"]
        low, high = self._limits(speed)
        u = -self.A_pinv @ meas["tau"]
        if np.all((low <= u) & (u <= high)):
            excess = self.inertia * speed - self.bias
            idle = -self.bias_gain * (excess - self.A_pinv @ (self.A @ excess))
            u = u + _largest_share(u, idle, low, high) * idle
        else:
            u = self._longest(-meas["tau"], low, high)
        return {"tau_wheel": u, "tau_made": -self.A @ u, "h_B": self.momentum(speed)}

    def _limits(self, speed: Array) -> tuple[Array, Array]:
        """Torque bounds of each wheel; zero is always allowed."""
        gap = self.inertia / self.horizon
        high = np.clip(gap * (self.max_speed - speed), 0.0, self.max_torque)
        low = np.clip(gap * (-self.max_speed - speed), -self.max_torque, 0.0)
        return low, high

    def _longest(self, target: Array, low: Array, high: Array) -> Array:
        """u with A u = f target, low <= u <= high and the largest f <= 1."""
        n = self.A.shape[1]
        size = float(np.linalg.norm(target))
        cost = np.zeros(n + 1)
        cost[n] = -1.0
        equal = np.column_stack([self.A, -target / size])
        bounds = [*zip(low.tolist(), high.tolist(), strict=True), (0.0, size)]
        found = linprog(cost, A_eq=equal, b_eq=np.zeros(3), bounds=bounds, method="highs-ds")
        if found.x is None:
            raise SimulationError(f"wheel allocation: no torques for {target} N m: {found.message}")
        return np.clip(found.x[:n], low, high)


def _largest_share(u: Array, step: Array, low: Array, high: Array) -> float:
    """The largest f <= 1 with low <= u + f step <= high."""
    room = np.where(step > 0.0, high - u, u - low)
    moving = np.abs(step) > 0.0
    return float(np.min(room[moving] / np.abs(step[moving]), initial=1.0))


@dataclass
class Desaturation:
    """External torque that takes momentum out of the wheels: starts above `start`, stops below `stop`.

    tau_ext = -gain (h_B - target), at most `max_torque`. Reads h_B [N m s]; returns tau_ext [N m] in B and active.
    """

    start: float  # [N m s]
    stop: float  # [N m s]
    max_torque: float  # [N m]
    gain: float = 0.01  # [1/s]
    target: ArrayLike = (0.0, 0.0, 0.0)  # [N m s] in B
    active: bool = False

    def __post_init__(self) -> None:
        if not (0.0 <= self.stop < self.start and self.max_torque > 0.0 and self.gain > 0.0):
            raise InputError(f"desaturation: {self} needs 0 <= stop < start, max_torque > 0, gain > 0")

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Torque for the next period."""
        excess = meas["h_B"] - np.asarray(self.target, dtype=np.float64)
        size = float(np.linalg.norm(excess))
        self.active = size > (self.stop if self.active else self.start)
        torque = min(self.gain * size, self.max_torque) if self.active else 0.0
        tau = -excess * (torque / size) if size > 0.0 else np.zeros(3)
        return {"tau_ext": tau, "active": np.array([float(self.active)])}


@dataclass
class ThrusterAllocation:
    """On-times of n one-sided thrusters for a mean wrench over the period, with the least propellant.

    Non-negative least squares on the wrench error with a small weight on propellant; a command beyond the thrusters is
    scaled down along its direction. A pulse shorter than `min_on`, or a pause shorter than `min_off`, is rounded down
    and its impulse carried to the next period, so that the sum is right to one such pulse of each thruster.
    Reads wrench [moment; force] in B [N m, N]; returns on_time [s], duty and wrench_made (mean over the period).
    """

    p_BT: ArrayLike  # [m] (n, 3) from the centre of mass
    directions: ArrayLike  # (n, 3) of the force on the body, in B
    thrust: ArrayLike  # [N] one or n
    period: float  # [s]
    min_on: float = 0.0  # [s]
    min_off: float = 0.0  # [s]
    weights: ArrayLike = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0)  # on [moment; force] errors; 0: left free
    B: Array = field(init=False, repr=False)  # (6, n) wrench of each thruster at full thrust
    carry: Array = field(init=False, repr=False)  # [N m s, N s]

    def __post_init__(self) -> None:
        d = _columns(self.directions, "thruster directions")
        p = np.asarray(self.p_BT, dtype=np.float64)
        if p.shape != d.T.shape:
            raise InputError(f"thrusters: {p.shape} positions for {d.T.shape} directions")
        thrust = np.broadcast_to(np.asarray(self.thrust, dtype=np.float64), d.shape[1])
        if not (np.all(thrust > 0.0) and 0.0 <= self.min_on + self.min_off < self.period):
            raise InputError(f"thrusters: needs thrust > 0 and min_on + min_off < period, got {self}")
        self.B = np.vstack([np.cross(p, d.T).T, d]) * thrust
        self.carry = np.zeros(6)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """On-times for the next period."""
        duty = self.duties(meas["wrench"] + self.carry / self.period)
        wanted = duty * self.period
        on = np.where(self.period - wanted < self.min_off, self.period - self.min_off, wanted)
        on = np.where(duty == 1.0, self.period, on)
        on = np.where(on < self.min_on, 0.0, on)
        weights = np.asarray(self.weights, dtype=np.float64)
        self.carry = np.where(weights > 0.0, self.B @ (wanted - on), 0.0)
        made = self.B @ on / self.period
        return {"on_time": on, "duty": on / self.period, "wrench_made": made}

    def duties(self, wrench: Array) -> Array:
        """Shares of full thrust in [0, 1] for a mean wrench, without regard to pulse lengths."""
        weights = np.asarray(self.weights, dtype=np.float64)[:, None]
        rows, target = weights * self.B, weights[:, 0] * wrench
        scale = float(np.abs(rows).max())
        size = float(np.linalg.norm(target))
        if size == 0.0:
            return np.zeros(self.B.shape[1])
        fuel = FUEL_WEIGHT * np.linalg.norm(self.B[3:], axis=0) / np.linalg.norm(self.B[3:], axis=0).max()
        u, _ = nnls(np.vstack([rows / scale, fuel]), np.append(target / size, 0.0))
        used = u > 0.0
        exact = np.linalg.lstsq(rows[:, used] / scale, target / size, rcond=None)[0]
        if np.all(exact >= 0.0):
            u[used] = exact
        u *= size / scale
        return u / max(1.0, float(u.max()))
