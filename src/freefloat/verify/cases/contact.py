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
)
from freefloat.contact.laws import Friction, Law
from freefloat.engine.blueprint import Motion
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.rows import uniform_gravity
from freefloat.frames import Pose
from freefloat.structure import RigidBody
from freefloat.verify.case import Comparison, at_least, at_most, case, within
from freefloat.verify.parts import FreeBall

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
    peak, t = elastic["touch.force"][:, 0], elastic.time("touch.force")
    top = int(peak.argmax())
    a, b, _ = np.polyfit(t[top - 1 : top + 2] - t[top], peak[top - 1 : top + 2], 2)
    largest = float(peak[top] - b * b / (4.0 * a))
    yield within(
        "largest force, relative", "-", published=1.0, ours=largest / (V * math.sqrt(K * REDUCED)), tolerance=1e-6
    )
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
    ends = [_restitution(_meeting(HuntCrossley(K, 2.0, 1.0), h, 10.0)) for h in (4e-3, 2e-3, 1e-4)]
    off = [abs(end - ends[2]) for end in ends]
    yield at_least("order through a contact", "-", published=4.0, ours=math.log2(off[0] / off[1]), tolerance=0.5)


FEET = tuple(Ball((0.3 * math.cos(w), 0.3 * math.sin(w), -0.05), 0.02) for w in (0.0, 2.1, 4.2))


def _slope(tan: float, friction: Friction, duration: float) -> Result:
    """A tripod of 1 kg on the plane z = 0 with gravity turned by the slope's angle."""
    angle = math.atan(tan)
    tripod = RigidBody("tripod", 1.0, (0.1, 0.1, 0.1), motion=Motion(Pose(np.eye(3), [0.0, 0.0, 0.07])))
    feet = Contact("feet", "world", "tripod", SpringDamper(3e3, 50.0), friction, balls=FEET)
    rows = [uniform_gravity((G * math.sin(angle), 0.0, -G * math.cos(angle)))]
    return Mission([tripod, feet], rows=rows, integrator=RK4(5e-4), record_rate=100.0).run(duration, strict=True)


@case("contact-friction", source="Coulomb's law on a slope; a sliding ball that comes to roll, v = 5/7 v0")
def contact_friction() -> Iterator[Comparison]:
    """Sticking without creep, creeping at the predicted speed, sliding, and rolling."""
    held = _slope(0.3, StickingFriction(0.5, 3e3, 30.0), 100.0)["tripod.p_WB"][:, 0]
    yield at_most("creep in 95 s below the angle of friction", "m", ours=float(np.ptp(held[500:])), tolerance=1e-9)
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
