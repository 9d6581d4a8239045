"""Drives: their parts, their levels of detail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from freefloat.drives import LEVELS, Driver, Friction, Gear, JointDrive, Motor, Resolver, load_drive
from freefloat.errors import InputError


def test_a_bad_drive_is_refused_by_its_name() -> None:
    with pytest.raises(InputError, match="drive 'elbow': substeps -1; allowed: a whole number >= 0"):
        JointDrive(name="elbow", substeps=-1)
    with pytest.raises(InputError, match=r"drive: torque_quantum -1\.0.*; allowed: >= 0"):
        JointDrive(torque_quantum=-1.0)
    gear: Any = Motor()
    with pytest.raises(InputError, match=r"drive: gear Motor\(.*; allowed: a Gear"):
        JointDrive(gear=gear)


def test_a_drive_at_full_level_is_itself_and_ideal_is_none() -> None:
    drive = JointDrive()
    assert drive.at("full") is drive
    assert drive.at("ideal") is None


def test_an_elastic_drive_keeps_what_stores_energy_and_loses_every_imperfection() -> None:
    motor = Motor(torque_constant=0.2, inertia=3e-4, viscous=1e-4, unbalance=0.02, third_harmonic=0.01)
    gear = Gear(120.0, 2e4, 1e8, 30.0, backlash=1e-3, kinematic_phase=0.3)
    full = JointDrive(
        motor, Driver(max_current=5.0), gear, motor_resolver=Resolver(1e-4), name="elbow", torque_quantum=0.1
    )
    drive = full.at("elastic")
    assert (drive.motor.kind, drive.motor.torque_constant, drive.motor.inertia) == ("ideal", 0.2, 3e-4)
    assert (drive.motor.cogging, drive.motor.viscous, drive.motor.unbalance, drive.motor.third_harmonic) == (0,) * 4
    g = drive.gear
    assert (g.ratio, g.stiffness, g.cubic, g.damping) == (120.0, 2e4, 1e8, 30.0)
    assert (g.backlash, g.hysteresis, g.kinematic_error, g.kinematic_phase, g.torque_loss) == (0.0,) * 5
    f = drive.friction
    assert (f.coulomb, f.stiction, f.viscous, f.bristle_stiffness, f.bristle_damping) == (0.0,) * 5
    assert drive.brake.torque == 0.0
    assert drive.motor_resolver == drive.load_resolver == Resolver(0.0, 0)
    assert (drive.driver, drive.substeps, drive.name, drive.torque_quantum) == (full.driver, 0, "elbow", 0.0)
    assert drive.at("elastic") == drive


@pytest.mark.parametrize("level", LEVELS)
def test_every_shipped_kind_of_motor_has_every_level(level: str) -> None:
    for kind in ("brushless", "dc", "ideal"):
        drive = replace(load_drive("walker"), motor=Motor(kind=kind))
        assert (drive.at(level) is None) == (level == "ideal")


def test_an_unknown_level_names_the_nearest_and_the_drive() -> None:
    with pytest.raises(InputError, match=r"unknown level of drive 'elbow' 'elastik'\. Did you mean 'elastic'"):
        JointDrive(name="elbow").at("elastik")


def test_drives_are_values() -> None:
    assert JointDrive() == JointDrive()
    assert hash(JointDrive()) == hash(JointDrive())
    assert JointDrive(friction=Friction(coulomb=0.0)) != JointDrive()
