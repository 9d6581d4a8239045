"""A rehearsal of faults in one picture: states, speeds, distances, and each stop from the instant of its fault."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from freefloat.charts import STYLE, NotebookFigure, colours, legend, save, tidy
from freefloat.facility.axes import CYCLE, DEVICES
from freefloat.facility.axis_limits import AxisLimits
from freefloat.facility.clearance import Clearance
from freefloat.facility.modes import State
from freefloat.facility.pool import STATES
from freefloat.frames import Array
from freefloat.missions.facility.fault_kinds import KINDS
from freefloat.missions.facility.safety_judge import Met
from freefloat.missions.facility.safety_log import SafetyLog, differences

COLOURS = {
    State.OFF: "#57606a",
    State.IDLE: "#d8dee4",
    State.WAITING: "#c9d8f0",
    State.MOVING: "#8ab6f2",
    State.READY: "#f2d58a",
    State.RUNNING: "#2a9d5c",
    State.STOPPING: "#f28c38",
    State.FAULT: "#c62828",
}
WORDS = {
    State.OFF: "off",
    State.IDLE: "idle",
    State.WAITING: "waiting for a command",
    State.MOVING: "moving to the start",
    State.READY: "ready for Confirm",
    State.RUNNING: "running",
    State.STOPPING: "stopping",
    State.FAULT: "fault, no power",
}
DEVICE = {"rail": "rail", "rob1": "robot 1, its fastest axis", "rob2": "robot 2, its fastest axis"}
SHOWN = (-0.05, 0.55)  # [s] of a stop, from the instant of its fault
MET, UNMET = STYLE["ink"], "#c62828"
SAME = 0.5  # [%] within which stops are the same
LABEL = 32  # letters in a line of the legend
FARTHEST = 0.25  # [m] of the distances drawn


def draw_safety(log: SafetyLog, found: Sequence[Met], limits: AxisLimits, clearance: Clearance, path: Path) -> None:
    """Write the picture."""
    figure = NotebookFigure(figsize=(1.5 * STYLE["width"], 4.6 * STYLE["row"]), dpi=STYLE["dpi"], layout="constrained")
    axes = figure.subplots(4, 1, height_ratios=(0.5, 1.0, 0.8, 1.2))
    for ax in axes:
        tidy(ax)
    for ax in axes[1:3]:
        ax.sharex(axes[0])
    _states(axes[0], log, found)
    _speeds(axes[1], log, limits)
    _distances(axes[2], log, clearance)
    came = [one for one in found if np.isfinite(one.came)]
    for ax in axes[1:3]:
        hues, across = [MET if one.caught else UNMET for one in came], ax.get_xaxis_transform()
        ax.vlines([one.came for one in came], 0.0, 1.0, hues, ":", linewidth=0.7, transform=across)
    axes[2].set_xlabel("time [s]", color=STYLE["ink"], fontsize=STYLE["font"])
    _stops(axes[3], log, found, limits)
    _write(figure, found, path)


def _write(figure: Figure, found: Sequence[Met], path: Path) -> None:
    caught = sum(one.caught for one in found)
    save(figure, path, f"A timeline of faults in the docking facility: {caught} of {len(found)} met")


def _name(ax: Axes, quantity: str, title: str) -> None:
    ax.set_ylabel(quantity, color=STYLE["ink"], fontsize=STYLE["font"])
    ax.set_title(title, loc="left", color=STYLE["ink"], fontsize=STYLE["font"])


def _states(ax: Axes, log: SafetyLog, found: Sequence[Met]) -> None:
    edges = np.flatnonzero(np.diff(log.state, prepend=-1, append=-1))
    shown: set[State] = set()
    for first, last in pairwise(edges.tolist()):
        state = STATES[log.state[first]]
        shown.add(state)
        ax.axvspan(log.t[first], log.t[min(last, len(log.t) - 1)], 0.0, 0.45, color=COLOURS[state], linewidth=0)
    for one in found:
        if not np.isfinite(one.came):
            continue
        colour, told = (MET, "") if one.caught else (UNMET, " NOT MET")
        ax.vlines(one.came, 0.0, 0.52, color=colour, linewidth=1.0)
        text = KINDS[one.kind].told + told
        ax.text(
            one.came, 0.55, text, rotation=35, color=colour, fontsize=STYLE["font"], rotation_mode="anchor",
            ha="left", va="bottom",
        )  # fmt: skip
    ax.set_ylim(0.0, 1.2)
    ax.set_xlim(log.t[0] - 0.01 * log.t[-1], 1.05 * log.t[-1])
    ax.set_axis_off()
    patches = [Patch(color=COLOURS[state], label=WORDS[state]) for state in State if state in shown]
    ax.legend(
        handles=patches, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=STYLE["font"] - 1,
        labelcolor=STYLE["ink"], handlelength=1.4,
    )  # fmt: skip
    _name(ax, "", "What the facility does, and what goes wrong when")


def _speeds(ax: Axes, log: SafetyLog, limits: AxisLimits) -> None:
    shares = 100.0 * np.abs(differences(log.done)) / (CYCLE * limits.speed)
    for (device, own), colour in zip(DEVICES.items(), STYLE["colors"], strict=False):
        ax.plot(log.t, shares[:, own].max(axis=1), color=colour, label=DEVICE[device])
    ax.axhline(100.0, color=UNMET, linewidth=1.0, linestyle="--", label="limit")
    ax.set_ylim(0.0, max(115.0, 1.05 * float(shares.max())))
    legend(ax, 4)
    _name(ax, "speed [% of the limit]", "Speeds of the axes, as the links moved")


def _distances(ax: Axes, log: SafetyLog, clearance: Clearance) -> None:
    apart, _ = clearance.along(log.done, FARTHEST)
    ax.plot(log.t, apart, color=STYLE["colors"][3], label="nearest solids")
    margin = f"margin: a command beyond\nit is refused ({1000.0 * clearance.margin:g} mm)"
    ax.axhline(clearance.margin, color=STYLE["colors"][4], linewidth=1.0, linestyle="--", label=margin)
    ax.axhline(0.0, color=UNMET, linewidth=1.0, linestyle="--", label="contact")
    ax.set_ylim(min(-0.01, float(apart.min()) - 0.01), 1.15 * max(float(apart.max()), clearance.margin))
    legend(ax, 3)
    _name(ax, "distance [m]", "Distance of the nearest solids (robots, mock-ups, room; not the docking pair)")


def _stops(ax: Axes, log: SafetyLog, found: Sequence[Met], limits: AxisLimits) -> None:
    """The axis that was fastest for its limit when the fault came, over its speed then; stops that are the same are one
    line."""
    curves: list[tuple[Array, list[str]]] = []
    for one in found:
        curve, told = _stop(log, one, limits), KINDS[one.kind].told
        same = [names for other, names in curves if len(other) == len(curve) and np.allclose(other, curve, atol=SAME)]
        if same:
            same[0].append(told)
        elif len(curve):
            curves.append((curve, [told]))
    for (curve, names), colour in zip(curves, colours(len(curves)), strict=True):
        t = SHOWN[0] + CYCLE * np.arange(len(curve))
        ax.plot(1000.0 * t, curve, color=colour, label=fill(", ".join(names), LABEL))
    allowed = 1000.0 * (CYCLE + log.delay)
    ax.axvspan(0.0, allowed, color=STYLE["faint"], alpha=0.6, linewidth=0)
    ax.vlines(0.0, 0.0, 122.0, color=STYLE["ink"], linewidth=0.7, linestyle=":")
    told, size = f"one cycle and the delay, {allowed:.0f} ms: by then it must brake", STYLE["font"] - 1
    ax.text(allowed + 4.0, 112.0, told, color=STYLE["ink"], fontsize=size)
    ax.set_ylim(0.0, 122.0)
    ax.set_xlabel("time since the fault [ms]", color=STYLE["ink"], fontsize=STYLE["font"])
    legend(ax, len(curves))
    _name(ax, "speed [% of that at the fault]", "Each stop, by the axis that was fastest for its limit")


def _stop(log: SafetyLog, one: Met, limits: AxisLimits) -> Array:
    """Speeds [%] every cycle, until rest; empty where nothing moved."""
    if not np.isfinite(one.came):
        return np.empty(0)
    at = int(np.searchsorted(log.t, one.came - 0.5 * CYCLE))
    speeds = np.abs(differences(log.done)) / CYCLE
    axis = int(np.argmax(speeds[at] / limits.speed))
    first, lasting = at + round(SHOWN[0] / CYCLE), min(SHOWN[1], one.rest if np.isfinite(one.rest) else SHOWN[1])
    if first < 0 or speeds[at, axis] == 0.0:
        return np.empty(0)
    return 100.0 * speeds[first : at + round(lasting / CYCLE) + 1, axis] / speeds[at, axis]
