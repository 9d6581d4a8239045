import numpy as np
import pytest

import freefloat as ff
from freefloat.api import execute
from freefloat.docking import Docking, DockingCone, DockingProbe, Limits, Phase
from freefloat.errors import InputError
from freefloat.missions.docking.dock_probe_cone import DockProbeCone

STRAIGHT = {"closing": 0.1, "offset": (0.0, 0.0), "lateral": (0.0, 0.0), "tilt": (0.0, 0.0), "rate": (0.0, 0.0)}


def run(**changes) -> ff.Result:
    arrival = STRAIGHT | changes.pop("arrival", {})
    return execute(DockProbeCone(**{"duration": 6.0, "arrival": arrival} | changes), strict=True)


def told(result: ff.Result) -> str:
    return "; ".join(event.result for event in result.events)


def test_a_head_that_comes_straight_in_is_captured_where_the_latches_reach():
    result = run()
    height = 0.02 + Limits().reach
    at = float(result["docking.captured"][-1, 0])
    start = DockProbeCone().cone.part().mouth[1]
    assert at == pytest.approx((start - height) / 0.1, abs=2e-3)  # the orbit bends the way a little
    assert result["docking.phase"][-1, 0] == Phase.CAPTURED
    assert "captured" in told(result)


def test_a_head_that_is_too_fast_for_the_latches_is_taken_when_it_has_slowed_down():
    limit = 0.05
    result = run(latches={"speed": limit})
    assert "latches stay open" in told(result)
    row = int(np.argmax(result["docking.phase"][:, 0] == Phase.CAPTURED))
    assert row > 0
    assert np.linalg.norm(result["docking.v_CH"][row - 2]) < limit + 0.02


def test_a_head_beside_the_cone_has_missed_and_nothing_pushes():
    result = run(arrival={"offset": (0.3, 0.0)})
    assert result["docking.phase"][-1, 0] == Phase.MISSED
    assert result.metrics["contacts"] == 0.0
    assert np.abs(result["push.thrust"]).max() == 0.0


def test_a_head_that_springs_back_has_bounced_and_the_push_ends():
    elastic = {"contact": {"damping": 0.0, "friction": 0.0}, "probe": {"damping": 1.0, "stiffness": 5e3}}
    result = run(push=0.0, latches={"speed": 1e-3}, duration=12.0, **elastic)
    assert result["docking.phase"][-1, 0] == Phase.BOUNCED
    assert "bounced" in told(result)
    assert "time_to_capture_s" not in result.metrics


def test_an_attempt_ends_at_its_time_out_and_thrusters_shut():
    result = run(latches={"speed": 1e-6, "timeout": 1.0})
    assert result["docking.phase"][-1, 0] == Phase.TIMED_OUT
    thrust, t = result["push.thrust"].sum(axis=1), result.time("push.thrust")
    touched = float(result["docking.touched"][-1, 0])
    open_for = t[thrust > 0.0]
    assert open_for[0] == pytest.approx(touched, abs=0.02)
    assert open_for[-1] - open_for[0] == pytest.approx(1.0, abs=0.05)


def test_ports_that_cannot_dock_are_refused():
    cone = DockingCone("cone", "target.face")
    with pytest.raises(InputError, match="the rings meet after"):
        Docking("docking", DockingProbe("probe", "chaser.ring", stroke=0.1), cone, "touch")
    with pytest.raises(InputError, match="radius of the socket"):
        Docking("docking", DockingProbe("probe", "chaser.ring", head_radius=0.03), cone, "touch")
    with pytest.raises(InputError, match="retraction needs"):
        Docking("docking", DockingProbe("probe", "chaser.ring", drive=10.0), cone, "touch")
    with pytest.raises(InputError, match="reach"):
        Limits(reach=0.0)
