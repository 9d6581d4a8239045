import math

import numpy as np
import pytest

from freefloat.bench.cases.engine import Effort, figures
from freefloat.bench.plants import START, TORQUE, Mujoco, Ours, controller_task, tree, welded

TINY = Effort(
    steps=10, rounds=1, controlled_steps=20, controlled_rounds=1, help_rounds=1, drift_seconds=1, logged_seconds=(1, 1)
)


@pytest.fixture(scope="module")
def found():
    """The figures of a tiny run."""
    return {figure.name: figure for figure in figures(TINY)}


def test_the_engine_reports_its_figures_and_what_was_done(found):
    assert list(found) == [
        "tree_ratio_vs_mujoco_rk4",
        "tree_us_per_step",
        "mujoco_rk4_us_per_step",
        "tree_linear_momentum_drift_N_s",
        "tree_angular_momentum_drift_N_m_s",
        "mujoco_rk4_linear_momentum_drift_N_s",
        "mujoco_rk4_angular_momentum_drift_N_m_s",
        "constraint_ratio_vs_mujoco_rk4",
        "constraint_us_per_step",
        "mujoco_constraint_us_per_step",
        "constraint_violation_m",
        "mujoco_constraint_violation_m",
        "python_controller_250hz_ratio",
        "python_controller_us_per_update",
        "compiled_controller_250hz_ratio",
        "compiled_controller_us_per_update",
        "two_worlds_over_two_missions_ratio",
        "two_worlds_python_over_two_missions_ratio",
        "two_worlds_watched_over_two_missions_ratio",
        "logged_memory_ratio",
        "startup_help_s",
    ]
    assert all(math.isfinite(figure.value) for figure in found.values())
    assert all(figure.note for figure in found.values())


def test_the_ratios_are_those_of_the_reported_times(found):
    value = {name: figure.value for name, figure in found.items()}
    tree_ratio = value["tree_us_per_step"] / value["mujoco_rk4_us_per_step"]
    constraint_ratio = value["constraint_us_per_step"] / value["mujoco_constraint_us_per_step"]
    assert value["tree_ratio_vs_mujoco_rk4"] == pytest.approx(tree_ratio)
    assert value["constraint_ratio_vs_mujoco_rk4"] == pytest.approx(constraint_ratio)


def test_the_swinging_arm_keeps_its_momentum_and_our_weld_holds_tighter(found):
    assert found["tree_linear_momentum_drift_N_s"].value < 1e-10
    assert found["tree_angular_momentum_drift_N_m_s"].value < 1e-10
    assert found["constraint_violation_m"].value < 1e-9
    assert found["constraint_violation_m"].value < found["mujoco_constraint_violation_m"].value


@pytest.mark.parametrize(("mission", "tolerance"), [(tree, 1e-13), (welded, 1e-4)])
def test_both_sides_of_a_race_simulate_the_same_motion(mission, tolerance):
    ours = Ours(mission())
    theirs = Mujoco(ours)
    start = ours.state()
    for plant in (ours, theirs):
        plant.push(TORQUE)
        plant.run(500)
    assert np.abs(ours.state()[1][-7:]).max() > 0.01  # the arm moves
    np.testing.assert_allclose(ours.state()[0], theirs.state()[0], rtol=0, atol=tolerance)
    for plant in (ours, theirs):
        plant.reset()
        np.testing.assert_array_equal(plant.state()[0], start[0])
        np.testing.assert_array_equal(plant.state()[1], start[1])


def test_the_weld_is_one_constraint_of_six_rows_on_both_sides():
    ours = Ours(welded())
    theirs = Mujoco(ours)
    theirs.run(1)
    assert len(ours.session.world.compiled().loops) == 1
    assert theirs.data.nefc == 6


def test_the_raced_controller_moves_the_arm_to_its_target():
    controlled = Ours(tree((controller_task(),)))
    controlled.run(4000)
    np.testing.assert_allclose(controlled.session.read("arm.q"), np.array(START) + 0.1, atol=0.005)
