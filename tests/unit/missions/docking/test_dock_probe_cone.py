import numpy as np
import pytest

import freefloat as ff
from freefloat.api import execute
from freefloat.frames import so3_exp
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


def test_vectors_across_the_axis_may_be_given_by_magnitude_and_direction():
    by_parts = {"offset": (0.05, -0.03), "lateral": (0.0, 0.04), "tilt": (-0.06, 0.0), "rate": (2e-3, 1e-3)}
    lengths = {name: (float(np.hypot(*pair)), 0.0) for name, pair in by_parts.items()}
    turns = {f"{name}_turn": float(np.arctan2(pair[1], pair[0])) for name, pair in by_parts.items()}
    given, turned = (DockProbeCone(arrival=a).build().session() for a in (by_parts, {**lengths, **turns}))
    (X_WB, *rates), (X_WT, *same) = given.motion("chaser"), turned.motion("chaser")
    np.testing.assert_allclose(X_WT.R, X_WB.R, atol=1e-12)
    np.testing.assert_allclose(X_WT.p, X_WB.p, atol=1e-12)
    np.testing.assert_allclose(same, rates, atol=1e-12)


def test_roll_turns_the_chaser_about_its_own_axis_and_leaves_the_head_where_it_is():
    arrival = {"tilt": (0.05, -0.03), "offset": (0.02, 0.01)}
    level, rolled = (
        DockProbeCone(arrival={**arrival, **more}).build().session() for more in ({}, {"roll": 0.07, "roll_rate": 3e-3})
    )
    assert rolled.read("docking.p_CH") == pytest.approx(level.read("docking.p_CH"))
    assert rolled.read("docking.v_CH") == pytest.approx(level.read("docking.v_CH"))
    (X_WT, w_T, _), (X_WA, *_), (X_WB, w_B, _) = *map(level.motion, ("target", "chaser")), rolled.motion("chaser")
    np.testing.assert_allclose(X_WA.R.T @ X_WB.R, so3_exp([0.07, 0.0, 0.0]), atol=1e-12)
    assert X_WT.R.T @ X_WB.R @ w_B - w_T == pytest.approx([3e-3, 0.0, np.deg2rad(0.2)])


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
