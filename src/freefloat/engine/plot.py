"""Signals over time with units on their axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from freefloat.charts import draw_lines, panels, save
from freefloat.engine.signals import Signal, select
from freefloat.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_signals(
    frames: Mapping[str, pl.DataFrame],
    signals: Mapping[str, Signal],
    names: Sequence[str],
    path: str | PathLike[str] | None = None,
    title: str = "",
) -> Figure:
    """One panel per name (`arm.q`, or one component `arm.q[2]`) over time; saved when a path is given."""
    if not names:
        raise InputError("no signal to plot; name at least one, for example " + repr(next(iter(signals), "arm.q")))
    chosen = [select(signals, name) for name in names]
    figure, axes = panels(len(chosen))
    for ax, name, (signal, indices) in zip(axes, names, chosen, strict=True):
        t, values = _values(frames, signal)
        labels = signal.columns()
        lines = {labels[i].removeprefix(signal.name) or signal.name: values[:, i] for i in indices}
        where = f" (frame {signal.frame})" if signal.frame else ""
        draw_lines(ax, t, lines, f"{name} [{signal.unit or '-'}]", signal.meaning + where)
    save(figure, path, title)
    return figure


def _values(frames: Mapping[str, pl.DataFrame], signal: Signal) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times (n,) and scalars (n, size) of a signal, whichever table holds it."""
    for frame in frames.values():
        if signal.name in frame.columns:
            table = frame[signal.name].to_numpy().reshape(frame.height, signal.size)
            return frame["t"].to_numpy(), table
    raise InputError(f"signal {signal.name!r} was not recorded")
