"""Runs beside each other: their metrics, the fields in which their scenarios differ, and their signals in one plot."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from freefloat.charts import colours, draw_lines, legend, panels, save
from freefloat.engine.log.reader import LogData, read_log
from freefloat.engine.panels import Panel, panels_of
from freefloat.engine.plot import values_of
from freefloat.engine.signals import Signal
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Array
from freefloat.scenario.yamltext import read_file
from freefloat.view.run_folder import LOG

MOST_PANELS = 12  # entries of a signal that are drawn; further ones are told of in the title


@dataclass(frozen=True)
class Run:
    """A run as its folder tells it."""

    name: str
    metrics: Mapping[str, float | None]
    fields: Mapping[str, str]
    log: LogData

    @classmethod
    def read(cls, folder: str | PathLike[str], name: str) -> Run:
        """From scenario.yaml, metrics.json and log.mcap of a run's folder."""
        home = Path(folder)
        missing = [file for file in ("metrics.json", "scenario.yaml", LOG) if not (home / file).is_file()]
        if missing:
            raise InputError(f"{home} has no {', '.join(missing)}; allowed: the folder of a finished run")
        try:
            metrics = json.loads((home / "metrics.json").read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError(f"{home / 'metrics.json'} cannot be read: {error}") from None
        return cls(name, metrics, _flat(read_file(home / "scenario.yaml").value), read_log(home / LOG))


def _flat(value: Any, path: str = "") -> dict[str, str]:
    """Fields of a scenario by their dotted names, as texts."""
    if not isinstance(value, dict):
        return {path: json.dumps(value) if isinstance(value, list) else str(value)}
    found: dict[str, str] = {}
    for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
        found |= _flat(inner, f"{path}.{key}" if path else str(key))
    return found


@dataclass(frozen=True)
class Difference:
    """By how much a signal of other runs is off that of the first, at most, in its unit on the page."""

    signal: str
    label: str
    unit: str
    largest: tuple[float, ...]  # of each run after the first


def read_runs(folders: Sequence[str | PathLike[str]]) -> list[Run]:
    """At least two runs, called by the names of their folders, or by their paths where these are the same."""
    if len(folders) < 2:
        raise InputError(f"{len(folders)} run to compare; allowed: two or more")
    names = [Path(folder).resolve().name for folder in folders]
    if len(set(names)) < len(names):
        names = [str(folder) for folder in folders]
    if len(set(names)) < len(names):
        raise InputError(f"the same run twice among {', '.join(names)}; allowed: each once")
    return [Run.read(folder, name) for folder, name in zip(folders, names, strict=True)]


def metric_rows(runs: Sequence[Run]) -> dict[str, list[float | None]]:
    """Every metric with its value in each run; None where a run has none, or not a number."""
    names = sorted({name for run in runs for name in run.metrics})
    return {name: [run.metrics.get(name) for run in runs] for name in names}


def differing_fields(runs: Sequence[Run]) -> dict[str, list[str]]:
    """Fields of the scenarios that are not the same in all runs; "" where a run does not have one."""
    names = list(dict.fromkeys(name for run in runs for name in run.fields))
    rows = {name: [run.fields.get(name, "") for run in runs] for name in names}
    return {name: values for name, values in rows.items() if len(set(values)) > 1}


def common_signals(runs: Sequence[Run], chosen: Sequence[str] = ()) -> list[Signal]:
    """Signals that all runs have in the same shape: the chosen ones, or those that the first run's scenario plots."""
    first, *others = runs
    shared = [s for s in first.log.signals.values() if all(_same(s, run.log.signals.get(s.name)) for run in others)]
    by_name = {s.name: s for s in shared if s.size}
    for name in chosen:
        if name not in by_name:
            raise unknown_name("signal that all runs have", name, by_name)
    plotted = first.log.metadata.get("freefloat", {}).get("plots", "").split()
    return [by_name[name] for name in chosen or [n for n in plotted if n in by_name] or by_name]


def _same(a: Signal, b: Signal | None) -> bool:
    return b is not None and (a.shape, a.unit) == (b.shape, b.unit)


def draw_comparison(
    runs: Sequence[Run], signals: Sequence[Signal], folder: str | PathLike[str]
) -> tuple[list[Path], list[Difference]]:
    """A plot of each signal, a panel an entry and a line a run; returns the files and how far the runs are apart."""
    files: list[Path] = []
    found: list[Difference] = []
    for signal in signals:
        drawn = [_drawn(run, signal) for run in runs]
        labels = [label for label in drawn[0] if all(label in other for other in drawn)]
        found += [_difference(signal, label, [other[label] for other in drawn]) for label in labels]
        if labels:
            files.append(Path(folder) / f"{signal.name.replace('/', '_')}.png")
            _draw(runs, signal, {label: [other[label] for other in drawn] for label in labels}, files[-1])
    return files, found


@dataclass(frozen=True)
class _Curve:
    t: Array
    values: Array
    panel: Panel


def _drawn(run: Run, signal: Signal) -> dict[str, _Curve]:
    """Every line of a signal in one run; of an attitude its angles only, whose signs are the same in all runs."""
    t, values = values_of(run.log.frames, signal)
    made = panels_of(signal, range(signal.size), values)
    chosen = made[-1:] if signal.is_attitude else made
    return {label: _Curve(t, line, panel) for panel in chosen for label, line in panel.lines.items()}


def _draw(runs: Sequence[Run], signal: Signal, rows: Mapping[str, Sequence[_Curve]], path: Path) -> None:
    shown = dict(list(rows.items())[:MOST_PANELS])
    figure, axes = panels(len(shown), len(runs))
    for ax, (label, curves) in zip(axes, shown.items(), strict=True):
        panel, (first, *others) = curves[0].panel, curves
        quantity = panel.quantity if label in panel.quantity or len(rows) == 1 else f"{panel.quantity}: {label}"
        draw_lines(ax, first.t, {runs[0].name: first.values}, f"{quantity} [{panel.unit or '-'}]", "")
        hues = colours(len(runs))
        for run, curve, hue, k in zip(runs[1:], others, hues[1:], range(1, len(runs)), strict=True):
            ax.plot(curve.t, curve.values, label=run.name, color=hue, linestyle=(0, (6, 1 + k)))
        legend(ax, len(runs))
    left = f"; the first {MOST_PANELS} of {len(rows)}" if len(rows) > MOST_PANELS else ""
    save(figure, path, f"{signal.name}: {signal.meaning}{left}")


def _difference(signal: Signal, label: str, curves: Sequence[_Curve]) -> Difference:
    """Where both runs have samples; an angle that jumps by a turn is compared the short way round."""
    first, *others = curves
    largest: list[float] = []
    for other in others:
        inside = first.t[(first.t >= other.t[0]) & (first.t <= other.t[-1])] if len(other.t) else first.t[:0]
        off = np.interp(inside, first.t, first.values) - np.interp(inside, other.t, other.values)
        if signal.is_attitude:
            off = (off + 180.0) % 360.0 - 180.0
        seen = np.abs(off[np.isfinite(off)])
        largest.append(float(seen.max()) if seen.size else math.nan)
    return Difference(signal.name, label if signal.size > 1 else "", first.panel.unit, tuple(largest))


def summary(runs: Sequence[Run], found: Sequence[Difference], files: Sequence[Path]) -> dict[str, Any]:
    """All of it as plain values for JSON."""
    return {
        "runs": [run.name for run in runs],
        "metrics": metric_rows(runs),
        "fields": differing_fields(runs),
        "signals": [
            {
                "signal": d.signal,
                "label": d.label,
                "unit": d.unit,
                "largest_difference": [v if math.isfinite(v) else None for v in d.largest],
            }
            for d in found
        ],
        "files": [str(file) for file in files],
    }
