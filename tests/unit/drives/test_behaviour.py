"""What follows from a drive, against numbers computed another way."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from freefloat.drives import Brake, Driver, Friction, Gear, JointDrive, Motor, behaviour_of, drive_names, load_drive
from freefloat.drives.behaviour import current_bandwidth, position_gain_limit
from freefloat.errors import InputError

SHOULDER = JointDrive()


def test_the_shoulder_has_the_speeds_torques_and_times_of_its_data_sheet() -> None:
    found = behaviour_of(SHOULDER, 70.0)
    assert (found.motor_speed, found.joint_speed) == pytest.approx((480.0, 3.0), rel=1e-12)
    assert (found.torque_by_current, found.torque_by_supply) == pytest.approx((160.0, 768.0), rel=1e-12)
    assert found.stall_torque == pytest.approx(160.0, rel=1e-12)
    assert (found.electrical_time, found.mechanical_time) == pytest.approx((1e-3, 1e-2), rel=1e-12)
    assert (found.advised_step, found.advised_substeps, found.remarks) == (1e-3, 6, ())


def test_resonances_are_those_of_two_inertias_and_a_spring() -> None:
    found = behaviour_of(SHOULDER, 70.0)
    stiffness = 1e4 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    squares = np.linalg.eigvals(np.diag([1 / 70.0, 1 / found.rotor_inertia]) @ stiffness)
    assert found.free_resonance == pytest.approx(math.sqrt(max(squares)) / (2 * math.pi), rel=1e-12)
    roots = np.roots([70.0, 10.0, 1e4])
    assert found.locked_resonance == pytest.approx(abs(roots[0]) / (2 * math.pi), rel=1e-12)
    assert found.damping_ratio == pytest.approx(-roots[0].real / abs(roots[0]), rel=1e-9)


@pytest.mark.parametrize(
    "drive",
    [
        SHOULDER,
        load_drive("industrial-axis"),
        JointDrive(driver=Driver(kp=0.5, ki=2e4)),
        JointDrive(driver=Driver(kp=50.0, ki=10.0)),
    ],
)
def test_at_its_bandwidth_the_current_loop_passes_half_the_power(drive: JointDrive) -> None:
    motor, driver = drive.motor, drive.driver
    s = 2j * math.pi * current_bandwidth(drive)
    denominator = motor.inductance * s**2 + (motor.resistance + driver.kp) * s + driver.ki
    assert abs((driver.kp * s + driver.ki) / denominator) ** 2 == pytest.approx(0.5, rel=1e-9)


def test_without_a_loop_or_an_integral_the_bandwidth_is_that_of_one_pole() -> None:
    assert current_bandwidth(JointDrive(driver=Driver(kind="voltage"))) == pytest.approx(1000.0 / (2 * math.pi))
    assert current_bandwidth(JointDrive(driver=Driver(ki=0.0))) == pytest.approx(7280.0 / (2 * math.pi))
    assert current_bandwidth(JointDrive(Motor(kind="ideal"))) == math.inf


def test_the_gain_limit_of_the_position_loop_is_where_its_poles_cross() -> None:
    gear, inertia = Gear(), 70.0
    limit = position_gain_limit(gear, inertia)
    w2 = gear.stiffness / inertia
    for share, stable in ((0.999, True), (1.001, False)):
        roots = np.roots([1.0, gear.damping / inertia, w2, share * limit * w2])
        assert (max(r.real for r in roots) < 0.0) == stable
    # the damper between rotor and load: stable up to a little more
    exact = limit / (1.0 - gear.damping**2 / (gear.stiffness * inertia))
    for kp, stable in ((limit, True), (0.999 * exact, True), (1.001 * exact, False)):
        roots = np.roots([1.0, gear.damping / inertia, w2 + gear.damping * kp / inertia, kp * w2])
        assert (max(r.real for r in roots) < 0.0) == stable


def test_friction_outside_the_passive_set_is_named_with_what_would_do() -> None:
    assert behaviour_of(SHOULDER).passivity_margin == 0.0
    found = behaviour_of(JointDrive(friction=Friction(bristle_damping=100.0), name="stiff"))
    assert found.passivity_margin == pytest.approx(-40.0, rel=1e-12)
    assert "drive 'stiff': the friction may give energy" in found.remarks[0]
    assert "viscous 10 N m s/rad raised to 50" in found.remarks[0]


@pytest.mark.parametrize("name", drive_names())
def test_a_shipped_drive_is_passive_and_has_the_substeps_that_it_needs(name: str) -> None:
    found = behaviour_of(load_drive(name))
    assert found.remarks == ()
    assert found.passivity_margin >= 0.0
    assert load_drive(name).substeps == 0  # as many as needed


def test_torques_through_the_gear_balance_motor_friction_cogging_and_loss() -> None:
    found = behaviour_of(SHOULDER)
    lost = 6.0 + 160.0 * 5e-3
    assert found.breakaway_torque + 0.1 * found.breakaway_torque + lost == pytest.approx(160.0, rel=1e-12)
    assert found.backdriving_torque == pytest.approx(lost + 0.1 * found.backdriving_torque, rel=1e-12)
    assert found.holding_torque == pytest.approx(lost + 0.1 * found.holding_torque + 80.0, rel=1e-12)
    assert found.driving_efficiency == pytest.approx(1.0 / 1.1, rel=1e-12)
    assert found.backdriving_efficiency == pytest.approx(0.9, rel=1e-12)


def test_a_gear_that_loses_all_cannot_be_driven_back() -> None:
    found = behaviour_of(JointDrive(gear=Gear(torque_loss=1.2)))
    assert (found.backdriving_efficiency, found.backdriving_torque) == (0.0, math.inf)
    assert any("no torque at the load turns the rotor" in remark for remark in found.remarks)


def test_without_coulomb_friction_there_is_no_loss() -> None:
    found = behaviour_of(JointDrive(friction=Friction(coulomb=0.0), brake=Brake(0.0)))
    assert (found.driving_efficiency, found.backdriving_efficiency) == (1.0, 1.0)
    assert found.backdriving_torque == pytest.approx(0.8, rel=1e-12)


def test_the_winding_is_as_hot_as_its_own_heat_makes_it() -> None:
    motor = SHOULDER.motor
    rise = behaviour_of(SHOULDER).thermal_rise
    assert rise == pytest.approx(
        motor.thermal_resistance * motor.resistance_at(motor.ambient + rise) * 100.0, rel=1e-12
    )
    found = behaviour_of(JointDrive(Motor(thermal_resistance=3.0)))
    assert found.thermal_rise == math.inf
    assert any("heats without end" in remark for remark in found.remarks)


def test_a_low_voltage_limits_the_torque_and_is_named() -> None:
    found = behaviour_of(JointDrive(driver=Driver(supply=5.0)))
    assert found.stall_torque == pytest.approx(80.0, rel=1e-12)
    assert any("the voltage limits the torque" in remark for remark in found.remarks)
    found = behaviour_of(JointDrive(driver=Driver(kind="voltage")))
    assert found.motor_speed == pytest.approx(100.0, rel=1e-12)  # at most R0 I_max = 10 V
    assert found.stall_torque == pytest.approx(160.0, rel=1e-12)


def test_a_fast_winding_gets_more_substeps_or_a_shorter_step() -> None:
    fast = JointDrive(Motor(inductance=5e-4))
    found = behaviour_of(fast)
    assert (found.advised_step, found.advised_substeps) == (1e-3, 12)
    assert found.remarks == ()
    told = behaviour_of(replace(fast, substeps=10)).remarks
    assert any("10 substeps; a step of 1 ms needs 12" in remark for remark in told)
    found = behaviour_of(replace(fast, motor=Motor(inductance=1e-5)))
    assert found.advised_substeps == 40
    assert found.advised_step == pytest.approx(40 * 1.25 * 1e-5 / 7.28, rel=1e-12)
    assert any("needs 583 substeps; 40 do at 6.87e-05 s" in remark for remark in found.remarks)


def test_an_elastic_drive_has_no_limit_of_speed_and_no_friction() -> None:
    found = behaviour_of(SHOULDER.at("elastic"), 70.0)
    assert (found.joint_speed, found.current_bandwidth, found.backdriving_torque) == (math.inf, math.inf, 0.0)
    assert found.breakaway_torque == found.stall_torque == pytest.approx(160.0, rel=1e-12)
    assert found.advised_substeps == 1


def test_the_load_is_the_rotors_inertia_unless_given() -> None:
    assert behaviour_of(SHOULDER).load_inertia == behaviour_of(SHOULDER).rotor_inertia == pytest.approx(2.56)
    with pytest.raises(InputError, match=r"drive: inertia -1\.0 kg m\^2; allowed: > 0 kg m\^2"):
        behaviour_of(SHOULDER, -1.0)


def test_every_finding_has_a_unit_and_a_meaning() -> None:
    rows = behaviour_of(SHOULDER).findings()
    assert len(rows) == 26
    assert all(row.unit and row.meaning for row in rows)
