"""Plots of signals and audits with units on their axes, drawn with matplotlib's object interface (safe in threads)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from freefloat.engine.signals import Signal
from freefloat.errors import InputError, unknown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE: dict[str, Any] = {
    "colors": ("#1f6feb", "#e4572e", "#2a9d5c", "#8e5bd0", "#c99700", "#17a2b8", "#d63384", "#6c757d"),
    "ink": "#24292f",
    "faint": "#d8dee4",
    "width": 8.0,  # [inch]
    "row": 2.3,  # [inch] height of one panel
    "dpi": 130,
    "font": 9.0,  # [pt]
    "line": 1.3,  # [pt]
}
FILE_KINDS = (".pdf", ".png", ".svg")
LEGEND_LIMIT = 16  # lines in a panel that still get a legend
LEAST_ERROR = 1e-18  # [-] zero on a logarithmic axis


def _figure(rows: int) -> tuple[Figure, list[Axes]]:
    from freefloat.view.figure import NotebookFigure

    figure = NotebookFigure(figsize=(STYLE["width"], STYLE["row"] * rows + 0.5), dpi=STYLE["dpi"], layout="constrained")
    axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0].tolist()
    for ax in axes:
        tidy(ax)
    axes[-1].set_xlabel("time [s]", color=STYLE["ink"], fontsize=STYLE["font"])
    return figure, axes


def tidy(ax: Axes) -> None:
    ax.set_prop_cycle(color=STYLE["colors"], linewidth=[STYLE["line"]] * len(STYLE["colors"]))
    ax.grid(True, color=STYLE["faint"], linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(STYLE["ink"])
    ax.tick_params(colors=STYLE["ink"], labelsize=STYLE["font"] - 1)
    ax.margins(x=0.01)


def _legend(ax: Axes, lines: int) -> None:
    if 1 < lines <= LEGEND_LIMIT:
        ax.legend(
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
            frameon=False,
            fontsize=STYLE["font"] - 1,
            labelcolor=STYLE["ink"],
            handlelength=1.4,
        )


def save(figure: Figure, path: str | PathLike[str] | None) -> None:
    if path is None:
        return
    file = Path(path)
    if file.suffix.lower() not in FILE_KINDS:
        raise InputError(f"plot {file}: kind {file.suffix!r} is unknown; allowed: {', '.join(FILE_KINDS)}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file)
    except OSError as e:
        raise InputError(f"plot {file} cannot be written: {e.strerror or e}") from None


def _select(signals: Mapping[str, Signal], name: str) -> tuple[Signal, list[int]]:
    """The signal and its scalars meant by `arm.q` (all) or `arm.q[2]` (one)."""
    base, index = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", name, re.DOTALL).groups()  # type: ignore[union-attr]
    if base not in signals:
        raise unknown_name("signal", base, signals)
    signal = signals[base]
    if index is None:
        return signal, list(range(signal.size))
    if int(index) >= signal.size:
        raise InputError(f"signal {name!r} has no such component; allowed: 0 to {signal.size - 1}")
    return signal, [int(index)]


def _values(frames: Mapping[str, pl.DataFrame], signal: Signal) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times (n,) and scalars (n, size) of a signal, whichever table holds it."""
    for frame in frames.values():
        if signal.name in frame.columns:
            table = frame[signal.name].to_numpy().reshape(frame.height, signal.size)
            return frame["t"].to_numpy(), table
    raise InputError(f"signal {signal.name!r} was not recorded")


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
    chosen = [_select(signals, name) for name in names]
    figure, axes = _figure(len(chosen))
    for ax, name, (signal, indices) in zip(axes, names, chosen, strict=True):
        t, values = _values(frames, signal)
        labels = signal.columns()
        for i in indices:
            ax.plot(t, values[:, i], label=labels[i].removeprefix(signal.name) or signal.name)
        ax.set_ylabel(f"{name} [{signal.unit or '-'}]", color=STYLE["ink"], fontsize=STYLE["font"])
        where = f" (frame {signal.frame})" if signal.frame else ""
        ax.set_title(signal.meaning + where, loc="left", color=STYLE["ink"], fontsize=STYLE["font"])
        _legend(ax, len(indices))
    if title:
        figure.suptitle(title, color=STYLE["ink"], fontsize=STYLE["font"] + 2)
    save(figure, path)
    return figure


def plot_parts(
    frames: Mapping[str, pl.DataFrame], signals: Mapping[str, Signal], folder: str | PathLike[str]
) -> list[Path]:
    """One picture per part with all its signals: `folder/arm.png`, ..."""
    parts: dict[str, list[str]] = {}
    for signal in signals.values():
        if signal.size:
            parts.setdefault(signal.part or signal.name, []).append(signal.name)
    files: list[Path] = []
    for part, names in parts.items():
        file = Path(folder) / f"{part.replace('/', '_')}.png"
        plot_signals(frames, signals, names, file, title=part)
        files.append(file)
    return files


def plot_audit(
    t: ArrayLike,
    errors: Mapping[str, ArrayLike],
    limits: Mapping[str, float] | None = None,
    path: str | PathLike[str] | None = None,
) -> Figure:
    """Relative errors of the conservation laws over time on a logarithmic axis, their limits dashed.

    errors: name -> (n,) [-]; limits: name -> [-] for any of the same names.
    """
    figure, (ax,) = _figure(1)
    figure.set_size_inches(STYLE["width"], 1.5 * STYLE["row"])
    time, limits = np.asarray(t, dtype=np.float64), limits or {}
    for name, error in errors.items():
        size = np.maximum(np.abs(np.asarray(error, dtype=np.float64)), LEAST_ERROR)
        (line,) = ax.semilogy(time, size, label=name)
        if name in limits:
            ax.axhline(limits[name], color=line.get_color(), linestyle=(0, (5, 3)), linewidth=1.0)
            ax.annotate(
                f"limit {limits[name]:.0e}",
                (1.0, limits[name]),
                xycoords=("axes fraction", "data"),
                xytext=(-2, 2),
                textcoords="offset points",
                ha="right",
                color=line.get_color(),
                fontsize=STYLE["font"] - 1.5,
            )
    ax.set_ylabel("relative error [-]", color=STYLE["ink"], fontsize=STYLE["font"])
    ax.set_title("Audit: conservation laws", loc="left", color=STYLE["ink"], fontsize=STYLE["font"])
    _legend(ax, max(len(errors), 2))
    save(figure, path)
    return figure


def plot_log(log: str | PathLike[str], names: Sequence[str] = (), out: str | PathLike[str] | None = None) -> list[Path]:
    """Plot a log's signals: the named ones into the file `out`, or every part into the folder `out`.

    By default `plot.png` or the folder `plots` beside the log.
    """
    from freefloat.engine.log.writer import read_log

    data, beside = read_log(log), Path(log).parent
    if not names:
        return plot_parts(data.frames, data.signals, out or beside / "plots")
    file = Path(out or beside / "plot.png")
    plot_signals(data.frames, data.signals, names, file)
    return [file]
