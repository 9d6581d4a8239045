"""Contact: laws against closed forms and tables of their restitution, friction on a slope and of a rolling ball."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from freefloat.contact import (
    Ball,
    Contact,
    HuntCrossley,
    LankaraniNikravesh,
    RegularisedFriction,
    SpringDamper,
    StickingFriction,
    cone,
)
from freefloat.contact.laws import Friction, Law
from freefloat.effects import Body, Column, Effect, add_pair, velocity_at
from freefloat.engine.blueprint import Motion
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.rows import uniform_gravity
from freefloat.frames import Array, Pose
from freefloat.structure import RigidBody
from freefloat.verify.case import Comparison, at_least, at_most, case, compare, within
from freefloat.verify.oracles.cone import ProbeInCone
from freefloat.verify.parts import FreeBall, FreeBody

MASS, K, V = 100.0, 5e4, 0.1  # [kg] of each of two balls, [N/m], [m/s] at which they meet
REDUCED = 0.5 * MASS  # [kg]
G = 9.81  # [m/s^2]


def _meeting(law: Law, step: float = 1e-3, rate: float = 1000.0) -> Result:
    """Two balls, 10 mm apart at the start; the right one comes."""
    coming = Motion(Pose(np.eye(3), [0.21, 0.0, 0.0]), v_WL=(-V, 0.0, 0.0))
    parts = [FreeBall("left"), FreeBall("right", motion=coming), Contact("touch", "left", "right", law)]
    return Mission(parts, integrator=RK4(step), record_rate=rate).run(0.4, strict=True)


def _restitution(result: Result) -> float:
    return float(result["right.v_WB"][-1, 0] - result["left.v_WB"][-1, 0]) / V


def _spring(t, p, x, u, view, dx, tau, wrench, y, power):  # type: ignore[no-untyped-def]
    """A linear spring along x between two balls of 0.1 m, cut off where it would pull."""
    for r in range(p.i.shape[0]):
        a, b = p.i[r, 0], p.i[r, 1]
        depth = 0.2 - (view.xipos[b, 0] - view.xipos[a, 0])
        y[r] = K * max(depth, 0.0)
        c = view.xipos[b]
        add_pair(view, wrench, a, b, c[0], c[1], c[2], y[r], 0.0, 0.0)
        power[1] += y[r] * (velocity_at(view, a, c[0], c[1], c[2])[0] - velocity_at(view, b, c[0], c[1], c[2])[0])


def _unlocated() -> Result:
    """The elastic meeting by a force law alone, as an effect without guards."""
    coming = Motion(Pose(np.eye(3), [0.21, 0.0, 0.0]), v_WL=(-V, 0.0, 0.0))
    spring = Effect("spring", _spring, references={"a": Body, "b": Body}, outputs=[Column("force", "N")])
    rows = [spring.row("spring", a="left", b="right")]
    parts = [FreeBall("left"), FreeBall("right", motion=coming)]
    return Mission(parts, rows=rows, integrator=RK4(1e-3), record_rate=1000.0).run(0.4)


@case(
    "contact-laws",
    source="linear spring, Kelvin and Voigt released at zero force: closed forms; Hunt and Crossley 1975, Lankarani "
    "and Nikravesh 1990: restitution by quadrature of their laws",
)
def contact_laws() -> Iterator[Comparison]:
    """Two free balls meet: speeds, largest force and restitution of every law, at steps of 1 ms."""
    elastic = _meeting(SpringDamper(K))
    after = (elastic["left.v_WB"][-1, 0], elastic["right.v_WB"][-1, 0])
    yield within("speed of the ball that was hit", "m/s", published=-V, ours=float(after[0]), tolerance=1e-9)
    yield within("speed of the ball that came", "m/s", published=0.0, ours=float(after[1]), tolerance=1e-9)
    (touch,) = elastic.touches
    omega = math.sqrt(K / REDUCED)
    for what, unit, closed, ours in (
        ("largest force, relative", "-", 1.0, touch.peak_force / (V * math.sqrt(K * REDUCED))),
        ("largest penetration, relative", "-", 1.0, touch.penetration * omega / V),
        ("impulse, relative", "-", 1.0, touch.impulse / (2.0 * REDUCED * V)),
    ):
        yield within(what, unit, published=closed, ours=ours, tolerance=1e-7)
    yield within("duration", "s", published=math.pi / omega, ours=touch.duration, tolerance=1e-8)
    plain = _unlocated()
    came, largest = float(plain["right.v_WB"][-1, 0]), float(plain["spring.force"].max())
    what = "without located events: speed of the ball that came"
    yield compare(what, "m/s", published=0.0, ours=came)
    what = "without located events: largest sampled force, relative"
    yield compare(what, "-", published=1.0, ours=largest / (V * math.sqrt(K * REDUCED)))
    for ratio in (0.1, 0.3):
        root = math.sqrt(1.0 - ratio * ratio)
        closed = math.exp(-ratio / root * (math.pi - math.atan2(2.0 * ratio * root, 1.0 - 2.0 * ratio * ratio)))
        ours = _restitution(_meeting(SpringDamper(K, 2.0 * ratio * math.sqrt(K * REDUCED))))
        yield within(f"restitution, damping ratio {ratio}", "-", published=closed, ours=ours, tolerance=1e-6)
    for exponent, stiffness in ((1.0, K), (1.5, 1e6)):
        for cv, e in ((0.05, 0.952370), (0.1, 0.909016), (0.2, 0.832870), (0.3, 0.768000), (0.5, 0.662962)):
            ours = _restitution(_meeting(HuntCrossley(stiffness, cv / V, exponent)))
            what = f"restitution, Hunt and Crossley, n = {exponent}, c v = {cv}"
            yield within(what, "-", published=e, ours=ours, tolerance=1e-5)
    for asked, e in ((0.9, 0.913177), (0.8, 0.847102), (0.7, 0.795973), (0.5, 0.725241)):
        ours = _restitution(_meeting(LankaraniNikravesh(K, asked, 1.0)))
        yield within(f"restitution, Lankarani and Nikravesh, e = {asked}", "-", published=e, ours=ours, tolerance=1e-5)
    ends = [_restitution(_meeting(HuntCrossley(K, 2.0, 1.0), h, 5.0)) for h in (1e-3, 2.5e-4, 5e-5)]
    ours = math.log2(abs(ends[0] - ends[2]) / abs(ends[1] - ends[2])) / 2.0
    yield at_least("order through a contact", "-", published=4.0, ours=ours, tolerance=0.5)
    yield from _same_elsewhere()
    yield from _probe_in_cone()


def _same_elsewhere() -> Iterator[Comparison]:
    """The order of the bodies and the frame change nothing: an oblique hit with friction, turned, moved and swapped."""
    turned = Pose.from_rpy((0.7, -0.4, 1.9), (30.0, -20.0, 10.0))
    ends = [_oblique(X, swap) for X, swap in ((Pose.identity(), False), (Pose.identity(), True), (turned, False))]
    yield at_most("bodies in the other order: velocities", "m/s", ours=_off(ends[0], ends[1]), tolerance=1e-9)
    back = [turned.R.T @ v for v in ends[2]]
    yield at_most("everything turned and moved: velocities", "m/s", ours=_off(ends[0], back), tolerance=1e-9)


def _off(a: list[Array], b: list[Array]) -> float:
    return float(np.abs(np.array(a) - np.array(b)).max())


def _oblique(X_WF: Pose, swap: bool) -> list[Array]:
    """Velocities of two balls after they met obliquely, in a frame F that stands at X_WF."""
    coming = Motion(X_WF @ Pose(np.eye(3), [0.21, 0.05, 0.0]), v_WL=tuple((X_WF.R @ [-V, 0.02, 0.03]).tolist()))
    pair = ("right", "left") if swap else ("left", "right")
    contact = Contact("touch", *pair, HuntCrossley(K, 2.0, 1.0), RegularisedFriction(0.3))
    parts = [FreeBall("left", motion=Motion(X_WF)), FreeBall("right", motion=coming), contact]
    result = Mission(parts, record_rate=10.0).run(0.4, strict=True)
    return [result[f"{name}.v_WB"][-1] for name in ("left", "right")]


def _probe_in_cone() -> Iterator[Comparison]:
    """A probe that comes 50 mm beside the axis of a cone, both free: four contacts."""
    robot = ProbeInCone(MASS, 20.0, K, math.radians(35.0), 0.01, -0.5, 0.5)
    opens = Pose.from_rpy((0.0, -0.5 * math.pi, 0.0), (robot.apex, 0.0, 0.0))
    walls = cone(robot.half_angle, 0.25, 0.005, X_LS=opens)
    start = Motion(Pose(np.eye(3), [-1.3, 0.05, 0.0]), v_WL=(0.05, 0.0, 0.0))
    parts = [
        FreeBody("cone", MASS, (20.0, 20.0, 20.0)),
        FreeBody("probe", MASS, (20.0, 20.0, 20.0), motion=start),
        Contact("tip", "cone", "probe", SpringDamper(K), surfaces=walls, balls=[Ball((robot.tip, 0.0, 0.0), 0.01)]),
    ]
    found = Mission(parts, integrator=RK4(1e-3)).run(12.0, strict=True).touches
    theirs = robot.contacts(np.array([0, 0, 0, -1.3, 0.05, 0, 0, 0, 0, 0.05, 0, 0], dtype=np.float64), 12.0)
    yield within(
        "contacts of a probe in a cone", "-", published=float(len(theirs)), ours=float(len(found)), tolerance=0
    )
    for n, (touch, (began, ended)) in enumerate(zip(found, theirs, strict=False), 1):
        for what, t, ours in (("first touch", began, touch.t), ("parting", ended, touch.t + touch.duration)):
            yield within(f"probe in cone, contact {n}, {what}", "s", published=t, ours=ours, tolerance=1e-7)


FEET = tuple(Ball((0.3 * math.cos(w), 0.3 * math.sin(w), -0.05), 0.02) for w in (0.0, 2.1, 4.2))


def _slope(tan: float, friction: Friction, duration: float) -> Result:
    """A tripod of 1 kg on the plane z = 0 with gravity turned by the slope's angle."""
    angle = math.atan(tan)
    tripod = RigidBody("tripod", 1.0, (0.1, 0.1, 0.1), motion=Motion(Pose(np.eye(3), [0.0, 0.0, 0.07])))
    feet = Contact("feet", "world", "tripod", SpringDamper(3e3, 50.0), friction, balls=FEET)
    rows = [uniform_gravity((G * math.sin(angle), 0.0, -G * math.cos(angle)))]
    return Mission([tripod, feet], rows=rows, integrator=RK4(5e-4), record_rate=100.0).run(duration, strict=True)


