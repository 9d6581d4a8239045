"""What surrounds a spacecraft: Sun and Moon, the Earth's shadow, the gravity gradient."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import brentq

from freefloat.engine.blueprint import Motion
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.frames import Array, Pose, quat_to_matrix, so3_exp
from freefloat.orbit.atmosphere import air, air_velocity
from freefloat.orbit.earth import R_EQUATOR, pole_axis
from freefloat.orbit.environment import LIGHT_SPEED, SurfaceForces, plates_wrench, surface_force_task
from freefloat.orbit.ephemeris import AU, moon_position, sun_position
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.falling_frame import FallingFrame
from freefloat.orbit.gravity import GravityField
from freefloat.orbit.kepler import preset
from freefloat.orbit.lighting import sunlight, visible_fraction
from freefloat.orbit.lvlh import lvlh_axes
from freefloat.orbit.plates import box_plates
from freefloat.orbit.reference import GravityOnly, ReferenceOrbit
from freefloat.structure import RigidBody
from freefloat.verify.case import Comparison, at_most, case, within
from freefloat.verify.drawing import curves_over_time, errors_of_cases, errors_over_time
from freefloat.verify.oracles.de440 import TRUTH
from freefloat.verify.oracles.eci_orbit import eci_states, gravity_acceleration

LEO = preset("leo-400")
SUN = np.array([AU, 0.0, 0.0])  # [m] in the plane of the orbit below: beta 0
BOOM = (10.0, 10.3, 0.4)  # [kg m^2] slender along z
SWING = math.radians(0.5)  # [rad] amplitude; at 1 deg the pendulum's own change is 8e-5


@case("sun-and-moon", source="JPL DE440 (Park, Folkner, Williams and Boggs 2021), geometric, GCRS axes")
def sun_and_moon() -> Iterator[Comparison]:
    """Directions from the Earth's centre at fifteen instants between 2000 and 2027."""
    errors: dict[str, list[float]] = {"Sun": [], "Moon": []}
    for utc, sun, moon in TRUTH:
        epoch = Epoch(utc)
        errors["Sun"].append(_degrees_between(sun_position(epoch), np.array(sun)))
        errors["Moon"].append(_degrees_between(moon_position(epoch), np.array(moon)))
    for name, limit in (("Sun", 1e-3), ("Moon", 1e-2)):
        yield at_most(
            f"largest error of the direction to the {name}",
            "deg",
            ours=max(errors[name]),
            tolerance=limit,
            plot=errors_of_cases(np.arange(len(TRUTH)), {name: errors[name]}, limit, "instant", f"{name} [deg]"),
        )


def _degrees_between(a: Array, b: Array) -> float:
    return math.degrees(math.atan2(float(np.linalg.norm(np.cross(a, b))), float(a @ b)))


@case("eclipse", source="conical shadow of a sphere of 6378.137 km, Sun of 695700 km at 1 AU, 400 km circular, beta 0")
def eclipse() -> Iterator[Comparison]:
    """How long the Earth hides the Sun: all of it, and any of it."""
    half = 0.5 * LEO.period()
    times = np.linspace(-half, half, 2001)
    light = [_light(t) for t in times]
    plot = curves_over_time(times, {"visible share": light}, "[-]", "from the middle of the shadow")
    edges = {"umbra": (2158.3, _edge(1e-9)), "umbra and penumbra": (2174.8, _edge(1.0 - 1e-9))}
    for name, (published, edge) in edges.items():
        yield within(f"time in {name}", "s", published=published, ours=2.0 * edge, tolerance=2.0, plot=plot)
        plot = None


def _edge(level: float) -> float:
    """When the visible share reaches `level` [s]."""
    found: Any = brentq(lambda t: _light(t) - level, 0.0, 0.5 * LEO.period(), xtol=1e-6)
    return float(found)


def _light(t: float) -> float:
    """Visible share of the Sun's disc, t [s] after the middle of the shadow."""
    angle = LEO.mean_motion() * t
    return visible_fraction(LEO.a * np.array([-math.cos(angle), math.sin(angle), 0.0]), SUN, earth_radius=R_EQUATOR)


