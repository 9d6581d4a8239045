"""What a plan of the floating platform must keep: limits, floor, obstacles, way-points and a map of the floor."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import RectBivariateSpline

from freefloat.errors import InputError, SimulationError
from freefloat.frames import Array
from freefloat.gnc.planning.platform.model import STATES, PlatformModel
from freefloat.units import G0, RPM

TURNS = 100.0  # [rad] limit of the angle: far off, for the solver's sake
FAR = 1e3  # [m] limit of the position where no floor is given


class PlanError(SimulationError):
    """No plan was found that keeps the model, the limits and the goal."""


@dataclass(frozen=True)
class PlanLimits:
    """Bounds of states and controls; the defaults are those of REACSA Table 4.1 without walls."""

    speed: float = 0.5  # [m/s] along each axis of W
    turn_rate: float = 1.0  # [rad/s]
    wheel_speed: float = 500.0 * RPM  # [rad/s]
    wheel_torque: float = 1.7  # [N m]
    floor: tuple[float, float, float, float] | None = None  # [m] x from, x to, y from, y to: the walls
    radius: float = 0.35  # [m] of the body, which stays off walls and obstacles
    clearance: float = 0.0  # [m] beyond the radius

    def __post_init__(self) -> None:
        for name in ("speed", "turn_rate", "wheel_speed", "wheel_torque"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise InputError(f"plan limit {name}: {value!r}; allowed: a positive number")
        for name in ("radius", "clearance"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise InputError(f"plan limit {name}: {value!r}; allowed: 0 or more")
        if self.floor is not None:
            room = np.diff(np.asarray(self.floor, np.float64).reshape(2, 2))
            if not (room > 2.0 * self.distance).all():
                raise InputError(
                    f"plan limit floor: {self.floor}; allowed: x from, x to, y from, y to, each more than"
                    f" {2.0 * self.distance:g} m apart (twice radius and clearance)"
                )

    @property
    def distance(self) -> float:
        """[m] of the body's centre from a wall."""
        return self.radius + self.clearance

    def states(self) -> tuple[Array, Array]:
        """Lower and upper bounds (7,) of the state."""
        upper = np.array([FAR, FAR, TURNS, self.speed, self.speed, self.turn_rate, self.wheel_speed])
        lower = -upper
        if self.floor is not None:
            walls = np.asarray(self.floor, np.float64).reshape(2, 2)
            lower[:2], upper[:2] = walls[:, 0] + self.distance, walls[:, 1] - self.distance
        return lower, upper

    def controls(self, model: PlatformModel, margin: float = 0.0) -> tuple[Array, Array]:
        """Lower and upper bounds (1 + n,) of the control; `margin` [N] of every thruster is kept back."""
        n = model.thrusters.shape[1]
        if margin >= model.thrust:
            raise InputError(
                f"the map's error needs {margin:.3g} N of each thruster; allowed: less than {model.thrust:g} N"
            )
        upper = np.concatenate([[self.wheel_torque], np.full(n, model.thrust - margin)])
        return np.concatenate([[-self.wheel_torque], np.zeros(n)]), upper


@dataclass(frozen=True)
class Obstacle:
    """A disc on the floor."""

    x: float  # [m] centre in W
    y: float  # [m]
    radius: float  # [m]

    def __post_init__(self) -> None:
        if not (math.isfinite(self.x) and math.isfinite(self.y) and math.isfinite(self.radius) and self.radius > 0.0):
            raise InputError(f"obstacle ({self.x}, {self.y}) of radius {self.radius}; allowed: finite, radius above 0")


@dataclass(frozen=True, eq=False)
class WayPoint:
    """A pose on the way, passed at a time that the planner chooses; with or without given rates."""

    pose: Array  # [m, m, rad] (3,) in W; the angle is not wrapped
    rate: Array | None = None  # [m/s, m/s, rad/s] (3,); None: as the planner likes

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", _vector(self.pose, (3,), "way-point pose"))
        if self.rate is not None:
            object.__setattr__(self, "rate", _vector(self.rate, (3,), "way-point rate"))


