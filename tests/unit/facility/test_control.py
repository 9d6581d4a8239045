"""The operation's task: steps of an operator, and an outside."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from freefloat.errors import SimulationError
from freefloat.facility.axes import CYCLE
from freefloat.facility.exchange import Outputs
from freefloat.facility.operation import Operation
from freefloat.facility.outside import Taken
from freefloat.facility.procedure import Step, automatic
from freefloat.facility.record import ROW
from freefloat.frames import Array
from freefloat.missions.facility.scenario import FacilityScenario, lamp_steps
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


class Bare(FacilityScenario):
    kind = "bare"
    title = "The lab with steps of a test"

    def build(self):
        return self.mission([])


def _run(steps, duration=0.1):
    return Bare().mission(steps).run(duration)


def test_a_refused_step_ends_the_run_with_the_operators_action_and_why():
    with pytest.raises(SimulationError, match=r"operator's 'confirm' at 0\.000 s: confirm: the drives have no power"):
        _run([Step("confirm")])


def test_a_step_that_must_be_refused_ends_the_run_where_it_is_taken():
    result = _run([Step("confirm", refused=True)])
    assert str(result.controllers["fmc"].operation.state) == "off"
    with pytest.raises(SimulationError, match="ought to be refused"):
        _run([Step("power", {"on": True}, refused=True)])


def test_the_pool_has_every_cycle_and_encoders_follow_set_points_after_the_delay():
    told = Step("sine", {"component": "E1", "amplitude": 0.02, "frequency": 1.0, "cycles": 1})
    result = _run(automatic("sine", told), 1.0)
    t, rail, act = result.time("rail.cmd"), result["rail.cmd"].reshape(-1), result["rail.act"].reshape(-1)
    assert t == pytest.approx([0.004 * n for n in range(len(t))])
    assert abs(rail - rail[0]).max() > 0.005
    assert act[3:] == pytest.approx(rail[:-3], abs=1e-12)
    assert result["security.power"].reshape(-1)[-1] == 1.0


def test_the_lamp_follows_the_operator():
    steps = [*lamp_steps(), Step("lamp", {"on": False}, at=0.05)]
    result = _run(steps)
    assert result["security.lamp"].reshape(-1)[[5, -1]].tolist() == [1.0, 0.0]
    assert result["epos.lamp.on"].reshape(-1)[[2, -1]].tolist() == [1.0, 0.0]