@case("gravity-gradient", source="Hughes, Spacecraft Attitude Dynamics, 1986, ch. 9: pitch at n sqrt(3 (Ix - Iz) / Iy)")
def gravity_gradient() -> Iterator[Comparison]:
    """Pitch of a slender body on a circular orbit, and the same motion's amplitude."""
    reference = ReferenceOrbit.from_elements(
        Epoch("2026-03-20T12:00:00Z"), LEO, GravityOnly(GravityField(degree=0), ())
    )
    n = LEO.mean_motion(reference.forces.field.mu)
    R_WL = lvlh_axes(reference.position(0.0), reference.velocity(0.0))
    R_WB = R_WL @ so3_exp(np.array([0.0, SWING, 0.0]))
    motion = Motion(Pose(R_WB, np.zeros(3)), w_WL_L=(0.0, -n, 0.0))
    frame = FallingFrame(reference)
    boom = RigidBody("boom", 100.0, BOOM, motion=motion)
    mission = Mission([frame, boom], integrator=RK4(0.5), record_rate=0.1)
    result = mission.run(4.0 * LEO.period())
    times = result.time("boom.q_WB")
    pitch = np.array(
        [
            _pitch(lvlh_axes(p, v).T @ quat_to_matrix(q))
            for p, v, q in zip(result["orbit.p_IW"], result["orbit.v_IW"], result["boom.q_WB"], strict=True)
        ]
    )
    theory = n * math.sqrt(3.0 * (BOOM[0] - BOOM[2]) / BOOM[1])
    yield within(
        "frequency of the pitch libration",
        "rad/s",
        published=theory,
        ours=_frequency(times, pitch),
        tolerance=1e-3 * theory,
        plot=curves_over_time(times, {"pitch": np.degrees(pitch)}, "[deg]", "pitch from the local vertical"),
    )
    yield within(
        "largest pitch, started at rest in LVLH",
        "deg",
        published=math.degrees(SWING),
        ours=math.degrees(float(np.abs(pitch).max())),
        tolerance=1e-3 * math.degrees(SWING),
    )


def _pitch(R_LB: Array) -> float:
    return math.atan2(R_LB[0, 2], R_LB[2, 2])


def _frequency(times: Array, values: Array) -> float:
    """Angular frequency [rad/s] by a line through the instants where the values cross zero."""
    before = np.flatnonzero(np.sign(values[1:]) != np.sign(values[:-1]))
    crossings = times[before] - values[before] * np.diff(times)[before] / np.diff(values)[before]
    return math.pi / float(np.polyfit(np.arange(len(crossings)), crossings, 1)[0])


@case(
    "surface-forces", source="the same forces in one ECI integration by SciPy's DOP853, looked up at every evaluation"
)
def surface_forces() -> Iterator[Comparison]:
    """Drag and sunlight on a box of 20 kg over one orbit: held by a task in a falling frame that follows the box.

    The task holds its forces for 1 s and looks up the air every 10 s, with the exponential law of altitude between;
    what that law misses sets the tolerance. The frame is put back on the box whenever it is 20 m away.
    """
    epoch = Epoch("2026-03-20T12:00:00Z")
    reference = ReferenceOrbit.from_elements(epoch, LEO)
    frame = FallingFrame(reference, reach=20.0)
    body = RigidBody("box", 20.0, (1e9, 1e9, 1e9), (1.0, 2.0, 3.0))  # it keeps its attitude
    plates = box_plates(body.size)
    task = surface_force_task(SurfaceForces(epoch, plates), "box", period=1.0)
    mission = Mission([frame, body], [task], integrator=RK4(1.0), record_rate=12.0 / LEO.period())
    result = mission.run(LEO.period())
    times = result.time("box.p_WB")
    p, v, pole = reference.position(0.0), reference.velocity(0.0), pole_axis(epoch)
    pull = gravity_acceleration(epoch, GravityField())

    def acceleration(t: float, p_I: Array, v_I: Array) -> Array:
        light, flow = sunlight(epoch, t, p_I), v_I - air_velocity(p_I, pole)
        pressure = light.irradiance / LIGHT_SPEED
        density = air(epoch, t, p_I).density
        wrench = plates_wrench(plates, density, flow.tolist(), pressure, light.direction_I.tolist())
        return pull(t, p_I, v_I) + np.array(wrench[3:]) / body.mass

    truth = eci_states(acceleration, p, v, times, rtol=1e-11, atol=1e-6)[:, :3]
    error = np.linalg.norm(result["orbit.p_IW"] + result["box.p_WB"] - truth, axis=1)
    moved = np.linalg.norm(truth - np.array([reference.position(float(t)) for t in times]), axis=1)
    yield at_most(
        "distance from the ECI integration after one orbit, over what the forces moved",
        "-",
        ours=float(error[-1] / moved[-1]),
        tolerance=5e-3,
        plot=errors_over_time(times, {"error [m]": error, "moved by the forces [m]": moved}, None, "box of 20 kg"),
    )
    yield at_most(
        "linear-momentum drift in the run's own audit",
        "-",
        ours=result.metrics["audit.linear_momentum_drift"],
        tolerance=1e-12,
    )
