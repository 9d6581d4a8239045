import json

import pytest

from freefloat.bench.case import BENCHMARKS, Figure
from freefloat.cases import Case
from freefloat.cli import main


@pytest.fixture
def outcome(capsys, monkeypatch):
    """Exit code, standard output and standard error of a command; one benchmark `toy` is known besides ours."""
    figures = (Figure("toy_ratio", 0.5, "ours against theirs"), Figure("toy_us", 12.0, "ours"))
    monkeypatch.setitem(BENCHMARKS.known, "toy", Case("toy", "a toy", lambda: iter(figures)))

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main(arguments)
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out, printed.err

    return run


def test_json_is_one_flat_object_of_numbers_and_the_notes_go_beside_it(outcome):
    code, out, err = outcome("bench", "toy", "--json")
    assert code == 0
    assert json.loads(out) == {"toy_ratio": 0.5, "toy_us": 12.0}
    assert err == "1/1 toy\ntoy_ratio: ours against theirs\ntoy_us: ours\n"


def test_the_table_shows_each_figure_with_what_was_done(outcome):
    code, out, err = outcome("bench", "toy")
    assert (code, err) == (0, "1/1 toy\n")
    assert out.splitlines()[1].split(maxsplit=2) == ["toy_ratio", "0.5", "ours against theirs"]


def test_an_unknown_case_ends_with_2_and_the_nearest_name(outcome):
    code, out, err = outcome("bench", "engin")
    assert (code, out) == (2, "")
    assert err.startswith("error: unknown benchmark 'engin'. Did you mean 'engine'?")
