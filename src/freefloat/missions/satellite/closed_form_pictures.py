"""Motions in orbit beside their closed forms: the way around the chief, the swing of a boom."""

from __future__ import annotations

from pathlib import Path

from freefloat.charts import STYLE, draw_lines, legend, panels, save, tidy
from freefloat.frames import Array


def draw_relative_orbit(t: Array, p_L: Array, closed_L: Array, path: Path) -> None:
    """Where the deputy is, seen from the chief: from the side and over time, and its distance from the closed form.

    t [s] (n,); p_L and closed_L [m] (n, 3) in LVLH: x along the flight, y across, z down.
    """
    figure, (side, place, away) = panels(3)
    figure.set_size_inches(STYLE["width"], 2.0 * STYLE["row"] + 5.5)
    side.remove()
    side = figure.add_subplot(3, 1, 1)
    tidy(side)
    side.plot(p_L[:, 0], -p_L[:, 2], label="deputy")
    side.plot(closed_L[:, 0], -closed_L[:, 2], color=STYLE["ink"], linestyle="--", linewidth=1.0, label="closed form")
    side.plot([0.0], [0.0], "s", markersize=5, label="chief")
    side.plot(p_L[:1, 0], -p_L[:1, 2], "o", markersize=5, color=STYLE["colors"][2], label="start")
    side.set_aspect("equal", adjustable="datalim")
    side.set_xlabel("along the flight [m]", color=STYLE["ink"], fontsize=STYLE["font"])
    side.set_ylabel("upwards [m]", color=STYLE["ink"], fontsize=STYLE["font"])
    title = "The deputy around the chief, from the side; closed form of Clohessy and Wiltshire"
    side.set_title(title, loc="left", color=STYLE["ink"], fontsize=STYLE["font"])
    legend(side, 4)
    lines = {"along": p_L[:, 0], "across": p_L[:, 1], "upwards": -p_L[:, 2]}
    draw_lines(place, t, lines, "position [m]", "The same over time")
    lines = {n: s * (p_L - closed_L)[:, k] for n, k, s in (("along", 0, 1.0), ("across", 1, 1.0), ("upwards", 2, -1.0))}
    draw_lines(away, t, lines, "difference [m]", "Difference from the closed form, which is of first order")
    save(figure, path)


def draw_libration(t: Array, pitch: Array, roll: Array, path: Path) -> None:
    """Angles [deg] (n,) of a boom from the vertical: in the orbit plane, and out of it, over t [s] (n,)."""
    figure, (ax,) = panels(1, 2)
    title = "Angle of the boom from the vertical"
    draw_lines(ax, t, {"in the orbit plane": pitch, "out of it": roll}, "angle [deg]", title)
    save(figure, path)
