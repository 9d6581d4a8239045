"""However fast an application goes for an obstacle or the end of an axis, the facility rests before it."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.facility.axis_limits import axis_limits
from freefloat.facility.clearance import Clearance
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.procedure import automatic
from freefloat.facility.record import LIN, Frame, Record
from freefloat.missions.facility.glide import ramped
from freefloat.missions.facility.measures import axes_of
from freefloat.missions.facility.scenario import FacilityScenario


class Charge:
    """Robot 1 goes along the rail, towards robot 2 or away from it, and does not stop."""

    def __init__(self, speed: float, start: float) -> None:
        self.speed, self.start = speed, start

    def command(self, t: float) -> Record:
        values = np.zeros(22)
        values[0] = self.start + ramped(t, self.speed, 2.0, 100.0)
        values[7] = 1.9
        values[LIN] = 1.5
        return Record(Frame.GLC, values)


class Lab(FacilityScenario):
    kind = "charging"
    title = "Robot 1 charges"
    charge: float = 0.0
    start: float = 5.0

    def begin(self):
        return self.start + 1.55, *super().begin()[1:]

    def build(self):
        return self.mission(automatic("sync"), Charge(self.charge, self.start))


@pytest.mark.parametrize(
    ("speed", "start", "cause"), [(-0.3, 4.0, "clearance"), (-1.0, 5.0, "clearance"), (1.2, 20.5, "range")]
)
def test_an_application_that_charges_is_stopped_in_time(speed: float, start: float, cause: str) -> None:
    result = Lab(charge=speed, start=start, duration=12.0).build().run("12 s")
    axes = axes_of(result, "act")
    distances, _ = Clearance().along(axes)
    operation = result.controllers["fmc"].operation
    assert (operation.state, operation.reason.cause) == ("idle", cause)
    assert np.abs(np.diff(axes[:, 0])).max() / 0.004 == pytest.approx(abs(speed), rel=0.05)
    assert distances.min() > 0.024
    assert axes[:, 0].max() <= LabGeometry().rail[1] + 1e-9
    assert (np.abs(np.diff(axes, 2, axis=0)) <= 1.01 * axis_limits().acceleration * 0.004**2).all()
