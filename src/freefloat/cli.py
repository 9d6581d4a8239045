"""The command line. Heavy modules are imported inside the commands, so that `--help` answers at once."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from freefloat.errors import FreefloatError, InputError, SimulationError
from freefloat.terminal import count_bar, print_table, progress_bar, say, show_warning

if TYPE_CHECKING:
    from freefloat.engine.result import Result
    from freefloat.scenario.overrides import Override
    from freefloat.scenario.yamltext import Document
    from freefloat.structure.design.check import DesignReport

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # click's, wherever typer keeps it

_PLAIN = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": None}
app = typer.Typer(help="Simulate on-orbit servicing and assembly robotics.", **_PLAIN)
log_app = typer.Typer(help="Look into the log of a run.", **_PLAIN)
app.add_typer(log_app, name="log")


def _print_version(wanted: bool) -> None:
    if wanted:
        from freefloat import __version__

        print(f"freefloat {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Simulate on-orbit servicing and assembly robotics."""


ScenarioName = Annotated[str, typer.Argument(metavar="SCENARIO", help="A name from `freefloat list`, or a YAML file.")]
LogFile = Annotated[Path, typer.Argument(metavar="FILE", help="The log.mcap of a run.")]
Json = Annotated[bool, typer.Option("--json", help="Print only JSON on standard output.")]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code: 0 done, 1 failed, 2 bad input, 130 interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]  (closed by the caller)
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
    warnings.showwarning = show_warning
    sys.exit(_code(given or ["--help"]))


def _code(arguments: list[str]) -> int:
    """The one place where errors become messages and exit codes."""
    try:
        code = typer.main.get_command(app).main(arguments, prog_name="freefloat", standalone_mode=False)
        sys.stdout.flush()
    except _UsageError as error:
        told: str = error.format_message()  # pyright: ignore[reportAttributeAccessIssue]
        say(f"error: {told}{'' if told[-1:] in '.?!' else '.'} See 'freefloat --help'.")
        return BAD_INPUT
    except InputError as error:
        say(*(f"error: {line}" for line in str(error).splitlines()))
        return BAD_INPUT
    except FreefloatError as error:
        say(f"error: {error}")
        return FAILED
    except (KeyboardInterrupt, typer.Abort):
        say("interrupted")
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):  # the reader of our output left, as `head` does; click exits then
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        say(f"error: {error.strerror or error}")
        return FAILED
    return code if isinstance(code, int) else DONE


@app.command("list")
def list_(as_json: Json = False) -> None:
    """Scenarios, one line each."""
    from freefloat.scenario.presets import presets

    known = presets().values()
    if as_json:
        rows = [{"name": p.name, "kind": p.kind, "title": p.title, "file": p.file and str(p.file)} for p in known]
        print(json.dumps(rows, indent=2))
        return
    width = max((len(p.name) for p in known), default=0)
    for preset in known:
        print(f"{preset.name:<{width}}  {' '.join(preset.title.split())}")


@app.command()
def show(
    scenario: ScenarioName,
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="A field or group, such as `integrator`.")] = "",
) -> None:
    """Every field: value, unit, default, allowed, meaning."""
    from freefloat.scenario.describe import rows
    from freefloat.scenario.files import load

    found = rows(load(scenario), path)
    cells = [(r.path, r.value, r.unit, r.default, r.allowed, r.meaning + (r.when and f" ({r.when})")) for r in found]
    print_table(("field", "value", "unit", "default", "allowed", "meaning"), cells)


@app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A YAML file, or a name from `freefloat list`.")],
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of the file's kind.")] = False,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where the drawing of a design goes; default NAME.png here.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Validate a scenario file and build its mission, or check a design; every error with its place."""
    from freefloat.scenario.describe import json_schema
    from freefloat.scenario.files import find, kind_of, scenario_from
    from freefloat.structure.design.file import design_schema, is_design

    document = find(file)
    if schema:
        print(json.dumps(design_schema() if is_design(document) else json_schema(kind_of(document)), indent=2))
        return
    if is_design(document):
        _check_design(document, file, picture, as_json)
        return
    scenario = scenario_from(document)
    if picture is not None:
        raise InputError(f"--picture {picture}: only a design is drawn, {file} is a scenario ({scenario.kind})")
    scenario.build()
    if as_json:
        print(json.dumps({"file": file, "kind": scenario.kind, "ok": True}))
        return
    print(f"{file}: ok ({scenario.kind})")


