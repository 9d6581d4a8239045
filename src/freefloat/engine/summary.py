"""A finished run in one screen: as text for terminals, as tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freefloat.engine.audit import Audit
    from freefloat.engine.result import Result

WIDTH = 80  # [characters] of a line
MOST = 16  # lines of a table
CONTROL = ("duration_s", "steps", "events")  # metrics that the first line tells


def text_of(result: Result) -> str:
    """What ran, the audit's verdict, the metrics and what was recorded, in lines of a terminal's width."""
    metrics = [(name, f"{value:.6g}") for name, value in _own(result).items()]
    groups = [(group, f"{rows} rows", what) for group, rows, what in _groups(result)]
    lines = [headline(result), _sentence(result.audit.verdict), ""]
    if metrics:
        lines += ["metrics", *_columns(metrics), ""]
    lines += ["signals, by group", *_columns(groups)]
    if result.log is not None:
        lines += ["", f"log: {result.log}"]
    return "\n".join(lines)


def html_of(result: Result) -> str:
    """The same for a notebook."""
    parts = [f"<p><b>{escape(headline(result))}</b><br>{escape(_sentence(result.audit.verdict))}</p>"]
    metrics = [(name, f"{value:.6g}") for name, value in _own(result).items()]
    if metrics:
        parts.append(table(("metric", "value"), metrics))
    groups = [(group, str(rows), what) for group, rows, what in _groups(result)]
    parts.append(table(("group", "rows", "signals"), groups))
    if result.log is not None:
        parts.append(f"<p>log: {escape(str(result.log))}</p>")
    return "".join(parts)


def audit_text(audit: Audit, limits: Mapping[str, float]) -> str:
    """The verdict, and each drift beside its limit."""
    rows = [(name, f"{drift:.3g}", f"limit {limits[name]:.3g}", _word(audit, name)) for name, drift in _drifts(audit)]
    return "\n".join([_sentence(audit.verdict), *_columns(rows)])


def audit_html(audit: Audit, limits: Mapping[str, float]) -> str:
    """The same for a notebook."""
    rows = [(name, f"{drift:.3g}", f"{limits[name]:.3g}", _word(audit, name)) for name, drift in _drifts(audit)]
    return f"<p>{escape(_sentence(audit.verdict))}</p>{table(('law', 'drift', 'limit', ''), rows)}"


def headline(result: Result) -> str:
    """What ran, how long, and what that cost."""
    took = f"{result.duration:.6g} s in {result.wall_time:.3g} s ({result.real_time_factor:.3g} x real time)"
    counts = [_count(result.metrics.get("steps", 0.0), "step"), _count(len(result.events), "event")]
    late = [_count(result.late_cycles, "late cycle")] if result.late_cycles else []
    return f"{result.title or 'a run'}: {took}, {', '.join(counts + late)}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table whose numbers stand to the right."""

    def cells(row: Sequence[str], kind: str) -> str:
        sides = ["right" if kind == "td" and _is_number(cell) else "left" for cell in row]
        return "".join(f"<{kind} style='text-align:{s}'>{escape(c)}</{kind}>" for c, s in zip(row, sides, strict=True))

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table><tr>{cells(head, 'th')}</tr>{body}</table>"


def _own(result: Result) -> dict[str, float]:
    """Metrics of the mission itself."""
    return {n: v for n, v in result.metrics.items() if n not in CONTROL and not n.startswith("audit.")}


def _drifts(audit: Audit) -> list[tuple[str, float]]:
    return list(audit.drifts.items())


def _word(audit: Audit, name: str) -> str:
    return "failed" if name in audit.failures else "ok"


def _groups(result: Result) -> list[tuple[str, int, str]]:
    """Each group with its rows and what is in it: signals of a few, and otherwise whose they are."""
    found: list[tuple[str, int, str]] = []
    for group, signals in result.groups.items():
        names = [s.name for s in signals]
        if len(names) > 4:
            parts = dict.fromkeys(name.split(".")[0] for name in names)
            what = f"{len(names)} of {', '.join(parts)}"
        else:
            what = ", ".join(names)
        found.append((group, result.of(group).rows, what))
    return found


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Cells below each other, the last one cut to the line's width; of many rows the first."""
    shown = rows if len(rows) <= MOST else rows[: MOST - 1]
    widths = [max(len(row[i]) for row in shown) for i in range(len(shown[0]))] if shown else []
    lines: list[str] = []
    for row in shown:
        cells = [
            c.rjust(w) if _is_number(c.removesuffix(" rows")) else c.ljust(w) for c, w in zip(row, widths, strict=True)
        ]
        line = ("  " + "  ".join(cells)).rstrip()
        lines.append(line if len(line) <= WIDTH else line[: WIDTH - 3] + "...")
    if len(shown) < len(rows):
        lines.append(f"  ... and {len(rows) - len(shown)} more")
    return lines


def _count(n: float, what: str) -> str:
    return f"{n:.0f} {what}{'' if n == 1 else 's'}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
