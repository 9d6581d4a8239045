import pytest

from freefloat.bench import runner
from freefloat.bench.case import BENCHMARKS, Figure
from freefloat.cases import Case
from freefloat.errors import FreefloatError, InputError


@pytest.fixture
def toy(monkeypatch):
    """Registers a benchmark of the given figures for one test."""

    def add(name, *figures):
        monkeypatch.setitem(BENCHMARKS.known, name, Case(name, "a toy", lambda: iter(figures)))

    return add


def test_benchmarks_are_found_in_their_modules():
    assert "engine" in BENCHMARKS.names()
    assert BENCHMARKS.names() == sorted(BENCHMARKS.names())


def test_figures_come_by_name_in_the_order_that_was_asked(toy):
    first, second = Figure("b_us", 1.0, "one"), Figure("a_ratio", 0.5, "two")
    toy("toy-a", first)
    toy("toy-b", second)
    heard = []
    figures = runner.run(["toy-a", "toy-b", "toy-a"], progress=lambda *step: heard.append(step))
    assert list(figures.items()) == [("b_us", first), ("a_ratio", second)]
    assert heard == [("toy-a", 0, 2), ("toy-b", 1, 2)]


def test_an_unknown_benchmark_is_refused_before_anything_runs(monkeypatch):
    def never():
        raise AssertionError("must not run")

    monkeypatch.setitem(BENCHMARKS.known, "toy-never", Case("toy-never", "a toy", never))
    with pytest.raises(InputError, match=r"unknown benchmark 'engin'.*Did you mean 'engine'"):
        runner.run(["toy-never", "engin"])


def test_a_figure_is_reported_once(toy):
    toy("toy-a", Figure("same", 1.0, ""))
    toy("toy-b", Figure("same", 2.0, ""))
    with pytest.raises(FreefloatError, match="'toy-b': figure 'same' is reported twice"):
        runner.run(["toy-a", "toy-b"])
