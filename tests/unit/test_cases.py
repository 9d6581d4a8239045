import pytest

from freefloat.cases import Cases
from freefloat.errors import InputError

MODULE = """
from {package} import CASES

@CASES.register("{name}", "a book")
def {name}():
    \"\"\"What {name} does. In short

    and at length.
    \"\"\"
    yield "{name}"
"""


@pytest.fixture
def cases(tmp_path, monkeypatch):
    """Cases of a package with the modules `pear` and `apple`, not imported yet."""
    package = f"fruit_{tmp_path.name}"
    (tmp_path / package).mkdir()
    start = f"from freefloat.cases import Cases\nCASES = Cases('fruit', '{package}')\n"
    (tmp_path / package / "__init__.py").write_text(start)
    for name in ("pear", "apple"):
        (tmp_path / package / f"{name}.py").write_text(MODULE.format(package=package, name=name))
    monkeypatch.syspath_prepend(str(tmp_path))
    return __import__(package).CASES


def test_cases_are_found_in_their_modules_in_alphabetical_order(cases):
    assert not cases.known
    assert cases.names() == ["apple", "pear"]
    assert [case.name for case in cases.in_turn([])] == ["apple", "pear"]


def test_chosen_cases_come_in_their_order_once_each_and_progress_hears_before(cases):
    heard = []
    for case in cases.in_turn(["pear", "apple", "pear"], lambda *step: heard.append(step)):
        heard.extend(case.function())
    assert heard == [("pear", 0, 2), "pear", ("apple", 1, 2), "apple"]


def test_an_unknown_name_is_refused_before_anything_runs(cases):
    heard = []
    with pytest.raises(InputError, match=r"unknown fruit 'appel'\. Did you mean 'apple'\?"):
        next(cases.in_turn(["pear", "appel"], lambda *step: heard.append(step)))
    assert heard == []


def test_a_case_has_the_first_line_of_its_docstring_as_title_and_its_source(cases):
    (case,) = cases.in_turn(["pear"])
    assert (case.title, case.source) == ("What pear does. In short", "a book")


def test_a_name_is_taken_once():
    cases = Cases("fruit", "nowhere")

    @cases.register("apple")
    def one():
        yield 1

    with pytest.raises(InputError, match="fruit 'apple' is registered twice"):

        @cases.register("apple")
        def other():
            yield 2

    assert cases.register("apple")(one) is one  # its module is imported again
