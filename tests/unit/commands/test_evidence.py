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


def test_tables_of_spider_are_rows_or_json_and_another_paper_is_refused(outcome, monkeypatch, tmp_path):
    from freefloat.missions.spider import tables

    cells = [tables.Cell("along", 1e5, v, 300.0 + v, 1.5, 0.14, 35.0, True) for v in (12.0, 48.0)]
    monkeypatch.setattr(tables, "make", lambda progress, jobs: cells)
    code, out, _ = outcome("tables", "spider", "--plot", str(tmp_path / "impacts.png"))
    assert code == 0
    assert out.splitlines()[-1].split() == ["along", "1e+05", "48", "348", "1.5", "0.14", "35", "passed"]
    assert (tmp_path / "impacts.png").stat().st_size > 5_000
    code, out, _ = outcome("tables", "spider", "--json")
    assert [cell["force_N"] for cell in json.loads(out)] == [312.0, 348.0]
    code, out, err = outcome("tables", "spidr")
    assert (code, out) == (2, "")
    assert err.startswith("error: unknown paper 'spidr'. Did you mean 'spider'?")
