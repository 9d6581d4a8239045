"""Impulses: off-centre bodies and an arm against J M^-1 J^T written out by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from freefloat.contact import Ball, Contact, Impulse, RegularisedFriction
from freefloat.engine.blueprint import Motion
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.engine.rows import uniform_gravity
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.arm import Arm
from freefloat.verify.case import Comparison, at_most, case, within
from freefloat.verify.models import planar_two_link
from freefloat.verify.oracles.two_link import TwoLink
from freefloat.verify.parts import FreeBall, FreeBody

E = 0.7  # [-] restitution
BOX = (0.2, 0.3, 0.1)  # [m] half edges
MASSES = (3.0, 2.0)  # [kg] box, ball
INERTIA = (0.2, 0.15, 0.3)  # [kg m^2] of the box
RADIUS = 0.05  # [m]


def _cross(r: Array) -> Array:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def _hit(mu: float, across: float) -> tuple[Array, Array, Array]:
    """Velocities after a ball has come down on a box off its centre: of the box (linear, angular), of the ball.

    The box's angular velocity at the hit is that of its angular momentum, which it keeps while it tumbles on.
    """
    start = Motion(Pose(np.eye(3), [0.12, 0.2, 0.1 + RADIUS + 0.02]), v_WL=(across, 0.0, -0.5))
    box = FreeBody("box", MASSES[0], INERTIA, (Shape("box", BOX),))
    friction = RegularisedFriction(mu) if mu > 0.0 else None
    contact = Contact("hit", "box", "ball", Impulse(E, 1e4), friction)
    parts = [box, FreeBall("ball", MASSES[1], RADIUS, start), contact]
    result = Mission(parts, integrator=RK4(1e-3)).run(0.1, strict=True)
    assert len(result.touches) == 1
    R, moments = Pose.from_quat(result["box.q_WB"][-1], np.zeros(3)).R, np.array(INERTIA)
    w = R @ (moments * result["box.w_WB_B"][-1]) / moments
    return result["box.v_WB"][-1], w, result["ball.v_WB"][-1]


def _closed(mu: float, across: float) -> tuple[Array, Array, Array]:
    """The same by hand: P from A = J M^-1 J^T at the point that is hit, first touch after 0.04 s."""
    n, v = np.array([0.0, 0.0, 1.0]), np.array([across, 0.0, -0.5])
    r = np.array([0.12 + 0.04 * across, 0.2, 0.1])  # from the box's centre
    s = -RADIUS * n  # from the ball's
    inertia = 0.4 * MASSES[1] * RADIUS**2
    A = (1.0 / MASSES[0] + 1.0 / MASSES[1]) * np.eye(3)
    A -= _cross(r) @ np.diag(1.0 / np.array(INERTIA)) @ _cross(r) + _cross(s) @ _cross(s) / inertia
    P: Array = np.linalg.solve(A, np.array([0.0, 0.0, 0.5 * E]) - v).astype(np.float64)
    if mu == 0.0 or np.linalg.norm(P[:2]) > mu * P[2]:
        w = n - mu * np.array([math.copysign(1.0, across), 0.0, 0.0]) * (across != 0.0)
        P = (1.0 + E) * 0.5 / float(n @ A @ w) * w
    return -P / MASSES[0], -np.cross(r, P) / np.array(INERTIA), v + P / MASSES[1]


def _arm_hit() -> tuple[float, float]:
    """Speed of a ball after a free two-link robot's tip was hit, ours and by J M^-1 J^T of Lagrange's equations."""
    robot = TwoLink()
    q = np.array([0.0, 0.0, 0.0, 0.7, -1.1])
    f = np.cumsum(q[2:])
    tip = robot.r0 * _e(f[0]) + (robot.l1 + robot.r1) * _e(f[1]) + (robot.l2 + robot.r2) * _e(f[2])
    start = Motion(Pose(np.eye(3), [tip[0], tip[1] + 0.2 + 2.0 * RADIUS, 0.0]), v_WL=(0.0, -0.5, 0.0))
    arm = Arm("robot", planar_two_link(robot), q=(q[3], q[4]), motion=Motion())
    tip_ball = Ball((robot.l2 + robot.r2, 0.0, 0.0), RADIUS)
    tipped = Contact("hit", "ball", "robot.link2", Impulse(E, 1e4), balls=[tip_ball])
    parts = [arm, FreeBall("ball", MASSES[1], RADIUS, start), tipped]
    result = Mission(parts, integrator=RK4(1e-3)).run(0.5, strict=True)
    J = np.zeros(5)  # of the tip's y
    J[1] = 1.0
    J[2] = tip[0]
    J[3] = tip[0] - robot.r0
    J[4] = (robot.l2 + robot.r2) * math.cos(f[2])
    give = float(J @ np.linalg.solve(robot.mass_matrix(q), J)) + 1.0 / MASSES[1]
    return float(result["ball.v_WB"][-1, 1]), -0.5 + (1.0 + E) * 0.5 / give / MASSES[1]


def _e(a: float) -> Array:
    return np.array([math.cos(a), math.sin(a)])


@case("contact-impulse", source="Newton's restitution and Coulomb's law for impulses; J M^-1 J^T by hand")
def contact_impulse() -> Iterator[Comparison]:
    """Impulses at first touch: free bodies off centre, smooth, sliding, sticking; an arm; a ball that comes to rest."""
    for name, mu, across in (("smooth", 0.0, 0.3), ("slides", 0.05, 0.3), ("sticks", 2.0, 0.1)):
        ours, theirs = np.concatenate(_hit(mu, across)), np.concatenate(_closed(mu, across))
        off = float(np.abs(ours - theirs).max())
        yield at_most(f"ball on a box off its centre, {name}: velocities", "m/s, rad/s", ours=off, tolerance=1e-10)
    speed, closed = _arm_hit()
    yield within("ball off the tip of a free arm", "m/s", published=closed, ours=speed, tolerance=1e-10)
    yield from _rest()


def _rest() -> Iterator[Comparison]:
    """A ball that falls on the ground: the rebound's height, then rest."""
    start = Motion(Pose(np.eye(3), [0.0, 0.0, RADIUS + 0.5]))
    contact = Contact("ground", "world", "ball", Impulse(E, 1e5, 200.0, 0.02))
    parts = [FreeBall("ball", 1.0, RADIUS, start), contact]
    mission = Mission(parts, rows=[uniform_gravity((0.0, 0.0, -9.81))], integrator=RK4(2e-4), record_rate=1000.0)
    result = mission.run(3.0, strict=True)
    fall = math.sqrt(2.0 * 0.5 / 9.81)
    first, second = result.touches[0], result.touches[1]
    yield within("instant of the first hit of a falling ball", "s", published=fall, ours=first.t, tolerance=1e-9)
    yield within(
        "time to the second, by 2 e v / g", "s", published=2.0 * E * fall, ours=second.t - first.t, tolerance=1e-9
    )
    yield within("impulse of the first", "N s", published=(1.0 + E) * 9.81 * fall, ours=first.impulse, tolerance=1e-9)
    rests = float(np.abs(result["ball.v_WB"][-100:, 2]).max())
    yield at_most("speed of the ball that has come to rest", "m/s", ours=rests, tolerance=1e-6)
