import math

import pytest

from freefloat.bench.cases.startup import Children, Effort, figures
from freefloat.errors import FreefloatError


@pytest.fixture(scope="module")
def found():
    """The figures of a tiny run."""
    return {figure.name: figure for figure in figures(Effort(rounds=1))}


def test_the_start_reports_its_figures_and_what_was_done(found):
    assert list(found) == [
        "load_scenario_over_engine_ratio",
        "load_scenario_s",
        "import_engine_s",
        "load_scenario_modules",
        "import_engine_modules",
    ]
    assert all(math.isfinite(figure.value) and figure.value > 0.0 for figure in found.values())
    assert all(figure.note for figure in found.values())


def test_the_ratio_is_that_of_the_reported_times(found):
    ratio = found["load_scenario_s"].value / found["import_engine_s"].value
    assert found["load_scenario_over_engine_ratio"].value == pytest.approx(ratio)


def test_a_scenario_imports_more_than_the_engine(found):
    assert found["load_scenario_modules"].value > found["import_engine_modules"].value


def test_a_process_that_fails_is_named_with_its_reason():
    with pytest.raises(FreefloatError, match=r"import nothing_like_it.*ended with 1.*No module named"):
        Children().run("bad", "import nothing_like_it")
