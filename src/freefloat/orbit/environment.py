"""What the orbit's surroundings do to a body's surfaces: air drag, sunlight and heat, as controllers of tasks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from freefloat.amounts import Measure, positive, take
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.frames import Array, quat_to_matrix, skew
from freefloat.orbit.atmosphere import air
from freefloat.orbit.earth import R_EQUATOR, RATE, pole_axis
from freefloat.orbit.ephemeris import EphemerisTable
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.heat import heat_input
from freefloat.orbit.lighting import Sunlight, sunlight_from
from freefloat.orbit.plates import Plate, plate_labels
from freefloat.orbit.surface_force import exponential_density, plate_drag, plate_light, spheroid_height

LIGHT_SPEED = 299792458.0  # [m/s]
AIR_CEILING = 1.5e6  # [m] altitude above which there is no drag; NRLMSISE-00 is given up to 1000 km
_DAY = 86400.0  # [s] of ephemeris made at a time
_TINY = 1e-9  # [s] tolerance on instants


@dataclass
class Sky:
    """Sunlight in ECI at a place, from a table of Sun and Moon that grows with time."""

    epoch: Epoch
    _table: EphemerisTable = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._table = EphemerisTable(self.epoch)

    def at(self, t: float, p_I: Array) -> Sunlight:
        """Sunlight at p_I [m] at t."""
        sun, moon = self._positions(t)
        return sunlight_from(p_I, sun, moon)

    def direction(self, t: float, p_I: Array) -> Array:
        """Unit vector to the Sun from p_I [m] at t, in ECI."""
        to_sun = self._positions(t)[0] - p_I
        return to_sun / math.sqrt(float(to_sun @ to_sun))

    def _positions(self, t: float) -> tuple[Array, Array]:
        first = _DAY * math.floor(t / _DAY)
        self._table.cover(first, first + _DAY)
        sun, moon = self._table.positions(np.array([t]))
        return sun[0], moon[0]


@dataclass
class SurfaceForces:
    """Drag and solar pressure on a body's plates as its wrench [torque; force] at the origin Bo, in B.

    Reads p_IW, v_IW of the falling frame and p_WB, v_WB, q_WB of the body. Air density is NRLMSISE-00 every
    `air_period`, in between the exponential law of altitude; sunlight, with the shadows of Earth and Moon, is looked
    up every `light_period`. The body's own spin does not change the flow on a plate (at 0.1 rad/s and 1 m: 1e-5 of
    it). Returns wrench, density [kg/m^3], light (visible share of the Sun) and sun_W (unit vector to the Sun).
    """

    epoch: Epoch
    plates: Sequence[Plate]
    drag: bool = True
    pressure: bool = True
    air_period: Measure = 10.0  # [s]
    light_period: Measure = 1.0  # [s]
    _sky: Sky = field(init=False, repr=False)
    _pole: list[float] = field(init=False, repr=False)
    _spin: Array = field(init=False, repr=False)  # [1/s] v_air = spin @ p
    _air: tuple[float, float, float] = field(init=False, default=(0.0, 1.0, 0.0))  # density, scale height, height
    _light: Sunlight | None = field(init=False, default=None)
    _next_air: float = field(init=False, default=0.0)
    _next_light: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        take(self, "surface forces", air_period=positive("s"), light_period=positive("s"))
        self.epoch.check(0.0, space_weather=self.drag)
        self._sky = Sky(self.epoch)
        pole = pole_axis(self.epoch)
        self._pole, self._spin = pole.tolist(), RATE * skew(pole)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """The wrench to hold until the next update."""
        p, v = meas["p_IW"] + meas["p_WB"], meas["v_IW"] + meas["v_WB"]
        if t > self._next_air - _TINY:
            self._sample_air(t, p)
        if self._light is None or t > self._next_light - _TINY:
            self._light, self._next_light = self._sky.at(t, p), t + self.light_period
        light, R_BW = self._light, quat_to_matrix(meas["q_WB"]).T
        density, scale_height, height = self._air
        if density > 0.0:
            density = exponential_density(density, scale_height, height, p.tolist(), self._pole)
        flow = (R_BW @ (v - self._spin @ p)).tolist()
        sun = (R_BW @ light.direction_I).tolist()
        pressure = light.irradiance / LIGHT_SPEED if self.pressure else 0.0
        return {
            "wrench": np.array(plates_wrench(self.plates, density, flow, pressure, sun)),
            "density": np.array([density]),
            "light": np.array([light.visible]),
            "sun_W": light.direction_I,
        }

    def _sample_air(self, t: float, p_I: Array) -> None:
        self._next_air = t + self.air_period
        if self.drag and float(np.linalg.norm(p_I)) < R_EQUATOR + AIR_CEILING:
            sample = air(self.epoch, t, p_I)
            self._air = sample.density, sample.scale_height, spheroid_height(p_I.tolist(), self._pole)
        else:
            self._air = 0.0, 1.0, 0.0


def plates_wrench(
    plates: Sequence[Plate], density: float, flow_B: Sequence[float], pressure: float, sun_B: Sequence[float]
) -> list[float]:
    """Sum over plates [torque; force] at Bo: drag for the velocity `flow_B` through the air, light from `sun_B`."""
    tx = ty = tz = fx = fy = fz = 0.0
    for plate in plates:
        finish, n, (x, y, z) = plate.finish, plate.normal, plate.centre
        ax, ay, az = plate_drag(density, finish.cd, plate.area, n, flow_B)
        bx, by, bz = plate_light(pressure, finish.specular, finish.diffuse, plate.area, n, sun_B)
        ax, ay, az = ax + bx, ay + by, az + bz
        fx, fy, fz = fx + ax, fy + ay, fz + az
        tx, ty, tz = tx + y * az - z * ay, ty + z * ax - x * az, tz + x * ay - y * ax
    return [tx, ty, tz, fx, fy, fz]


@dataclass
class SurfaceHeat:
    """Power that a body's plates absorb from the Sun, the Earth's albedo and its infrared.

    Reads p_IW of the falling frame and p_WB, q_WB of the body. Returns absorbed [W] for each plate.
    """

    epoch: Epoch
    plates: Sequence[Plate]
    _sky: Sky = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._sky = Sky(self.epoch)
        self._normals = np.array([p.normal for p in self.plates])
        self._area = np.array([p.area for p in self.plates])
        self._absorptance = np.array([p.finish.absorptance for p in self.plates])
        self._emissivity = np.array([p.finish.emissivity for p in self.plates])

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Absorbed power now."""
        p_I = meas["p_IW"] + meas["p_WB"]
        n_I = self._normals @ quat_to_matrix(meas["q_WB"]).T
        heat = heat_input(n_I, p_I, self._sky.at(t, p_I))
        return {"absorbed": heat.absorbed(self._area, self._absorptance, self._emissivity)}


