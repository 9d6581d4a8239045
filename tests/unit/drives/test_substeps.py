"""Substeps follow the fastest oscillation and the winding."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from freefloat.drives import Driver, Gear, JointDrive, Motor, needed_substeps
from freefloat.drives.substeps import longest_substep
from freefloat.errors import InputError


def test_the_shoulder_needs_six_substeps_of_a_millisecond_for_its_winding() -> None:
    drive = JointDrive()
    assert longest_substep(drive, 70.0) == pytest.approx(1.25 * 1e-3 / 7.28, rel=1e-12)
    assert needed_substeps(drive, 70.0, 1e-3) == 6
    assert needed_substeps(drive, 70.0, 2e-3) == 12
    assert needed_substeps(drive, 70.0, 1e-4) == 4


def test_without_a_winding_the_spring_decides() -> None:
    drive = JointDrive(gear=Gear(stiffness=1e8)).at("elastic")
    fastest = math.sqrt(1e8 * (1.0 / 5.0 + 1.0 / 2.56))
    assert longest_substep(drive, 5.0) == pytest.approx(0.4 / fastest, rel=1e-12)
    assert needed_substeps(drive, 5.0, 1e-3) == math.ceil(1e-3 * fastest / 0.4) == 20
    assert needed_substeps(JointDrive().at("elastic"), 5.0, 1e-3) == 1


def test_a_voltage_amplifier_leaves_the_winding_its_own_time_constant() -> None:
    drive = JointDrive(driver=Driver(kind="voltage"))
    assert longest_substep(drive, 70.0) == pytest.approx(1.25e-3, rel=1e-12)


def test_a_cubic_spring_counts_with_its_slope_at_the_stall_torque() -> None:
    gear = Gear(stiffness=1e4, cubic=1e9)
    drive = JointDrive(motor=Motor(kind="ideal"), gear=gear)
    (d,) = [r.real for r in np.roots([gear.cubic, 0.0, gear.stiffness, -160.0]) if abs(r.imag) < 1e-12]
    slope = gear.stiffness + 3.0 * gear.cubic * d**2
    assert longest_substep(drive, 70.0) == pytest.approx(0.4 / math.sqrt(slope * (1 / 70.0 + 1 / 2.56)), rel=1e-9)


@pytest.mark.parametrize(("inertia", "step", "words"), [(0.0, 1e-3, "inertia 0.0"), (1.0, -1e-3, "step -0.001")])
def test_an_inertia_or_step_that_is_not_positive_is_refused(inertia: float, step: float, words: str) -> None:
    with pytest.raises(InputError, match=f"drive 'a': {words}.*; allowed: > 0"):
        needed_substeps(replace(JointDrive(), name="a"), inertia, step)
