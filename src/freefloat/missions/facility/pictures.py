"""Pictures of the facility's runs: what was commanded and what the robots did, states, speeds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from freefloat.charts import STYLE, draw_lines, panels, save
from freefloat.engine.result import Result
from freefloat.facility.axis_limits import axis_limits
from freefloat.facility.components import Component
from freefloat.facility.pool import STATES
from freefloat.facility.record import UNITS
from freefloat.frames import Array
from freefloat.missions.facility.measures import Poses, axes_of, executed

COLOURS = {
    "off": "#dde1e7",
    "idle": "#f1f3f6",
    "waiting": "#e7effa",
    "moving": "#cfe2f8",
    "ready": "#f3f0cf",
    "running": "#d5eed5",
    "stopping": "#fbd9a8",
    "fault": "#f3b0b1",
}


def draw_states(ax: Axes, result: Result) -> None:
    """States as coloured bands over the whole height of a panel, named in its legend."""
    t, state = result.time("fmc.state"), result["fmc.state"].reshape(-1).astype(int)
    edges = np.flatnonzero(np.diff(state)) + 1
    named: set[str] = set()
    for first, last in zip([0, *edges], [*edges, len(state) - 1], strict=True):
        name = str(STATES[state[first]])
        told = None if name in named else name
        ax.axvspan(float(t[first]), float(t[last]), color=COLOURS[name], linewidth=0.0, label=told, zorder=0)
        named.add(name)


def draw_approach(result: Result, out: Path) -> None:
    """`plots/approach.png`: the way of the servicer, the client's roll, how fast the axes were."""
    figure, (along, beside, roll, speeds) = panels(4, 3)
    servicer, client = executed(result)
    way = servicer.p - client.p
    t = servicer.t
    draw_states(along, result)
    draw_lines(along, t, {"distance": way[:, 0]}, "along the rail [m]", "Servicer's user tool before the client's")
    _with_states(along)
    lines = {"to the side": way[:, 1], "up": way[:, 2]}
    draw_lines(beside, t, lines, "beside the line [m]", "Servicer's user tool beside the line of approach")
    draw_lines(roll, t, {"roll": _roll(client)}, "angle [deg]", "Client's roll")
    draw_shares(speeds, result)
    save(figure, out / "plots" / "approach.png")


def draw_tumble(result: Result, out: Path) -> None:
    """`plots/tumble.png`: turns, the axis on its cone, the endless axes, how fast the axes were."""
    figure, (turns, cone, axes, speeds) = panels(4, 3)
    _, client = executed(result)
    t = client.t
    draw_states(turns, result)
    draw_lines(turns, t, {"turns": _roll(client) / 360.0}, "turns [-]", "Client's turns about x of the lab")
    _with_states(turns)
    tip = np.degrees(np.arcsin(np.clip(client.R[:, 1:, 0], -1.0, 1.0)))
    lines = {"to the side": tip[:, 0], "up": tip[:, 1]}
    draw_lines(cone, t, lines, "lean [deg]", "Lean of the client's axis: on a cone")
    told = result.time("fmc.state")
    moved = np.degrees(axes_of(result, "act"))
    lines = {"A4": moved[:, 10] / 360.0, "A6": moved[:, 12] / 360.0}
    draw_lines(axes, told, lines, "turns [-]", "Endless axes of robot 2")
    draw_shares(speeds, result)
    save(figure, out / "plots" / "tumble.png")


def draw_sine(result: Result, moves: Component, out: Path) -> None:
    """`plots/sine.png`: set-points and what was executed, and their difference."""
    frame, entry, unit = moves.frame.name.lower(), moves.index, UNITS[moves.frame][moves.index]
    t = result.time("fmc.state")
    told, done = result[f"cmd.{frame}"][:, entry], result[f"act.{frame}"][:, entry]
    figure, (both, off) = panels(2, 3)
    draw_states(both, result)
    draw_lines(both, t, {"commanded": told, "executed": done}, f"{moves} [{unit}]", f"Sine of {moves}")
    _with_states(both)
    told_off = "Executed less commanded: the transport delay of the robot controllers"
    draw_lines(off, t, {"difference": done - told}, f"difference [{unit}]", told_off)
    save(figure, out / "plots" / "sine.png")


def draw_shares(ax: Axes, result: Result) -> None:
    """How much of their speed the axes used: the fastest of each device."""
    t, axes = result.time("fmc.state"), axes_of(result, "act")
    shares = 100.0 * np.abs(np.gradient(axes, t, axis=0)) / axis_limits().speed
    lines = {"rail": shares[:, 0], "robot 1": shares[:, 1:7].max(axis=1), "robot 2": shares[:, 7:].max(axis=1)}
    draw_lines(ax, t, lines, "share [%]", "Speed of the fastest axis of each device, of its limit")


def _roll(poses: Poses) -> Array:
    """Angle [deg] about x of the lab, counted on."""
    R = poses.R
    turned: Array = np.unwrap(np.arctan2(R[:, 2, 1] - R[:, 1, 2], R[:, 1, 1] + R[:, 2, 2]))
    return np.degrees(turned)


def _with_states(ax: Axes) -> None:
    """A legend of lines and bands beside a panel."""
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=STYLE["font"] - 1)
