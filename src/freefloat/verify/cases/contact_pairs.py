"""Contact pairs: forces against differences of the gap, and bounces that keep their energy, kind by kind."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.contact import Ball, Contact, Ground, Plane, SpringDamper, Wall, cone, corners
from freefloat.contact.pairs import pairs_of
from freefloat.contact.surfaces import Surface
from freefloat.engine.blueprint import Motion
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.kernels.contact_row import CONVEX
from freefloat.platforms.height_map import HeightMap
from freefloat.verify.case import Comparison, at_most, case
from freefloat.verify.parts import FreeBody

K = 2e4  # [N/m]
SPEED = 0.2  # [m/s]
STEP, CONVEX_STEP = 2.5e-4, 6.25e-5  # [s] sqrt(k / m) h = 0.035 and, of pairs that are searched, a quarter of that


@dataclass(frozen=True)
class Bounce:
    """A body that comes along -z, turned and off centre, to what stands at the origin."""

    name: str
    shapes: Sequence[Shape]  # of what comes
    on: Sequence[Shape] = ()
    surfaces: Sequence[Surface] = ()
    balls: Sequence[Ball] = ()
    height: float = 0.3  # [m] from which it comes
    aside: float = 0.03  # [m]
    turn: tuple[float, float, float] = (0.4, 0.3, 0.2)  # [rad] roll, pitch, yaw

    def mission(self) -> Mission:
        """Both bodies are free, 1 kg and 3 kg."""
        motion = Motion(Pose.from_rpy(self.turn, (self.aside, 0.01, self.height)), v_WL=(0.05, 0.0, -SPEED))
        stands = FreeBody("stands", 3.0, (0.03, 0.04, 0.05), tuple(self.on))
        comes = FreeBody("comes", 1.0, (0.003, 0.004, 0.005), tuple(self.shapes), motion)
        contact = Contact("touch", "stands", "comes", SpringDamper(K), surfaces=self.surfaces, balls=self.balls)
        return Mission([stands, comes, contact], integrator=RK4(self.step), record_rate=100.0)

    @property
    def convex(self) -> bool:
        """Whether MuJoCo's search finds its points."""
        if self.surfaces or self.balls:
            return False
        return any(p.columns["pair"] == CONVEX for a in self.on for b in self.shapes for p in pairs_of(a, b))

    @property
    def step(self) -> float:
        """[s]"""
        return CONVEX_STEP if self.convex else STEP


def bounces() -> Iterator[Bounce]:
    """Every kind of pair."""
    ball, rod = Shape("sphere", (0.05,)), Shape("capsule", (0.03, 0.1))
    box, can = Shape("box", (0.06, 0.05, 0.04)), Shape("cylinder", (0.05, 0.06))
    hills = HeightMap(0.01 * np.sin(np.arange(12.0))[:, None] * np.cos(np.arange(12.0)), 0.1)
    yield Bounce("sphere on plane", [ball], surfaces=[Plane()], height=0.1)
    yield Bounce("sphere on sphere", [ball], [ball], height=0.15)
    yield Bounce("sphere on capsule", [ball], [rod], height=0.2)
    yield Bounce("sphere on box, its edge", [ball], [box], height=0.15, aside=0.08)
    yield Bounce("sphere on cylinder, its rim", [ball], [can], height=0.17, aside=0.07)
    yield Bounce("sphere on height field", [ball], surfaces=[Ground(hills)], height=0.12)
    yield Bounce("sphere in cone", [ball], surfaces=cone(0.7, 0.4, 0.01, (0.06, 0.05)), height=0.3, aside=0.08)
    yield Bounce("sphere on the rim of a cone", [ball], surfaces=[Wall([(0.2, 0.0), (0.1, -0.1)], 0.02)], aside=0.16)
    yield Bounce("capsule on capsule", [rod], [Shape("capsule", (0.03, 0.1), Pose.from_rpy((1.2, 0.0, 0.0)))])
    yield Bounce("box on plane, by its corners", [box], surfaces=[Plane()], height=0.15)
    yield Bounce("corner set on sphere", [box], [Shape("sphere", (0.2,))], balls=corners(box.size, 0.01), height=0.35)
    yield Bounce("capsule on box", [rod], [box])
    yield Bounce("box on box", [box], [box])
    yield Bounce("box on cylinder", [box], [can])
    yield Bounce("cylinder on cylinder", [can], [can])


@case("contact-pairs", source="force = -dV/dx; conservation of energy without friction and damping")
def contact_pairs() -> Iterator[Comparison]:
    """Every kind of pair: its force against differences of its potential, and an oblique bounce of two free bodies."""
    for bounce in bounces():
        result = bounce.mission().run(2.0)
        lost = result.audit.drifts["energy_drift"] if result.touches else math.nan
        limit = 1e-4 if bounce.convex else 1e-6
        yield at_most(f"{bounce.name}: energy of a bounce, relative", "-", ours=lost, tolerance=limit)
        off = _force_off(bounce)
        yield at_most(f"{bounce.name}: force against -dV/dx, relative", "-", ours=off, tolerance=1e-6)


def _force_off(bounce: Bounce) -> float:
    """Largest difference between the force and the gradient of k d^2 / 2 in a contact, of the largest force."""
    session = bounce.mission().session()
    while not session.touches():
        session.step(5e-3)
        if session.time > 2.0:
            return math.nan
    session.step(2e-3)
    X, w, v = session.motion("comes")
    force = session.read("touch.f_W").sum(axis=0)
    gradient = np.zeros(3)
    for axis in range(3):
        ends: list[float] = []
        for side in (1.0, -1.0):
            p: Array = X.p.copy()
            p[axis] += side * 1e-6
            session.set_motion("comes", Pose(X.R, p), w, v)
            gaps, modes = session.read("touch.gap"), session.read("touch.mode")
            ends.append(0.5 * K * float(np.sum(gaps[modes == 1.0] ** 2)))
        gradient[axis] = (ends[0] - ends[1]) / 2e-6
    return float(np.linalg.norm(force + gradient) / np.linalg.norm(force))
