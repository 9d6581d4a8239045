"""A picture of third-octave spectra under their limit."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from freefloat.charts import STYLE, colours, panels, save
from freefloat.errors import InputError
from freefloat.limit_curves import MICRO_G, LimitCurve, load_limit
from freefloat.spectrum import ThirdOctaves

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

UNITS = {"ug": ("µg", 1.0 / MICRO_G), "m/s^2": ("m/s²", 1.0)}  # what the page says, and the factor to it
RANGE = 1e-7  # [-] of the largest value down to the lowest that is drawn
LIMIT_COLOUR = "#c1121f"


def plot_spectrum(
    spectra: ThirdOctaves | Mapping[str, ThirdOctaves],
    limit: LimitCurve | str | PathLike[str] | None = None,
    path: str | PathLike[str] | None = None,
    *,
    unit: str = "ug",
    title: str = "",
) -> Figure:
    """RMS accelerations by band as steps, one spectrum or several by name, with the least margin below a limit.

    Samples of the spectra are in m/s^2; `unit` is that of the picture, "ug" or "m/s^2".
    """
    if unit not in UNITS:
        raise InputError(f"unit {unit!r} of a spectrum's picture; allowed: {', '.join(UNITS)}")
    named = {"acceleration": spectra} if isinstance(spectra, ThirdOctaves) else dict(spectra)
    if not named:
        raise InputError("no spectrum to draw; allowed: one or more")
    curve = load_limit(limit) if limit is not None and not isinstance(limit, LimitCurve) else limit
    shown, factor = UNITS[unit]
    figure, (ax,) = panels(1)
    figure.set_size_inches(STYLE["width"], 2.0 * STYLE["row"])
    ax.set(xscale="log", yscale="log")
    for (name, found), colour in zip(named.items(), colours(len(named)), strict=True):
        _draw_steps(ax, name, found, factor, colour)
    _set_range(ax, named, curve, factor)
    if curve is not None:
        _draw_limit(ax, curve, factor)
        _point_out_margin(ax, named, curve, factor)
    _shade_unresolved(ax, named)
    words = {"color": STYLE["ink"], "fontsize": STYLE["font"]}
    ax.set_xlabel("centre of the third-octave band [Hz]", **words)
    ax.set_ylabel(f"RMS acceleration in the band [{shown}]", **words)
    ax.grid(True, which="minor", axis="x", color=STYLE["faint"], linewidth=0.3)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter("{x:g}")
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14), "ncols": 3}
    ax.legend(**below, frameon=False, fontsize=STYLE["font"] - 1, labelcolor=STYLE["ink"])
    save(figure, path, title)
    return figure


def _draw_steps(ax: Axes, name: str, found: ThirdOctaves, factor: float, colour: str) -> None:
    """Full where bands are resolved, faint where they are not."""
    values = found.rms * factor
    for chosen, alpha, width, label in ((found.resolved, 1.0, 1.5, name), (~found.resolved, 0.35, 1.0, None)):
        seen = np.where(chosen & (values > 0.0), values, np.nan)
        ax.stairs(seen, found.edges, baseline=None, color=colour, alpha=alpha, linewidth=width, label=label)


def _shade_unresolved(ax: Axes, named: Mapping[str, ThirdOctaves]) -> None:
    """Grey and hatched up to the lowest band that all spectra resolve."""
    ends = [float(found.edges[np.count_nonzero(~found.resolved)]) for found in named.values()]
    start = float(next(iter(named.values())).edges[0])
    if max(ends) > start:
        ax.axvspan(
            start,
            max(ends),
            facecolor="#f0f2f4",
            edgecolor=STYLE["faint"],
            hatch="///",
            linewidth=0.0,
            zorder=0,
            label="not resolved: segments too short",
        )


def _set_range(ax: Axes, named: Mapping[str, ThirdOctaves], curve: LimitCurve | None, factor: float) -> None:
    """All bands; of the values those that can be seen beside the largest."""
    longest = max(named.values(), key=lambda found: len(found.centres))
    ax.set_xlim(longest.edges[0], longest.edges[-1])
    values = [found.rms * factor for found in named.values()]
    if curve is not None:
        values.append(curve.at(longest.centres) * factor)
    seen = np.concatenate(values)
    seen = seen[np.isfinite(seen) & (seen > 0.0)]
    if seen.size:
        largest = float(seen.max())
        room = 2.0 if curve is None else 40.0  # for words above the limit
        ax.set_ylim(0.5 * max(float(seen.min()), RANGE * largest), room * largest)


def _draw_limit(ax: Axes, curve: LimitCurve, factor: float) -> None:
    low, high = ax.get_xlim()
    f = np.unique(np.concatenate([np.geomspace(low, high, 400), curve.frequencies]))
    line = {"color": LIMIT_COLOUR, "linewidth": 1.6, "linestyle": (0, (6, 2))}
    ax.plot(f, curve.at(f) * factor, **line, label=f"limit: {curve.name}")
    ax.set_xlim(low, high)


def _point_out_margin(ax: Axes, named: Mapping[str, ThirdOctaves], curve: LimitCurve, factor: float) -> None:
    """An arrow from the band nearest to the limit to the limit itself."""
    judged = {name: found for name, found in named.items() if not np.isnan(found.margin_db(curve)).all()}
    if not judged:
        ax.text(0.02, 0.95, "no band can be judged by this limit", transform=ax.transAxes, color=LIMIT_COLOUR)
        return
    name = min(judged, key=lambda name: judged[name].least_margin(curve).db)
    frequency, db = judged[name].least_margin(curve)
    if not np.isfinite(db):
        return
    ends = sorted((float(curve.at(frequency)) * factor, float(curve.at(frequency)) * factor / 10.0 ** (db / 20.0)))
    colour = STYLE["ink"] if db >= 0.0 else LIMIT_COLOUR
    ax.annotate("", (frequency, ends[0]), (frequency, ends[1]), arrowprops={"arrowstyle": "<->", "color": colour})
    told = f"least margin {db:.1f} dB" if db >= 0.0 else f"above the limit by {-db:.1f} dB"
    ax.annotate(
        f"{f'{name}: ' if len(named) > 1 else ''}{told}\nin the band of {frequency:.3g} Hz",
        (frequency, ends[1]),
        xytext=(np.clip(_place(ax, frequency), 0.16, 0.84), 0.97),
        textcoords="axes fraction",
        ha="center",
        va="top",
        color=colour,
        fontsize=STYLE["font"],
        arrowprops={"arrowstyle": "-", "color": STYLE["faint"]},
    )


def _place(ax: Axes, frequency: float) -> float:
    """Where a frequency stands along the axis, 0 to 1."""
    low, high = ax.get_xlim()
    return float(np.log(frequency / low) / np.log(high / low))
