"""The log of a run: what is in it, as tables, as plots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from freefloat.commands import Json
from freefloat.terminal import print_table

LAYOUTS = "What it is for: platform, modular, arm, contact, satellite, general; auto: what suits the log."
LogFile = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, or its log.mcap.")]


def log_info(file: LogFile, as_json: Json = False) -> None:
    """Signals, rates, events and metadata of a log."""
    from freefloat.engine.log.export import info
    from freefloat.view.run_folder import log_of

    summary = info(log_of(file))
    if as_json:
        print(json.dumps(summary, indent=2))
        return
    signals: list[dict[str, object]] = summary.pop("signals")  # pyright: ignore[reportAssignmentType]
    notes: dict[str, dict[str, str]] = summary.pop("metadata")  # pyright: ignore[reportAssignmentType]
    for name, value in summary.items():
        print(f"{name}: {value if isinstance(value, str) else json.dumps(value)}")
    for name, entries in notes.items():
        for key, text in entries.items():
            print(
                f"{name}.{key}: {text if text.count(chr(10)) == 0 else f'({len(text.splitlines())} lines; see --json)'}"
            )
    columns = ("signal", "unit", "shape", "frame", "rows", "rate", "meaning")
    print_table(columns, [[str(signal[c]) for c in columns] for signal in signals])


def log_export(
    file: LogFile,
    out: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Default: the folder `tables` beside it; epos: the file `trajectory.txt`."),
    ] = None,
    form: Annotated[
        Literal["parquet", "csv", "epos"],
        typer.Option("--format", help="Of the tables; epos: the docking facility's commands as a trajectory file."),
    ] = "parquet",
) -> None:
    """Write a log's tables for other tools, or the commands that the docking facility executed, to be replayed."""
    from freefloat.view.run_folder import log_of

    log = log_of(file)
    for path in _exported(log, out, form):
        print(path)


def _exported(log: Path, out: Path | None, form: Literal["parquet", "csv", "epos"]) -> list[Path]:
    if form == "epos":
        from freefloat.facility.log_export import export_trajectories

        return export_trajectories(log, out)
    from freefloat.engine.log.export import export

    return export(log, out or log.parent / "tables", form)


def log_plot(
    file: LogFile,
    signals: Annotated[list[str] | None, typer.Argument(metavar="[SIGNAL]...", help="Such as arm.q.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="PATH", help="A file for named signals, else a folder.")] = None,
) -> None:
    """Plot a log's signals."""
    from freefloat.view.plots import plot_log
    from freefloat.view.run_folder import log_of

    for path in plot_log(log_of(file), signals or [], out):
        print(path)


def log_layout(
    file: LogFile,
    kind: Annotated[str, typer.Option(metavar="NAME", help=LAYOUTS)] = "auto",
    out: Annotated[Path | None, typer.Option(metavar="PATH", help="Default: layout.json beside the log.")] = None,
) -> None:
    """Write a layout with which Foxglove shows a log."""
    from freefloat.engine.log.layout import write_layout
    from freefloat.view.run_folder import log_of

    print(write_layout(log_of(file), out, kind))


def log_picture(
    run: LogFile,
    times: Annotated[
        list[float] | None,
        typer.Option("--time", metavar="S", help="An instant in s, may be repeated; default: start, middle and end."),
    ] = None,
    direction: Annotated[
        tuple[float, float, float], typer.Option(metavar="X Y Z", help="From where it is seen, in W.")
    ] = (1.0, -1.4, 0.7),
    width: Annotated[int, typer.Option(metavar="PIXEL", min=40, max=4000, help="Of one instant.")] = 360,
    height: Annotated[int, typer.Option(metavar="PIXEL", min=30, max=4000, help="Of one instant.")] = 270,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Default: picture.png beside the log.")] = None,
) -> None:
    """Picture the world of a run at some instants."""
    from freefloat.view.run_folder import picture_log

    print(picture_log(run, times or [], out, direction=direction, width=width, height=height))
