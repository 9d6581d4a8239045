"""The gravity-only reference orbit on which the local world falls: integrated in ECI, kept as a dense table."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.amounts import Amount, Measure, Measures
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Array
from freefloat.kernels import orbit_table as table
from freefloat.orbit import march
from freefloat.orbit.earth import R_EQUATOR, EarthRotation, geodetic, pole_axis
from freefloat.orbit.ephemeris import GM_MOON, GM_SUN, EphemerisTable, Source
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.gravity import GravityField, packed, packed_cubic, third_body, third_body_gradient
from freefloat.orbit.kepler import Elements, orbital_state, preset

BODIES = {"sun": GM_SUN, "moon": GM_MOON}  # [m^3/s^2]

_CHUNK = 90  # steps for which slow functions of time are evaluated at once
_RATE_STEP = 1.0  # [s] central difference in time of the rest gradient


@dataclass(frozen=True)
class GravityOnly:
    """What pulls the reference: the Earth's field and third bodies as point masses."""

    field: GravityField = dataclasses.field(default_factory=GravityField)
    bodies: tuple[str, ...] = ("sun", "moon")
    source: Source = "erfa"

    def __post_init__(self) -> None:
        for name in self.bodies:
            if name not in BODIES:
                raise unknown_name("third body", name, BODIES)


class _Surroundings:
    """Earth rotation and third-body places at many instants."""

    def __init__(self, epoch: Epoch, forces: GravityOnly, k_I: Array) -> None:
        self._forces, self._k = forces, k_I
        self._rotation = EarthRotation(epoch)
        self._sky = EphemerisTable(epoch, forces.source)
        self._pulls = [(i, BODIES[n]) for i, n in enumerate(BODIES) if n in forces.bodies]
        self.R_FI = np.zeros((0, 3, 3))
        self.places: list[tuple[float, Array]] = []

    def at(self, t: Array) -> None:
        low, high = float(t.min()), float(t.max())
        self._rotation.cover(low, high)
        self.R_FI = self._rotation.matrices(t)
        if self._pulls:
            self._sky.cover(low, high)
            both = self._sky.positions(t)
            self.places = [(gm, both[i]) for i, gm in self._pulls]

    def acceleration(self, j: int, p_I: Array) -> Array:
        a = self._forces.field.acceleration(p_I, self.R_FI[j])
        for gm, place in self.places:
            a += third_body(gm, place[j], p_I)
        return a

    def rest_gradient(self, j: int, p_I: Array) -> Array:
        G = self._forces.field.rest_gradient(p_I, self.R_FI[j], self._k)
        for gm, place in self.places:
            G = G + third_body_gradient(gm, place[j], p_I)
        return packed(G)

    def rest_curvature(self, j: int, p_I: Array) -> Array:
        return packed_cubic(self._forces.field.rest_curvature(p_I, self.R_FI[j], self._k))


