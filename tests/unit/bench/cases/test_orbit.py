import math

import pytest

from freefloat.bench.cases.orbit import Effort, figures, in_orbit
from freefloat.bench.plants import Ours

TINY = Effort(steps=10, rounds=1, table_seconds=20.0, table_rounds=1)


@pytest.fixture(scope="module")
def found():
    """The figures of a tiny run."""
    return {figure.name: figure for figure in figures(TINY)}


def test_the_orbit_reports_its_figures_and_what_was_done(found):
    assert list(found) == ["environment_ratio", "orbit_us_per_step", "space_us_per_step", "reference_us_per_step"]
    assert all(math.isfinite(figure.value) and figure.value > 0.0 for figure in found.values())
    assert all(figure.note for figure in found.values())


def test_the_environment_ratio_counts_the_table_of_the_reference(found):
    orbit, space, table = (found[f"{name}_us_per_step"].value for name in ("orbit", "space", "reference"))
    assert found["environment_ratio"].value == pytest.approx((orbit + table) / space)


def test_the_world_in_orbit_feels_gravity():
    plant = Ours(in_orbit())
    plant.run(1000)
    assert abs(plant.session.read("arm.qd")).max() > 0.0
    assert plant.session.read("orbit.p_IW") @ plant.session.read("orbit.p_IW") > 6.7e6**2
