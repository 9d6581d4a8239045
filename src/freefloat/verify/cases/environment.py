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
from freefloat.orbit.earth import R_EQUATOR
from freefloat.orbit.ephemeris import AU, moon_position, sun_position
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.falling_frame import FallingFrame
from freefloat.orbit.gravity import GravityField
from freefloat.orbit.kepler import preset
from freefloat.orbit.lighting import visible_fraction
from freefloat.orbit.lvlh import lvlh_axes
from freefloat.orbit.reference import GravityOnly, ReferenceOrbit
from freefloat.structure import RigidBody
from freefloat.verify.case import Row, at_most, case, within
from freefloat.verify.drawing import curves_over_time, errors_of_cases
from freefloat.verify.oracles.de440 import TRUTH

LEO = preset("leo-400")
SUN = np.array([AU, 0.0, 0.0])  # [m] in the plane of the orbit below: beta 0
BOOM = (10.0, 10.3, 0.4)  # [kg m^2] slender along z
SWING = math.radians(0.5)  # [rad] amplitude; at 1 deg the pendulum's own change is 8e-5


@case("sun-and-moon", source="JPL DE440 (Park, Folkner, Williams and Boggs 2021), geometric, GCRS axes")
def sun_and_moon() -> Iterator[Row]:
    """Directions from the Earth's centre at thirteen instants between 2000 and 2027."""
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
def eclipse() -> Iterator[Row]:
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
def gravity_gradient() -> Iterator[Row]:
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
    mission = Mission([frame, boom], upkeeps=[frame], integrator=RK4(0.5), record_rate=0.1)
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