def surface_force_task(forces: SurfaceForces, body: str, orbit: str = "orbit", period: Measure = 0.1) -> Task:
    """The task that writes `body.wrench` and records `body.density` and `body.light`."""
    return Task(
        forces,
        period,
        reads={
            "p_IW": f"{orbit}.p_IW",
            "v_IW": f"{orbit}.v_IW",
            "p_WB": f"{body}.p_WB",
            "v_WB": f"{body}.v_WB",
            "q_WB": f"{body}.q_WB",
        },
        writes={"wrench": f"{body}.wrench"},
        records={
            "density": Signal(f"{body}.density", "kg/m^3", (1,), meaning="density of the air"),
            "light": Signal(f"{body}.light", "-", (1,), meaning="visible share of the Sun's disc"),
        },
        name=f"{body}-surface-forces",
    )


def heat_task(heat: SurfaceHeat, body: str, orbit: str = "orbit", period: Measure = 10.0) -> Task:
    """The task that records `body.absorbed`."""
    n, meaning = (len(heat.plates),), "power absorbed by each surface, called after its normal in B"
    labels = plate_labels(heat.plates)
    return Task(
        heat,
        period,
        reads={"p_IW": f"{orbit}.p_IW", "p_WB": f"{body}.p_WB", "q_WB": f"{body}.q_WB"},
        records={"absorbed": Signal(f"{body}.absorbed", "W", n, meaning=meaning, labels=labels)},
        name=f"{body}-heat",
    )
