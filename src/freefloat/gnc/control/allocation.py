"""From a torque on the bus to the actuators that make it: reaction wheels, and thrusters that take momentum out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from freefloat.compiled import Ticking, inner
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control.wheel_step import desaturation_step, wheel_momentum, wheel_step

FUEL_WEIGHT = 1e-4  # [-] of propellant against wrench error; removed again from the result


def _columns(directions: ArrayLike, what: str) -> Array:
    """Unit vectors, given as rows (n, 3), as columns (3, n)."""
    rows = np.atleast_2d(np.asarray(directions, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[1] != 3 or not np.all(np.linalg.norm(rows, axis=1) > 0.0):
        raise InputError(f"{what}: needs rows of three numbers, none of them zero, got {directions!r}")
    return np.ascontiguousarray((rows / np.linalg.norm(rows, axis=1, keepdims=True)).T)


def pyramid_axes(elevation: float = float(np.arctan(np.sqrt(0.5)))) -> Array:
    """Axes (4, 3) of four wheels about z at azimuths 45, 135, 225, 315 deg.

    The default elevation [rad] above the xy plane, 35.26 deg, gives the same capacity along x, y and z.
    """
    azimuth = np.deg2rad([45.0, 135.0, 225.0, 315.0])
    c, s = np.cos(elevation), np.sin(elevation)
    return np.column_stack([c * np.cos(azimuth), c * np.sin(azimuth), np.full(4, s)])


class WheelState(NamedTuple):
    """What the allocation needs."""

    wheel_axes: Array  # (3, n) A
    wheel_split: Array  # (n, 3) A^+
    wheel_bias: Array  # (n,) [N m s]
    wheel_numbers: Array  # (5,) of `wheel_step`
    wanted: Array  # (3,) [N m] torque that the wheels shall make, where something else makes a part


class WheelOut(NamedTuple):
    """What the allocation returns."""

    tau_wheel: Array
    tau_made: Array
    h_B: Array


@inner
def allocation_tick(t: float, meas: Any, state: Any, out: Any) -> None:
    """One update of `WheelAllocation`."""
    allocate(meas.tau, meas.speed, state, out)


@inner
def allocate(tau: Array, speed: Array, state: Any, out: Any) -> None:
    """The wheels for a torque on the bus."""
    wheel_momentum(state.wheel_axes, state.wheel_numbers, speed, out.h_B)
    wheel_step(
        tau,
        speed,
        state.wheel_axes,
        state.wheel_split,
        state.wheel_bias,
        state.wheel_numbers,
        out.tau_wheel,
        out.tau_made,
    )


@dataclass(frozen=True, eq=False)
class WheelAllocation(Ticking):
    """Motor torques u of n wheels from a torque on the bus, with A (3, n) the axes in B: A u = -tau.

        u = -A^+ tau - k (1 - A^+ A) (J s - J s_bias)

    for wheel speeds s relative to the bus: least norm, and what turns nothing drives the speeds to their bias. Torque
    that the limits forbid is cut along its direction to the largest that they allow (`wheel_step`); a wheel is not
    driven past its speed limit within `horizon`. Reads tau, speed; returns tau_wheel, tau_made (on the bus), h_B.
    """

    axes: ArrayLike  # (n, 3) in B
    inertia: float  # [kg m^2] J of one rotor about its axis
    max_torque: float  # [N m]
    max_speed: float = np.inf  # [rad/s]
    bias_speed: ArrayLike = 0.0  # [rad/s] one or n
    bias_gain: float = 0.01  # [1/s] k above
    horizon: float = 0.1  # [s]
    state: WheelState = field(init=False, repr=False)
    out: WheelOut = field(init=False, repr=False)

    tick = staticmethod(allocation_tick)

    def __post_init__(self) -> None:
        A = _columns(self.axes, "wheel axes")
        if np.linalg.matrix_rank(A) < 3:
            raise InputError(f"wheel axes: {A.shape[1]} axes do not span space; three-axis control needs rank 3")
        if not (min(self.inertia, self.max_torque, self.max_speed, self.horizon) > 0.0 and self.bias_gain >= 0.0):
            raise InputError(f"wheels: inertia, limits and horizon must be positive, bias_gain not negative: {self}")
        n, bias = A.shape[1], np.broadcast_to(np.asarray(self.bias_speed, dtype=np.float64), A.shape[1])
        numbers = [self.inertia, self.max_torque, self.max_speed, self.bias_gain, self.horizon]
        state = WheelState(
            A, np.array(np.linalg.pinv(A), np.float64), self.inertia * bias, np.array(numbers, np.float64), np.zeros(3)
        )
        object.__setattr__(self, "state", state)
        object.__setattr__(self, "out", WheelOut(np.zeros(n), np.zeros(3), np.zeros(3)))

    @property
    def A(self) -> Array:
        """(3, n) axes in B."""
        return self.state.wheel_axes

    @property
    def A_pinv(self) -> Array:
        """(n, 3)"""
        return self.state.wheel_split

    @property
    def bias(self) -> Array:
        """(n,) [N m s]"""
        return self.state.wheel_bias

    def momentum(self, speed: Array) -> Array:
        """h_B [N m s] that wheels at these speeds [rad/s] hold against the bus."""
        h_B = np.zeros(3)
        wheel_momentum(self.A, self.state.wheel_numbers, np.ascontiguousarray(speed, dtype=np.float64), h_B)
        return h_B


class DesaturationState(NamedTuple):
    """What the desaturation remembers and needs."""

    dump_numbers: Array  # (7,) of `desaturation_step`
    dumping: Array  # (1,) whether it is active


class DesaturationOut(NamedTuple):
    """What the desaturation returns."""

    tau_ext: Array
    active: Array


@inner
def desaturation_tick(t: float, meas: Any, state: Any, out: Any) -> None:
    """One update of `Desaturation`."""
    desaturation_step(meas.h_B, state.dump_numbers, state.dumping, out.tau_ext, out.active)


@dataclass(frozen=True, eq=False)
class Desaturation(Ticking):
    """External torque that takes momentum out of the wheels: starts above `start`, stops below `stop`.

    tau_ext = -gain (h_B - target), at most `max_torque`. Reads h_B [N m s]; returns tau_ext [N m] in B and active.
    """

    start: float  # [N m s]
    stop: float  # [N m s]
    max_torque: float  # [N m]
    gain: float = 0.01  # [1/s]
    target: ArrayLike = (0.0, 0.0, 0.0)  # [N m s] in B
    state: DesaturationState = field(init=False, repr=False)
    out: DesaturationOut = field(init=False, repr=False)

    tick = staticmethod(desaturation_tick)

    def __post_init__(self) -> None:
        if not (0.0 <= self.stop < self.start and self.max_torque > 0.0 and self.gain > 0.0):
            raise InputError(f"desaturation: {self} needs 0 <= stop < start, max_torque > 0, gain > 0")
        target = np.asarray(self.target, dtype=np.float64)
        numbers = np.array([self.start, self.stop, self.max_torque, self.gain, *target])
        object.__setattr__(self, "state", DesaturationState(numbers, np.zeros(1)))
        object.__setattr__(self, "out", DesaturationOut(np.zeros(3), np.zeros(1)))

    @property
    def active(self) -> bool:
        """Whether it takes momentum out now."""
        return bool(self.state.dumping[0])


@dataclass
class ThrusterAllocation:
    """On-times of n one-sided thrusters for a mean wrench over the period, with the least propellant.

    Non-negative least squares on the wrench error with a small weight on propellant; a command beyond the thrusters is
    scaled down along its direction. A pulse shorter than `min_on`, or a pause shorter than `min_off`, is rounded down
    and its impulse carried to the next period, so that the sum is right to one such pulse of each thruster; so is what
    is left of a time that is not a whole number of ticks. It runs in Python.
    Reads wrench [moment; force] in B [N m, N]; returns on_time [s], duty and wrench_made (mean over the period).
    """

    p_BT: ArrayLike  # [m] (n, 3) from the centre of mass
    directions: ArrayLike  # (n, 3) of the force on the body, in B
    thrust: ArrayLike  # [N] one or n
    period: float  # [s]
    min_on: float = 0.0  # [s]
    min_off: float = 0.0  # [s]
    tick: float = 0.0  # [s] of which on-times are multiples; 0: any time
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
            times = f"min_on {self.min_on} s, min_off {self.min_off} s, period {self.period} s"
            raise InputError(f"thrusters: needs thrust > 0 and min_on + min_off < period, got {self.thrust} N, {times}")
        if not 0.0 <= self.tick <= self.period:
            raise InputError(f"thrusters: tick {self.tick!r} s; allowed: 0 to the period of {self.period} s")
        self.B = np.vstack([np.cross(p, d.T).T, d]) * thrust
        self.carry = np.zeros(6)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """On-times for the next period."""
        duty = self.duties(meas["wrench"] + self.carry / self.period)
        wanted = duty * self.period
        on = np.where(self.period - wanted < self.min_off, self.period - self.min_off, wanted)
        on = np.where(duty == 1.0, self.period, on)
        if self.tick > 0.0:
            on = self.tick * np.floor(on / self.tick + 1e-9)
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
        from scipy.optimize import nnls  # takes as long to import as the engine, and wheels alone need none of it

        fuel = FUEL_WEIGHT * np.linalg.norm(self.B[3:], axis=0) / np.linalg.norm(self.B[3:], axis=0).max()
        u, _ = nnls(np.vstack([rows / scale, fuel]), np.append(target / size, 0.0))
        used = u > 0.0
        exact = np.linalg.lstsq(rows[:, used] / scale, target / size, rcond=None)[0]
        if np.all(exact >= 0.0):
            u[used] = exact
        u *= size / scale
        return u / max(1.0, float(u.max()))
