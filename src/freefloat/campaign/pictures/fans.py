"""Fan charts: how signals go in all cases, as bands that hold half and nine tenths of them at every instant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import ArrayLike, NDArray

from freefloat.campaign.pictures.canvas import NO_SUCCESS, SUCCESS, key, name, panels
from freefloat.campaign.table import Table
from freefloat.charts import STYLE
from freefloat.units import on_page

Vector = NDArray[np.float64]
Signals = Mapping[str, Mapping[int, tuple[ArrayLike, ArrayLike]]]  # signal -> case -> times [s], values

INSTANTS = 400  # of a band
MOST_PANELS = 12
MOST_LINES = 10  # of cases without success


def draw_fans(table: Table, signals: Signals) -> Figure | None:
    """A panel for each component of each signal; the bands end where fewer than half of the cases still run."""
    components = list(_components(signals, table.about.signal_units))[:MOST_PANELS]
    if not components:
        return None
    made, axes = panels(len(components), 2 if len(components) > 1 else 1, 5.2, STYLE["row"] + 0.2)
    failed = {int(case) for case in table.cases[~table.success]}
    for ax, (label, given, cases) in zip(axes, components, strict=True):
        unit, factor = on_page(given)
        _fan(ax, {case: (t, factor * v) for case, (t, v) in cases.items()}, failed)
        name(ax, "time [s]", "", f"{label} [{unit}]" if unit and unit != "-" else label)
    handles = [
        Line2D([], [], color=SUCCESS, label="median"),
        Patch(color=SUCCESS, alpha=0.45, label="half of the cases"),
        Patch(color=SUCCESS, alpha=0.2, label="nine tenths"),
    ]
    if any(case in failed for _, _, cases in components for case in cases):
        handles.append(Line2D([], [], color=NO_SUCCESS, linewidth=0.8, label=f"no success (up to {MOST_LINES} cases)"))
    key(made, handles)
    return made


def _components(
    signals: Signals, units: Mapping[str, str]
) -> Iterator[tuple[str, str, dict[int, tuple[Vector, Vector]]]]:
    """Label, unit, and times with values by case, of each component of each signal."""
    for signal, cases in signals.items():
        whole = {c: (np.asarray(t, dtype=np.float64), np.asarray(v, dtype=np.float64)) for c, (t, v) in cases.items()}
        whole = {case: (t, v.reshape(len(t), -1)) for case, (t, v) in whole.items() if len(t)}
        count = min((v.shape[1] for _, v in whole.values()), default=0)
        each = units.get(signal, "").split(", ")
        for k in range(count):
            label = signal if count == 1 else f"{signal}[{k}]"
            yield label, each[k if len(each) == count else 0], {case: (t, v[:, k]) for case, (t, v) in whole.items()}


def _fan(ax: Axes, cases: Mapping[int, tuple[Vector, Vector]], failed: set[int]) -> None:
    first = min(float(t[0]) for t, _ in cases.values())
    last = max(float(t[-1]) for t, _ in cases.values())
    instants = np.linspace(first, last, INSTANTS)
    values = np.array([np.interp(instants, t, v, left=np.nan, right=np.nan) for t, v in cases.values()])
    some = (~np.isnan(values)).sum(axis=0) >= 0.5 * len(values)
    instants, values = instants[some], values[:, some]
    levels = np.nanquantile(values, [0.05, 0.25, 0.5, 0.75, 0.95], axis=0)
    ax.fill_between(instants, levels[0], levels[4], color=SUCCESS, alpha=0.2, linewidth=0.0)
    ax.fill_between(instants, levels[1], levels[3], color=SUCCESS, alpha=0.3, linewidth=0.0)
    for case in sorted(failed & set(cases))[:MOST_LINES]:
        ax.plot(*cases[case], color=NO_SUCCESS, linewidth=0.8)
    ax.plot(instants, levels[2], color=SUCCESS, linewidth=STYLE["line"])
