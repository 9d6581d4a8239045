"""Imposed motion of a joint: a bead on a turned rod in closed form, and a floating arm by Lagrange's equations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.polynomial import Polynomial

from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.graph import Joint, Link
from freefloat.engine.integrator import RK4, Dopri5
from freefloat.engine.mission import Mission
from freefloat.frames import Array, Pose
from freefloat.robots.arm import Arm
from freefloat.robots.imposed_motion import ImposedMotion
from freefloat.verify.case import Comparison, at_least, at_most, case
from freefloat.verify.drawing import curves_over_time
from freefloat.verify.models import planar_two_link
from freefloat.verify.oracles.two_link import TwoLink

MASS, RADIUS, SPEED = 2.0, 0.1, 1.5  # [kg] bead, [m] where it starts, [rad/s] of the rod
TURN = 2.0  # [s]
COURSE = (0.3, 0.1, 0.2, -0.05, 0.03, 0.01)  # [rad, per s^k]
ELBOW = -0.5  # [rad] at the start
STEPS = (0.04, 0.02, 0.01)  # [s]


class _Rod:
    """A rod that turns about z on the ground, and a bead that slides along it without friction."""

    name = "rod"

    def build(self, b: Builder) -> None:
        inertia = 1e-3 * np.eye(3)
        for link in ("foot", "beam"):
            b.body(Link(link, 1.0, np.zeros(3), inertia))
        b.body(Link("bead", MASS, np.zeros(3), inertia))
        b.anchor("foot", Pose.identity())
        b.joint(Joint("turn", "revolute", "foot", "beam", Pose.identity()))
        b.joint(Joint("slide", "prismatic", "beam", "bead", Pose.identity(), np.array([1.0, 0.0, 0.0])), RADIUS)
        b.joint_signals([b.full("turn"), b.full("slide")])


@case(
    "imposed-motion",
    source="bead on a rod that is turned at w: r = r0 cosh w t, torque m r0^2 w^2 sinh 2 w t; Lagrange's equations of "
    "the planar robot of Papadopoulos and Dubowsky 1993; polynomials",
)
def imposed_motion() -> Iterator[Comparison]:
    """The course is followed, the effort is the one that it takes, and its work is what the bodies gain."""
    yield from _bead()
    yield from _arm()


def _bead() -> Iterator[Comparison]:
    mission = Mission([_Rod(), ImposedMotion("drive", "rod.turn", (0.0, SPEED))])
    result = mission.run(TURN)
    t = result.time("rod.q")
    wt, scale = SPEED * t, MASS * RADIUS**2 * SPEED**2
    torque, work = scale * np.sinh(2.0 * wt), 0.5 * scale * (np.cosh(2.0 * wt) - 1.0)
    found = result["drive.effort"][:, 0]
    yield at_most(
        "rod turned at a constant rate: its angle, largest error",
        "rad",
        ours=float(np.abs(result["rod.q"][:, 0] - wt).max()),
        tolerance=1e-12,
    )
    yield at_most(
        "its bead's place, largest error",
        "m",
        ours=float(np.abs(result["rod.q"][:, 1] - RADIUS * np.cosh(wt)).max()),
        tolerance=1e-10,
    )
    yield at_most(
        "its torque, largest error relative to the last",
        "-",
        ours=float(np.abs(found - torque).max() / torque[-1]),
        tolerance=1e-10,
        plot=curves_over_time(
            t, {"torque [N m]": found, "work supplied [J]": result["audit.work_supplied"]}, "", "bead on a rod"
        ),
    )
    yield at_most(
        "work supplied, largest error relative to the last",
        "-",
        ours=float(np.abs(result["audit.work_supplied"] - work).max() / work[-1]),
        tolerance=1e-10,
    )


def _floating(integrator: RK4 | Dopri5, eta: float = 50.0, record_rate: float = 100.0) -> Mission:
    """The planar robot on a base that floats and turns; its first joint follows the course, the second is free."""
    motion = Motion(w_WL_L=(0.0, 0.0, 0.1), v_WL=(0.05, -0.02, 0.0))
    robot = Arm("robot", planar_two_link(TwoLink()), q=(COURSE[0], ELBOW), motion=motion)
    drive = ImposedMotion("drive", "robot.q1", COURSE, eta)
    return Mission([robot, drive], integrator=integrator, record_rate=record_rate)


def _arm() -> Iterator[Comparison]:
    path, oracle = Polynomial(COURSE), TwoLink()
    mission = _floating(Dopri5(1e-3))
    session = mission.session()
    off = []
    for _ in range(8):
        session.step(0.2)
        X_WB, w, v = session.motion("robot.base")
        angle = float(np.arctan2(X_WB.R[1, 0], X_WB.R[0, 0]))
        q = np.array([*X_WB.p[:2], angle, *session.read("robot.q")])
        rates = np.array([*v[:2], w[2], *session.read("robot.qd")])
        effort = float(session.read("drive.effort")[0])
        a = oracle.accelerations(q, rates, np.array([0.0, 0.0, 0.0, effort, 0.0]))
        off.append(abs(float(a[3]) - float(path.deriv(2)(session.time))))
    largest = float(np.abs(path.deriv(2)(np.linspace(0.0, 1.6, 9))).max())
    yield at_most(
        "floating arm: acceleration that the effort gives by Lagrange, largest error, relative",
        "-",
        ours=max(off) / largest,
        tolerance=1e-9,
    )
    result = _floating(RK4(1e-3)).run(2.0)
    yield at_most(
        "its joint with RK4 at 1 ms, largest distance from the quintic",
        "rad",
        ours=float(np.abs(result["robot.q"][:, 0] - path(result.time("robot.q"))).max()),
        tolerance=1e-9,
    )
    for drift in ("angular_momentum_drift", "energy_drift"):
        yield at_most(f"its {drift.replace('_', ' ')}", "-", ours=result.audit.drifts[drift], tolerance=1e-9)
    end = _end(1e-3)
    errors = [float(np.abs(_end(step) - end).max()) for step in STEPS]
    slope = float(np.polyfit(np.log(STEPS), np.log(errors), 1)[0])
    yield at_least("order of RK4 in the joints' angles", "-", published=4.0, ours=slope, tolerance=0.2)


def _end(step: float) -> Array:
    """The joints' angles after 2 s."""
    session = _floating(RK4(step), eta=5.0, record_rate=1.0).session()
    session.step(2.0)
    return session.read("robot.q")
