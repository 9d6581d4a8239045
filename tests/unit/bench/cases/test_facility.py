import math

from freefloat.bench.cases.facility import Effort, figures


def test_facility_reports_its_figures_and_what_was_done():
    found = {figure.name: figure for figure in figures(Effort(begin=0.02, stretch=0.04, rounds=1))}
    assert list(found) == ["scenario_real_time_factor", "elastic_real_time_factor", "elastic_over_rigid_ratio"]
    assert all(math.isfinite(figure.value) and figure.note for figure in found.values())
