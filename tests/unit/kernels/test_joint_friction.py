"""LuGre friction of joints: Stribeck's curve, sticking without creep, stick-slip, energy, momentum, order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import freefloat as ff
from freefloat.drives import Friction
from freefloat.drives.rows import friction_row
from freefloat.effects import Column, Coordinate, Effect, Rate, places
from freefloat.engine.graph import Joint, Link
from freefloat.engine.rows import joint_torque
from freefloat.robots import asset, load_urdf

CANONICAL = Friction(1.0, 1.5, 0.001, 2.0, 0.4, 1e5, 1e5**0.5)  # Canudas de Wit and others 1995
SMOOTH = Friction(1.0, 1.4, 0.3, 2.0, 0.6, 200.0, 8.0)  # slow bristles: what is left is the order
PULLED = (Column("stiffness", "N/m"), Column("speed", "m/s"))
P = places(PULLED)


def pulled() -> Effect:
    """A spring between a slide and a point that moves evenly."""

    def stage(t, p, x, u, view, dx, tau, wrench, y, power):
        for r in range(p.i.shape[0]):
            dof = p.i[r, 1]
            force = p.f[r, P.stiffness] * (p.f[r, P.speed] * t - view.qpos[p.i[r, 0]])
            tau[dof] += force
            power[0] += force * view.qvel[dof]

    return Effect("pulled", stage, PULLED, references={"position": Coordinate, "rate": Rate})


@dataclass(frozen=True)
class Slide:
    """A mass on a slide that stands in the world; a command pushes it."""

    name: str = "slide"
    friction: Friction = CANONICAL
    mass: float = 1.0  # [kg]
    speed: float = 0.0  # [m/s] at the start
    spring: Effect | None = None  # pulled at 0.1 m/s

    def build(self, b: ff.Builder) -> None:
        b.body(Link("block", self.mass, np.zeros(3), np.diag([0.1, 0.1, 0.1])))
        edge = Joint("way", "prismatic", "world", "block", ff.Pose.identity(), np.array([1.0, 0.0, 0.0]))
        joint = b.joint(edge, 0.0, self.speed)
        b.joint_signals([joint], "m")
        b.add(joint_torque(joint, b.command("push", (1,), "N"), 0))
        row = b.add(friction_row(joint, self.friction))
        b.signal_of("friction", [row], "effort")
        b.signal_of("bristle", [row], "bristle")
        if self.spring is not None:
            b.add(self.spring.row(b.full("spring"), position=joint, rate=joint, stiffness=2.0, speed=0.1))


def pushed(slide: Slide, force: float, duration: float, step: float = 1e-3) -> ff.Session:
    session = ff.Mission([slide], integrator=ff.RK4(step)).session()
    session.write("slide.push", [force])
    session.step(duration)
    return session


def reference(f: Friction, force: float, duration: float) -> np.ndarray:
    """Way, speed and bristle of 1 kg that is pushed from rest, by a solver for stiff equations."""

    def rhs(t: float, x: np.ndarray) -> list[float]:
        _, v, z = x
        g = f.coulomb + (f.stiction - f.coulomb) * np.exp(-((v / f.stribeck) ** 2))
        zd = v - f.bristle_stiffness * abs(v) / g * z
        F = f.bristle_stiffness * z + f.bristle_damping * zd + f.viscous * v
        return [v, (force - F), zd]

    return solve_ivp(rhs, (0.0, duration), [0.0, 0.0, 0.0], "LSODA", rtol=1e-12, atol=1e-14).y[:, -1]


@pytest.mark.parametrize("speed", [-0.05, -0.0015, 0.0005, 0.001, 0.01])
def test_steady_sliding_follows_stribecks_curve(speed: float) -> None:
    """A mass so large that its speed stays: F = (Fc + (Fs - Fc) exp(-(v / vs)^2)) sgn v + s2 v."""
    session = pushed(Slide(mass=1e9, speed=speed), 0.0, 1.0)
    g = 1.0 + 0.5 * np.exp(-((speed / 0.001) ** 2))
    assert session.read("slide.friction")[0] == pytest.approx(-np.sign(speed) * g - 0.4 * speed, rel=1e-6)


@pytest.mark.parametrize("friction", [CANONICAL, Friction.dry(1.0)], ids=["canonical", "dry"])
def test_a_constant_load_below_stiction_does_not_creep(friction: Friction) -> None:
    session = pushed(Slide(friction=friction), 0.9, 6.0)
    settled = session.read("slide.q")[0]
    assert settled == pytest.approx(reference(friction, 0.9, 6.0)[0], abs=1e-8)
    session.step(10.0)
    assert abs(session.read("slide.q")[0] - settled) < 1e-9
    assert session.read("slide.friction")[0] == pytest.approx(-0.9, rel=1e-9)


def test_a_load_above_stiction_slides_with_what_is_left() -> None:
    dry = Friction.dry(2.0)
    session = pushed(Slide(friction=dry), 3.0, 1.0)
    assert session.read("slide.qd")[0] == pytest.approx(reference(dry, 3.0, 1.0)[1], abs=2e-6)
    assert session.read("slide.friction")[0] == pytest.approx(-2.0, rel=1e-9)


def test_a_mass_on_a_pulled_spring_sticks_and_slips_at_the_times_of_the_stiff_solvers() -> None:
    """Canudas de Wit's example; times at which v crosses 0.01 m/s upwards and downwards by Radau at 1e-10."""
    run = ff.Mission([Slide(spring=pulled())], integrator=ff.RK4(1e-3), record_rate=1000.0).run(17.0)
    t, v = run.time("slide.qd"), run["slide.qd"][:, 0]
    k = np.flatnonzero((v[:-1] - 0.01) * (v[1:] - 0.01) < 0.0)
    times = t[k] + (0.01 - v[k]) / (v[k + 1] - v[k]) * 1e-3
    np.testing.assert_allclose(times, [7.4581, 10.2236, 13.8208, 16.5863], atol=2e-3)
    assert v.max() == pytest.approx(0.36982, abs=1e-4)
    assert run.audit.drifts["energy_drift"] < 1e-6


