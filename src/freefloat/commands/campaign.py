"""`freefloat campaign`: many runs of a scenario, and `freefloat campaign report`: what they say so far."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from freefloat.commands import DONE, INTERRUPTED, Json
from freefloat.errors import InputError
from freefloat.interrupts import gently
from freefloat.terminal import print_table, say

if TYPE_CHECKING:
    from freefloat.campaign.report import Campaign


def campaign(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SCENARIO|FILE|DIR",
            help="A scenario, a campaign (name, file or folder), or `report DIR`.",
        ),
    ],
    runs: Annotated[str | None, typer.Option(metavar="N", help="How many cases; default 100.")] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH=DIST", help="Vary a field, as bus.mass='uniform(300 kg, 500 kg)'; repeatable."),
    ] = None,
    assignments: Annotated[
        list[str] | None, typer.Option("--set", metavar="A.B=C", help="Give a field another value in all cases.")
    ] = None,
    sampling: Annotated[
        str | None, typer.Option(metavar="HOW", help="random, latin, sobol, grid or sensitivity.")
    ] = None,
    seed: Annotated[str | None, typer.Option(metavar="N", help="Seed of the cases.")] = None,
    one_seed: Annotated[
        bool | None, typer.Option("--one-seed/--own-seeds", help="All cases run with one seed, or each with its own.")
    ] = None,
    correlate: Annotated[
        list[str] | None, typer.Option(metavar="A,B=R", help="Correlation of two varied fields; repeatable.")
    ] = None,
    success: Annotated[str | None, typer.Option(metavar="COND", help="Condition on metrics.")] = None,
    worst: Annotated[str | None, typer.Option(metavar="METRIC", help="What makes a case bad; -METRIC: small.")] = None,
    signals: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Draw a signal of all cases.")] = None,
    keep: Annotated[str | None, typer.Option(metavar="WHICH", help="none, failed, worst:N or all: cases/N/.")] = None,
    time_limit: Annotated[str | None, typer.Option(metavar="S", help="Wall time of a case.")] = None,
    memory_limit: Annotated[str | None, typer.Option(metavar="SIZE", help="Of a case, such as '800 MB'.")] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Cases at once; default all cores.")] = None,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDR", help="Of a dask cluster.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Default runs/campaign-NAME-NNN.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Run what is missing in DIR.")] = False,
    retry: Annotated[str | None, typer.Option(metavar="A,B", help="Statuses of cases to be run again.")] = None,
    as_json: Json = False,
) -> None:
    """Run many cases of a scenario and say how often it succeeds, how its metrics are spread, and what matters."""
    from freefloat.campaign.campaign import Interrupted
    from freefloat.campaign.start import campaign as start

    if sources[0] == "report":
        _report(sources[1:], as_json)
        return
    if len(sources) != 1:
        raise InputError(f"{len(sources)} sources ({', '.join(sources)}); allowed: one scenario, campaign or folder")
    fields = {
        "runs": _value("--runs", runs),
        "sampling": sampling,
        "seed": _value("--seed", seed),
        "one_seed": one_seed,
        "success": success,
        "worst": worst,
        "signals": signals or None,
        "keep": keep,
        "time_limit": _value("--time-limit", time_limit),
        "memory_limit": memory_limit,
        "vary": _vary(vary or []) or None,
        "set": _set(assignments or []) or None,
        "correlations": [_correlation(text) for text in correlate or []] or None,
    }
    gently()
    try:
        found = start(
            sources[0],
            workers=workers,
            scheduler=scheduler,
            out=out,
            resume=resume,
            retry=[name.strip() for name in retry.split(",")] if retry is not None else (),
            progress=sys.stderr.isatty(),
            **{name: value for name, value in fields.items() if value is not None},
        )
    except Interrupted as stop:
        told = shlex.join(["freefloat", "campaign", str(stop.folder), "--resume", *_again(workers, scheduler)])
        say(f"interrupted; {stop.done} of {stop.cases} cases are in {stop.folder}, go on with: {told}")
        raise typer.Exit(INTERRUPTED) from None
    _print(found, as_json)
    raise typer.Exit(DONE)


def _again(workers: int | None, scheduler: str | None) -> list[str]:
    given = {"--workers": workers, "--scheduler": scheduler}
    return [text for option, value in given.items() if value is not None for text in (option, str(value))]


def _value(option: str, text: str | None) -> Any:
    from freefloat.scenario.overrides import parse_value

    return None if text is None else parse_value(text, f"{option} {text}", "")


def _vary(texts: Sequence[str]) -> dict[str, str]:
    from freefloat.campaign.variation import parse_variation

    found: dict[str, str] = {}
    for text in texts:
        path = parse_variation(text).path
        if path in found:
            raise InputError(f"--vary {path}: varied twice; allowed: once")
        found[path] = text.partition("=")[2].strip()
    return found


def _set(texts: Sequence[str]) -> dict[str, Any]:
    from freefloat.scenario.overrides import Override

    return {given.path: given.value for given in map(Override.option, texts)}


def _correlation(text: str) -> list[Any]:
    pair, equals, value = text.partition("=")
    paths = [path.strip() for path in pair.split(",")]
    try:
        number = float(value)
    except ValueError:
        number = None
    if not equals or len(paths) != 2 or number is None:
        raise InputError(f"--correlate {text!a}: allowed: A,B=R with two varied fields and a number")
    return [*paths, number]


def _report(folders: Sequence[str], as_json: bool) -> None:
    from freefloat.campaign.report import Campaign

    if len(folders) != 1:
        raise InputError(
            f"campaign report: {len(folders)} folders; allowed: one, as in `freefloat campaign report DIR`"
        )
    found = Campaign(Path(folders[0]))
    _ = found.summary
    _print(found, as_json)


def _print(found: Campaign, as_json: bool) -> None:
    flat = found.flat()
    if as_json:
        print(json.dumps(flat))
        return
    planned = found.summary["planned"]
    if found.cases < planned:
        print(f"{found.cases} of {planned} cases have ended")
    statuses = found.frame["status"].value_counts(sort=True).rows()
    rows = [(f"{count}", status, _first_reason(found, status)) for status, count in statuses]
    print_table(("cases", "status", "first reason"), rows)
    if found.settings.success:
        print(
            f"success ({found.settings.success}): {flat['success_rate']:.4g}, "
            f"95 % interval {flat['success_low']:.4g} to {flat['success_high']:.4g}"
        )
    print(f"written to {found.folder}: results.parquet, summary.html")


def _first_reason(found: Campaign, status: str) -> str:
    if status == "ok":
        return ""
    rows = found.frame.filter(found.frame["status"] == status)
    return f"case {rows['case'][0]}: {rows['reason'][0]}"
