"""Teeth with a gap: they push only, and what they hold as they part is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.robots.drive_bench import DriveBench
from freefloat.verify.cases.drives_gear import PLAIN
from freefloat.verify.drive_rig import BENCH, PLAIN_GEAR


def shaken(damping: float, step: float) -> Result:
    """A load pushed to and fro through the gap of a gear whose rotor is held."""
    gear = replace(PLAIN_GEAR, backlash=1e-3, damping=damping)
    mission = Mission(
        [DriveBench(BENCH, replace(PLAIN, gear=gear), course=0.0)], integrator=RK4(step), record_rate=1000.0
    )
    session = mission.session()
    for torque in (20.0, -20.0):
        session.write(f"{BENCH}.load", [torque])
        session.step(0.5)
    return mission.complete(session, 1.0, strict=step < 5e-4)


@pytest.mark.parametrize("damping", [0.0, 10.0, 100.0])
def test_teeth_that_meet_and_part_keep_the_energy_balance(damping: float) -> None:
    assert shaken(damping, 1e-4).audit.passed


@pytest.mark.filterwarnings("ignore::freefloat.errors.AuditWarning")
def test_the_energy_balance_of_teeth_is_of_second_order() -> None:
    coarse, fine = (shaken(100.0, h).audit.metrics()["audit.energy_drift"] for h in (1e-3, 1.25e-4))
    assert coarse / fine > 20.0


def test_teeth_never_pull() -> None:
    result = shaken(100.0, 1e-4)
    wound = -result[f"{BENCH}.q"][:, 0]
    torque = result[f"{BENCH}.torque_gear"][:, 0]
    assert np.all(torque[np.abs(wound) <= 5e-4] == 0.0)
    assert np.all(torque * wound >= 0.0)
    assert np.any((np.abs(wound) > 5e-4) & (torque == 0.0)), "none was seen to part"
