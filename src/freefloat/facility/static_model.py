"""What a facility knows of its own errors, and how it corrects commands and what it reports (real-time: about 20 us).

Ideal axes are those that the robots by design would have; frames and limits are made of them. Motor axes are what the
controllers are told and what encoders show.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.facility.axes import COUNT
from freefloat.facility.chain import BARE, Loads, chain_of, stiffness_of
from freefloat.facility.geometry import ROBOTS, LabGeometry
from freefloat.facility.rail_errors import SIX, no_spline
from freefloat.facility.static_model_step import ideals_of, motors_of
from freefloat.facility.truth_step import ROOM
from freefloat.frames import Array
from freefloat.robots.industrial_errors import GeometryErrors


@dataclass(frozen=True, eq=False)
class StaticModel:
    """Geometry errors, compliance and rail of a facility at rest, as calibrated; by default as designed, but wound up.

    The plates of the model with motors `to_motor(ideal)` are where those of the lab by design are at `ideal`. Rail
    errors along x go into E1, all else into the arms. Within a few degrees of a stretched wrist (A5 = 0) the
    correction is softened, so that A4 and A6 do not leap.
    """

    geometry: LabGeometry = field(default_factory=LabGeometry)
    loads: Loads = BARE
    errors: tuple[GeometryErrors, GeometryErrors] = (GeometryErrors(), GeometryErrors())  # of robots 1 and 2
    compliance: ArrayLike | None = None  # (2, 6) [rad/(N m)] of their gears; None: those of their types
    rail: ArrayLike | None = None  # (n + 3, 6) [rad, m] spline of the carriage: `rail_errors`; None: straight
    _chains: Array = field(init=False, repr=False)
    _rail: Array = field(init=False, repr=False)
    _ends: Array = field(init=False, repr=False)
    _room: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        g = self.geometry
        types = np.array([1.0 / stiffness_of(g, n) for n in ROBOTS])
        compliance = types if self.compliance is None else np.array(self.compliance, np.float64)
        if compliance.shape != (2, 6) or not np.isfinite(compliance).all():
            raise InputError(f"static model: compliance {compliance.tolist()}; allowed: 2 x 6 finite numbers")
        rail = no_spline() if self.rail is None else np.array(self.rail, np.float64)
        if rail.ndim != 2 or len(rail) < 4 or rail.shape[1] != SIX or not np.isfinite(rail).all():
            raise InputError(f"static model: rail of {rail.shape} numbers; allowed: (4 or more, {SIX}), finite")
        real = [chain_of(g, n, self.loads[n - 1], self.errors[n - 1].vector, compliance[n - 1]) for n in ROBOTS]
        design = [chain_of(g, n, self.loads[n - 1]) for n in ROBOTS]
        made = {"_chains": np.array([*real, *design]), "_ends": np.array(g.rail), "_room": np.zeros(ROOM)}
        for name, value in {"compliance": compliance, "rail": rail, "_rail": rail, **made}.items():
            object.__setattr__(self, name, value)

    def to_motor(self, axes: ArrayLike) -> Array:
        """Motor axes (13,) of ideal ones."""
        return self.to_motors(_rows(axes))[0]

    def to_ideal(self, motors: ArrayLike) -> Array:
        """Ideal axes (13,) of motor ones."""
        rows = _rows(motors)
        out, miss = np.empty_like(rows), np.empty((len(rows), 2))
        ideals_of(self._chains, self._rail, self._ends, rows, self._room, out, miss)
        return out[0]

    def to_motors(self, ideal: Array) -> Array:
        """Motor axes (n, 13) of many ideal ones."""
        out, miss = np.empty_like(ideal), np.empty((len(ideal), 2))
        motors_of(self._chains, self._rail, self._ends, np.ascontiguousarray(ideal), self._room, out, miss)
        return out


def _rows(axes: ArrayLike) -> Array:
    """As (1, 13)."""
    rows = np.array(axes, np.float64, ndmin=2)
    if rows.shape != (1, COUNT) or not np.isfinite(rows).all():
        raise InputError(f"axes of the facility {np.asarray(axes).tolist()}; allowed: {COUNT} finite numbers")
    return rows
