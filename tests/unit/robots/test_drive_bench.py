"""The bench of one drive."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.drives import Brake, Gear, JointDrive
from freefloat.errors import InputError
from freefloat.robots.drive_bench import LOCKED, DriveBench


def test_an_imposed_course_is_followed_exactly_and_may_change() -> None:
    mission = ff.Mission([DriveBench("bench", JointDrive(), 10.0, course=50.0)], record_rate=1000.0)
    session = mission.session()
    session.step(0.2)
    assert session.read("bench.motor_q")[0] == pytest.approx(10.0, abs=1e-9)
    session.write("bench.course", [0.2, 10.0, 50.0, -25.0, 0.0, 0.0, 0.0])
    session.step(1.0)
    assert session.read("bench.motor_q")[0] == pytest.approx(35.0, abs=1e-9)
    assert session.read("bench.motor_qd")[0] == pytest.approx(0.0, abs=1e-9)
    assert mission.complete(session, 1.2).audit.passed


def test_motor_and_outside_torque_move_the_load_together() -> None:
    drive = replace(JointDrive().at("elastic"), motor=replace(JointDrive().at("elastic").motor, inertia=1e-8))
    mission = ff.Mission([DriveBench("bench", drive, 2.0, tau=3.0)], integrator=ff.RK4(1e-4))
    session = mission.session()
    session.write("bench.load", [1.0])
    result = mission.complete(session, 0.5)
    assert result["bench.qd"][-1, 0] == pytest.approx(4.0 / 2.0 * 0.5, rel=1e-3)


def test_a_locked_load_goes_on_as_it_started() -> None:
    bench = DriveBench("bench", JointDrive(), LOCKED, tau=20.0, load_speed=0.01)
    result = ff.Mission([bench]).run(0.2)
    assert result["bench.q"][-1, 0] == pytest.approx(2e-3, abs=1e-12)


def test_a_rotor_that_turns_is_stopped_by_its_brake() -> None:
    bench = DriveBench("bench", replace(JointDrive(), brake=Brake(0.5)), 10.0, start=10.0, load_speed=10.0 / 160.0)
    mission = ff.Mission([bench])
    session = mission.session()
    assert session.read("bench.motor_qd")[0] == pytest.approx(10.0)
    session.write("bench.brake", [1.0])
    session.step(0.5)
    assert np.abs(session.read("bench.motor_qd")[0]) < 1e-9


LOOSE = Gear(damping=0.0, stiffness=1e-3, hysteresis=0.0, kinematic_error=0.0, torque_loss=0.0)


@pytest.mark.parametrize("speed", [2.5, 12.3, -7.1])
def test_a_brake_that_stops_a_rotor_inside_a_step_never_drives_it(speed: float) -> None:
    drive = replace(JointDrive().at("elastic"), brake=Brake(0.5), gear=LOOSE, substeps=50)
    bench = DriveBench("bench", drive, LOCKED, start=speed)
    session = ff.Mission([bench], record_rate=1000.0).session()
    session.write("bench.brake", [1.0])
    session.step(0.02)
    session.finish()
    J, way = drive.motor.inertia, session.read("bench.motor_q")[0]
    assert way == pytest.approx(np.sign(speed) * 0.5 * J * speed**2 / 0.5, rel=2e-2)
    assert session.read("bench.friction_heat")[0] == pytest.approx(0.5 * J * speed**2, rel=1e-3)
    assert session.read("bench.motor_qd")[0] == 0.0


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"inertia": 0.0}, "inertia 0.0 kg m"),
        ({"course": float("nan")}, "course nan; allowed: any number in rad/s"),
        ({"course": 1.0, "start": 1.0}, "allowed: 0 where there is a course"),
    ],
)
def test_what_a_bench_cannot_be_is_refused(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        DriveBench("bench", JointDrive(), **fields)
