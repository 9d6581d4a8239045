"""The summary of a campaign as one HTML file, with its pictures inside it."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from freefloat.campaign.table import Table
from freefloat.html_pages import page

MOST_METRICS = 60  # rows of the table of metrics
MOST_REASONS = 20

_MEANT = {
    "ok": "ran to their end",
    "refused": "the scenario refused to be built",
    "failed": "the simulation failed",
    "raised": "code of the scenario raised an error",
    "died": "the process ended",
    "time-limit": "longer than the time limit",
    "memory-limit": "more memory than the limit",
}


def summary_page(table: Table, figures: Mapping[str, Any], pictures: Mapping[str, tuple[str, bytes]]) -> str:
    """`pictures`: by heading, what is said below it and the PNG file."""
    title = f"Campaign: {table.about.name}"
    parts = [f"<h1>{html.escape(title)}</h1>", _lead(table), _counts(figures), _setup(table, figures)]
    parts += [_picture(heading, told, png) for heading, (told, png) in pictures.items()]
    parts += [_worst(table, figures), _metrics(figures), _failures(figures)]
    return page(title, "\n".join(part for part in parts if part))


def _lead(table: Table) -> str:
    """One sentence on what was asked."""
    asked = (
        f"success is <code>{html.escape(table.about.criterion)}</code>"
        if table.about.criterion
        else ("success is a run to its end")
    )
    return (
        f'<p class="soft lead">Scenario <code>{html.escape(table.about.scenario)}</code>, sampling '
        f"{html.escape(table.about.sampling)}, campaign seed {table.about.seed}; {asked}.</p>"
    )


def _counts(figures: Mapping[str, Any]) -> str:
    rate = figures["success_rate"]
    interval = f"{figures['success_low']:.3f} to {figures['success_high']:.3f}"
    items = [
        (
            str(figures["cases"]),
            "cases" if figures["cases"] == figures["planned"] else f"of {figures['planned']} cases",
        ),
        ("" if rate is None else f"{100 * rate:.4g} %", f"success rate ({figures['successes']} of {figures['cases']})"),
        (interval, "its 95 % interval"),
        (str(figures["failed"]), "did not run to their end"),
    ]
    if figures["without_metric"]:
        items.append((str(figures["without_metric"]), "lack a metric of the criterion"))
    return f'<ul class="counts">{"".join(f"<li><b>{html.escape(n)}</b>{t}</li>" for n, t in items)}</ul>'


def _setup(table: Table, figures: Mapping[str, Any]) -> str:
    rows = [(f"<code>{html.escape(path)}</code>", html.escape(text)) for path, text in figures["varied"].items()]
    fixed = ", ".join(f"<code>{html.escape(f'{path} = {value}')}</code>" for path, value in figures["set"].items())
    told = f"In all cases: {fixed}." if fixed else ""
    return _section("Varied fields", told, _table(("field", "distribution"), rows)) if rows or fixed else ""


def _picture(heading: str, told: str, png: bytes) -> str:
    data = base64.b64encode(png).decode()
    image = f'<img alt="{html.escape(heading)}" style="max-width:100%" src="data:image/png;base64,{data}">'
    return _section(heading, told, f'<div class="plots"><div class="plot">{image}</div></div>')


def _worst(table: Table, figures: Mapping[str, Any]) -> str:
    rows: Sequence[Mapping[str, Any]] = figures["worst"]
    if not rows:
        return ""
    inputs, metrics = list(rows[0]["in"]), list(rows[0]["metrics"])
    cells = []
    for row in rows:
        where = table.rows_of([row["case"]])[0]
        shown = [_value(table, path, where) for path in inputs]
        numbers = [_number(row["metrics"][name]) for name in metrics]
        cells.append([str(row["case"]), "yes" if row["success"] else "no", *shown, *numbers])
    head = ["case", "success", *(table.inputs[path].label for path in inputs), *metrics]
    by = figures["worst_by"]
    order = (
        f"By the {'smallest' if by.startswith('-') else 'largest'} {by.removeprefix('-')}."
        if by
        else ("Cases that ran to their end without success, in their order.")
    )
    folder = table.about.folder or "DIR"
    again = f"<code>freefloat run --case {html.escape(folder)}:{rows[0]['case']}</code>"
    return _section("Worst cases", f"{order} Run one again, with its log: {again}", _table(head, cells, numbers_from=2))


def _value(table: Table, path: str, row: int) -> str:
    given = table.inputs[path]
    return html.escape(given.names[int(given.values[row])]) if given.names else _number(float(given.values[row]))


def _metrics(figures: Mapping[str, Any]) -> str:
    rows = []
    for name, of in list(figures["metrics"].items())[:MOST_METRICS]:
        if not of["count"]:
            rows.append([f"<code>{html.escape(name)}</code>", "0", *[""] * 7])
            continue
        quantiles = [_with_interval(of["quantiles"][p]) for p in ("0.05", "0.5", "0.95")]
        ends = [_number(of[what]) for what in ("mean", "sd", "least")]
        rows.append([f"<code>{html.escape(name)}</code>", str(of["count"]), *ends, *quantiles, _number(of["largest"])])
    more = len(figures["metrics"]) - MOST_METRICS
    told = (
        "Of cases that ran to their end. In brackets: the 95 % interval of a quantile, between two of the values, or "
    )
    told += "how many cases it needs."
    told += f" {more} more in summary.json." if more > 0 else ""
    head = ("metric", "cases", "mean", "sd", "least", "5 % quantile", "median", "95 % quantile", "largest")
    return _section("Metrics", told, _table(head, rows, numbers_from=1)) if rows else ""


def _with_interval(quantile: Mapping[str, Any]) -> str:
    value = _number(quantile["value"])
    if quantile.get("runs_needed"):
        return f'{value} <span class="soft">(from {quantile["runs_needed"]} cases)</span>'
    return f'{value} <span class="soft">({_number(quantile["low"])} to {_number(quantile["high"])})</span>'


def _failures(figures: Mapping[str, Any]) -> str:
    if not figures["reasons"]:
        return ""
    rows = [
        [html.escape(one["status"]), _MEANT.get(one["status"], ""), str(one["cases"]), str(one["first"]),
         html.escape(one["reason"])]
        for one in figures["reasons"][:MOST_REASONS]
    ]  # fmt: skip
    more = len(figures["reasons"]) - MOST_REASONS
    told = "Each counts as no success." + (f" {more} more reasons in results.parquet." if more > 0 else "")
    return _section(
        "Cases that did not run to their end", told, _table(("status", "", "cases", "first", "reason"), rows)
    )


def _section(heading: str, told: str, body: str) -> str:
    return f'<section><h2>{html.escape(heading)}</h2><div class="soft">{told}</div>{body}</section>'


def _table(head: Iterable[str], rows: Iterable[Sequence[str]], numbers_from: int | None = None) -> str:
    """Cells are HTML; from a column on they are numbers."""

    def css(column: int) -> str:
        return ' class="num"' if numbers_from is not None and column >= numbers_from else ""

    names = "".join(f"<th{css(k)}>{html.escape(name)}</th>" for k, name in enumerate(head))
    body = "\n".join(
        "<tr>" + "".join(f"<td{css(k)}>{cell}</td>" for k, cell in enumerate(row)) + "</tr>" for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{names}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
