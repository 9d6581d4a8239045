import pytest

from freefloat.cases import Case
from freefloat.errors import InputError
from freefloat.verify import runner
from freefloat.verify.case import VERIFICATIONS, Comparison, within


@pytest.fixture
def toy(monkeypatch):
    """Registers a case of the given function for one test."""

    def add(name, function):
        monkeypatch.setitem(VERIFICATIONS.known, name, Case(name, "a toy", function, "a book"))

    return add


def test_cases_are_found_in_their_modules():
    assert "dynamic-singularity" in VERIFICATIONS.names()
    assert VERIFICATIONS.names() == sorted(VERIFICATIONS.names())
    assert VERIFICATIONS.known["dynamic-singularity"].title.endswith(".")


def test_an_unknown_case_is_refused_before_anything_runs(toy):
    def never():
        raise AssertionError("must not run")

    toy("toy-never", never)
    with pytest.raises(
        InputError, match=r"unknown verification case 'dynamic-singularty'.*Did you mean 'dynamic-singularity'"
    ):
        runner.run_cases(["toy-never", "dynamic-singularty"])


def test_comparisons_are_given_the_case_and_its_source_where_they_name_none(toy):
    def rows():
        yield within("x", "m", published=1, ours=1, tolerance=0)
        yield within("y", "m", published=1, ours=1, tolerance=0, source="a paper")

    toy("toy", rows)
    first, second = runner.run_cases(["toy"])
    assert (first.case, first.source, second.source) == ("toy", "a book", "a paper")


def test_progress_hears_of_every_case_before_it_runs(toy):
    heard = []

    def rows():
        heard.append("ran")
        yield within("x", "m", published=1, ours=1, tolerance=0)

    toy("toy-a", rows)
    toy("toy-b", rows)
    runner.run_cases(["toy-a", "toy-b", "toy-a"], progress=lambda *step: heard.append(step))
    assert heard == [("toy-a", 0, 2), "ran", ("toy-b", 1, 2), "ran"]


def test_an_exception_is_an_unexplained_failure_and_the_other_cases_still_run(toy):
    def broken():
        yield within("x", "m", published=1, ours=1, tolerance=0)
        raise ZeroDivisionError("by zero")

    def fine():
        yield within("x", "m", published=1, ours=1, tolerance=0)

    toy("toy-broken", broken)
    toy("toy-fine", fine)
    bad, good = runner.run_cases(["toy-broken", "toy-fine"])
    assert bad.passed is False
    assert bad.unexplained
    assert bad.quantity == "error: ZeroDivisionError: by zero"
    assert "reason" not in bad.to_json()
    assert "broken" in bad.traceback
    assert good.passed is True
    assert runner.exit_code([bad, good]) == 1


def test_a_case_without_rows_is_a_failure(toy):
    toy("toy-empty", lambda: iter(()))
    assert runner.exit_code(runner.run_cases(["toy-empty"])) == 1


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (Comparison("x", "m", 1, 1, 0, True), 0),
        (Comparison("x", "m", 1, 2, None, None), 0),
        (Comparison("x", "m", 1, 2, 0, False, reason="known"), 0),
        (Comparison("x", "m", 1, 2, 0, False), 1),
    ],
)
def test_exit_code_is_1_only_on_an_unexplained_failure(row, code):
    assert runner.exit_code([row]) == code
