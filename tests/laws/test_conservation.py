"""Momentum and energy of random trees: kept, or exchanged exactly as the forces say.

RK4 keeps momentum only to its order, because momentum is not linear in (q, v): with joint rates of order one the
error of a 1 ms step is about (rate h)^5 / 120 per step, some 1e-12 of the momentum over a second. 0.1 ms steps bring
it to rounding, where 1e-13 per thousand steps is left.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff

SEEDS = range(5)


@pytest.mark.parametrize("seed", SEEDS)
def test_joint_torques_change_neither_momentum(seed: int, random_robot: Any, torques: Any, momenta: Any) -> None:
    mission = ff.Mission([random_robot(seed)], [torques(seed, 5)], integrator=ff.RK4(2e-4))
    session = mission.session()
    P0, L0, _ = momenta(session)
    session.step(1.0)
    P1, L1, _ = momenta(session)
    held = session.world.audit()
    assert np.linalg.norm(P1 - P0) <= 1e-12 * held["momentum_held"][0]
    assert np.linalg.norm(L1 - L0) <= 1e-12 * max(held["angular_momentum_held"][0], np.linalg.norm(L0))


@pytest.mark.parametrize("seed", SEEDS)
def test_kinetic_energy_changes_by_the_work_of_the_joints(
    seed: int, random_robot: Any, torques: Any, momenta: Any
) -> None:
    mission = ff.Mission([random_robot(seed)], [torques(seed, 5)], integrator=ff.RK4(2e-4))
    session = mission.session()
    T0 = momenta(session)[2]
    session.step(1.0)
    work = session.world.audit()["work_supplied"][0]
    assert abs(work) > 0.1
    assert momenta(session)[2] - T0 == pytest.approx(work, rel=0.0, abs=1e-11 * T0)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_audit_agrees_with_momenta_from_the_links_motions(seed: int, random_robot: Any, momenta: Any) -> None:
    session = ff.Mission([random_robot(seed)]).session()
    session.step(0.1)
    P, L, T = momenta(session)
    now = session.world.audit()
    about_centre = L - np.cross(now["p_WCcm"], P)
    assert np.allclose(now["momentum"], P, rtol=0.0, atol=1e-12 * np.linalg.norm(P))
    assert np.allclose(now["angular_momentum"], about_centre, rtol=0.0, atol=1e-12 * np.linalg.norm(L))
    assert now["kinetic_energy"][0] == pytest.approx(T, rel=1e-13)
    assert now["mass"][0] == sum(link.mass for link in session.world.links.values())


@pytest.mark.parametrize(
    "integrator", [ff.RK4(), ff.Dopri5(), ff.Dopri54(rtol=1e-11)], ids=["rk4", "dopri5", "dopri54"]
)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_integrator_passes_the_audit_far_below_its_limits(
    seed: int, integrator: Any, random_robot: Any, torques: Any
) -> None:
    result = ff.Mission([random_robot(seed)], [torques(seed, 5)], integrator=integrator).run(1.0)
    for name in ("linear_momentum_drift", "angular_momentum_drift", "energy_drift"):
        assert result.audit.drifts[name] < 1e-9, name


def test_an_outside_wrench_changes_the_momenta_by_its_impulse(law: Any, momenta: Any) -> None:
    wrench = np.array([0.3, -0.2, 0.5, 4.0, -3.0, 2.0])
    task = ff.Task(law(lambda t, m: {"w": wrench * np.cos(3.0 * t)}), 0.01, writes={"w": "bus.wrench"})
    body = ff.RigidBody(
        "bus", 80.0, (30.0, 20.0, 15.0), p_BBcm=(0.2, -0.1, 0.3), motion=ff.Motion(w_WL_L=(0.2, 0.4, -0.3))
    )
    session = ff.Mission([body], [task], record_rate=1000.0, integrator=ff.RK4(5e-4)).session()
    P0, L0, T0 = momenta(session)
    session.step(1.0)
    now = session.world.audit()
    impulse, twist, work = now["impulse"], now["angular_impulse"], now["work_supplied"][0]
    P1, L1, T1 = momenta(session)
    assert np.linalg.norm(impulse) > 0.5
    assert np.allclose(P1 - P0, impulse, rtol=0.0, atol=1e-12)
    change = (L1 - np.cross(now["p_WCcm"], P1)) - (L0 - np.cross(body.p_BBcm, P0))
    assert np.allclose(change, twist, rtol=0.0, atol=1e-11)
    assert pytest.approx(work, abs=1e-11) == T1 - T0


def test_a_constant_wrench_in_the_world_gives_force_times_time_and_torque_times_time(momenta: Any) -> None:
    class Tug:
        name = "tug"

        def build(self, b: Any) -> None:
            from freefloat.engine.rows import body_wrench

            command = b.command("wrench", (6,), "N m, N")
            b.add(body_wrench("bus", command, ff.Pose(np.eye(3), [0.5, 0.2, -0.1]), "world"))

    body = ff.RigidBody("bus", 80.0, (30.0, 20.0, 15.0), motion=ff.Motion(w_WL_L=(0.2, 0.4, -0.3)))
    session = ff.Mission([body, Tug()]).session()
    session.write("tug.wrench", [0.1, -0.4, 0.2, 5.0, -2.0, 1.0])
    P0 = momenta(session)[0]
    session.step(2.0)
    assert np.allclose(momenta(session)[0] - P0, [10.0, -4.0, 2.0], rtol=0.0, atol=1e-11)
    assert np.allclose(session.world.audit()["impulse"], [10.0, -4.0, 2.0], rtol=0.0, atol=1e-12)


def test_in_uniform_gravity_the_sum_of_kinetic_and_potential_energy_is_kept(random_robot: Any, momenta: Any) -> None:
    g = np.array([1.0, -2.0, -9.0])
    session = ff.Mission([random_robot(3)], rows=[ff.uniform_gravity(tuple(g))], integrator=ff.RK4(2e-4)).session()

    def total() -> float:
        now = session.world.audit()
        return momenta(session)[2] - now["mass"][0] * g @ now["p_WCcm"]

    before = total()
    session.step(1.0)
    assert total() == pytest.approx(before, rel=1e-11)
    now = session.world.audit()
    assert np.allclose(now["impulse"], now["mass"] * g * 1.0, rtol=1e-12)
    small = 1e-9 * now["angular_momentum_held"][0]
    assert np.allclose(now["angular_impulse"], 0.0, atol=small), "gravity exerts no torque about the centre of mass"


def test_around_a_point_mass_energy_and_angular_momentum_are_kept(momenta: Any) -> None:
    mu = 4.0
    motion = ff.Motion(ff.Pose(np.eye(3), [2.0, 0.0, 0.0]), v_WL=(0.0, 1.2, 0.3))
    session = ff.Mission([ff.RigidBody("bus", 10.0, motion=motion)], rows=[ff.point_mass_gravity(mu)]).session()

    def total() -> tuple[float, np.ndarray]:
        _, L, T = momenta(session)
        return T - mu * 10.0 / np.linalg.norm(session.read("bus.p_WB")), L

    E0, L0 = total()
    session.step(10.0)
    E1, L1 = total()
    assert pytest.approx(E0, rel=1e-11) == E1
    assert np.allclose(L1, L0, rtol=0.0, atol=1e-11 * np.linalg.norm(L0))
