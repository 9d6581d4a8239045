"""Pictures of a floating platform's run: its track over the floor, its errors, and what its actuators did."""

from __future__ import annotations

import math
from os import PathLike
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from freefloat.charts import save, tidy
from freefloat.engine.result import Result
from freefloat.frames import Array
from freefloat.platforms.track import Track
from freefloat.units import RPM

DRAWN = 4000  # points of a curve
COLOURS = ("#1f5fa8", "#c8702a", "#3d8c5a")


def draw_track(result: Result, track: Track, folder: str | PathLike[str]) -> list[Path]:
    """`track.png` and `actuation.png` in a folder; returns their paths."""
    made = [Path(folder) / "track.png", Path(folder) / "actuation.png"]
    save(_track(result, track), made[0])
    save(_actuation(result, track.wheel), made[1])
    return made


def _track(result: Result, track: Track) -> Figure:
    figure = Figure(figsize=(11.0, 8.4), layout="constrained")
    grid = figure.add_gridspec(5, 2, width_ratios=(1.0, 1.25))
    ground = figure.add_subplot(grid[:, 0])
    _floor(figure, ground, track)
    ground.plot(track.poses[:, 0], track.poses[:, 1], "k--", linewidth=1.0, label="reference")
    names = ("x [m]", "y [m]", "theta [deg]")
    first = figure.add_subplot(grid[0, 1])
    axes = [first, *(figure.add_subplot(grid[k, 1], sharex=first) for k in range(1, 5))]
    _distance(result, track, axes[3], axes[4])
    scale = np.array([1.0, 1.0, 180.0 / math.pi])
    for n, name in enumerate(track.platforms):
        t, pose = result.time(f"{name}.pose"), result[f"{name}.pose"]
        chosen = np.unique(np.linspace(0, len(t) - 1, DRAWN).astype(int))
        ground.plot(pose[chosen, 0], pose[chosen, 1], color=COLOURS[n], linewidth=1.4, label=name)
        _body(ground, track, pose[-1], COLOURS[n])
        for k, ax in enumerate(axes[:3]):
            ax.plot(t[chosen], scale[k] * pose[chosen, k], color=COLOURS[n], linewidth=1.4, label=name)
    for k, ax in enumerate(axes[:3]):
        ax.plot(track.times, scale[k] * track.poses[:, k], "k--", linewidth=1.0, label="reference")
        ax.set_ylabel(names[k])
    for ax in axes:
        tidy(ax)
    axes[-1].set_xlabel("time [s]")
    ground.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.06), ncols=3)
    ground.set_title("path over the floor; outlines: where it ends", loc="left", fontsize=9)
    axes[0].set_title("the same over time", loc="left", fontsize=9)
    axes[3].set_title(f"how far {track.platforms[0]} is from its reference", loc="left", fontsize=9)
    return figure


def _distance(result: Result, track: Track, place: Axes, angle: Axes) -> None:
    """How far the first platform is from its reference."""
    name = f"{track.platforms[0]}.pose"
    t, pose = result.time(name), result[name]
    chosen = np.unique(np.linspace(0, len(t) - 1, DRAWN).astype(int))
    wanted = np.column_stack([np.interp(t[chosen], track.times, track.poses[:, k]) for k in range(3)])
    error = pose[chosen] - wanted
    place.plot(t[chosen], 1e3 * np.hypot(error[:, 0], error[:, 1]), color=COLOURS[0], linewidth=1.2)
    place.set_ylabel("place [mm]")
    angle.plot(t[chosen], np.rad2deg(np.abs(error[:, 2])), color=COLOURS[0], linewidth=1.2)
    angle.set_ylabel("angle [deg]")


def _floor(figure: Figure, ax: Axes, track: Track) -> None:
    heights = track.ground.height.heights
    half = [0.5 * s for s in track.ground.size]
    if np.ptp(heights) > 0.0:
        reach = [0.5 * s for s in track.ground.height.size]
        extent = (-reach[0], reach[0], -reach[1], reach[1])
        shown = {"origin": "lower", "extent": extent, "cmap": "terrain", "alpha": 0.6, "interpolation": "bicubic"}
        image = ax.imshow(1e3 * heights.T, **shown)
        figure.colorbar(image, ax=ax, label="height [mm]", shrink=0.6)
    ax.set_xlim(-half[0], half[0])
    ax.set_ylim(-half[1], half[1])
    ax.set_aspect("equal")
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")


def _body(ax: Axes, track: Track, pose: Array, colour: str) -> None:
    """The platform's outline and its x axis."""
    from matplotlib.patches import Circle, Polygon

    r = track.body.radius
    ax.add_patch(Circle((pose[0], pose[1]), r, fill=False, color=colour, linewidth=1.2))
    tip = pose[:2] + r * np.array([math.cos(pose[2]), math.sin(pose[2])])
    ax.add_patch(Polygon([pose[:2], tip], closed=False, fill=False, color=colour, linewidth=1.2))


def _actuation(result: Result, wheel: str | None = "wheel") -> Figure:
    """The valves and, below them, the part `wheel` where there is one."""
    if wheel is None:
        figure = Figure(figsize=(11.0, 3.6), layout="constrained")
        axes = [figure.subplots()]
    else:
        figure = Figure(figsize=(11.0, 6.2), layout="constrained")
        axes = list(figure.subplots(3, 1, sharex=True, height_ratios=(2.0, 1.0, 1.0)))
        _wheel(result, wheel, axes[1], axes[2])
    _valves(result, axes[0])
    axes[-1].set_xlabel("time [s]")
    for ax in axes:
        tidy(ax)
    return figure


def _valves(result: Result, valves: Axes) -> None:
    t, on = result.time("thrusters.on_time"), result["thrusters.on_time"]
    for k in range(on.shape[1]):
        spans = _spans(t, np.diff(on[:, k], append=on[-1, k]) > 0.0)
        valves.broken_barh(spans, (k - 0.4, 0.8), color=COLOURS[0])
        valves.text(1.005, k, f"{on[-1, k]:.1f} s", transform=valves.get_yaxis_transform(), va="center", fontsize=8)
    valves.set_yticks(range(on.shape[1]))
    valves.set_ylim(-0.6, on.shape[1] - 0.4)
    valves.set_ylabel("number of the thruster [-]")
    valves.set_title(f"open valves, {on[-1].sum():.1f} s in all; at the right, of each", loc="left", fontsize=9)


def _wheel(result: Result, name: str, torque: Axes, speed: Axes) -> None:
    t = result.time(f"{name}.speed")
    chosen = np.unique(np.linspace(0, len(t) - 1, DRAWN).astype(int))
    torque.plot(t[chosen], result[f"{name}.tau_applied"][chosen, 0], color=COLOURS[0], linewidth=0.8)
    torque.set_ylabel("motor torque\non the wheel [N m]")
    speed.plot(t[chosen], result[f"{name}.speed"][chosen, 0] / RPM, color=COLOURS[0], linewidth=1.2)
    speed.set_ylabel("wheel [rpm]")


def _spans(t: Array, on: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """(start, length) of the stretches where `on` holds."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], on.astype(np.int8), [0]])))
    last = len(t) - 1
    return [(float(t[a]), float(t[min(b, last)] - t[a])) for a, b in zip(edges[::2], edges[1::2], strict=True)]
