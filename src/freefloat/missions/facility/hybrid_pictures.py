"""Pictures of satellites that the facility shows: relative motion, how exact it is, and the force of a contact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from freefloat.charts import STYLE, NotebookFigure, draw_lines, save, tidy
from freefloat.engine.result import Result
from freefloat.frames import Array
from freefloat.missions.facility.hybrid_judge import Showing, acted, shown, simulated
from freefloat.missions.facility.measures import Poses

AROUND = 0.1  # [s] before and after a contact that forces are shown
BESIDE = 1.0  # [s] before and after the commands that motions are shown
LEAST = 1e-16  # [m, deg] that a logarithm shows


def draw_hybrid(result: Result, showing: Showing, out: Path) -> None:
    """`plots/hybrid.png`: distance, turn or force, and the differences between simulated and executed."""
    figure = NotebookFigure(figsize=(STYLE["width"], 9.2), dpi=STYLE["dpi"], layout="constrained")
    distance, middle, place, angle = figure.subplots(4, 1)
    for ax in (distance, middle, place, angle):
        tidy(ax)
        ax.set_xlabel("time [s]", color=STYLE["ink"], fontsize=STYLE["font"])
    first, last = acted(result)
    window = first - BESIDE, last + showing.delay + BESIDE
    ought, was = simulated(result, showing.ports).between(*window), shown(result).between(*window)
    _mark(distance, first, last, float(was.t[-1]))
    apart = np.linalg.norm(ought.p, axis=1), np.linalg.norm(was.p, axis=1)
    _draw_both(distance, was.t, *apart, "distance [m]", "Distance of the docking frames")
    touches = [touch for touch in result.touches if touch.contact.startswith("mockups")]
    if touches:
        _draw_forces(middle, result, touches[0].t - AROUND, touches[-1].t + touches[-1].duration + AROUND)
    else:
        title = "Angle by which the servicer is turned, as the client sees it"
        _draw_both(middle, was.t, _turned(ought), _turned(was), "angle [deg]", title)
        middle.sharex(distance)
    t, metres, radians = showing.differences(result)
    told = f"satellites {1e3 * showing.late:.3g} ms before" if showing.late > 0.0 else "satellites at the same instant"
    _draw_difference(place, t, metres, "place", "m", told)
    _draw_difference(angle, t, np.degrees(radians), "attitude", "deg", told)
    for ax in (place, angle):
        ax.sharex(distance)
    save(figure, out / "plots" / "hybrid.png")


def _draw_both(ax: Axes, t: Array, ought: Array, was: Array, quantity: str, title: str) -> None:
    draw_lines(ax, t, {"satellites": ought, "robots": was}, quantity, title)


def _draw_forces(ax: Axes, result: Result, first: float, last: float) -> None:
    t = result.time("mockups.force")
    seen = (t >= first) & (t <= last)
    real, met = (result[f"{name}.force"].sum(axis=1)[seen] for name in ("mockups", "satellites"))
    lines = {f"satellites: {met.max():.1f} N": met, f"robots: {real.max():.1f} N": real}
    draw_lines(ax, t[seen], lines, "force [N]", "Force of the contact: a part of the time")


def _draw_difference(ax: Axes, t: Array, off: Array, what: str, unit: str, told: str) -> None:
    title = f"Relative {what} of the robots against that of the {told}"
    draw_lines(ax, t, {what: np.maximum(off, LEAST)}, f"difference [{unit}]", title)
    ax.set_yscale("log")


def _mark(ax: Axes, first: float, last: float, end: float) -> None:
    """Confirm and the end of commands."""
    for at, name in ((first, "Confirm"), (last, "stop")):
        if at < end - 0.1:
            ax.axvline(at, color=STYLE["ink"], linewidth=0.9, linestyle=":" if at == first else "-.", label=name)


def _turned(poses: Poses) -> Array:
    """Angle [deg] (n,) of the relative attitude."""
    R = poses.R
    axis = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1)
    return np.degrees(np.arctan2(np.linalg.norm(axis, axis=1), np.trace(R, axis1=1, axis2=2) - 1.0))
