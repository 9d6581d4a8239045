"""The rail's drive: what force it takes, and how far its spring gives way."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.facility.part import DockingFacility, Joints
from freefloat.facility.rail import Rail

PUSH = 0.5  # [m/s^2]
MASS = 900.0 + 1200.0 + 47.0 + 1.0 + 20.0  # [kg] carriage, robot 1, plate, camera, mock-up


def pushed(joints: Joints) -> ff.Result:
    part = DockingFacility(joints=joints)
    rows = [ff.uniform_gravity((0.0, 0.0, -9.81))]
    mission = ff.Mission([part], rows=rows, integrator=ff.RK4(1e-3), record_rate=1000.0)
    s = mission.session()
    s.write("epos.rail.course", [0.0, part.start[0], 0.0, 0.5 * PUSH, 0.0, 0.0, 0.0])
    return mission.complete(s, 1.5)


def test_a_rigid_drive_takes_the_force_that_accelerates_all_on_the_carriage() -> None:
    result = pushed("rigid")
    assert result["epos.rail.effort"][10:, 0] == pytest.approx(np.full(1491, MASS * PUSH), rel=1e-6)
    assert result["epos.rail.q"][-1, 0] == pytest.approx(6.55 + 0.5 * PUSH * 1.5**2, abs=1e-9)


def test_an_elastic_drive_gives_way_by_that_force_over_its_stiffness() -> None:
    """It swings about it, as the push begins at once; the mean over the last second is within a percent."""
    result = pushed("elastic")
    give = (result["epos.rail.motor_q"] - result["epos.rail.q"])[500:, 0]
    assert give.mean() == pytest.approx(MASS * PUSH / 5e7, rel=0.01)
    assert result["epos.rail.effort"][500:].mean() == pytest.approx(MASS * PUSH, rel=0.01)


def test_bad_rails_are_refused() -> None:
    with pytest.raises(InputError, match="stiffness"):
        Rail(stiffness="5 N")
    with pytest.raises(InputError, match="carriage"):
        Rail(carriage=0.0)