class ReferenceOrbit:
    """The reference in ECI from t0 on, as rows of `table` at t0 + i dt; `extend` adds rows ahead.

    Integration: DOP853's eighth-order formula, fixed steps of dt; `position` between knots is within 2e-8 m of the
    integration in low orbit at dt = 10 s. The same rows come out whether extended once or often.
    """

    def __init__(
        self,
        epoch: Epoch,
        p_I: Measures,  # [m]
        v_I: Measures,  # [m/s]
        forces: GravityOnly | None = None,
        t0: Measure = 0.0,  # [s]
        spacing: Measure = 10.0,  # [s] of the table
    ) -> None:
        self.epoch, self.forces = epoch, forces or GravityOnly()
        self.t0 = Amount("s").number(t0, "reference orbit: t0")
        self.dt = Amount("s", ge=0.1, le=60.0).number(spacing, "reference orbit: spacing")
        p, v = orbital_state(p_I, v_I)
        elements = Elements.from_state(p, v, self.forces.field.mu)
        if elements.perigee < R_EQUATOR:
            raise InputError(
                f"the orbit dips below the surface: perigee {elements.perigee / 1e3:.1f} km from the Earth's centre, "
                f"the equatorial radius is {R_EQUATOR / 1e3:.3f} km"
            )
        self.k_I = pole_axis(epoch, self.t0)  # [-] axis of the closed-form J2 term, fixed for the whole table
        self._around = _Surroundings(epoch, self.forces, self.k_I)
        self._y, self._carry = np.concatenate([p, v]), np.zeros(6)
        self._rows = np.empty((2 * _CHUNK, table.COLUMNS))
        self._count = 0
        self.extend(self.t0 + self.dt)

    @classmethod
    def from_elements(cls, epoch: Epoch, elements: Elements, forces: GravityOnly | None = None, **options: Any):
        """From osculating elements at t0."""
        forces = forces or GravityOnly()
        return cls(epoch, *elements.state(forces.field.mu), forces, **options)

    @classmethod
    def from_preset(cls, epoch: Epoch, name: str, forces: GravityOnly | None = None, **options: Any):
        """`leo-400`, `sso-700` or `geo`."""
        return cls.from_elements(epoch, preset(name), forces, **options)

    @property
    def t_end(self) -> float:
        """Last instant of the table [s]."""
        return self.t0 + (self._count - 1) * self.dt

    @property
    def knots(self) -> Array:
        """(n, table.COLUMNS) read-only view of the rows so far, C-contiguous; columns as in `table`."""
        rows = self._rows[: self._count]
        rows.flags.writeable = False
        return rows

    def extend(self, t_end: float) -> None:
        """Add rows until the table covers t_end [s]."""
        if not math.isfinite(t_end):
            raise InputError(f"the reference orbit cannot be extended to t = {t_end} s")
        target = math.ceil((t_end - self.t0) / self.dt - 1e-9) + 1
        while self._count < target:
            self._add(min(_CHUNK, target - self._count))

    def _add(self, count: int) -> None:
        h, first = self.dt, self._count
        starts = self.t0 + h * np.arange(first, first + count, dtype=np.float64)
        offsets = np.concatenate([[0.0, -_RATE_STEP, _RATE_STEP], h * march.NODES - h])
        self._around.at(np.asarray(starts[:, None] + offsets, dtype=np.float64).ravel())
        if first + count > self._rows.shape[0]:
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        for i in range(count):
            base, y, carry = i * offsets.size, self._y, self._carry
            if first + i:
                y, carry = march.step(
                    lambda stage, p, at=base + 3: self._around.acceleration(at + stage, p), y, carry, h
                )
            self._check_height(y[:3], float(starts[i]), base)
            self._rows[first + i] = self._row(y[:3], y[3:], base)
            self._y, self._carry, self._count = y, carry, first + i + 1

    def _row(self, p: Array, v: Array, j: int) -> Array:
        a = self._around.acceleration(j, p)
        e = _RATE_STEP
        bend = 0.5 * e * e * a
        before = self._around.rest_gradient(j + 1, p - e * v + bend)
        after = self._around.rest_gradient(j + 2, p + e * v + bend)
        G, rate = self._around.rest_gradient(j, p), (after - before) / (2.0 * e)
        return np.concatenate([p, v, a, G, rate, self._around.rest_curvature(j, p)])

    def _check_height(self, p: Array, t: float, j: int) -> None:
        if p @ p < R_EQUATOR**2 and (height := geodetic(self._around.R_FI[j] @ p).altitude) < 0.0:
            raise InputError(f"the orbit is {-height / 1e3:.1f} km below the surface at t = {t:.0f} s")

    def _cover(self, t: float) -> None:
        if not t >= self.t0 - 1e-9:
            raise InputError(f"the reference orbit starts at t = {self.t0} s; asked for {t} s")
        self.extend(t)

    def position(self, t: float) -> Array:
        """p_I [m] at t; extends the table when needed."""
        self._cover(t)
        return np.array(table.position(t, self.t0, self.dt, self.knots))

    def velocity(self, t: float) -> Array:
        """v_I [m/s] at t."""
        self._cover(t)
        return np.array(table.velocity(t, self.t0, self.dt, self.knots))

    def anchored(self, t: float, p_W: ArrayLike, v_W: ArrayLike) -> tuple[ReferenceOrbit, Array, Array]:
        """A new reference from t through the point p_W, v_W of the local world, and the shifts of origin (p, v) in it.

        Subtract the shifts from every body's position and velocity; they are the rounded ones, so ECI states agree to
        their last bit.
        """
        p, v = self.position(t), self.velocity(t)
        p_new, v_new = p + np.asarray(p_W, dtype=np.float64), v + np.asarray(v_W, dtype=np.float64)
        orbit = ReferenceOrbit(self.epoch, p_new, v_new, self.forces, t, self.dt)
        return orbit, p_new - p, v_new - v
