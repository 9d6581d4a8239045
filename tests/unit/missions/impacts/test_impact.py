"""Impacts rendered by two robots, in short forms; `freefloat verify impact-rendering` has the sweeps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.api import run
from freefloat.errors import InputError, RenderingWarning
from freefloat.gnc.control.rendering.cycle import Moving
from freefloat.gnc.control.rendering.observer import Observer
from freefloat.missions.impacts.central import ImpactCentral
from freefloat.missions.impacts.ideal import Pair, ideal_motion
from freefloat.missions.impacts.truth import FRAME, drawn
from freefloat.scenario.files import load

V, M, K = 0.0993, 50.0, 5e4  # [m/s], [kg] reduced, [N/m]


def metrics(name: str, **changes: Any) -> Mapping[str, float]:
    fields = {key.replace("robots_", "robots.", 1): value for key, value in changes.items()}
    return run(name, {"duration": 1.5, **fields}, strict=True).metrics


def test_the_ideal_motion_of_equal_masses_swaps_their_speeds_at_the_force_of_the_closed_form() -> None:
    scenario = ImpactCentral()
    pair = Pair((scenario.servicer.model(), scenario.client.model()), scenario.known_tools(), K)
    start = scenario.motions()
    motion = ideal_motion(pair, start, np.linspace(0.0, 1.2, 601))
    assert motion.contacts == 1
    assert motion.v[-1] == pytest.approx(np.array([[0.0, 0.0, 0.0], [V, 0.0, 0.0]]), abs=1e-9)
    assert motion.force.max() == pytest.approx(V * math.sqrt(K * M), rel=1e-3)
    lasting = math.pi * math.sqrt(M / K)
    passed = (motion.p[-1, 1] - start[1].X_W.p)[0]
    touch = 0.08 / V
    assert passed == pytest.approx(V * (1.2 - touch - 0.5 * lasting), abs=1e-6)


def test_exact_knowledge_renders_the_impact_whatever_the_delay() -> None:
    m = metrics("impact-central", robots_delay=0.04, robots_cycle=0.012)
    assert m["peak_force_satellite_n"] == pytest.approx(157.0, abs=0.2)
    assert m["speed_error_ratio"] < 1e-6
    assert m["position_error_m"] < 1e-7
    assert m["contacts"] == 1.0  # the satellites'; the robots touch too
    assert m["peak_force_robot_n"] > 300.0


def test_a_force_one_cycle_older_than_its_position_is_seen_in_the_place_of_the_impact() -> None:
    scenario = load("impact-central", {"duration": 1.5})
    mission = scenario.build()
    late = {name: ff.Sensor(delay=0.004) for name in ("wrist_1", "wrist_2")}
    mission.tasks = (replace(mission.tasks[0], sensors=late), *mission.tasks[1:])
    found = mission.judge(mission.run(1.5))
    assert found["position_error_m"] > 1e-4


def test_without_prediction_and_recomputation_the_paper_adds_the_energy_of_a_penetration_unseen() -> None:
    m = metrics("impact-central", rendering="paper", prediction="off", recomputation="off", robots_delay=0.04)
    by = [
        0.5 * (math.sqrt(1.0 + K / M * late**2) - 1.0) for late in (0.04, 0.044)
    ]  # a touch is seen up to a cycle late
    assert by[0] < m["speed_error_ratio"] < by[1]


def test_the_measured_force_held_makes_satellites_leave_much_faster_and_passivity_does_not() -> None:
    assert metrics("impact-naive")["exit_speed_ratio"] > 1.5
    m = metrics("impact-naive", rendering="passivity")
    assert m["satellite_energy_ratio"] <= 1.000001
    assert m["position_error_m"] > 1e-4  # speeds follow from energy and momentum, places do not


def test_typical_errors_are_drawn_by_the_seed_and_nothing_of_them_reaches_the_facility() -> None:
    one, other = drawn("typical", 0), drawn("typical", 1)
    assert np.linalg.norm(one.tip) == pytest.approx(FRAME)
    assert not np.allclose(one.tip, other.tip)
    assert abs(one.stiffness - 1.0) == pytest.approx(0.1)
    tasks = load("impact-central", {"errors": "typical"}).build().tasks
    rendering = tasks[0].controller
    nominal = ImpactCentral().known_tools()
    assert rendering.tools.p_ST == nominal.p_ST
    assert rendering.tools.surface.X_CS == nominal.surface.X_CS
    assert isinstance(rendering.way, Observer)
    assert rendering.way.belief.stiffness == 5e4
    assert (rendering.carriers[0].statics.stiffness == [4e5, 4e5, 4e5, 4e4, 4e4, 4e4]).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_typical_errors_leave_a_tenth_of_a_millimetre_along_the_reach(seed: int) -> None:
    for delay in (0.02, 0.04):
        m = metrics("impact-central", errors="typical", robots_delay=delay, seed=seed)
        assert m["position_error_m"] < 1e-4
        once = metrics("impact-central", errors="typical", robots_delay=delay, seed=seed, recomputation="onset")
        assert once["speed_error_ratio"] < 0.03


def test_typical_errors_are_found_by_the_contact_itself() -> None:
    result = run("impact-central", {"duration": 1.2, "errors": "typical"}, strict=True)
    truth = drawn("typical", 0)
    wanted = (truth.surface - truth.tip)[0]
    assert abs(wanted) > 1e-3
    assert result["rendering.offset"][-1, 0] == pytest.approx(wanted, abs=3e-5)


def test_a_cycle_longer_than_the_contact_is_warned_of() -> None:
    stiff = load("impact-central", {"tools.stiffness": 1e8, "robots.cycle": 0.012})
    with pytest.warns(RenderingWarning, match=r"lasts 3.14 ms, shorter than the cycle of 12 ms"):
        stiff.build()
    with pytest.warns(RenderingWarning, match="near the cycle"):
        load("impact-central", {"tools.stiffness": 1e7, "robots.cycle": 0.008}).build()


def test_a_delay_below_zero_and_one_that_no_damping_bears_are_refused() -> None:
    with pytest.raises(InputError, match=r"robots\.delay"):
        load("impact-central", {"robots.delay": -0.001})
    with pytest.raises(InputError, match=r"robots.delay.*at most 0.0234"):
        load("impact-central", {"rendering": "hybrid", "robots.delay": 0.04}).build()


def test_a_mission_starts_with_the_robots_where_the_satellites_are_and_as_fast() -> None:
    scenario = load("impact-cone", {"errors": "typical"})
    mission = scenario.build()
    session = mission.session(0)
    motions: tuple[Moving, Moving] = scenario.motions()  # type: ignore[attr-defined]
    stands = scenario.stands()  # type: ignore[attr-defined]
    for stand, moving in zip(stands, motions, strict=True):
        X_WF = ff.Pose.from_quat(session.read(f"{stand.name}.mockup.q_WB"), session.read(f"{stand.name}.mockup.p_WB"))
        X_WT = X_WF @ stand.X_FT
        assert X_WT.p == pytest.approx(moving.X_W.p, abs=1e-9)
        assert np.abs(X_WT.R - moving.X_W.R).max() < 1e-9
