"""The verification table as one HTML file: styles and plots are inside it, nothing is loaded from elsewhere."""

from __future__ import annotations

import html
import io
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from freefloat.html_pages import page, prose
from freefloat.verify.case import VERIFICATIONS, Comparison, Plot

_VERDICTS = {"pass": "pass", "fail": "fail", "known": "explained", "compared": "compared"}


def write_report(rows: Iterable[Comparison], path: str | Path) -> Path:
    """Write the report and return its path; folders are made."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(render(list(rows)), encoding="utf-8")
    return target


def render(rows: Sequence[Comparison]) -> str:
    """The report as HTML text; the same rows give the same text."""
    sections = "\n".join(_section(name, list(group)) for name, group in groupby(rows, key=lambda row: row.case))
    return page(
        "Freefloat verification",
        "<h1>Freefloat verification</h1>\n"
        '<p class="soft lead">Published numbers and closed forms against ours. '
        "An explained failure is a published number that we do not reach, with the reason beside it.</p>\n"
        f"{_counts(rows)}\n{_contents(rows)}\n{sections}",
    )


def verdict(row: Comparison) -> str:
    """pass, fail, known (a failure with its reason) or compared (no tolerance)."""
    if row.passed is None:
        return "compared"
    if row.passed:
        return "pass"
    return "fail" if row.unexplained else "known"


def _counts(rows: Sequence[Comparison]) -> str:
    kinds = [verdict(row) for row in rows]
    items = [f"<li><b>{len(rows)}</b>comparisons</li>"]
    items += [f'<li><b class="{k}">{kinds.count(k)}</b>{label}</li>' for k, label in _VERDICTS.items() if k in kinds]
    return f'<ul class="counts">{"".join(items)}</ul>'


def _contents(rows: Sequence[Comparison]) -> str:
    """Links to the cases, each with its worst verdict."""
    links = []
    for name, group in groupby(rows, key=lambda row: row.case):
        kinds = [verdict(row) for row in group]
        worst = next(k for k in ("fail", "known", "compared", "pass") if k in kinds)
        target = html.escape(name)
        links.append(f'<a href="#{target}"><span class="{worst}">&#9679;</span> {target} ({len(kinds)})</a>')
    return f"<nav>{''.join(links)}</nav>"


def _section(name: str, rows: Sequence[Comparison]) -> str:
    """One case: its table, with the source above where all rows share it, then tracebacks and plots."""
    title = VERIFICATIONS.known[name].title if name in VERIFICATIONS.known else ""
    sources = {row.source for row in rows}
    shared = len(sources) == 1
    columns = [("", "quantity"), ("num", "published"), ("num", "ours"), ("num", "difference"), ("num", "allowed")]
    columns += [("", "unit"), ("", "verdict")] + ([] if shared else [("", "source")])
    head = "".join(f'<th class="{css}">{text}</th>' for css, text in columns)
    body = "\n".join(_table_row(row, with_source=not shared) for row in rows)
    source = f'<div class="source">Source: {html.escape(next(iter(sources)))}</div>' if shared else ""
    drawn = "".join(f'<div class="plot">{svg(row.plot)}</div>' for row in rows if row.plot is not None)
    plots = f'<div class="plots">{drawn}</div>' if drawn else ""
    traces = "".join(f"<pre>{html.escape(row.traceback)}</pre>" for row in rows if row.traceback)
    return (
        f'<section id="{html.escape(name)}"><h2>{html.escape(name)}</h2>'
        f'<div class="soft">{prose(title)}</div>{source}\n'
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>{traces}{plots}</section>"
    )


def _table_row(row: Comparison, with_source: bool) -> str:
    kind = verdict(row)
    reason = f'<div class="soft">{html.escape(row.reason)}</div>' if row.reason and not row.passed else ""
    numbers = (_number(row.published), _number(row.ours), _difference(row), _allowed(row))
    cells = "".join(f'<td class="num">{number}</td>' for number in numbers)
    source = f'<td class="source">{html.escape(row.source)}</td>' if with_source else ""
    return (
        f"<tr><td>{html.escape(row.quantity)}{reason}</td>{cells}<td>{html.escape(row.unit)}</td>"
        f'<td class="verdict {kind}">{_VERDICTS[kind]}</td>{source}</tr>'
    )


def _difference(row: Comparison) -> str:
    """Ours minus published, where the published number is not zero."""
    return f"{row.ours - row.published:.1e}" if row.published and row.ours is not None else ""


def _allowed(row: Comparison) -> str:
    if row.tolerance is None or row.published is None:
        return ""
    if row.limit == "at most":
        return f"≤ {_number(row.published + row.tolerance)}"
    if row.limit == "at least":
        return f"≥ {_number(row.published - row.tolerance)}"
    return f"± {_number(row.tolerance)}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}" if 1e-3 <= abs(value) < 1e7 or value == 0.0 else f"{value:.4g}"


def svg(plot: Plot) -> str:
    """A plot as inline SVG, without date and with stable ids."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    out = io.StringIO()
    with mpl.rc_context(
        {"svg.hashsalt": "freefloat", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3}
    ):
        figure = Figure(figsize=(5.2, 3.0), layout="constrained")
        FigureCanvasSVG(figure)
        plot(figure)
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
