"""A mission with modules on one page: who does what when, how near robots come to anything, how still it points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from freefloat.charts import STYLE, NotebookFigure, save, tidy
from freefloat.engine.event import Fired
from freefloat.engine.result import Result
from freefloat.frames import Array
from freefloat.hand_words import UNDER_WAY, HandState

REST, MOVES, CARRIES, HANDLES, FAILED = range(5)
LOOKS = {
    MOVES: ("moves empty", "#9ec5f8"),
    CARRIES: ("carries a module", "#1f6feb"),
    HANDLES: ("an interface opens or closes", "#c99700"),
    FAILED: ("a hand has failed", "#e4572e"),
}
MOVING = 1e-4  # [rad/s] of a joint
TOLD = {"recovery": ("recovery", "v"), "again": ("plans again", "D"), "stopped": ("safe stop", "X")}
RED = "#cf222e"
SHORT = 0.012  # of the page's width, below which a carried module is not named


def draw_timeline(
    result: Result,
    robots: Mapping[str, Mapping[str, str]],
    structure: str,
    path: str | PathLike[str] | None = None,
    assembly: str = "modules",
) -> Figure:
    """Robots (name -> hand -> the part in it) in rows over time, and below what was near and how the structure turned.

    Everything is from recorded signals; clearances are those of the mission's review, where it has one.
    """
    courses = result.review.courses
    rows = [0.5 + 0.55 * len(robots), *([1.5] if courses else []), 1.3]
    figure = NotebookFigure(figsize=(11.0, sum(rows) + 1.6), dpi=STYLE["dpi"], layout="constrained")
    axes: list[Axes] = figure.subplots(len(rows), 1, sharex=True, height_ratios=rows, squeeze=False)[:, 0].tolist()
    for ax in axes:
        tidy(ax)
    _show_work(axes[0], result, robots, assembly)
    if courses:
        _show_clearance(axes[1], courses)
    _show_turn(axes[-1], result, structure)
    axes[-1].set_xlabel("time [s]", color=STYLE["ink"], fontsize=STYLE["font"])
    axes[-1].set_xlim(0.0, result.duration)
    save(figure, None if path is None else Path(path))
    return figure


def activity(result: Result, robot: str, hands: Mapping[str, str], assembly: str = "modules") -> NDArray[np.int64]:
    """(rows,) what a robot does: REST, MOVES, CARRIES, HANDLES or FAILED, from its joints and hands."""
    states = np.stack([result[f"{assembly}.{hand}.state"][:, 0] for hand in hands])
    doing = np.where(np.abs(result[f"{robot}.qd"]).max(axis=1) > MOVING, MOVES, REST)
    doing[(states == HandState.CARRYING).any(axis=0)] = CARRIES
    doing[np.isin(states, list(UNDER_WAY)).any(axis=0)] = HANDLES
    doing[(states == HandState.FAILED).any(axis=0)] = FAILED
    return doing


def stretches(values: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """First row, row behind the last, and value of every stretch of equal values."""
    edges = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)]
    return [(a, b, int(values[a])) for a, b in pairwise(edges) if b > a]


def _show_work(ax: Axes, result: Result, robots: Mapping[str, Mapping[str, str]], assembly: str) -> None:
    seen: set[int] = set()
    ax.hlines(range(len(robots)), 0.0, result.duration, color=STYLE["ink"], linewidth=0.5, alpha=0.3)
    for row, (robot, hands) in enumerate(robots.items()):
        t = np.append(result.time(f"{robot}.qd"), result.duration)
        for first, last, doing in stretches(activity(result, robot, hands, assembly)):
            if doing != REST:
                seen.add(doing)
                colour = LOOKS[doing][1]
                ax.barh(row, t[last] - t[first], 0.62, t[first], color=colour, edgecolor=colour, linewidth=0.4)
        for tool in hands.values():
            _name_loads(ax, row, t, result[f"{tool}.identity"][:, 0].astype(np.int64), result.duration)
        at = {"ha": "center", "va": "top", "color": STYLE["ink"], "clip_on": True}
        for step in steps_of(result, hands, assembly):
            ax.text(t[step], row + 0.33, "step", fontsize=STYLE["font"] - 3, **at)
    ax.set_yticks(range(len(robots)), list(robots))
    ax.set_ylabel("robot [-]", color=STYLE["ink"], fontsize=STYLE["font"])
    ax.set_ylim(len(robots) - 0.3, -0.75)
    ax.grid(False, axis="y")
    _show_told(ax, [e for e in result.events if e.name.startswith("plan.")])
    counts = f"modules picked {_count(result, '.picked')}, placed {_count(result, '.placed')}"
    ax.set_title(f"Work of the robots: {counts}", loc="left", color=STYLE["ink"], fontsize=9)
    handles: list[Artist] = [Patch(color=LOOKS[doing][1], label=LOOKS[doing][0]) for doing in sorted(seen)]
    handles += ax.get_legend_handles_labels()[0]
    ax.legend(
        handles=handles, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=len(handles), borderaxespad=0.1,
        frameon=False, fontsize=STYLE["font"] - 1, labelcolor=STYLE["ink"], handlelength=1.2, columnspacing=1.2,
    )  # fmt: skip


def steps_of(result: Result, hands: Mapping[str, str], assembly: str = "modules") -> list[int]:
    """Rows at which a robot has come to stand on another hand: one lets go while another stays closed."""
    states = np.stack([result[f"{assembly}.{hand}.state"][:, 0] for hand in hands])
    held = states == HandState.CLOSED
    free = (states[:, 1:] == HandState.OPEN) & (states[:, :-1] == HandState.OPENING)
    found: list[int] = []
    foot = -1
    for row in np.flatnonzero(np.append([True], (np.diff(held, axis=1) != 0).any(axis=0) | free.any(axis=0))).tolist():
        standing = np.flatnonzero(held[:, row]).tolist()
        if len(standing) == 1 and (states[:, row] == HandState.OPEN).sum() == len(held) - 1:
            if foot not in (-1, standing[0]):
                found.append(row)
            foot = standing[0]
    return found


def _name_loads(ax: Axes, row: int, t: Array, identity: NDArray[np.int64], duration: float) -> None:
    for first, last, module in stretches(identity):
        if module > 0 and t[last] - t[first] > SHORT * duration:
            at = {"ha": "center", "va": "center", "color": "white", "clip_on": True}
            ax.text(0.5 * (t[first] + t[last]), row, f"{module}", fontsize=STYLE["font"] - 2, **at)


def _show_told(ax: Axes, events: Sequence[Fired]) -> None:
    """Recoveries, new plans and safe stops as marks over the rows."""
    for kind, (label, marker) in TOLD.items():
        at = [e.t for e in events if e.name.split(".")[-1].startswith(kind)]
        if at:
            ax.plot(at, [-0.55] * len(at), marker, color=RED, markersize=6, linestyle="", label=f"{label} ({len(at)})")


def _count(result: Result, ending: str) -> int:
    return sum(e.name.endswith(ending) for e in result.events)


def _show_clearance(ax: Axes, courses: Mapping[str, tuple[Array, Array]]) -> None:
    labels = {"clearance_m": "least of all", "robot_robot_clearance_m": "between robots"}
    told = [f"{labels.get(name, name)} {_least(values)}" for name, (_, values) in courses.items()]
    for (t, values), label in zip(courses.values(), told, strict=True):
        ax.plot(t, 1e3 * values, label=label)
    if len(courses) > 1:
        ax.legend(loc="upper right", fontsize=STYLE["font"] - 1, labelcolor=STYLE["ink"])
    ax.set_ylim(min(0.0, min(1e3 * float(v.min()) for _, v in courses.values())), None)
    ax.set_ylabel("distance [mm]", color=STYLE["ink"], fontsize=STYLE["font"])
    title = f"Clearance of robots and what they carry, hands at their faces excepted: {', '.join(told)}"
    ax.set_title(title, loc="left", color=STYLE["ink"], fontsize=9)


def _least(values: Array) -> str:
    """Of distances [m]; one that never changes is where they are cut."""
    return f"{1e3 * values.min():.1f} mm" if np.ptp(values) > 0.0 else f"{1e3 * values.min():.0f} mm or more"


def _show_turn(ax: Axes, result: Result, structure: str) -> None:
    q = result[f"{structure}.q_WB"]
    turn = np.rad2deg(2.0 * np.arcsin(np.minimum(np.linalg.norm(_cross(q), axis=1), 1.0)))
    ax.plot(result.time(f"{structure}.q_WB"), turn, color=STYLE["colors"][2])
    ax.set_ylim(0.0, None)
    ax.set_ylabel("angle [deg]", color=STYLE["ink"], fontsize=STYLE["font"])
    title = f"How far the structure is turned from its start: at most {turn.max():.3g} deg"
    ax.set_title(title, loc="left", color=STYLE["ink"], fontsize=9)


def _cross(q: Array) -> Array:
    """(rows, 3) the vector part of conj(q[0]) q, exact for small angles."""
    w, v = q[0, 0], q[0, 1:]
    return w * q[:, 1:] - q[:, :1] * v - np.cross(v, q[:, 1:])