def _push(t, p, x, u, view, dx, tau, wrench, y, power):  # type: ignore[no-untyped-def]
    """(0.5 + 0.3 sin 10 t) N along x on a body."""
    for r in range(p.i.shape[0]):
        b = p.i[r, 0]
        c = view.xipos[b]
        force = 0.5 + 0.3 * math.sin(10.0 * t)
        add_pair(view, wrench, 0, b, c[0], c[1], c[2] - 0.07, force, 0.0, 0.0)
        power[0] += force * velocity_at(view, b, c[0], c[1], c[2] - 0.07)[0]


def _shaken() -> float:
    """How far a tripod of 1 kg creeps [m] under a push that swings below what friction holds, from 10 s to 100 s."""
    tripod = RigidBody("tripod", 1.0, (0.1, 0.1, 0.1), motion=Motion(Pose(np.eye(3), [0.0, 0.0, 0.07])))
    friction = StickingFriction(1.0 / G, 3e3, 30.0)
    feet = Contact("feet", "world", "tripod", SpringDamper(3e3, 50.0), friction, balls=FEET)
    push = Effect("push", _push, references={"body": Body})
    rows = [uniform_gravity((0.0, 0.0, -G)), push.row("push", body="tripod")]
    mission = Mission([tripod, feet], rows=rows, integrator=RK4(5e-4), record_rate=10.0 / (2.0 * math.pi))
    x = mission.run(100.0, strict=True)["tripod.p_WB"][:, 0]  # once a period of the push
    return float(abs(x[-2] - x[len(x) // 10]))


@case("contact-friction", source="Coulomb's law on a slope; a sliding ball that comes to roll, v = 5/7 v0")
def contact_friction() -> Iterator[Comparison]:
    """Sticking without creep, creeping at the predicted speed, sliding, and rolling."""
    held = _slope(0.3, StickingFriction(0.5, 3e3, 30.0), 100.0)["tripod.p_WB"][:, 0]
    yield at_most("creep in 95 s below the angle of friction", "m", ours=float(np.ptp(held[500:])), tolerance=1e-9)
    shaken = _shaken()
    yield at_most("creep in 90 s under (0.5 + 0.3 sin 10 t) N against 1 N", "m", ours=shaken, tolerance=1e-7)
    share = 0.3 / 0.5
    creep = float(_slope(0.3, RegularisedFriction(0.5, 0.05), 10.0)["tripod.v_WB"][-1, 0])
    wanted = 0.05 * share / math.sqrt(1.0 - share * share)
    yield within("creep of regularised friction, relative", "-", published=1.0, ours=creep / wanted, tolerance=1e-6)
    slides = _slope(0.8, StickingFriction(0.5, 3e3, 30.0), 2.0)
    v, t, angle = slides["tripod.v_WB"][:, 0], slides.time("tripod.v_WB"), math.atan(0.8)
    ours = float((v[-1] - v[100]) / (t[-1] - t[100])) / (G * (math.sin(angle) - 0.5 * math.cos(angle)))
    yield within("acceleration above that angle, relative", "-", published=1.0, ours=ours, tolerance=1e-6)
    start = Motion(Pose(np.eye(3), [0.0, 0.0, 0.1]), v_WL=(1.0, 0.0, 0.0))
    touch = Contact("touch", "world", "ball", SpringDamper(1e6, 600.0), StickingFriction(0.2, 1e5, 100.0))
    mission = Mission(
        [FreeBall("ball", 1.0, motion=start), touch], rows=[uniform_gravity((0.0, 0.0, -G))], integrator=RK4(1e-4)
    )
    rolling = float(mission.run(2.0, strict=True)["ball.v_WB"][-1, 0])
    yield within(
        "speed of a ball that rolls, of the one it slid with", "-", published=5.0 / 7.0, ours=rolling, tolerance=1e-4
    )
