import math

from freefloat.bench.cases.facility import Effort, figures, server_figures


def test_facility_reports_its_figures_and_what_was_done():
    found = {figure.name: figure for figure in figures(Effort(begin=0.02, stretch=0.04, rounds=1))}
    assert list(found) == ["scenario_real_time_factor", "elastic_real_time_factor", "elastic_over_rigid_ratio"]
    assert all(math.isfinite(figure.value) and figure.note for figure in found.values())


def test_the_server_reports_its_figures_and_what_was_done():
    effort = Effort(block=20, first=40, last=80, realtime=0.4)
    found = {figure.name: figure for figure in server_figures(effort)}
    assert list(found) == [
        "lockstep_real_time_factor",
        "server_memory_growth_ratio",
        "cycle_load_p99",
        "late_share_excess",
    ]
    assert all(math.isfinite(figure.value) and figure.note for figure in found.values())
