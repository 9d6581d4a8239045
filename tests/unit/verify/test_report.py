import re
from html.parser import HTMLParser

from freefloat.verify.case import Comparison
from freefloat.verify.report import render, verdict, write_report

VOID = {"meta", "br"}


def draw(figure):
    figure.subplots().plot([0, 1], [0, 1])


ROWS = [
    Comparison("angle <q>", "deg", 1.0, 1.0, 0.1, True, case="a", source="R&D", plot=draw),
    Comparison("force", "N", 364.0, 300.0, 10.0, False, case="a", source="s", reason="depends on an unpublished limit"),
    Comparison(
        "error: ValueError: bad", "-", None, None, None, False, case="b", source="s", traceback="Traceback <here>"
    ),
    Comparison("slope", "-", 4.0, 4.1, 0.2, True, case="b", source="s", limit="at least"),
    Comparison("mass", "kg", 4.0, 4.1, None, None, case="b", source="s", limit="none"),
]


class Balance(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_report_is_well_formed_and_loads_nothing_from_elsewhere():
    text = render(ROWS)
    parser = Balance()
    parser.feed(text)
    assert parser.open == []
    assert not re.search(r"(src|href)\s*=\s*[\"']https?:|@import|url\(\s*[\"']?http", text)


def test_report_escapes_what_it_shows_and_holds_reason_plot_and_traceback():
    text = render(ROWS)
    assert "angle &lt;q&gt;" in text
    assert "R&amp;D" in text
    assert "depends on an unpublished limit" in text
    assert text.count("<svg") == 1
    assert "Traceback &lt;here&gt;" in text


def test_report_counts_the_verdicts():
    assert [verdict(row) for row in ROWS] == ["pass", "known", "fail", "pass", "compared"]
    text = render(ROWS)
    assert '<b class="pass">2</b>' in text
    assert '<b class="fail">1</b>' in text
    assert '<b class="known">1</b>' in text


def test_report_says_what_is_allowed_on_the_side_that_is_judged():
    rows = [
        Comparison("error", "m", 0.0, 1e-12, 1e-9, True, case="c", source="s", limit="at most"),
        Comparison("slope", "-", 4.0, 4.1, 0.2, True, case="c", source="s", limit="at least"),
        Comparison("angle", "deg", 1.0, 1.05, 0.1, True, case="c", source="s"),
    ]
    text = render(rows)
    assert "≤ 1e-09" in text
    assert "≥ 3.8" in text
    assert "± 0.1" in text
    assert "5.0e-02" in text


def test_report_shows_a_shared_source_once_and_links_to_every_case():
    text = render(ROWS)
    assert text.count("Source: s") == 1  # case b; the rows of case a differ
    assert 'href="#a"' in text
    assert 'href="#b"' in text


def test_same_rows_give_the_same_report():
    assert render(ROWS) == render(ROWS)


def test_write_report_makes_its_folder(tmp_path):
    target = write_report(ROWS, tmp_path / "new" / "report.html")
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
