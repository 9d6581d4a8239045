"""Calibration: what a laser tracker has seen of the plates gives the parameters of the static model.

Of each robot 54: seven displaced steps of its chain (42), six zeros, six compliances; of the rail a spline of six
numbers over E1. They are those with

    min over x of |seen - reflectors(x)|^2        by Gauss-Newton, x = S z, S the sizes to be expected

Some directions cannot be told apart (parallel axes, base and rail): a singular value of the scaled Jacobian below the
tracker's sigma says that an error of the expected size moves all reflectors together by less than the noise of one
coordinate. Along those z stays as short as it can: minimum norm. So it does along what is weaker than WEAKEST of the
strongest direction, which a better tracker would see: there the Jacobian changes more than it tells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from freefloat.errors import FreefloatError, InputError
from freefloat.facility.chain import ERRORS, Load, Loads, chain_of, plates, stiffness_of
from freefloat.facility.error_sizes import ErrorSizes
from freefloat.facility.geometry import ROBOTS, LabGeometry
from freefloat.facility.rail_errors import SIX, spline_rows
from freefloat.facility.static_model import StaticModel
from freefloat.facility.tracker import Tracker, reflectors
from freefloat.frames import Array
from freefloat.robots.industrial_errors import GeometryErrors

INTERVALS = 10  # of the rail's spline: 2.5 m each
PARAMETERS = ERRORS + 6  # of a robot
WEAKEST = 3e-4
STEP = 1e-3  # of a difference, in expected sizes
ROUNDS = 12  # at most
FRESH = 2  # of them with a Jacobian of their own, which then hardly changes
DONE = 1e-3  # largest change of a parameter, in expected sizes


@dataclass(frozen=True, eq=False)
class Measurement:
    """What a calibration has: motors as their encoders show them, and reflectors as seen."""

    motors: Array  # (n, 13) [m, rad]
    points: Array  # (n, 2, 3, 3) [m] in G

    def __post_init__(self) -> None:
        if self.motors.ndim != 2 or self.points.shape != (len(self.motors), 2, 3, 3):
            shapes = f"{self.motors.shape} and {self.points.shape}"
            raise InputError(f"measurement with motors and points of {shapes}; allowed: (n, 13) and (n, 2, 3, 3)")


@dataclass(frozen=True, eq=False)
class Fit:
    """Parameters of one robot that fit best."""

    values: Array  # (54,) or, with the rail, (132,)
    rank: int  # directions that the measurements tell
    residual: float  # [m] RMS of a coordinate


@dataclass(frozen=True, eq=False)
class Calibration:
    """A model, and how well it fits what was seen."""

    model: StaticModel
    fits: tuple[Fit, Fit]  # of robot 1 with the rail, and of robot 2


def calibrate(
    measured: Measurement,
    tracker: Tracker | None = None,
    geometry: LabGeometry | None = None,
    loads: Loads | None = None,
) -> Calibration:
    """The static model that fits best; `loads` hang on the flanges, bare plates by default."""
    nominal = StaticModel() if geometry is None else StaticModel(geometry)
    lab, hung = nominal.geometry, loads or nominal.loads
    noise = (tracker or Tracker()).sigma
    fits = list[Fit]()
    for n in ROBOTS:
        scale = _scale(rail=n == 1)
        points = measured.points[:, n - 1].ravel()
        seen = _Seen(lab, n, hung[n - 1], measured.motors, scale)
        fits.append(_fitted(seen, points, scale, noise))
    values = [fit.values for fit in fits]
    errors = [GeometryErrors.of_vector(v[:ERRORS]) for v in values]
    compliance = [(1.0 + v[ERRORS:PARAMETERS]) / stiffness_of(lab, n) for n, v in zip(ROBOTS, values, strict=True)]
    model = StaticModel(lab, hung, (errors[0], errors[1]), compliance, values[0][PARAMETERS:].reshape(-1, SIX))
    return Calibration(model, (fits[0], fits[1]))


class _Seen:
    """Where the reflectors of a robot would be seen with some parameters."""

    def __init__(self, lab: LabGeometry, number: int, load: Load, motors: Array, scale: Array) -> None:
        first = 1 + 6 * (number - 1)
        self._make = lambda x: chain_of(
            lab, number, load, x[:ERRORS], (1.0 + x[ERRORS:PARAMETERS]) / stiffness_of(lab, number)
        )
        self._e1 = motors[:, 0].copy() if number == 1 else np.zeros(len(motors))
        self._theta = motors[:, first : first + 6].copy()
        self._ends, self._rail = np.array(lab.rail), len(scale) > PARAMETERS

    def __call__(self, x: Array) -> Array:
        rail = np.zeros((len(self._e1), SIX))
        if self._rail:
            spline_rows(x[PARAMETERS:].reshape(-1, SIX), self._ends, self._e1, rail)
        return reflectors(plates(self._make(x), self._e1, rail, self._theta)).ravel()


def _scale(rail: bool) -> Array:
    """Sizes that are to be expected of the parameters, by default: what is true of a facility is not known here."""
    usual = ErrorSizes()
    steps = np.tile(np.repeat([usual.turn, usual.shift], 3), 7)
    wavy = np.tile(np.repeat([usual.rail_turn, usual.rail_shift], 3), INTERVALS + 3) if rail else []
    return np.array([*steps, *(usual.zero,) * 6, *(usual.stiffness,) * 6, *wavy])


def _fitted(seen: Callable[[Array], Array], points: Array, scale: Array, noise: float) -> Fit:
    z, change, rank = np.zeros(len(scale)), np.inf, 0
    J = solver = np.empty((0, 0))
    for turn in range(ROUNDS):
        here = seen(scale * z)
        if turn < FRESH:
            J = _jacobian(seen, here, z, scale)
            solver, rank = _shortest(J, noise)
        # the whole z anew, not a step from the last one: what is not told stays at zero instead of wandering
        found = solver @ (points - here + J @ z)
        change, z = float(np.abs(found - z).max()), found
        if change < DONE:
            break
    if not change < DONE:
        raise FreefloatError(f"calibration: parameters still change by {change:.2g} of their size in round {ROUNDS}")
    rest = points - seen(scale * z)
    return Fit(scale * z, rank, float(np.sqrt(np.mean(rest**2))))


def _shortest(J: Array, noise: float) -> tuple[Array, int]:
    """The matrix that gives the shortest of the best solutions, without the directions that noise drowns; its rank."""
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    rank = int((s > max(noise, WEAKEST * s[0])).sum())
    return Vt[:rank].T @ (U[:, :rank] / s[:rank]).T, rank


def _jacobian(seen: Callable[[Array], Array], here: Array, z: Array, scale: Array) -> Array:
    """Of the points over z, by differences."""
    J = np.empty((len(here), len(z)))
    for k in range(len(z)):
        moved = z.copy()
        moved[k] += STEP
        J[:, k] = (seen(scale * moved) - here) / STEP
    return J