def _check_design(document: Document, file: str, picture: Path | None, as_json: bool) -> None:
    """Print the report, write the drawing, and refuse a design with errors."""
    from freefloat.structure.design.check import check_design
    from freefloat.structure.design.file import design_from
    from freefloat.structure.design.tables import design_tables, report_data

    report = check_design(design_from(document))
    drawing = _draw_design(report, picture)
    if as_json:
        print(json.dumps({"file": file, "kind": "design", "picture": drawing, **report_data(report)}))
    else:
        for table in design_tables(report):
            print(f"{table.title}:")
            print_table(table.columns, table.rows)
            print()
        print(f"drawing: {drawing or 'not written'}")
    if not report.ok:
        raise InputError(f"{file}: the design has {len(report.errors)} error{'s' if len(report.errors) > 1 else ''}")
    if not as_json:
        print(f"{file}: ok (design)")


def _draw_design(report: DesignReport, picture: Path | None) -> str | None:
    """The file that was written; a default one that cannot be is a warning, and no foreign file is replaced."""
    from freefloat.view.configuration import is_configuration
    from freefloat.view.design_picture import draw_design

    file = picture or Path(f"{report.design.name}.png")
    if picture is None and file.exists() and not is_configuration(file):
        say(f"warning: {file} exists and is no drawing of a configuration; name another with --picture FILE")
        return None
    try:
        draw_design(report, file)
    except InputError as error:
        if picture is not None:
            raise InputError(f"--picture: {error}") from None
        say(f"warning: {error}")
        return None
    return str(file)


