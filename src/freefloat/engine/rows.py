"""Rows of the banks, in names: what a part adds to the banks. The world turns names into indices at every build.

A reference (`Body("bus")`, `Rate("arm.joint1")`, ...) stands for an index that only exists once the world is built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from freefloat.engine.graph import Vector
from freefloat.frames import Pose
from freefloat.kernels import banks

G0 = 9.80665  # [m/s^2] standard gravity


@dataclass(frozen=True)
class Body:
    """Index of the body that carries a link."""

    link: str


@dataclass(frozen=True)
class Coordinate:
    """Index of a joint's position in qpos."""

    joint: str


@dataclass(frozen=True)
class Rate:
    """Index of a joint's velocity in qvel."""

    joint: str


@dataclass(frozen=True)
class Command:
    """Index of entry `entry` of a command."""

    name: str
    entry: int = 0


Ref = Body | Coordinate | Rate | Command | int


@dataclass(frozen=True)
class Effect:
    """A user's own bank. `stage` has the one signature of `kernels.effects`; momentum is kept when every wrench on a
    body has its reaction on another body, or on the world (row 0) where it comes from outside.
    """

    name: str
    stage: Callable[..., None] = field(compare=False)


@dataclass(frozen=True)
class Row:
    """One element of a bank: parameters `f`, references `i`, initial states and number of outputs."""

    bank: int | Effect
    name: str  # unique in the world; keeps states and outputs together through rebuilds
    f: tuple[float, ...] = ()
    i: tuple[Ref, ...] = ()
    states: tuple[float, ...] = ()
    outputs: int = 0
    tabled: bool = False  # the bank's numbers are the world's table of this name, not `f` (`World.set_table`)


def joint_torque(joint: str, command: str, entry: int, limit: float = np.inf) -> Row:
    """A commanded effort at a joint, clipped to +-limit [N m or N]; its output is the applied effort."""
    return Row(banks.JOINT_TORQUE, f"{joint}.drive", (limit,), (Rate(joint), Command(command, entry)), outputs=1)


def joint_spring(
    joint: str,
    stiffness: float = 0.0,  # [N m/rad or N/m]
    damping: float = 0.0,  # [N m s/rad or N s/m]
    reference: float = 0.0,  # [rad or m]
    lower: float = -np.inf,  # [rad or m]
    upper: float = np.inf,  # [rad or m]
    stop_stiffness: float = 0.0,  # [N m/rad or N/m]
    stop_damping: float = 0.0,  # [s/rad or s/m], Hunt and Crossley's factor on the stop's own force
) -> Row:
    """A spring-damper with stops at a joint; its output is the effort."""
    f = (stiffness, damping, reference, lower, upper, stop_stiffness, stop_damping)
    return Row(banks.JOINT_SPRING, f"{joint}.spring", f, (Coordinate(joint), Rate(joint)), outputs=1)


def body_wrench(link: str, command: str, X_LP: Pose, expressed_in: Literal["body", "world"] = "body") -> Row:
    """A commanded wrench [torque; force] at point P of a link, from outside the system."""
    i = (Body(link), Command(command, 0), 1 if expressed_in == "body" else 0)
    return Row(banks.BODY_WRENCH, f"{command}.wrench", (*map(float, X_LP.p),), i)


def uniform_gravity(g_W: tuple[float, float, float]) -> Row:
    """The same gravity everywhere [m/s^2]."""
    return Row(banks.UNIFORM_GRAVITY, "gravity.uniform", g_W)


def orbit_gravity(name: str) -> Row:
    """Gravity in a frame that falls along a reference orbit; an upkeep keeps the table. Outputs: p_IW (3), v_IW (3)."""
    return Row(banks.ORBIT_GRAVITY, name, outputs=6, tabled=True)


def thruster(
    name: str,
    link: str,
    command: str,
    entry: int,
    p_LP: Vector,  # [m]
    direction: Vector,  # of the force, unit vector in L
    thrust: float,  # [N]
    specific_impulse: float,  # [s]
    opening: float = 0.0,  # [s] lag of the valve when it opens
    closing: float = 0.0,  # [s]
) -> Row:
    """An on/off or proportional thruster (command 0..1). States: opening, propellant drawn [kg], impulse [N s]."""
    f = (*map(float, direction), *map(float, p_LP), thrust, opening, closing, 1.0 / (specific_impulse * G0))
    return Row(banks.THRUSTER, name, f, (Body(link), Command(command, entry)), (0.0, 0.0, 0.0), 1)


