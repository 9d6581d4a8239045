import pytest

from freefloat.errors import SimulationError
from freefloat.facility.procedure import Step, automatic
from freefloat.missions.facility.scenario import FacilityScenario, lamp_steps


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
