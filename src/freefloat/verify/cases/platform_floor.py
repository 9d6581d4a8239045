"""A floating platform on the world: the floor's energy, force and torque, pulses, wheel and straight glides."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import RectBivariateSpline

from freefloat.actuators import ReactionWheels, Thruster, Thrusters
from freefloat.engine.integrator import Dopri5, Integrator
from freefloat.engine.mission import Mission
from freefloat.frames import Array
from freefloat.platforms.catalogue import REACSA
from freefloat.platforms.height_map import HeightMap, flat, synthetic
from freefloat.platforms.platform import FloatingPlatform, Floor
from freefloat.units import G0, RPM
from freefloat.verify.case import Comparison, at_least, at_most, case, within
from freefloat.verify.cases.integrators import METHODS, ORDERS
from freefloat.verify.drawing import convergence, errors_over_time

SIZE = (4.8, 9.0)  # [m]
UNEVEN = synthetic(1, SIZE)
M, INERTIA = REACSA.body.mass, REACSA.body.inertia
SLIDE = (-0.6, 0.4, 1.0)  # [m, m, rad] from rest here it stays 0.8 m away from the walls for 200 s
TURN = 0.02  # [rad/s] at the start
PERIOD = 0.01  # [s] step of the scenarios
CURVATURE, CELL, SWING = 0.2, 3.0, 8.0  # [1/m, m, s] of a bowl that lies within one cell of its map
STEPS = {"RK4": (0.2, 0.1, 0.05), "Dopri5": (0.2, 0.1, 0.05)}  # [s]
MIRRORED = 24  # points: an independent spline forgets its end conditions by 0.27 with each


@case("platform-floor-energy", source="conservation of energy: T + V of a platform that nobody pushes")
def floor_energy() -> Iterator[Comparison]:
    """Kinetic and potential energy of an uncontrolled glide over the uneven floor, and the integrators' order on it."""
    for single, contact in ((False, "three bearings"), (True, "one contact")):
        platform = FloatingPlatform("body", REACSA.body, Floor(SIZE, UNEVEN), SLIDE, (0.0, 0.0, TURN), single)
        result = Mission([platform], integrator=Dopri5(PERIOD), record_rate=10.0).run(200.0)
        v = result["body.rate"]
        kinetic = 0.5 * M * (v[:, 0] ** 2 + v[:, 1] ** 2) + 0.5 * INERTIA * v[:, 2] ** 2
        total = kinetic + result["body.floor"][:, 0]
        change = np.abs(total - total[0]) / np.ptp(kinetic)
        title = f"{np.ptp(kinetic):.2f} J exchanged, {contact}"
        yield at_most(
            f"change of kinetic plus potential energy over that exchanged in 200 s, {contact}",
            "-",
            ours=float(change.max()),
            tolerance=1e-10,
            plot=errors_over_time(result.time("body.rate"), {"T + V": change}, 1e-10, title),
        )
        drift = result.metrics["audit.energy_drift"]
        yield at_most(f"energy drift in the run's own audit, {contact}", "-", ours=drift, tolerance=1e-10)
    errors = {name: [_swing_error(METHODS[name](h)) for h in steps] for name, steps in STEPS.items()}
    plot = convergence(STEPS, errors, "error [m]", f"swing in a bowl, after {SWING:g} s, and slope")
    for name, order in ORDERS.items():
        slope = np.polyfit(np.log(STEPS[name]), np.log(errors[name]), 1)[0]
        yield at_least(
            f"slope of the error of a swing in a bowl over the step, {name}",
            "-",
            published=order,
            ours=float(slope),
            tolerance=0.2,
            source="order of the Runge-Kutta method; harmonic motion with omega^2 = g h''",
            plot=plot if name == "RK4" else None,
        )