@dataclass(frozen=True, eq=False)
class SlopeMap:
    """Heights of the floor as a bicubic spline, with an error of its slopes that the thrusters can always make up for.

    Forces on the body from V = (m g / k) sum h(p_i) over k contacts p_i (sec. 3.1).
    """

    x: Array  # [m] (nx,) rising
    y: Array  # [m] (ny,) rising
    height: Array  # [m] (nx, ny)
    error: float = 0.0  # [m/m] of the slope along an axis
    contacts: Array = field(default_factory=lambda: np.zeros((1, 2)))  # [m] (k, 2) bearings in B

    def __post_init__(self) -> None:
        for name, ndim in (("x", 1), ("y", 1), ("height", 2), ("contacts", 2)):
            value = np.array(getattr(self, name), np.float64)
            if value.ndim != ndim or not np.isfinite(value).all():
                raise InputError(f"slope map {name}: shape {value.shape}; allowed: {ndim} finite dimensions")
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        if self.height.shape != (self.x.size, self.y.size) or min(self.height.shape) < 4:
            raise InputError(f"slope map height: shape {self.height.shape}; allowed: (x, y), 4 or more along each")
        if not ((np.diff(self.x) > 0.0).all() and (np.diff(self.y) > 0.0).all()):
            raise InputError("slope map x, y; allowed: rising")
        if not (math.isfinite(self.error) and self.error >= 0.0):
            raise InputError(f"slope map error: {self.error!r}; allowed: 0 or more")

    @cached_property
    def spline(self) -> RectBivariateSpline:
        """The height [m] over (x, y)."""
        return RectBivariateSpline(self.x, self.y, self.height, kx=3, ky=3, s=0)

    @cached_property
    def steepness(self) -> float:
        """Root mean square of the slope along an axis [m/m]."""
        slopes = (self.spline(self.x, self.y, dx=1), self.spline(self.x, self.y, dy=1))
        return float(np.sqrt(np.mean([s**2 for s in slopes])))

    def acceleration(self, model: PlatformModel, pose: Array) -> Array:
        """[x'', y'', theta''] in W that the floor gives a body at a pose (..., 3)."""
        out = np.zeros(pose.shape)
        c, s = np.cos(pose[..., 2]), np.sin(pose[..., 2])
        for bx, by in self.contacts:
            rx, ry = c * bx - s * by, s * bx + c * by
            gx = self.spline(pose[..., 0] + rx, pose[..., 1] + ry, dx=1, grid=False)
            gy = self.spline(pose[..., 0] + rx, pose[..., 1] + ry, dy=1, grid=False)
            out -= np.stack([gx, gy, (rx * gy - ry * gx) * (model.mass / model.inertia)], axis=-1)
        return out * (G0 / len(self.contacts))

    def margin(self, model: PlatformModel) -> float:
        """[N] of each thruster that make up for the map's error: those that push alike share it."""
        d = model.thrusters[:2]
        alike = float(np.sum(d.T @ d > 0.5, axis=1).min())
        return model.mass * G0 * self.error / alike

    def extent(self) -> tuple[Array, Array]:
        """Lower and upper (2,) of the body's centre for which every contact is on the map."""
        reach = float(np.linalg.norm(self.contacts, axis=1).max())
        return np.array([self.x[0], self.y[0]]) + reach, np.array([self.x[-1], self.y[-1]]) - reach


def full_state(value: ArrayLike, what: str) -> Array:
    """(7,) of a pose (3,) at rest with the wheel at rest, or of a whole state (7,)."""
    given = np.array(value, np.float64)
    if given.shape not in ((3,), (STATES,)):
        raise InputError(f"{what}: {given.tolist()}; allowed: a pose of 3 numbers or a state of {STATES}")
    if given.shape == (3,):
        given = np.concatenate([given, np.zeros(STATES - 3)])
    return _vector(given, (STATES,), what)


def _vector(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    given = np.array(value, np.float64)
    if given.shape != shape or not np.isfinite(given).all():
        raise InputError(f"{what}: {given.tolist()}; allowed: {shape[0]} finite numbers")
    given.flags.writeable = False
    return given
