"""Instants of events against closed forms, for both integrators."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.blueprint import Motion
from freefloat.engine.connection import Connection
from freefloat.engine.event import Event
from freefloat.engine.graph import Link
from freefloat.engine.integrator import RK4, Dopri54, Integrator
from freefloat.engine.mission import Mission
from freefloat.engine.rows import uniform_gravity
from freefloat.engine.session import Session
from freefloat.frames import Array, Pose
from freefloat.structure import RigidBody
from freefloat.verify.case import Comparison, Plot, at_most, case, within
from freefloat.verify.drawing import curves_over_time, errors_of_cases
from freefloat.verify.models import TorsionOscillator
from freefloat.verify.oracles.newton_euler import LinkMotion, total_momenta
from freefloat.verify.oracles.plastic import kinetic_energy, locked_energy
from freefloat.verify.parts import RangeFinder
from freefloat.verify.readings import all_motions

INTEGRATORS: dict[str, Integrator] = {"RK4": RK4(1e-3), "Dopri54": Dopri54(rtol=1e-12, atol=1e-13)}
COUNT = 5  # events compared
TOLERANCE = 1e-9  # [s]

G, RADIUS, HEIGHT, RESTITUTION = 9.81, 0.1, 2.0, 0.8  # [m/s^2], [m], [m] of the centre at the start, [-]


@case("bouncing-ball", source="free fall h = g t^2 / 2 and Newton's law of restitution v+ = -e v-")
def bouncing_ball() -> Iterator[Comparison]:
    """Times of the first five bounces of a ball, found by an event on its height."""
    ball = RigidBody("ball", 0.5, size=(0.2, 0.2, 0.2), motion=Motion(Pose(np.eye(3), [0.0, 0.0, HEIGHT])))
    bounce = Event("bounce", _bounce, signal="ball.p_WB", component=2, level=RADIUS, direction="falling")
    closed = _bounce_times()
    errors: dict[str, Array] = {}
    for name, integrator in INTEGRATORS.items():
        mission = Mission([ball], events=[bounce], rows=[uniform_gravity((0.0, 0.0, -G))], integrator=integrator)
        result = mission.run(float(closed[-1]) + 0.2)
        found = np.array([e.t for e in result.events])
        errors[name] = np.abs(found[:COUNT] - closed)
        height = curves_over_time(result.time("ball.p_WB"), {"centre": result["ball.p_WB"][:, 2]}, "height [m]")
        plot = height if name == "RK4" else _instants(errors)
        yield from _times(name, "bounce", closed, found, plot)


def _bounce(session: Session) -> None:
    v = session.read("ball.v_WB")
    session.set_velocity("ball", session.read("ball.w_WB_B"), [v[0], v[1], -RESTITUTION * v[2]])


def _bounce_times() -> Array:
    fall = np.sqrt(2.0 * (HEIGHT - RADIUS) / G)
    return fall + np.cumsum([0.0, *(2.0 * fall * RESTITUTION**n for n in range(1, COUNT))])


@case("oscillator-crossings", source="Hooke's law: q = q0 cos(w t) is zero at (n + 1/2) pi / w")
def oscillator_crossings() -> Iterator[Comparison]:
    """Times at which a joint on a torsion spring passes through zero, where the motion is no polynomial of time."""
    oscillator = TorsionOscillator()
    closed = (np.arange(COUNT) + 0.5) * np.pi / oscillator.frequency
    passing = Event("passing", lambda session: None, signal="pair.q", level=0.0, direction="both")
    errors: dict[str, Array] = {}
    for name, integrator in INTEGRATORS.items():
        mission = Mission([oscillator.part()], events=[passing], integrator=integrator)
        found = np.array([e.t for e in mission.run(float(closed[-1]) + 0.1).events])
        errors[name] = np.abs(found[:COUNT] - closed)
        yield from _times(name, "crossing", closed, found, _instants(errors) if len(errors) == 2 else None)


def _times(name: str, what: str, closed: NDArray[np.floating], found: Array, plot: Plot | None) -> Iterator[Comparison]:
    """The instants [s] of an integrator's events, one by one; the first has the plot."""
    for n in range(COUNT):
        yield within(
            f"{what} {n + 1}, {name}",
            "s",
            published=float(closed[n]),
            ours=float(found[n]),
            tolerance=TOLERANCE,
            plot=plot if n == 0 else None,
        )


def _instants(errors: dict[str, Array]) -> Plot:
    return errors_of_cases(range(1, COUNT + 1), dict(errors), TOLERANCE, "event", "error of the instant [s]")


LATCH_RANGE = 1.2  # [m]
TARGET = LinkMotion(
    Link("target", 80.0, np.zeros(3), np.diag([9.0, 12.0, 7.0])), Pose.identity(), np.zeros(3), np.zeros(3)
)
CHASER = LinkMotion(
    Link("chaser", 30.0, np.zeros(3), np.diag([2.0, 1.5, 2.5])),
    Pose(np.eye(3), [3.0, 0.4, -0.3]),
    np.zeros(3),
    np.array([-0.35, 0.05, 0.02]),
)


@case("latching", source="uniform motion |p + v t| = d; momentum of one rigid body: T = P^2 / 2m + L I^-1 L / 2")
def latching() -> Iterator[Comparison]:
    """Two bodies approach off-centre and latch when their distance reaches a value: instant, energy lost, momenta."""
    time = _meeting_time()
    there = LinkMotion(CHASER.link, Pose(np.eye(3), CHASER.X_WL.p + CHASER.v * time), CHASER.w, CHASER.v)
    momenta = total_momenta([TARGET, there])
    lost = kinetic_energy([TARGET, there]) - locked_energy([TARGET, there])
    for name, integrator in INTEGRATORS.items():
        energies: list[float] = []
        session = _latching_mission(integrator, energies).session()
        session.step(time + 2.0)
        error = np.abs(total_momenta(list(all_motions(session).values())) - momenta)
        yield within(f"instant of latching, {name}", "s", published=time, ours=session.fired[0].t, tolerance=TOLERANCE)
        yield within(f"energy lost, {name}", "J", published=lost, ours=energies[0], tolerance=1e-12 * lost)
        for quantity, part in (("angular", slice(0, 3)), ("linear", slice(3, 6))):
            relative = float(error[part].max() / np.linalg.norm(momenta[part]))
            yield at_most(f"{quantity} momentum 2 s later, relative error, {name}", "-", ours=relative, tolerance=1e-12)


def _meeting_time() -> float:
    """First t with |p + v t| = LATCH_RANGE for the chaser seen from the target."""
    p, v = CHASER.X_WL.p - TARGET.X_WL.p, CHASER.v - TARGET.v
    a, half_b, c = v @ v, p @ v, p @ p - LATCH_RANGE**2
    return float((-half_b - np.sqrt(half_b**2 - a * c)) / a)


def _latching_mission(integrator: Integrator, energies: list[float]) -> Mission:
    bodies = [
        RigidBody(b.link.name, b.link.mass, b.link.I_LLcm_L, motion=Motion(b.X_WL, v_WL=tuple(b.v)))
        for b in (TARGET, CHASER)
    ]
    latch = Event(
        "latch",
        lambda session: energies.append(session.attach("latch")),
        signal="range.distance",
        level=LATCH_RANGE,
        direction="falling",
        times=1,
    )
    return Mission(
        [*bodies, RangeFinder("range", "target", "chaser")],
        events=[latch],
        connections=[Connection("latch", "target", "chaser")],
        integrator=integrator,
    )