def _swing_error(integrator: Integrator) -> float:
    """[m] of place and of speed over omega. Records cut fixed steps, so there are few on the way."""
    x = CELL * (np.arange(40) - 19.5)
    bowl = HeightMap(0.5 * CURVATURE * (x[:, None] ** 2 + x[None, :] ** 2), CELL)
    platform = FloatingPlatform("body", REACSA.body, Floor((50.0, 50.0), bowl), (0.5, 0.0, 0.0), single_contact=True)
    session = Mission([platform], integrator=integrator, record_rate=1.0 / SWING).session()
    session.step(SWING)
    w = math.sqrt(G0 * CURVATURE)
    place, speed = session.read("body.pose")[0], session.read("body.rate")[0]
    return math.hypot(place - 0.5 * math.cos(w * SWING), speed / w + 0.5 * math.sin(w * SWING))


@case(
    "platform-floor-force", source="V = (m g / n) sum of h(p_i) through SciPy's RectBivariateSpline of the same heights"
)
def floor_force() -> Iterator[Comparison]:
    """Force = -grad V and torque = -dV/dtheta against differences of an independent potential; three contacts, one."""
    rng = np.random.default_rng(1)
    poses = rng.uniform((-2.0, -4.0, -math.pi), (2.0, 4.0, math.pi), (200, 3))
    for single, contact in ((False, "three bearings"), (True, "one contact")):
        contacts = REACSA.body.contacts(single)
        ours = _readings(UNEVEN, poses, single)
        V = np.array([_potential(q, contacts) for q in poses])
        wrench = np.array([-_derivative(q, contacts) for q in poses])
        force, torque = np.abs(ours[:, 1:3] - wrench[:, :2]), np.abs(ours[:, 3] - wrench[:, 2])
        yield at_most(f"potential, {contact}", "J", ours=float(np.abs(ours[:, 0] - V).max()), tolerance=1e-11)
        yield at_most(f"force against -grad V, {contact}", "N", ours=float(force.max()), tolerance=1e-7)
        yield at_most(f"torque against -dV/dtheta, {contact}", "N m", ours=float(torque.max()), tolerance=1e-8)
    x = 0.1 * (np.arange(99) - 49)
    plane = HeightMap(1e-3 * x[:, None] - 2e-3 * x[None, :], 0.1)
    near = 0.4 * poses
    apart = np.abs(_readings(plane, near, single=False) - _readings(plane, near, single=True)).max()
    yield at_most("three bearings against one contact on an inclined plane", "J, N, N m", ours=apart, tolerance=1e-9)


def _readings(heights: HeightMap, poses: Array, single: bool) -> Array:
    """(n, 4) potential [J], force [N] and torque [N m] that the world's floor gives."""
    platform = FloatingPlatform("body", REACSA.body, Floor(SIZE, heights), single_contact=single)
    session = Mission([platform]).session()
    found = []
    for pose in poses:
        for name, q in zip(("x", "y", "theta"), pose, strict=True):
            session.set_joint(f"body.glide.{name}", float(q), 0.0)
        found.append(session.read("body.floor"))
    return np.array(found)


@cache
def _spline() -> RectBivariateSpline:
    nx, ny = UNEVEN.heights.shape
    x, y = (UNEVEN.spacing * (np.arange(-MIRRORED, n + MIRRORED) - 0.5 * (n - 1)) for n in (nx, ny))
    return RectBivariateSpline(x, y, np.pad(UNEVEN.heights, MIRRORED, mode="reflect"), s=0)


def _bearings(q: Array, contacts: Array) -> Array:
    c, s = math.cos(q[2]), math.sin(q[2])
    return contacts @ np.array([[c, s], [-s, c]])


def _potential(q: Array, contacts: Array) -> float:
    return M * G0 * float(np.mean(_spline().ev(*(q[:2] + _bearings(q, contacts)).T)))


def _derivative(q: Array, contacts: Array, step: float = 2e-4) -> Array:
    """Of the potential: differences of fourth order, of second where a cell ends."""
    out = np.zeros(3)
    for k, e in enumerate(step * np.eye(3)):
        near = _potential(q + e, contacts) - _potential(q - e, contacts)
        far = _potential(q + 2.0 * e, contacts) - _potential(q - 2.0 * e, contacts)
        out[k] = (8.0 * near - far) / (12.0 * step)
    return out