@app.command()
def run(
    scenario: ScenarioName,
    assignments: Annotated[
        list[str] | None, typer.Option("--set", metavar="A.B=C", help="Give a field another value; may be repeated.")
    ] = None,
    seed: Annotated[str | None, typer.Option(metavar="N", help="Seed of every random stream.")] = None,
    duration: Annotated[str | None, typer.Option(metavar="S", help="Simulated time in s, or such as '2 min'.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where to write; default runs/SCENARIO-NNN.")] = None,
    realtime: Annotated[bool, typer.Option("--realtime", help="Keep pace with the clock.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="A failed audit is an error.")] = False,
    as_json: Json = False,
) -> None:
    """Run a scenario and write its metrics, log and plots."""
    from freefloat.api import execute
    from freefloat.scenario.files import load

    chosen = load(scenario, _overrides(assignments or [], seed, duration))
    folder = _claim(out, Path(scenario).stem)
    try:
        with progress_bar(visible=not as_json or sys.stderr.isatty()) as progress:
            result = execute(
                chosen,
                out=folder,
                realtime=realtime,
                strict=strict,
                progress=progress,
            )
    except InputError:
        _kept(folder)
        raise
    except SimulationError as error:
        raise SimulationError(f"{error}{_kept(folder)}") from error
    except KeyboardInterrupt:
        say(f"interrupted{_kept(folder)}")
        raise typer.Exit(INTERRUPTED) from None
    _print_result(result, folder, as_json)


def _overrides(assignments: list[str], seed: str | None, duration: str | None) -> list[str | Override]:
    from freefloat.scenario.overrides import Override

    named = {"seed": seed, "duration": duration}
    return [*assignments, *(Override.named(f"--{n}", n, text) for n, text in named.items() if text is not None)]


def _claim(out: Path | None, name: str) -> Path:
    """The folder of this run, made now and empty. A folder with files in it is never written to."""
    try:
        if out is None:
            return _next_folder(Path("runs"), name)
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise InputError(f"--out {out}: the folder is not empty; allowed: a new or empty folder")
    except OSError as error:
        raise InputError(f"--out {out or 'runs'}: cannot be written: {error.strerror}") from None
    return out


def _next_folder(parent: Path, name: str) -> Path:
    parent.mkdir(exist_ok=True)
    used = [p.name.removeprefix(f"{name}-") for p in parent.iterdir() if p.name.startswith(f"{name}-")]
    number = max((int(n) for n in used if n.isascii() and n.isdigit()), default=0)
    while True:
        number += 1
        folder = parent / f"{name}-{number:03d}"
        try:
            folder.mkdir()
        except FileExistsError:  # another run took it in the meantime
            continue
        return folder


def _kept(folder: Path) -> str:
    """Where the records of a run that ended early are; a folder without any is removed."""
    if folder.is_dir() and any(folder.iterdir()):
        return f"; what was recorded is in {folder}"
    with contextlib.suppress(OSError):
        folder.rmdir()
    return ""


def _print_result(result: Result, folder: Path, as_json: bool) -> None:
    factor, wall = result.real_time_factor, result.wall_time
    if as_json:
        flat = {**result.metrics, "real_time_factor": factor, "wall_time_s": wall}
        print(json.dumps({name: value if math.isfinite(value) else None for name, value in flat.items()}))
        return
    print_table(("metric", "value"), [(name, f"{value:.6g}") for name, value in result.metrics.items()])
    print(f"{factor:.3g} x real time, {wall:.3g} s; written to {folder}")


@app.command()
def verify(
    cases: Annotated[list[str] | None, typer.Argument(metavar="[CASE]...", help="Names of cases; default all.")] = None,
    as_json: Json = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write an HTML report with plots.")] = None,
) -> None:
    """Published number, ours, tolerance, pass. Ends with 1 where a failure has no stated reason."""
    from freefloat.verify.report import verdict, write_report
    from freefloat.verify.runner import exit_code, run_cases

    rows = run_cases(cases or [], lambda name, i, n: say(f"{i + 1}/{n} {name}"))
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


@app.command()
def bench(
    cases: Annotated[list[str] | None, typer.Argument(metavar="[CASE]...", help="Names of cases; default all.")] = None,
    as_json: Json = False,
) -> None:
    """Our figures, with peers beside them in the same run."""
    from freefloat.bench.runner import run as run_benches

    figures = run_benches(cases or [], lambda name, i, n: say(f"{i + 1}/{n} {name}"))
    if as_json:
        say(*(f"{name}: {figure.note}" for name, figure in figures.items()))
        print(json.dumps({name: figure.value for name, figure in figures.items()}))
        return
    print_table(("figure", "value", "what was done"), [(n, f"{f.value:.4g}", f.note) for n, f in figures.items()])


@app.command()
def tables(
    controllers: Annotated[str, typer.Option(metavar="A,B", help="Of paper, best, mpc.")] = "paper,best",
    conditions: Annotated[str, typer.Option(metavar="A,B", help="Of nominal, strength, robust.")] = "nominal",
    seeds: Annotated[int, typer.Option(metavar="N", help="Runs of each cell, with seeds 0 to N - 1.")] = 10,
    contact: Annotated[str, typer.Option(metavar="NAME", help="With the floor: single or three.")] = "single",
    floor: Annotated[int, typer.Option(metavar="N", help="Seed of the uneven floor.")] = 1,
    jobs: Annotated[int, typer.Option(metavar="N", help="Runs at once.")] = 1,
    as_json: Json = False,
) -> None:
    """Tables 5.4 and 5.5 of the floating-platform paper, published beside ours."""
    from freefloat.missions.platform import tables as reacsa

    who, how = ([name.strip() for name in names.split(",")] for names in (controllers, conditions))
    reacsa.check(who, how, seeds, contact, jobs)
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


@log_app.command("info")
def log_info(file: LogFile, as_json: Json = False) -> None:
    """Signals, rates, events and metadata of a log."""
    from freefloat.engine.log.export import info

    summary = info(file)
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


@log_app.command("export")
def log_export(
    file: LogFile,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Default: the folder `tables` beside it.")] = None,
    form: Annotated[Literal["parquet", "csv"], typer.Option("--format", help="Format of the tables.")] = "parquet",
) -> None:
    """Write a log's tables for other tools."""
    from freefloat.engine.log.export import export

    for path in export(file, out or file.parent / "tables", form):
        print(path)


@log_app.command("plot")
def log_plot(
    file: LogFile,
    signals: Annotated[list[str] | None, typer.Argument(metavar="[SIGNAL]...", help="Such as arm.q.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="PATH", help="A file for named signals, else a folder.")] = None,
) -> None:
    """Plot a log's signals."""
    from freefloat.view.plots import plot_log

    for path in plot_log(file, signals or [], out):
        print(path)


@app.command()
def doctor() -> None:
    """What is installed, what is missing, how to get it."""
    import platform

    from freefloat.doctor import library_problem, packages
    from freefloat.scenario.registry import names

    found, problem = list(packages()), library_problem()
    print(f"Python {platform.python_version()} on {platform.system()} {platform.machine()}")
    print_table(
        ("package", "for", "needs", "installed", "size [MB]", "get it"),
        [(p.name, p.extra or "core", p.needed, p.version or "missing", f"{p.size / 1e6:.1f}", p.remedy) for p in found],
    )
    print(f"MuJoCo library: {problem or 'every function that Freefloat calls is there'}")
    print(f"kinds of scenario: {', '.join(names()) or 'none'}")
    if problem or any(not p.version and not p.extra for p in found):
        raise typer.Exit(FAILED)


if __name__ == "__main__":
    main()
