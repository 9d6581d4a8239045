"""A run from the command line: its overrides, its folder and what is printed of it."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from freefloat.commands import INTERRUPTED, Json
from freefloat.commands.replay import Replay
from freefloat.errors import AuditWarning, InputError, SimulationError
from freefloat.folders import next_folder
from freefloat.interrupts import at_once, gently
from freefloat.terminal import print_table, progress_bar, say

if TYPE_CHECKING:
    from freefloat.engine.result import Result
    from freefloat.scenario.overrides import Override

NOTES = 6  # lines on the files of parts; all are in the log


def run(
    scenario: Annotated[
        str | None,
        typer.Argument(metavar="[SCENARIO]", help="A name from `freefloat list`, a YAML file, or FILE.py[:NAME]."),
    ] = None,
    assignments: Annotated[
        list[str] | None, typer.Option("--set", metavar="A.B=C", help="Give a field another value; may be repeated.")
    ] = None,
    seed: Annotated[str | None, typer.Option(metavar="N", help="Seed of every random stream.")] = None,
    duration: Annotated[str | None, typer.Option(metavar="S", help="Simulated time in s, or such as '2 min'.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where to write; default runs/SCENARIO-NNN.")] = None,
    realtime: Annotated[bool, typer.Option("--realtime", help="Keep pace with the clock.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="A failed audit is an error.")] = False,
    case: Annotated[str | None, typer.Option(metavar="DIR:N", help="Case N of the campaign in DIR again.")] = None,
    as_json: Json = False,
) -> None:
    """Run a scenario, or a case of a campaign again, and write its metrics, log and plots."""
    from freefloat.api import execute
    from freefloat.scenario.files import load

    changes = _overrides(assignments or [], seed, duration)
    if (scenario is None) == (case is None) or (case is not None and changes):
        raise InputError("run: allowed: a SCENARIO, or --case DIR:N without --set, --seed and --duration")
    replay = None if case is None else Replay.of(case)
    if replay is not None:
        chosen, name = replay.scenario, replay.name
    else:
        assert scenario is not None
        chosen, name = load(scenario, changes), Path(scenario).stem
    folder = claim(out, name)
    try:
        with (
            at_once(lambda: kept(folder)),
            warnings.catch_warnings(),
            progress_bar(visible=not as_json or sys.stderr.isatty()) as progress,
        ):
            warnings.simplefilter("ignore", AuditWarning)  # said below, as the last line
            result = execute(
                chosen,
                out=folder,
                realtime=realtime,
                strict=strict,
                progress=_begun(progress),
            )
    except InputError:
        kept(folder)
        raise
    except SimulationError as error:
        raise SimulationError(f"{error}{kept(folder)}") from error
    except KeyboardInterrupt:
        say(f"interrupted{kept(folder)}")
        raise typer.Exit(INTERRUPTED) from None
    _print_result(result, folder, as_json)
    if chosen.integrator.step == "auto" and not as_json:
        print(f"step: {1e3 * result.step:g} ms")
    if replay is not None:
        replay.tell(result.metrics)
    if not result.audit.passed:
        sys.stdout.flush()
        say(f"warning: {result.audit.verdict}")


def _begun(progress: Callable[[float, float], None]) -> Callable[[float, float], None]:
    """The same, and from its first call on an interrupt closes the log."""

    def tell(t: float, duration: float) -> None:
        gently()
        progress(t, duration)

    return tell


def _overrides(assignments: list[str], seed: str | None, duration: str | None) -> list[str | Override]:
    from freefloat.scenario.overrides import Override

    named = {"seed": seed, "duration": duration}
    return [*assignments, *(Override.named(f"--{n}", n, text) for n, text in named.items() if text is not None)]


def claim(out: Path | None, name: str) -> Path:
    """The folder of this run, made now and empty. A folder with files in it is never written to."""
    try:
        if out is None:
            return next_folder(Path("runs"), name)
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise InputError(f"--out {out}: the folder is not empty; allowed: a new or empty folder")
    except OSError as error:
        raise InputError(f"--out {out or 'runs'}: cannot be written: {error.strerror}") from None
    return out


def kept(folder: Path) -> str:
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
    for note in result.notes[:NOTES]:
        print(f"note: {note}")
    if len(result.notes) > NOTES:
        print(f"note: ... and {len(result.notes) - NOTES} more; `freefloat log info {folder / 'log.mcap'} --json`")
    print(f"{factor:.3g} x real time, {wall:.3g} s; written to {folder}")
