from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.bench.cases.walking import Effort, figures
from freefloat.bench.joint_law import PythonLaw
from freefloat.gnc.control.joint_modes import JointModes
from freefloat.gnc.planning.arm.joint_path import QuinticPath
from freefloat.scenario.files import load

TINY = Effort(mission=0.2, stretches=2, rounds=1, ticks=5, tick_rounds=1)


@pytest.fixture(scope="module")
def found():
    """The figures of a tiny run."""
    return {figure.name: figure for figure in figures(TINY)}


def test_walking_reports_its_figures_and_what_was_done(found) -> None:
    assert list(found) == [
        "mission_over_plant_ratio",
        "mission_mission_s",
        "mission_plant_s",
        "mission_real_time_factor",
        "tick_over_python_ratio",
        "joint_control_tick_us",
        "joint_control_python_us",
    ]
    assert all(math.isfinite(figure.value) and figure.value > 0.0 for figure in found.values())
    assert all(figure.note for figure in found.values())


def test_the_ratio_is_that_of_the_reported_times(found) -> None:
    ours, plant = found["mission_mission_s"].value, found["mission_plant_s"].value
    assert found["mission_over_plant_ratio"].value == pytest.approx(ours / plant)


def test_what_is_raced_gives_the_same_efforts() -> None:
    tasks = load("pick-and-place").build().tasks
    modes = next(task.controller for task in tasks if isinstance(task.controller, JointModes))
    law, rng = PythonLaw(modes), np.random.default_rng(1)
    q = rng.normal(size=7)
    modes.follow(QuinticPath(q, q + 0.3, 4.0), 0.0)
    for t in (0.5, 1.5, 3.0):
        q_WB = rng.normal(size=4)
        meas = {"q": q + 0.01, "qd": 0.1 * rng.normal(size=7), "q_WB": q_WB / np.linalg.norm(q_WB)}
        meas |= {"v_WB": rng.normal(size=3), "w_WB_B": 0.1 * rng.normal(size=3)}
        np.testing.assert_allclose(law.update(t, meas)["tau"], modes.update(t, meas)["tau"], rtol=1e-9, atol=1e-12)
