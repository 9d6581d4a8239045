"""SPIDER in contact: force on a rigid, elastic and sprung plate; elastic tends to rigid; a latch keeps momentum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import freefloat as ff
from freefloat.api import run
from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.graph import Joint, Link
from freefloat.engine.rows import body_wrench, joint_spring
from freefloat.frames import Array, Pose
from freefloat.missions.spider.surface import Surface, elastic, rigid
from freefloat.verify.case import Comparison, at_most, case, within
from freefloat.verify.parts import Base

FORCE, SPRING = 20.0, 1000.0  # [N] on the upper mass, [N/m] between both
LOWER, UPPER = 5.0, 20.0  # [kg]
STIFFNESSES = (1e5, 1e6, 1e7)  # [N/m]
DAMPED = 0.5  # [-] damping ratio of the lower mass on the plate
SPAN = 0.6  # [s] most of a period, 2 pi sqrt(20 / 1000) = 0.89 s


@case(
    "spider-contact",
    source="requirements on SPIDER; force control: Ferretti and others 2004, sec. V-C; limit of a stiff spring; "
    "conservation of momentum",
)
def spider_contact() -> Iterator[Comparison]:
    """Force while sliding, the constraint, the limit of stiffness, and the latch."""
    yield from _sliding()
    yield from _stiffer()
    yield from _latching()


def _sliding() -> Iterator[Comparison]:
    for kind in ("rigid", "elastic", "sprung"):
        m = run("spider-force-control", overrides={"surface.kind": kind}).metrics
        what = f"sliding, {kind} plate: RMS error of the force"
        yield at_most(what, "N", ours=m["force_rms_error_n"], tolerance=0.5)
        if kind != "elastic":
            violation = m["constraint_violation_m"]
            yield at_most(f"the {kind} plate: violation of the constraint", "m", ours=violation, tolerance=1e-8)
        yield within(f"the {kind} plate: audit passed", "-", published=1.0, ours=m["audit.passed"], tolerance=0.0)


@dataclass(frozen=True)
class Pressed:
    """Part: a mass on the plate, and one above it on a spring that a constant force presses down."""

    name: str = "stylus"

    def build(self, b: Builder) -> None:
        """Two links that slide along z of the plate."""
        b.body(Link("", LOWER, np.zeros(3), np.eye(3)), Motion())
        b.body(Link("upper", UPPER, np.zeros(3), np.eye(3)))
        joint = b.joint(Joint("spring", "prismatic", "", "upper", Pose(np.eye(3), (0.0, 0.0, 0.2))))
        b.add(joint_spring(joint, SPRING))
        push = b.command("push", (6,), "N m, N", "on the upper mass", start=(0.0, 0.0, 0.0, 0.0, 0.0, -FORCE))
        b.add(body_wrench(b.full("upper"), push, Pose.identity(), "world"))


def pressed(stiffness: float | None) -> tuple[Array, Array]:
    """Times and force of the plate on the mass; None: rigid."""
    plate = Surface("rigid", "ground", Pose.identity(), (1.0, 1.0), 1.0, 1.0, 0.0)
    parts = [Base("ground"), Pressed(), plate]
    integrator = ff.RK4("auto")
    if stiffness is None:
        held = replace(rigid(0.0), closed=True)
        result = ff.Mission(parts, connections=[held], integrator=integrator).run(SPAN, strict=True)
        return result.time("touch.push"), result["touch.push"].ravel()
    damping = 2.0 * DAMPED * float(np.sqrt(stiffness * LOWER))
    result = ff.Mission([*parts, elastic(stiffness, damping, 0.0)], integrator=integrator).run(SPAN, strict=True)
    return result.time("touch.force"), result["touch.force"].ravel()


def _stiffer() -> Iterator[Comparison]:
    """F (1 - cos w t) on a rigid plate; what an elastic one gives differs from it in proportion to 1 / K."""
    t, hard = pressed(None)
    exact = FORCE * (1.0 - np.cos(np.sqrt(SPRING / UPPER) * t))
    off = float(np.abs(hard - exact).max())
    yield at_most("a mass pressed on a rigid plate: force against the closed form", "N", ours=off, tolerance=1e-8)
    apart = [float(np.abs(pressed(k)[1] - hard).max()) for k in STIFFNESSES]
    for k, error in zip(STIFFNESSES, apart, strict=True):
        most = 3.0 * FORCE * SPRING / k
        yield at_most(f"elastic plate of {k:g} N/m: force against rigid", "N", ours=error, tolerance=most)
    slope = float(np.polyfit(np.log(STIFFNESSES), np.log(apart), 1)[0])
    yield within(
        "elastic tends to rigid: slope of the difference over K", "-", published=-1.0, ours=slope, tolerance=0.02
    )


def _latching() -> Iterator[Comparison]:
    m = run("spider-payload").metrics
    error = m["latch_momentum_error"]
    yield at_most("250 kg latched: momentum after less before, relative", "-", ours=error, tolerance=1e-12)
    yield within("250 kg: plan completed", "-", published=1.0, ours=m["plan_completed"], tolerance=0.0)
    yield within("250 kg: audit passed", "-", published=1.0, ours=m["audit.passed"], tolerance=0.0)