@dataclass(frozen=True)
class Feed:
    """How the pressure at a cold-gas valve falls: see `kernels.cold_gas`."""

    drop: float = 0.0  # [-] of the thrust, with every further open valve of its manifold
    sag: float = 0.0  # [-] of the thrust, in the long run with one open valve
    sag_lag: float = 1.0  # [s]


def cold_gas(thruster: Row, loss: Command, feed: Feed) -> Row:
    """A thruster row fed from a manifold whose pressure loss (0..1) is the command `loss`.

    States: opening, propellant drawn [kg], impulse [N s], sag, commanded open time [s].
    """
    f = (*thruster.f, feed.drop, feed.sag, feed.sag_lag)
    return Row(banks.COLD_GAS, thruster.name, f, (*thruster.i, loss), (0.0,) * 5, 1)


@dataclass(frozen=True)
class Walls:
    """Walls around a floor, at +-x and +-y [m]; a round body touches them with its rim."""

    x: float  # [m]
    y: float  # [m]
    radius: float  # [m] of the body
    stiffness: float  # [N/m]
    damping: float  # [s/m] Hunt and Crossley's factor on the wall's own force


def floor(
    name: str,
    link: str,
    weight: float,  # [N]
    contacts: Vector,  # [m] (n, 2) p_LC of the bearings, 1 to 3 of them
    coefficients: Vector,  # [m] (nx + 2, ny + 2) of the height's cubic B-spline, centred on the world's origin
    spacing: float,  # [m]
    walls: Walls,
) -> Row:
    """A body that glides on an uneven floor. Outputs: potential [J], force x, y [N] and torque [N m] on the body."""
    n = len(contacts)
    places = np.zeros((3, 2))
    places[:n] = contacts
    sizes = (spacing, *coefficients.shape)
    rim = (walls.x, walls.y, walls.radius, walls.stiffness, walls.damping)
    f = (weight / n, n, *places.ravel(), *sizes, *rim, *coefficients.ravel())
    return Row(banks.FLOOR, name, tuple(map(float, f)), (Body(link),), outputs=4)


def wheel(
    name: str,
    link: str,
    command: str,
    entry: int,
    axis: Vector,  # unit vector in L
    inertia: float,  # [kg m^2] about the axis
    max_torque: float = np.inf,  # [N m]
    max_speed: float = np.inf,  # [rad/s]
    viscous: float = 0.0,  # [N m s/rad]
    dry: float = 0.0,  # [N m]
    static_imbalance: float = 0.0,  # [kg m]
    dynamic_imbalance: float = 0.0,  # [kg m^2]
    p_LP: Vector | None = None,  # [m] of its centre
    momentum: float = 0.0,  # [N m s] J (Omega + a . w) at the start
    speed_lag: float = 0.0,  # [s] of the speed loop; 0: the command is a torque
) -> Row:
    """A reaction wheel. States: momentum [N m s], angle [rad]; outputs: speed [rad/s], motor torque [N m]."""
    a = np.asarray(axis, dtype=np.float64)
    across = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
    across /= np.linalg.norm(across)
    p = np.zeros(3) if p_LP is None else p_LP
    f = (*a, inertia, max_torque, max_speed, viscous, dry, static_imbalance, dynamic_imbalance, *p, *across, speed_lag)
    return Row(banks.WHEEL, name, tuple(map(float, f)), (Body(link), Command(command, entry)), (momentum, 0.0), 2)


def point_mass_gravity(mu: float, p_WE: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Row:
    """Newton's gravity of a point mass mu [m^3/s^2] at E, on each body's centre of mass."""
    return Row(banks.POINT_MASS_GRAVITY, "gravity.point_mass", (mu, *p_WE))


BANK_COLUMNS: dict[int, tuple[int, int]] = {  # bank -> columns of f (0: as many as its rows have) and of i
    banks.JOINT_TORQUE: (1, 2),
    banks.JOINT_SPRING: (7, 2),
    banks.BODY_WRENCH: (3, 3),
    banks.UNIFORM_GRAVITY: (3, 0),
    banks.POINT_MASS_GRAVITY: (4, 0),
    banks.ORBIT_GRAVITY: (31, 0),
    banks.THRUSTER: (10, 2),
    banks.WHEEL: (17, 2),
    banks.COLD_GAS: (13, 3),
    banks.FLOOR: (0, 1),
}
