"""Orbits and relative motion against closed forms, independent integrations and another propagator."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from freefloat.engine.blueprint import Motion
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.frames import Array, Pose
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.falling_frame import FallingFrame
from freefloat.orbit.gravity import GravityField
from freefloat.orbit.kepler import Elements, node_rate, preset
from freefloat.orbit.lvlh import lvlh_axes, lvlh_to_eci
from freefloat.orbit.offline import brahe
from freefloat.orbit.reference import GravityOnly, ReferenceOrbit
from freefloat.structure import RigidBody
from freefloat.verify.case import Comparison, at_most, case, within
from freefloat.verify.drawing import curves_over_time, errors_over_time
from freefloat.verify.oracles.eci_orbit import eci_states, gravity_acceleration, sphere_acceleration

LEO = preset("leo-400")
OFFSET = 100.0  # [m]
DAY = 86400.0  # [s]
LONGEST_STEP = 20.0  # [s] of the ECI integrations: beyond, DOP853's own error shows
SPHERE = {"mass": 500.0, "area": 2.0, "cd": 2.2, "cr": 1.3}  # [kg, m^2, -, -]


@cache
def _epoch() -> Epoch:
    """Made when a case needs it: the orbit extra may be missing."""
    return Epoch("2026-03-20T12:00:00Z")


@cache
def _central() -> GravityOnly:
    """The Earth as a point mass, nothing else."""
    return GravityOnly(GravityField(degree=0), ())


@case(
    "clohessy-wiltshire",
    source="Clohessy and Wiltshire, Terminal guidance system for satellite rendezvous, 1960: drift -12 pi x0 per orbit",
)
def clohessy_wiltshire() -> Iterator[Comparison]:
    """A body 100 m above a circular orbit, central gravity: released at rest, and on the ellipse without drift."""
    n, T = LEO.mean_motion(), LEO.period()
    times, drifting = _relative_motion((0.0, 0.0, 0.0), T)
    yield within(
        "drift along the track after one orbit, released at rest 100 m above",
        "m",
        published=-12.0 * math.pi * OFFSET,
        ours=float(drifting[-1, 0]),
        tolerance=1e-3 * 12.0 * math.pi * OFFSET,
        plot=curves_over_time(times, {"along": drifting[:, 0], "up": -drifting[:, 2]}, "LVLH [m]", "released at rest"),
    )
    times, closed = _relative_motion((-2.0 * n * OFFSET, 0.0, 0.0), T)
    expected = OFFSET * np.column_stack([-2.0 * np.sin(n * times), np.zeros_like(times), -np.cos(n * times)])
    error = np.linalg.norm(closed - expected, axis=1)
    yield at_most(
        "drift along the track after one orbit, started with -2 n x0",
        "m",
        ours=abs(float(closed[-1, 0])),
        tolerance=1e-3 * OFFSET,
    )
    yield at_most(
        "largest distance from the closed 2:1 ellipse over the orbit",
        "m",
        ours=float(error.max()),
        tolerance=1e-3 * OFFSET,
        plot=errors_over_time(times, {"distance [m]": error}, 1e-3 * OFFSET, "started with -2 n x0"),
    )


def _relative_motion(v_L: tuple[float, float, float], duration: float) -> tuple[Array, Array]:
    """Times [s] and place in the LVLH axes of the circular reference (n, 3) [m] of a body that starts above it."""
    reference = ReferenceOrbit.from_elements(_epoch(), LEO, _central())
    frame = FallingFrame(reference, reach=math.inf)
    body = _beside(reference, "body", (0.0, 0.0, -OFFSET), v_L)
    mission = Mission([frame, body], integrator=RK4(1.0), record_rate=24.0 / duration)
    result = mission.run(duration)
    d = _in_lvlh(result["body.p_WB"], result["orbit.p_IW"], result["orbit.v_IW"])
    return result.time("body.p_WB"), d


def _beside(
    reference: ReferenceOrbit, name: str, p_L: tuple[float, float, float], v_L: tuple[float, float, float]
) -> RigidBody:
    """A body at p_L [m], v_L [m/s] in the turning LVLH frame of the reference at its start."""
    p, v = reference.position(reference.t0), reference.velocity(reference.t0)
    p_I, v_I = lvlh_to_eci(p_L, v_L, p, v)
    return RigidBody(name, 100.0, size=(1.0, 1.0, 1.0), motion=Motion(Pose(np.eye(3), p_I - p), v_WL=tuple(v_I - v)))


def _in_lvlh(d_I: Array, p_I: Array, v_I: Array) -> Array:
    return np.array([lvlh_axes(p, v).T @ d for d, p, v in zip(d_I, p_I, v_I, strict=True)])


@case(
    "relative-orbit",
    source="each body integrated alone in ECI by SciPy's DOP853, rtol 3e-14: EGM2008 to degree 20, Sun and Moon",
)
def relative_orbit() -> Iterator[Comparison]:
    """Two bodies in a relative orbit of 100 m without drift, degree-20 field, over one orbit in the falling frame."""
    T = LEO.period()
    reference = ReferenceOrbit.from_elements(_epoch(), LEO)
    n = LEO.mean_motion()
    frame = FallingFrame(reference, reach=math.inf)
    places = {"chief": (0.0, 0.0, 0.5 * OFFSET), "deputy": (0.0, 30.0, -0.5 * OFFSET)}
    bodies = [_beside(reference, name, p, (2.0 * n * p[2], 0.0, 0.0)) for name, p in places.items()]
    mission = Mission([frame, *bodies], integrator=RK4(1.0), record_rate=24.0 / T)
    result = mission.run(T)
    times = result.time("chief.p_WB")
    pull = gravity_acceleration(_epoch(), GravityField())
    p, v = reference.position(0.0), reference.velocity(0.0)
    truth = {
        name: eci_states(
            pull, p + result[f"{name}.p_WB"][0], v + result[f"{name}.v_WB"][0], times, max_step=LONGEST_STEP
        )
        for name in places
    }
    ours = result["deputy.p_WB"] - result["chief.p_WB"]
    relative = np.linalg.norm(ours - (truth["deputy"] - truth["chief"])[:, :3], axis=1)
    alone = np.linalg.norm(result["orbit.p_IW"] + result["deputy.p_WB"] - truth["deputy"][:, :3], axis=1)
    curves = {"relative [m]": relative, "in ECI [m]": alone}
    yield at_most(
        "largest error of the relative position over one orbit",
        "m",
        ours=float(relative.max()),
        tolerance=1e-6,
        plot=errors_over_time(times, curves, 1e-6, "falling frame against two ECI integrations"),
    )
    yield at_most("largest error of a body's ECI position over one orbit", "m", ours=float(alone.max()), tolerance=1e-4)


@case("two-body", source="Kepler's laws; Vallado, Fundamentals of Astrodynamics, ch. 2")
def two_body() -> Iterator[Comparison]:
    """The reference orbit with central gravity alone: what it keeps, and where it is."""
    T, mu = LEO.period(), _central().field.mu
    reference = ReferenceOrbit.from_elements(_epoch(), LEO, _central())
    reference.extend(10.0 * T)
    p, v = reference.knots[:, :3], reference.knots[:, 3:6]
    times = reference.t0 + reference.dt * np.arange(len(p))
    energy = 0.5 * np.sum(v * v, axis=1) - mu / np.linalg.norm(p, axis=1)
    h = np.cross(p, v)
    drifts = {
        "energy": np.abs(energy / energy[0] - 1.0),
        "angular momentum": np.linalg.norm(h - h[0], axis=1) / np.linalg.norm(h[0]),
    }
    plot = errors_over_time(times, drifts, 1e-12, "relative change over ten orbits")
    for name, drift in drifts.items():
        yield at_most(
            f"relative change of the {name} over ten orbits", "-", ours=float(drift.max()), tolerance=1e-12, plot=plot
        )
        plot = None
    for name in ("leo-400", "geo"):
        orbit = preset(name)
        flown = ReferenceOrbit.from_elements(_epoch(), orbit, _central())
        instants = np.linspace(0.0, orbit.period(), 97)
        error = [np.linalg.norm(flown.position(t) - orbit.advanced(t, mu).state(mu)[0]) for t in instants]
        yield at_most(
            f"largest distance from Kepler's solution over one orbit, {name}",
            "m",
            ours=float(np.max(error)),
            tolerance=1e-4,
            plot=errors_over_time(instants, {"position [m]": error}, 1e-4, name),
        )


@case("nodal-regression", source="Vallado, Fundamentals of Astrodynamics, eq. 9-38: -3/2 n J2 (R/p)^2 cos i")
def nodal_regression() -> Iterator[Comparison]:
    """How fast J2 turns the node of a sun-synchronous orbit; theory for the mean of its osculating elements."""
    orbit = preset("sso-700")
    reference = ReferenceOrbit.from_elements(_epoch(), orbit, GravityOnly(GravityField(degree=2, order=0), ()))
    reference.extend(5.0 * orbit.period())
    h, k = np.cross(reference.knots[:, :3], reference.knots[:, 3:6]), reference.k_I
    x = np.cross([0.0, 1.0, 0.0], k)
    x /= np.linalg.norm(x)
    node = np.degrees(np.unwrap(np.arctan2(h @ x, -(h @ np.cross(k, x)))))
    days = reference.dt * np.arange(len(node)) / DAY
    theory = math.degrees(node_rate(_mean_elements(reference))) * DAY
    yield within(
        "rate of the node over five orbits",
        "deg/day",
        published=theory,
        ours=float(np.polyfit(days, node, 1)[0]),
        tolerance=0.01 * abs(theory),
        plot=curves_over_time(days * DAY, {"node": node - node[0]}, "[deg]", "node of a sun-synchronous orbit"),
    )


def _mean_elements(reference: ReferenceOrbit) -> Elements:
    """Means over the table of semi-major axis and inclination to the pole; the eccentricity stays near zero."""
    p, v = reference.knots[:, :3], reference.knots[:, 3:6]
    a = 1.0 / (2.0 / np.linalg.norm(p, axis=1) - np.sum(v * v, axis=1) / reference.forces.field.mu)
    h = np.cross(p, v)
    return Elements(float(a.mean()), i=float(np.arccos(h @ reference.k_I / np.linalg.norm(h, axis=1)).mean()))


@case("day-in-orbit", source="brahe's NumericalOrbitPropagator, packaged Earth orientation, low-precision Sun and Moon")
def day_in_orbit() -> Iterator[Comparison]:
    """A day at 400 km against brahe's propagator, like with like: gravity alone, then with air and light on a sphere.

    The reference orbit carries the first; the second adds our drag and light to gravity in a plain ECI integration.
    """
    reference = ReferenceOrbit.from_elements(_epoch(), LEO, GravityOnly(source="brahe"))
    start = np.concatenate([reference.position(0.0), reference.velocity(0.0)])
    theirs = _brahe_day(start, "RKN1210", {})
    yield at_most(
        "distance after one day: degree-20 field, Sun and Moon",
        "m",
        ours=float(np.linalg.norm(reference.position(DAY) - theirs)),
        tolerance=0.1,
    )
    pull = gravity_acceleration(_epoch(), reference.forces.field, "brahe")
    push = sphere_acceleration(_epoch(), **SPHERE, source="brahe")
    states = eci_states(
        lambda t, p, v: pull(t, p, v) + push(t, p, v), start[:3], start[3:], np.array([DAY]), rtol=1e-10, atol=1e-4
    )
    yield at_most(
        "distance after one day: with drag (NRLMSISE-00) and solar pressure",
        "m",
        ours=float(np.linalg.norm(states[-1, :3] - _brahe_day(start, "RKF78", _brahe_surface_forces()))),
        tolerance=5.0,
    )


def _brahe_day(start: Array, method: str, forces: dict[str, Any]) -> Array:
    bh = brahe()
    third = [
        bh.ThirdBodyConfiguration(body, bh.EphemerisSource.LowPrecision)
        for body in (bh.ThirdBody.SUN, bh.ThirdBody.MOON)
    ]
    gravity = bh.GravityConfiguration.spherical_harmonic(20, 20)
    model = bh.ForceModelConfig(gravity=gravity, third_body=third, **forces)
    settings = bh.NumericalPropagationConfig.with_method(getattr(bh.IntegrationMethod, method))
    settings = settings.with_abs_tol(1e-9).with_rel_tol(1e-13)
    propagator = bh.NumericalOrbitPropagator(_epoch().stamp(), start.copy(), settings, model, None)
    propagator.propagate_to(_epoch().stamp(DAY))
    return np.array(propagator.current_state()[:3])


def _brahe_surface_forces() -> dict[str, Any]:
    bh = brahe()
    mass, area, cd, cr = (bh.ParameterSource.value(SPHERE[k]) for k in ("mass", "area", "cd", "cr"))
    return {
        "drag": bh.DragConfiguration(bh.AtmosphericModel.NRLMSISE00, area, cd),
        "srp": bh.SolarRadiationPressureConfiguration(area, cr, bh.EclipseModel.CONICAL),
        "mass": mass,
    }
