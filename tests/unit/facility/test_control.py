"""The operation's task where there is an outside."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from freefloat.facility.axes import CYCLE
from freefloat.facility.exchange import Outputs
from freefloat.facility.operation import Operation
from freefloat.facility.outside import Taken
from freefloat.facility.record import ROW
from freefloat.frames import Array
from freefloat.missions.facility.served import ServedFacility
from freefloat.missions.facility.settings import FacilitySettings

HELD = np.linspace(0.0, 0.1, 13)


class Desk:
    """Switches on, then shows robots with their own encoders, errors and late cycles."""

    def __init__(self) -> None:
        self.told: list[Outputs] = []
        self.rows: list[Mapping[str, Array]] = []

    def before(self, cycle: int, t: float, operation: Operation) -> Taken:
        assert cycle == round(t / CYCLE) + 1
        if cycle == 1:
            operation.do("power", on=True)
        return Taken(np.zeros(ROW), encoders=HELD, errors=("", "motor 3 is hot" if cycle > 3 else ""), late=cycle // 2)

    def after(self, out: Outputs, row: Mapping[str, Array]) -> None:
        self.told.append(out)
        self.rows.append(row)


def test_an_outside_is_asked_and_told_once_a_cycle() -> None:
    desk = Desk()
    session = ServedFacility(facility=FacilitySettings(joints="rigid")).served(desk, 1000.0).session()
    for _ in range(5):
        session.step(CYCLE)
    assert [out.cycle for out in desk.told] == [1, 2, 3, 4, 5]
    assert [str(out.state) for out in desk.told] == ["idle", "idle", "idle", "fault", "fault"]
    assert np.array_equal(desk.told[0].actual, HELD)
    assert [float(row["fmc.late"]) for row in desk.rows] == [0.0, 1.0, 1.0, 2.0, 2.0]
    seconds = [float(row["gps.seconds"]) for row in desk.rows]
    assert np.allclose(np.subtract(seconds, 1000.0), CYCLE * np.array([0, 2, 3, 5, 6]), atol=1e-9)
