import math

import pytest

from freefloat.bench.cases.drives import Effort, figures


@pytest.fixture(scope="module")
def found():
    """The figures of a tiny run."""
    effort = Effort(10, 1, compared=0.1, begin=0.01, pressing=0.01, contact_rounds=1, shuttle=0.1, shuttle_rounds=1)
    return {figure.name: figure for figure in figures(effort)}


def test_drives_report_their_figures_and_what_was_done(found):
    assert list(found) == [
        "full_over_ideal_ratio",
        "elastic_over_ideal_ratio",
        "full_ratio_vs_mujoco_rk4",
        "lugre_stiffness_cost_ratio",
        "full_us_per_step",
        "link_error_rad",
        "motor_error_rad",
        "rigid_over_elastic_ratio",
        "rigid_over_elastic_same_step_ratio",
        "microgravity_real_time_factor",
    ]
    assert all(math.isfinite(figure.value) for figure in found.values())
    assert all(figure.note for figure in found.values())


def test_what_is_timed_is_as_accurate_as_the_bars_ask(found):
    assert 0.0 < found["link_error_rad"].value < 1e-6
    assert 0.0 < found["motor_error_rad"].value < 1e-4
