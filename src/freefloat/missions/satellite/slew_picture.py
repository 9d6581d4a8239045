"""A slew by thrusters in one picture: the turn, its true error, every pulse, and the propellant beside the ideal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from freefloat.charts import STYLE, draw_lines, legend, panels, save
from freefloat.frames import Array

AXES = "x", "y", "z"


@dataclass(frozen=True)
class Slew:
    """What is drawn of a run."""

    t: Array  # [s] (n,)
    turned: Array  # [deg] (n,) from the attitude of the start
    error: Array  # [deg] (n, 3) of the true attitude against the profile, in B
    dead_band: float  # [deg]
    t_pulse: Array  # [s] (m,) when pulses start
    on_time: Array  # [s] (m, k) of each thruster
    moments: Array  # [N m] (3, k) of each thruster
    propellant: Array  # [kg] (n,) drawn
    least: float  # [kg] of the ideal turn


def draw_slew(slew: Slew, path: Path) -> None:
    """Four panels over time."""
    figure, (turn, error, pulses, gas) = panels(4)
    draw_lines(turn, slew.t, {"turned": slew.turned}, "angle [deg]", "Turned from the attitude of the start")
    lines = {f"about {a}": slew.error[:, i] for i, a in enumerate(AXES)}
    draw_lines(error, slew.t, lines, "error [deg]", "True attitude against the profile, about the body's axes")
    error.axhspan(-slew.dead_band, slew.dead_band, color=STYLE["ink"], alpha=0.1, linewidth=0.0, label="dead band")
    legend(error, 4)
    _draw_pulses(pulses, slew)
    drawn = f"drawn: {1e3 * slew.propellant[-1]:.2f} g"
    title = f"Propellant; the ideal bang-bang of this turn in this time draws {1e3 * slew.least:.2f} g"
    draw_lines(gas, slew.t, {drawn: 1e3 * slew.propellant}, "propellant [g]", title)
    label = f"ideal: {1e3 * slew.least:.2f} g"
    gas.axhline(1e3 * slew.least, color=STYLE["ink"], linestyle="--", linewidth=1.0, label=label)
    legend(gas, 2)
    save(figure, path)


def _draw_pulses(ax: Axes, slew: Slew) -> None:
    """A line for each pulse of each axis' thrusters, up where they turn forwards."""
    turns = np.abs(slew.moments).argmax(axis=0)
    signs = np.sign(slew.moments[turns, np.arange(turns.size)])
    for axis, name in enumerate(AXES):
        times, tops = [], []
        for sign in (1.0, -1.0):
            on = 1e3 * slew.on_time[:, (turns == axis) & (signs == sign)].max(axis=1, initial=0.0)
            times.append(slew.t_pulse[on > 0.0])
            tops.append(sign * on[on > 0.0])
        t, top, colour = np.concatenate(times), np.concatenate(tops), STYLE["colors"][axis]
        ax.vlines(t, 0.0, top, color=colour, linewidth=1.2)
        ax.plot(t, top, ".", color=colour, markersize=4.0, label=f"about {name}")
    ax.hlines(0.0, slew.t[0], slew.t[-1], color=STYLE["ink"], linewidth=0.8)
    ax.set_ylabel("on-time [ms]", color=STYLE["ink"], fontsize=STYLE["font"])
    title = "Pulses, by the axis that their thrusters turn about; below zero: they turn backwards"
    ax.set_title(title, loc="left", color=STYLE["ink"], fontsize=STYLE["font"])
    legend(ax, 3)