@case("platform-plant", source="REACSA Tables 3.1 to 3.4, eqs 3.6 and 3.11")
def plant() -> Iterator[Comparison]:
    """One pulse, the wheel's exchange of momentum, a straight glide, and a slide against SciPy's DOP853."""
    session = _reacsa().session()
    session.write("jets.open", np.eye(8)[0])
    session.step(0.1)
    rate = session.read("body.rate")
    yield within(
        "speed that one thruster gives in 0.1 s",
        "m/s",
        published=4.67e-3,
        ours=float(np.hypot(rate[0], rate[1])),
        tolerance=5e-6,
    )
    yield from _exchange()
    yield from _straight()
    yield from _slide()


def _exchange() -> Iterator[Comparison]:
    wheel = REACSA.wheel
    assert wheel is not None
    session = _reacsa().session()
    session.write("wheel.speed_command", [250.0 * RPM * (1.0 + wheel.inertia / INERTIA)])  # 250 rpm in the world
    session.step(3.0)
    turn, spin = float(session.read("body.rate")[2]), float(session.read("wheel.speed")[0])
    given = wheel.inertia * (spin + turn)
    yield at_most(
        "momentum of wheel and platform, sum over the wheel's (eq. 3.6)",
        "-",
        ours=abs((given + INERTIA * turn) / given),
        tolerance=1e-11,
    )
    yield within(
        "rate of the platform against a wheel of 250 rpm (eq. 6.1)",
        "deg/s",
        published=5.81,
        ours=-math.degrees(turn),
        tolerance=0.005,
    )


def _reacsa() -> Mission:
    wheel, z = REACSA.wheel, 0.5 * REACSA.body.height
    assert wheel is not None
    jets = [Thruster((*n.position, z), (*n.direction, 0.0), REACSA.thrust, 65.0) for n in REACSA.nozzles]
    spin = ReactionWheels(
        "wheel", "body", [[0.0, 0.0, 1.0]], wheel.inertia, wheel.max_torque, wheel.max_speed, speed_lag=0.05
    )
    body = FloatingPlatform("body", REACSA.body, Floor(SIZE, flat(SIZE)))
    manifolds = [n.manifold for n in REACSA.nozzles]
    return Mission([body, Thrusters("jets", "body", jets, manifolds=manifolds), spin], integrator=Dopri5(PERIOD))


def _straight() -> Iterator[Comparison]:
    start, rate = np.array([-2.0, -4.0, 0.3]), np.array([0.03, 0.06, 0.2])
    platform = FloatingPlatform("body", REACSA.body, Floor(SIZE, flat(SIZE)), tuple(start), tuple(rate))
    result = Mission([platform], integrator=Dopri5(PERIOD), record_rate=10.0).run(100.0)
    t = result.time("body.pose")[:, None]
    off = np.abs(result["body.pose"] - (start + t * rate)).max()
    yield at_most("glide over a level floor against a straight line, 100 s", "m, rad", ours=off, tolerance=1e-9)


def _slide() -> Iterator[Comparison]:
    contacts, duration = REACSA.body.contacts(single=False), 20.0
    platform = FloatingPlatform("body", REACSA.body, Floor(SIZE, UNEVEN), SLIDE, (0.0, 0.0, TURN))
    session = Mission([platform], integrator=Dopri5(PERIOD), record_rate=1.0).session()
    session.step(duration)

    def derivative(_: float, x: Array) -> Array:
        r = _bearings(x, contacts)
        p = x[:2] + r
        g = -G0 / len(r) * np.column_stack([_spline().ev(*p.T, dx=1), _spline().ev(*p.T, dy=1)])
        turn = M / INERTIA * float((r[:, 0] * g[:, 1] - r[:, 1] * g[:, 0]).sum())
        return np.array([*x[3:], *g.sum(axis=0), turn])

    start = np.array([*SLIDE, 0.0, 0.0, TURN])
    theirs = solve_ivp(derivative, (0.0, duration), start, method="DOP853", rtol=1e-12, atol=1e-14, max_step=0.1)
    ours = np.concatenate([session.read("body.pose"), session.read("body.rate")])
    yield at_most(
        f"pose and rates after {duration:g} s over the uneven floor",
        "m, rad, s",
        ours=float(np.abs(ours - theirs.y[:, -1]).max()),
        tolerance=1e-10,
        source="SciPy's DOP853 on the planar equations of motion, rtol 1e-12",
    )
