"""The robots of the lab as chains for compiled code: lengths and weights of their types, with errors and compliance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, take, take_rows
from freefloat.facility.axes import ROBOTS
from freefloat.facility.chain_step import CHAIN, WORK, chain_in, erred_steps, settle_all
from freefloat.facility.equipment import PLATES
from freefloat.facility.geometry import LabGeometry
from freefloat.frames import Array, Pose
from freefloat.robots.industrial import IndustrialRobot
from freefloat.robots.industrial_links import X_6F
from freefloat.robots.industrial_models import industrial_model
from freefloat.six_axis_arms import SixAxisArm

ERRORS = 48  # numbers of `GeometryErrors.vector`


@dataclass(frozen=True)
class Load:
    """What hangs on a flange: the adapter plate with all that is mounted."""

    mass: Measure  # [kg]
    centre: Measures = (0.0, 0.0, 0.0)  # [m] in T

    def __post_init__(self) -> None:
        take(self, "load", mass=Amount("kg", ge=0.0))
        take_rows(self, "load", 3, centre=Amount("m"))

    @classmethod
    def of(cls, robot: IndustrialRobot, X_FT: Pose) -> Load:
        """Adapter and mock-up of a robot whose plate is at X_FT on its flange."""
        parts = [(robot.tool.mass, np.array(robot.tool.p_FFcm))]
        if robot.adapter is not None:
            parts.append((robot.adapter.mass, np.array(robot.adapter.p_LLcm)))
        mass = sum(m for m, _ in parts)
        centre = sum((m * p for m, p in parts), np.zeros(3)) / mass
        return cls(mass, tuple(X_FT.inverse().apply(centre).tolist()))


Loads = tuple[Load, Load]  # of robots 1 and 2
BARE: Loads = (
    Load(PLATES[0].mass, (0.0, 0.0, 0.5 * PLATES[0].thickness)),
    Load(PLATES[1].mass, (0.0, 0.0, 0.5 * PLATES[1].thickness)),
)  # nothing but the plates


def row(X: Pose) -> Array:
    """A pose as [R row by row, p] (12,)."""
    return np.concatenate([X.R.ravel(), X.p])


def pose(values: Array) -> Pose:
    """The pose of such a row; rounding in R is taken out."""
    u, _, v = np.linalg.svd(np.asarray(values[:9]).reshape(3, 3))
    return Pose(u @ v, values[9:])


def design_steps(arm: SixAxisArm) -> Array:
    """(7, 12) from axis to axis and to the flange, without errors, at zero angles."""
    places = [
        (0.0, 0.0, arm.d1),
        (arm.a1, 0.0, 0.0),
        (arm.a2, 0.0, 0.0),
        (arm.forearm, 0.0, arm.o),
        (0.0, 0.0, 0.0),
        (0.0, 0.0, 0.0),
    ]
    steps = [Pose(np.eye(3), p) for p in places] + [Pose(X_6F.R, (arm.flange, 0.0, 0.0))]
    return np.array([row(X) for X in steps])


@lru_cache
def _stiffness(arm: str) -> Array:
    return np.array(industrial_model(arm).stiffness)


def stiffness_of(geometry: LabGeometry, number: int) -> Array:
    """[N m/rad] (6,) of the gears of robot 1 or 2 by its type."""
    return _stiffness(geometry.arms[number - 1]).copy()


@lru_cache
def _by_design(geometry: LabGeometry, number: int, load: Load) -> tuple[Array, Array]:
    """A rigid robot without errors (CHAIN,), and its steps to the flange (7, 12)."""
    arm, out = geometry.arm(number), np.zeros(CHAIN)
    chain, steps = chain_in(out), design_steps(arm)
    links = [link for link in industrial_model(arm.name).graph().links if link.name != "base"]
    chain.base[:] = row(geometry.base(number))
    chain.rides[0] = 1.0 if number == 1 else 0.0
    chain.masses[:] = [*(link.mass for link in links), load.mass]
    chain.centres[:6] = [link.p_LLcm for link in links]
    return out, steps


def chain_of(
    geometry: LabGeometry, number: int, load: Load, errors: Array | None = None, compliance: Array | None = None
) -> Array:
    """Robot 1 or 2 (CHAIN,) with `errors` (48,), the numbers of `GeometryErrors.vector`, and gears that give way by
    `compliance` (6,) [rad/(N m)]; by default neither."""
    bare, steps = _by_design(geometry, number, load)
    out = bare.copy()
    chain = chain_in(out)
    erred_steps(steps, np.zeros(ERRORS) if errors is None else np.asarray(errors, np.float64), chain.steps)
    last = chain.steps[6]
    X_6T = Pose._trusted(last[:9].reshape(3, 3).copy(), last[9:].copy()) @ geometry.X_FT
    last[:] = row(X_6T)
    chain.centres[6] = X_6T.apply(np.array(load.centre))
    if compliance is not None:
        chain.compliance[:] = compliance
    return out


def plates(chain: Array, e1: Array, rail: Array, theta: Array) -> Array:
    """X_GT (n, 12) at rest with the rail at `e1` (n,) [m], its errors `rail` (n, 6), and the motors `theta` (n, 6)."""
    out = np.empty((len(theta), 12))
    e, r, q = (np.ascontiguousarray(a, np.float64) for a in (e1, rail, theta))
    settle_all(chain, e, r, q, np.empty(WORK), out)
    return out


def design_plates(geometry: LabGeometry, axes: Array) -> Array:
    """X_GT (n, 2, 12) of both plates of the lab by design, with ideal axes (n, 13)."""
    straight = np.zeros((len(axes), 6))
    both = [plates(chain_of(geometry, n, BARE[n - 1]), axes[:, 0], straight, axes[:, ROBOTS[n - 1]]) for n in (1, 2)]
    return np.stack(both, axis=1)
