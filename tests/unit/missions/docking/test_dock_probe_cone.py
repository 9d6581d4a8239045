import numpy as np
import pytest

import freefloat as ff
from freefloat.api import execute
from freefloat.missions.docking.dock_probe_cone import DockProbeCone
from freefloat.verify.cases.docking import corners


@pytest.mark.parametrize("number", [0, 11, 21, 30])
def test_a_corner_is_captured_within_five_seconds_and_keeps_momentum(number):
    scenario = DockProbeCone(arrival=corners()[number], duration=8.0, record_rate=20.0)
    metrics = execute(scenario, strict=True).metrics
    assert metrics["captured"] == 1.0
    assert metrics["time_to_capture_s"] < 5.0
    assert metrics["capture_momentum_error"] < 1e-10


def test_the_head_arrives_as_the_settings_say_in_the_frame_that_turns_with_the_target():
    arrival = {"closing": 0.07, "offset": (0.1, -0.03), "lateral": (0.02, -0.04), "tilt": (0.05, -0.03)}
    scenario = DockProbeCone(arrival={**arrival, "rate": (1e-3, -2e-3)})
    session = scenario.build().session()
    height = scenario.cone.part().mouth[1]
    assert session.read("docking.p_CH") == pytest.approx([-0.03, 0.1, height])
    assert session.read("docking.v_CH") == pytest.approx([-0.04, 0.02, -0.07])
    assert session.read("docking.tilt")[0] == pytest.approx(np.hypot(0.05, 0.03), rel=1e-3)
    X_WT, w_T, _ = session.motion("target")
    X_WB, w_B, _ = session.motion("chaser")
    assert X_WT.R.T @ X_WB.R @ w_B - w_T == pytest.approx([0.0, 1e-3, -2e-3])


def test_masses_are_those_of_the_whole_vehicles():
    links = DockProbeCone().build().session().world.links
    assert sum(links[n].mass for n in ("chaser", "probe.guide", "probe.head")) == pytest.approx(1500.0)
    assert sum(links[n].mass for n in ("target", "cone")) == pytest.approx(4000.0)


def test_the_whole_way_to_the_hard_dock_keeps_its_books_and_ends_rigid():
    result = execute(DockProbeCone(), strict=True)
    assert result.metrics["docked"] == 1.0
    assert result.metrics["dock_energy_lost_J"] == pytest.approx(0.5 * 1500.0 * 4000.0 / 5500.0 * 0.03**2, rel=0.1)
    after = result.time("probe.q") > result.duration - 5.0
    assert np.ptp(result["probe.q"][after]) < 1e-9
    rings = result["chaser.ring.p_WF"] - result["cone.mouth.p_WF"]
    assert np.linalg.norm(rings[-1]) < 3e-3


def test_altitude_hardly_matters_for_a_capture():
    low, high = (
        execute(DockProbeCone(duration=4.0, orbit={"start": {"orbit": name}}), strict=True).metrics["time_to_capture_s"]
        for name in ("leo-400", "geo")
    )
    assert low == pytest.approx(high, rel=2e-2)
    assert low != high


def test_without_thrusters_nothing_pushes():
    mission = DockProbeCone(push=0.0).build()
    assert isinstance(mission, ff.Mission)
    assert not [port.name for port in mission.session().commands() if port.name.startswith("push.")]
