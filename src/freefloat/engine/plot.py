"""Signals over time, in panels that say what they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from freefloat.charts import draw_lines, draw_pulses, panels, save, step_axis
from freefloat.engine.panels import Panel, panels_of
from freefloat.engine.signals import Signal, select
from freefloat.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_signals(
    frames: Mapping[str, pl.DataFrame],
    signals: Mapping[str, Signal],
    names: Sequence[str],
    path: str | PathLike[str] | None = None,
    title: str = "",
) -> Figure:
    """Panels of each name (`arm.q`, or one entry `arm.q[2]`) over time, one for each unit; saved with a path.

    What settles early on is shown once more from then on, since nothing is seen of it beside its start.
    """
    if not names:
        raise InputError("no signal to plot; name at least one, for example " + repr(next(iter(signals), "arm.q")))
    drawn: list[tuple[NDArray[np.float64], Panel]] = []
    for name in names:
        signal, indices = select(signals, name)
        t, values = values_of(frames, signal)
        for panel in panels_of(signal, indices, _of_modules(frames, signals, signal, values)):
            drawn.append((t, panel))
            start = panel.settled(t)
            if start:
                drawn.append((t[start:], _from(start, t, panel)))
    figure, axes = panels(len(drawn), max(len(panel.lines) for _, panel in drawn))
    for ax, (t, panel) in zip(axes, drawn, strict=True):
        draw_panel(ax, t, panel)
    save(figure, path, title)
    return figure


def draw_panel(ax: Axes, t: NDArray[np.float64], panel: Panel) -> None:
    """A panel into axes; states as steps with their names, pulses in rows."""
    if panel.pulse:
        title = f"{panel.title}; a full row is {panel.pulse:.3g} {panel.unit}"
        draw_pulses(ax, t, panel.lines, panel.axis, title, panel.pulse)
        return
    draw_lines(ax, t, panel.lines, panel.axis, panel.title, steps=bool(panel.codes))
    if panel.codes:
        step_axis(ax, panel.codes)


def _from(start: int, t: NDArray[np.float64], panel: Panel) -> Panel:
    lines = {label: values[start:] for label, values in panel.lines.items()}
    return replace(panel, title=f"the same from {t[start]:.4g} s on, enlarged", lines=lines)


def _of_modules(
    frames: Mapping[str, pl.DataFrame], signals: Mapping[str, Signal], signal: Signal, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Values with none where a place of a modular body is empty, as the signal `identity` of the body tells."""
    who = signals.get(f"{signal.part}.identity")
    if who is None or who.shape != signal.shape or who.labels != signal.labels:
        return values
    present = values_of(frames, who)[1] > 0.0
    return np.where(present, values, np.nan) if present.shape == values.shape else values


def values_of(frames: Mapping[str, pl.DataFrame], signal: Signal) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times (n,) and scalars (n, size) of a signal, whichever table holds it."""
    for frame in frames.values():
        if signal.name in frame.columns:
            table = frame[signal.name].to_numpy().reshape(frame.height, signal.size)
            return frame["t"].to_numpy(), table
    raise InputError(f"signal {signal.name!r} was not recorded")
