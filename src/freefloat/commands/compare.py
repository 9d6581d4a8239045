"""Runs beside each other."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated

import typer

from freefloat.commands import Json
from freefloat.errors import InputError
from freefloat.terminal import print_table


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of two or more runs.")],
    signals: Annotated[
        list[str] | None,
        typer.Option(
            "--signal", metavar="NAME", help="Overlay this one; may be repeated. Default: those that a run plots."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to put the plots; default comparison-NNN.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare runs: metrics side by side, fields that differ, signals overlaid."""
    from freefloat.view.comparison import common_signals, differing_fields, draw_comparison, read_runs, summary

    read = read_runs(runs)
    chosen = common_signals(read, signals or [])
    folder = _folder(out)
    files, found = draw_comparison(read, chosen, folder)
    if as_json:
        print(json.dumps(summary(read, found, files), indent=2))
        return
    names = [run.name for run in read]
    _print_metrics(summary(read, found, files)["metrics"], names)
    fields = differing_fields(read)
    print()
    if fields:
        print_table(("differing field", *names), [(field, *values) for field, values in fields.items()])
    else:
        print("no field of the scenarios differs")
    print()
    largest = [f"{name} - {names[0]}, at most" for name in names[1:]]
    rows = [(f"{d.signal} {d.label}".strip(), d.unit, *(f"{v:.4g}" for v in d.largest)) for d in found]
    print_table(("signal", "unit", *largest), rows)
    print(f"{len(files)} plots written to {folder}")


def _print_metrics(rows: dict[str, list[float | None]], names: list[str]) -> None:
    """Values, and of two runs how much the second is off the first."""
    two = len(names) == 2
    table: list[tuple[str, ...]] = []
    for name, values in rows.items():
        told = [f"{v:.6g}" if v is not None else "-" for v in values]
        table.append((name, *told, *([_change(values[0], values[1])] if two else [])))
    print_table(("metric", *names, *(["change"] if two else [])), table)


def _change(a: float | None, b: float | None) -> str:
    if a is None or b is None or not (math.isfinite(a) and math.isfinite(b)):
        return "" if a is b else "only one"
    if a == b:
        return "="
    return f"{b - a:+.3g}" + (f" ({100.0 * (b - a) / abs(a):+.3g} %)" if a else "")


def _folder(out: Path | None) -> Path:
    """A new or empty folder; where none is given, the next number."""
    try:
        if out is None:
            number = 1
            while (folder := Path(f"comparison-{number:03d}")).exists():
                number += 1
            folder.mkdir()
            return folder
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise InputError(f"--out {out}: the folder is not empty; allowed: a new or empty folder")
    except OSError as error:
        raise InputError(f"--out {out or 'comparison-NNN'}: cannot be written: {error.strerror}") from None
    return out
