"""The planner's benchmark, and that Drake is asked the same question."""

import math

import pytest

from freefloat.bench.cases.planner import Effort, figures
from freefloat.bench.drake_plan import available, drake_plan
from freefloat.gnc.planning.platform.planner import Planner

pytest.importorskip("casadi")

LINE = ((0.0, 0.0, 0.0), (1.0, 2.0, math.pi))


def test_it_reports_durations_on_times_and_times_against_knots():
    found = {f.name: f.value for f in figures(Effort(knots=16, knot_counts=(12,), rounds=1, drake=False))}
    assert {f"trajectory_{n}_least_s" for n in (1, 2, 3)} <= found.keys()
    assert found["line_on_time_propellant_s"] < found["line_on_time_quadratic_s"]
    assert all(found[f"trajectory_{n}_with_12_knots_s"] > 0.0 for n in (1, 2, 3))


@pytest.mark.skipif(not available(), reason="pydrake is not installed")
def test_drake_finds_the_same_quadratic_optimum():
    planner = Planner(knots=16)
    question = planner.question("quadratic", *LINE, 60.0)
    theirs, ours = drake_plan(question), planner.in_duration(*LINE, 60.0, "quadratic")
    force = question.scales(60.0).force
    assert theirs.solved
    assert theirs.cost * force**2 == pytest.approx(ours.cost, rel=1e-4)
