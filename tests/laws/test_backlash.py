"""A gear with backlash: what its spring still holds when the teeth stop pushing becomes heat, and is in the books."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import freefloat as ff
from freefloat.drives import load_drive
from freefloat.robots import load_robot

DRIVE = load_drive("spider-shoulder")


class Rocking:
    """Efforts that change their sign, so that teeth part and meet."""

    def update(self, t, meas):
        return {"tau": [20.0 * np.sin(np.pi * t), 0.0]}


@pytest.mark.parametrize("backlash", [3e-4, 3e-3])
def test_teeth_that_part_and_meet_keep_the_balance_of_energy(backlash: float) -> None:
    drive = replace(DRIVE, gear=replace(DRIVE.gear, backlash=backlash), substeps=20)
    arm = ff.Arm("arm", load_robot("planar_two_link"), q=(0.3, -0.5), drives=[drive, None])
    task = ff.Task(Rocking(), 0.01, writes={"tau": "arm.tau"})
    result = ff.Mission([arm], [task]).run(3.0)
    assert np.ptp(result["arm.torque_gear"]) > 5.0
    assert result.metrics["audit.energy_drift"] < 1e-7
    assert result.metrics["audit.angular_momentum_drift"] < 1e-9
