"""Our numbers beside others': published ones, those of peers, and the tables of a paper."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from freefloat.commands import Json
from freefloat.errors import InputError, unknown_name
from freefloat.interrupts import gently
from freefloat.terminal import count_bar, print_table, say

if TYPE_CHECKING:
    from freefloat.bench.case import Figure

CaseNames = Annotated[list[str] | None, typer.Argument(metavar="[CASE]...", help="Names of cases; default all.")]


def _tell(name: str, index: int, count: int) -> None:
    say(f"{index + 1}/{count} {name}")


def verify(
    cases: CaseNames = None,
    as_json: Json = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an HTML report with plots.")] = None,
) -> None:
    """Published number, ours, tolerance, pass. Ends with 1 where a failure has no stated reason."""
    from freefloat.verify.report import verdict, write_report
    from freefloat.verify.runner import exit_code, run_cases

    gently()
    rows = run_cases(cases or [], _tell)
    if report is not None:
        try:
            write_report(rows, report)
        except OSError as error:
            raise InputError(f"--report {report}: cannot be written: {error.strerror}") from None
    if as_json:
        print(json.dumps([row.to_json() for row in rows], indent=2))
    else:
        numbers = [[f"{x:.10g}" if x is not None else "" for x in (r.published, r.ours, r.tolerance)] for r in rows]
        cells = [
            (r.case, r.quantity, r.unit, *number, verdict(r), r.source) for r, number in zip(rows, numbers, strict=True)
        ]
        print_table(("case", "quantity", "unit", "published", "ours", "tolerance", "verdict", "source"), cells)
    raise typer.Exit(exit_code(rows))


def bench(
    cases: CaseNames = None,
    as_json: Json = False,
) -> None:
    """Our figures, with peers beside them in the same run; `bench robots DIR`: how many of a folder's robots load."""
    from freefloat.bench.runner import run as run_benches

    gently()
    figures = _bench_robots(cases[1:]) if cases and cases[0] == "robots" else run_benches(cases or [], _tell)
    if as_json:
        say(*(f"{name}: {figure.note}" for name, figure in figures.items()))
        print(json.dumps({name: figure.value for name, figure in figures.items()}))
        return
    print_table(("figure", "value", "what was done"), [(n, f"{f.value:.4g}", f.note) for n, f in figures.items()])


def _bench_robots(folders: list[str]) -> dict[str, Figure]:
    from freefloat.bench.robots import figures

    if len(folders) != 1:
        raise InputError(f"bench robots: {len(folders)} folders; allowed: one, as in `freefloat bench robots DIR`")
    with count_bar(visible=sys.stderr.isatty()) as progress:
        return {figure.name: figure for figure in figures(Path(folders[0]), progress)}


def tables(
    paper: Annotated[str, typer.Argument(metavar="[PAPER]", help="Of platform, spider.")] = "platform",
    controllers: Annotated[str, typer.Option(metavar="A,B", help="Of paper, best, mpc.")] = "paper,best",
    conditions: Annotated[str, typer.Option(metavar="A,B", help="Of nominal, strength, robust.")] = "nominal",
    seeds: Annotated[int, typer.Option(metavar="N", help="Runs of each cell, with seeds 0 to N - 1.")] = 10,
    contact: Annotated[str, typer.Option(metavar="NAME", help="With the floor: single or three.")] = "single",
    floor: Annotated[int, typer.Option(metavar="N", help="Seed of the uneven floor.")] = 1,
    jobs: Annotated[int, typer.Option(metavar="N", help="Runs at once.")] = 1,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="spider: write the figure, PNG.")] = None,
    as_json: Json = False,
) -> None:
    """Tables 5.4 and 5.5 of the floating-platform paper, published beside ours; `tables spider`: impacts of Fig. 9."""
    if paper == "spider":
        _spider_tables(as_json, plot, jobs)
        return
    if paper != "platform":
        raise unknown_name("paper", paper, ("platform", "spider"))
    from freefloat.missions.platform import tables as reacsa

    who, how = ([name.strip() for name in names.split(",")] for names in (controllers, conditions))
    reacsa.check(who, how, seeds, contact, jobs)
    gently()
    with count_bar(visible=not as_json or sys.stderr.isatty()) as progress:
        cells = reacsa.make(who, how, seeds, contact, floor, jobs, progress)
    if as_json:
        print(json.dumps([cell.to_json() for cell in cells], indent=2))
        return
    place = ("trajectory", "floor", "controller", "condition")
    print(f"Table 5.4 and the sums of Table 5.5, means over {seeds} seeds:")
    print_table((*place, *reacsa.COLUMNS), reacsa.rows(cells))
    print("\nTable 5.5, open time of each thruster [s]:")
    print_table((*place, *map(str, range(8))), reacsa.thruster_rows(cells))


def _spider_tables(as_json: bool, plot: Path | None, jobs: int) -> None:
    from freefloat.missions.spider import tables as spider

    gently()
    with count_bar(visible=not as_json or sys.stderr.isatty()) as progress:
        cells = spider.make(progress=progress, jobs=jobs)
    if plot is not None:
        spider.draw(cells, plot)
    if as_json:
        print(json.dumps([asdict(cell) for cell in cells], indent=2))
        return
    print("Impacts of SPIDER at 0.1 m/s, all motors at their largest current from the first touch on:")
    print_table(spider.HEAD, [cell.row() for cell in cells])
