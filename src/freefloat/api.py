"""Running scenarios from Python: what the command line does, as functions."""

from __future__ import annotations

import json
import math
import shutil
import warnings
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from freefloat.errors import AuditWarning, InputError

if TYPE_CHECKING:
    from freefloat.engine.mission import Mission
    from freefloat.engine.result import Result
    from freefloat.progress import Progress
    from freefloat.scenario.base import Scenario

# what a run and the commands on its log leave in its folder
WRITTEN = {
    *("scenario.yaml", "metrics.json", "timing.json", "log.mcap", "layout.json", "picture.png", "plots", "tables"),
    "orbit.oem",
}


def run(
    scenario: str | PathLike[str] | Scenario,
    overrides: Mapping[str, Any] | None = None,
    *,
    seed: int | None = None,
    duration: float | str | None = None,  # [s]
    out: str | PathLike[str] | None = None,
    strict: bool = False,
    progress: Progress | bool | None = None,
    overwrite: bool = False,
) -> Result:
    """Run a scenario by name, file or object; `overrides` are dotted paths with values, or texts such as "4 ms".

    With `out`, an empty or new folder, it writes what `freefloat run` writes: scenario, metrics, log, plots, picture;
    with `overwrite` it may be the folder of an earlier run, which is emptied.

    A run that takes long shows its progress in terminals and notebooks; `progress=False` switches that off, True shows
    it at once, and a function is called with time and duration [s].
    """
    from freefloat.scenario.base import Scenario
    from freefloat.scenario.files import load

    changes = dict(overrides or {})
    if seed is not None:
        changes["seed"] = seed
    if duration is not None:
        changes["duration"] = duration
    if isinstance(scenario, Scenario):
        if changes:
            raise InputError("overrides go with a scenario's name or file; change a Scenario object with .changed()")
        chosen = scenario
    else:
        chosen = load(str(scenario), changes)
    folder = None if out is None else _claim(Path(out), overwrite)
    return execute(chosen, out=folder, strict=strict, progress=progress)


def _claim(folder: Path, overwrite: bool) -> Path:
    """The folder of a run, made where only it is missing, and empty."""
    if not folder.parent.is_dir():
        raise InputError(f"out {folder}: there is no folder {folder.parent}; make it, or give another path")
    try:
        folder.mkdir(exist_ok=True)
        inside = list(folder.iterdir())
    except OSError as error:
        raise InputError(f"out {folder}: cannot be written: {error.strerror}") from None
    if not inside:
        return folder
    if not overwrite:
        raise InputError(f"out {folder}: the folder is not empty; give another one, or overwrite=True")
    foreign = sorted(entry.name for entry in inside if entry.name not in WRITTEN)
    if foreign or not (folder / "scenario.yaml").is_file():
        what = f"it holds {foreign[0]!r}" if foreign else "it has no scenario.yaml"
        raise InputError(
            f"out {folder}: {what}; overwrite=True empties only the folder of a run, with nothing else in it"
        )
    for entry in inside:
        shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    return folder


def execute(
    scenario: Scenario,
    *,
    out: Path | None = None,
    realtime: bool = False,
    strict: bool = False,
    progress: Progress | bool | None = None,
) -> Result:
    """Build and run a scenario; with `out` (an existing empty folder) write its files there.

    The log is complete and closed when the run fails or is interrupted.
    """
    from freefloat.engine.log.layout import layout_of, save_layout
    from freefloat.engine.pace import Free, RealTime
    from freefloat.engine.signals import select
    from freefloat.scenario.conduct import built, figures, unjudged
    from freefloat.scenario.describe import dump

    mission = built(scenario, realtime)
    label(mission, scenario)
    session = mission.session(scenario.seed)
    recorded = {signal.name: signal for signals in session.recorder.groups.values() for signal in signals}
    for name in mission.plots:
        select(recorded, name)  # refused before the run instead of after it
    if out is not None:
        (out / "scenario.yaml").write_text(dump(scenario), encoding="utf-8")
        save_layout(layout_of(session.recorder.groups, mission.plots), out / "layout.json")
    with warnings.catch_warnings():
        if strict:  # said once, as an error at the end
            warnings.simplefilter("ignore", AuditWarning)
        log = out / "log.mcap" if out is not None else None
        pace = RealTime() if realtime else Free()
        result = mission.complete(session, mission.duration or scenario.duration, log, progress, pace)
    problems: list[tuple[str, Exception]] = []
    try:
        result.metrics = {**result.metrics, **figures(mission.judge(result))}
    except Exception as error:  # a user's own judge may fail in any way; a finished run keeps its files
        problems.append(("metrics", error))
    if out is not None:
        _write(result, mission.plots, out)
        for write in mission.writers:
            try:
                write(result, out)
            except Exception as error:  # and so may a user's own writer
                problems.append((getattr(write, "__qualname__", "writer"), error))
    if problems:
        what, problem = problems[0]
        raise unjudged(scenario, what, problem) from problem
    if strict:
        result.audit.demand()
    return result


def label(mission: Mission, scenario: Scenario) -> None:
    """Let logs of a mission say which scenario it is."""
    from freefloat.scenario.describe import dump, rows

    mission.about = {"kind": scenario.kind, "scenario": dump(scenario)}
    mission.fields = [
        {"field": row.path, "value": row.value, "unit": row.unit, "meaning": row.meaning}
        for row in rows(scenario)
        if not row.when
    ]


def _write(result: Result, plots: tuple[str, ...], out: Path) -> None:
    """metrics.json (the same bytes for the same run), timing.json, the plots and a picture of the world."""
    from freefloat.engine.audit import LIMITS
    from freefloat.view.plots import plot_audit

    (out / "metrics.json").write_text(metrics_json(result.metrics), encoding="utf-8")
    timing = {
        "wall_time_s": result.wall_time,
        "real_time_factor": result.real_time_factor,
        "late_cycles": result.late_cycles,
    }
    (out / "timing.json").write_text(json.dumps(timing, indent=2) + "\n", encoding="utf-8")
    folder = out / "plots"
    folder.mkdir()
    for name in plots:
        result.plot(name, path=folder / f"{name}.png")
    history = dict(result.audit.history)
    t = history.pop("t")
    limits = {
        name: LIMITS[name.rpartition(".")[2]] for name in history
    }  # the world's name stands before, where several
    plot_audit(t, history, limits, folder / "audit.png")
    if any(result.scene.values()):
        try:
            result.picture(path=out / "picture.png")
        except InputError as error:  # the run is done, and all else is written
            warnings.warn(f"no {out / 'picture.png'}: {error}", stacklevel=4)


def metrics_json(metrics: Mapping[str, float]) -> str:
    """Metrics as JSON text, sorted by name; a number that is not finite is null."""
    clean = {n: float(v) if math.isfinite(v) else None for n, v in sorted(metrics.items())}
    return json.dumps(clean, indent=2) + "\n"
