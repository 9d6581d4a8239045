import math
from collections.abc import Mapping

import pytest

import freefloat as ff
from freefloat.bench.cases.startup import Children, Effort, figures
from freefloat.bench.race import Clock, Runner, Times
from freefloat.bench.rebuilds import counting
from freefloat.errors import FreefloatError
from freefloat.missions.modular.stack import starting_stack
from freefloat.structure.tensor_part import empty_hand


@pytest.fixture(scope="module")
def found():
    """The figures of a tiny run, without the round that does not count: each of its processes imports everything."""

    def one_round(runners: Mapping[str, Runner], rounds: int, clock: Clock) -> Times:
        times = {}
        for name, runner in runners.items():
            start = clock()
            runner.run()
            times[name] = [clock() - start]
        return Times(times)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("freefloat.bench.cases.startup.race", one_round)
        return {figure.name: figure for figure in figures(Effort(rounds=1, rebuilt="planar-two-link", duration=0.1))}


def test_the_start_reports_its_figures_and_what_was_done(found):
    assert list(found) == [
        "load_scenario_over_engine_ratio",
        "load_scenario_s",
        "import_engine_s",
        "load_scenario_modules",
        "import_engine_modules",
        "list_over_python_ratio",
        "list_s",
        "import_typer_rich_s",
        "list_modules",
        "rebuilds_per_run",
    ]
    assert all(math.isfinite(figure.value) for figure in found.values())
    assert all(figure.value > 0.0 for name, figure in found.items() if name != "rebuilds_per_run")
    assert all(figure.note for figure in found.values())


def test_the_ratio_is_that_of_the_reported_times(found):
    ratio = found["load_scenario_s"].value / found["import_engine_s"].value
    assert found["load_scenario_over_engine_ratio"].value == pytest.approx(ratio)
    ratio = found["list_s"].value / found["import_typer_rich_s"].value
    assert found["list_over_python_ratio"].value == pytest.approx(ratio)


def test_a_scenario_imports_more_than_the_engine_and_a_list_less(found):
    assert found["load_scenario_modules"].value > found["import_engine_modules"].value
    assert found["import_engine_modules"].value > found["list_modules"].value


def test_a_list_costs_at_most_twice_the_import_of_typer_and_rich():
    times = Children().race(["list", "python"], rounds=5)
    assert times.median("list") / times.median("python") <= 2.0


def test_a_run_builds_nothing_again(found):
    assert found["rebuilds_per_run"].value == 0


def test_what_is_built_is_counted_and_copies_are_not():
    with counting() as counts:
        stack = starting_stack()
        stack.copy()
        empty_hand("tool", stack.catalogue)
        ff.Mission([ff.RigidBody("a")])
        starting_stack()
    starting_stack()
    assert counts == {"TensorBody": 2, "Mission": 1}


def test_a_process_that_fails_is_named_with_its_reason():
    with pytest.raises(FreefloatError, match=r"import nothing_like_it.*ended with 1.*No module named"):
        Children().run("bad", "import nothing_like_it")