def test_the_error_falls_with_the_square_of_the_step() -> None:
    truth = reference(SMOOTH, 2.0, 0.4)
    steps = (2e-3, 1e-3, 5e-4)
    errors = []
    for step in steps:
        session = pushed(Slide(friction=SMOOTH), 2.0, 0.4, step)
        found = [session.read(f"slide.{n}")[0] for n in ("q", "qd", "bristle")]
        errors.append(np.abs(np.array(found) - truth).max())
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] > 1.9
    assert errors[-1] < 1e-7


def test_energy_that_friction_takes_is_heat_or_in_the_bristles() -> None:
    mission = ff.Mission([Slide(friction=SMOOTH)])
    session = mission.session()
    for force in (2.0, 0.0, -3.0, 0.5):
        session.write("slide.push", [force])
        session.step(1.0)
    session.finish()
    audit = mission.result(session, 0.0).audit
    assert audit.drifts["energy_drift"] < 1e-8
    assert audit.amounts["heat_J"] > 1.0


class Steps:
    """Efforts that jump."""

    def update(self, t: float, meas: object) -> dict[str, np.ndarray]:
        return {"tau": np.sign(np.sin(2.0 * t + np.arange(7))) * np.array([3, 3, 3, 3, 0.15, 0.15, 0.03])}


def free_arm(coulomb: list[float], step: float) -> ff.Result:
    """An arm on a free body, from rest."""
    left, graph = iter(coulomb), load_urdf(asset("arm7"))
    joints = tuple(j if j.kind == "fixed" else replace(j, friction=next(left)) for j in graph.joints)
    bus = ff.RigidBody("bus", frames={"mount": ff.Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))})
    arm = ff.Arm("arm", replace(graph, joints=joints), on="bus.mount", q=[0.3, -0.5, 0.2, 1.0, 0.1, 0.4, 0.0])
    task = ff.Task(Steps(), 0.02, writes={"tau": "arm.tau"})
    return ff.Mission([bus, arm], [task], integrator=ff.RK4(step)).run(2.0)


def test_friction_in_an_arm_on_a_free_base_keeps_momentum_and_balances_energy() -> None:
    run = free_arm([1.0, 1.0, 1.0, 1.0, 0.02, 0.02, 0.004], 1e-3)
    assert run.audit.drifts["linear_momentum_drift"] < 1e-10
    assert run.audit.drifts["angular_momentum_drift"] < 1e-10
    assert run.audit.drifts["energy_drift"] < 1e-6
    assert run.audit.amounts["heat_J"] > 1.0
    assert run["arm.friction"].shape[1] == 7


@pytest.mark.filterwarnings("ignore:the audit failed")
def test_bristles_far_stiffer_than_light_links_hold_them_at_a_long_step() -> None:
    """1 kN m on the wrist of an arm, whose bristles swing a hundred times within a step."""
    run = free_arm([1e3] * 7, 1e-2)
    assert np.abs(run["arm.q"] - run["arm.q"][0]).max() < 1e-6
    assert np.abs(run["arm.qd"]).max() < 1e-3
