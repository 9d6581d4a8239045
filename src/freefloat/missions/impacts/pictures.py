"""Pictures of impacts after Figs 6 and 7 of Lange, Grunwald and Albu-Schaeffer 2016: satellites and robots together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from freefloat.charts import STYLE, NotebookFigure, draw_lines, legend, panels, save, tidy
from freefloat.engine.result import Result
from freefloat.frames import Array, quat_to_matrix
from freefloat.gnc.control.rendering.shapes import Tools
from freefloat.missions.impacts.ideal import Reference
from freefloat.missions.impacts.judge import NAMES
from freefloat.missions.impacts.laboratory import Stand

BAR_SHOWN = 0.12  # [m] of the servicer's bar at a contact
BEFORE, AFTER = 0.15, 0.25  # [s] round the robots' contacts that forces and places are shown
PATHS = {"servicer": "tip, simulated", "robot1": "tip, robot 1", "client": "apex, simulated", "robot2": "apex, robot 2"}
COLOURS = {"servicer": "#1f6feb", "robot1": "#17a2b8", "client": "#e4572e", "robot2": "#c99700"}


def tools_over_time(result: Result, stands: tuple[Stand, Stand], tools: Tools) -> dict[str, Array]:
    """Places in W (n, 3) [m] of the servicer's tip and the client's tool, simulated and executed."""
    found: dict[str, Array] = {}
    points = np.array(tools.p_ST), tools.surface.X_CS.p
    for name, stand, point in zip(NAMES, stands, points, strict=True):
        p, q = result[f"{name}.p_WB"], result[f"{name}.q_WB"]
        found[name] = p + np.array([quat_to_matrix(one) @ point for one in q])
        p, q = result[f"{stand.name}.mockup.p_WB"], result[f"{stand.name}.mockup.q_WB"]
        on_flange = stand.X_FT.apply(point)
        found[stand.name] = p + np.array([quat_to_matrix(one) @ on_flange for one in q])
    return found


def draw_central(result: Result, out: Path, stands: tuple[Stand, Stand], tools: Tools, reference: Reference) -> None:
    """`plots/impact.png`: forces, where the tools are, and what robots and rendering are off."""
    t, places = result.time("servicer.p_WB"), tools_over_time(result, stands, tools)
    along = stands[0].R_WD[:, 0]
    figure, (forces, where, off) = panels(3)
    real, handed = result["mockups.force"].sum(axis=1), np.linalg.norm(result["rendering.handed"], axis=1)
    t_handed = result.time("rendering.handed")
    met = result["satellites.force"].sum(axis=1)
    simulated = met if met.any() or not handed.any() else np.interp(t, t_handed, handed)
    lines = {
        f"between the satellites: {simulated.max():.0f} N": simulated,
        f"between the robots: {real.max():.0f} N": real,
    }
    draw_lines(forces, t, lines, "force [N]", "Force of the contact")
    meeting = float(places["client"][0] @ along)
    lines = {
        "servicer's tip, simulated": 1e3 * (places["servicer"] @ along + tools.radius - meeting),
        "client's plate, simulated": 1e3 * (places["client"] @ along - meeting),
        "tip, robot 1": 1e3 * (places["robot1"] @ along + tools.radius - meeting),
        "plate, robot 2": 1e3 * (places["robot2"] @ along - meeting),
    }
    title = "Tools along the approach; they penetrate where the tip is above the plate"
    draw_lines(where, t, lines, "place [mm]", title)
    ideal = reference.at(t)
    p = np.stack([result[f"{n}.p_WB"] for n in NAMES], axis=1)
    lines = {
        "robot 1 off the servicer": 1e3 * np.linalg.norm(places["robot1"] - places["servicer"], axis=1),
        "robot 2 off the client": 1e3 * np.linalg.norm(places["robot2"] - places["client"], axis=1),
        "satellites off the ideal motion": 1e3 * np.linalg.norm(p - ideal.p, axis=2).max(axis=1),
    }
    draw_lines(off, t, lines, "distance [mm]", "How far apart what is and what ought to be are")
    for ax in (forces, where, off):
        legend(ax, 2)
    _zoom(result, forces, where, places, along, meeting)
    save(figure, out / "plots" / "impact.png")


def _zoom(result: Result, forces: Axes, where: Axes, places: dict[str, Array], along: Array, meeting: float) -> None:
    touches = [touch for touch in result.touches if touch.contact.startswith("mockups")]
    if not touches:
        return
    t = result.time("servicer.p_WB")
    first, last = touches[0].t - BEFORE, touches[-1].t + touches[-1].duration + AFTER
    forces.set_xlim(max(first, 0.0), min(last, float(t[-1])))
    shown = (t >= first) & (t <= last)
    values = np.concatenate([1e3 * (p[shown] @ along - meeting) for p in places.values()])
    where.set_ylim(float(values.min()) - 1.0, float(values.max()) + 12.0)


def draw_cone(result: Result, out: Path, stands: tuple[Stand, Stand], tools: Tools, reference: Reference) -> None:
    """`plots/impact.png`: paths in the plane of the approach with the tools at each contact, forces, differences."""
    t, places = result.time("servicer.p_WB"), tools_over_time(result, stands, tools)
    figure = NotebookFigure(figsize=(STYLE["width"], 9.0), dpi=STYLE["dpi"], layout="constrained")
    path, forces, off = figure.subplots(3, 1, height_ratios=[2.2, 1.0, 1.0])
    for ax in (path, forces, off):
        tidy(ax)
    _draw_paths(path, result, stands, tools, places)
    lines = {
        "between the robots": result["mockups.force"].sum(axis=1),
        "between the satellites": result["satellites.force"].sum(axis=1),
    }
    draw_lines(forces, t, lines, "force [N]", "Force of the contacts")
    ideal = reference.at(t)
    p = np.stack([result[f"{n}.p_WB"] for n in NAMES], axis=1)
    lines = {
        "robot 1 off the servicer, at the tip": 1e3 * np.linalg.norm(places["robot1"] - places["servicer"], axis=1),
        "robot 2 off the client, at the apex": 1e3 * np.linalg.norm(places["robot2"] - places["client"], axis=1),
        "satellites off the ideal motion": 1e3 * np.linalg.norm(p - ideal.p, axis=2).max(axis=1),
    }
    draw_lines(off, t, lines, "distance [mm]", "How far apart what is and what ought to be are")
    off.set_xlabel("time [s]", color=STYLE["ink"], fontsize=STYLE["font"])
    forces.set_xlabel("time [s]", color=STYLE["ink"], fontsize=STYLE["font"])
    legend(forces, 2)
    legend(off, 3)
    save(figure, out / "plots" / "impact.png")


def _draw_paths(ax: Axes, result: Result, stands: tuple[Stand, Stand], tools: Tools, places: dict[str, Array]) -> None:
    """Seen from above the approach: x along it, y across."""
    D, origin = stands[0].R_WD[:, :2], places["client"][0]

    def flat(p: Array) -> Array:
        return 1e3 * (p - origin) @ D

    told = {
        "servicer": "tip, simulated",
        "robot1": "tip, robot 1",
        "client": "apex, simulated",
        "robot2": "apex, robot 2",
    }
    for name, label in told.items():
        style, width = (":", 2.2) if name.startswith("robot") else ("-", 1.6)
        x, y = flat(places[name]).T
        ax.plot(x, y, color=COLOURS[name], label=label, linestyle=style, linewidth=width)
    times = [touch.t for touch in result.touches if touch.contact.startswith("satellites")]
    t, bars, cones = result.time("servicer.p_WB"), [], []
    for n, at in enumerate(times, 1):
        k = min(int(np.searchsorted(t, at)), len(t) - 1)
        R = quat_to_matrix(result["servicer.q_WB"][k])
        tip = places["servicer"][k]
        bars.append(flat(np.array([tip, tip - BAR_SHOWN * R[:, 0]])))
        cones.append(_outline(result, k, tools, flat))
        at_tip = flat(tip[None])[0]
        side = 1.0 if at_tip[1] > 0.0 else -1.0  # towards the wall
        ring = {"boxstyle": "circle,pad=0.2", "facecolor": "white", "edgecolor": STYLE["ink"], "linewidth": 0.8}
        style = {"fontsize": STYLE["font"], "color": STYLE["ink"], "ha": "center", "va": "center", "bbox": ring}
        ax.annotate(str(n), at_tip, textcoords="offset points", xytext=(0.0, 16.0 * side), **style)
    if times:
        ax.add_collection(LineCollection(bars, colors=COLOURS["servicer"], alpha=0.35, linewidths=4.0))
        ax.add_collection(LineCollection(cones, colors=COLOURS["client"], alpha=0.35, linewidths=1.5))
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel("along the approach [mm]", color=STYLE["ink"], fontsize=STYLE["font"])
    ax.set_ylabel("across [mm]", color=STYLE["ink"], fontsize=STYLE["font"])
    title = "Paths of tip and apex; at contacts 1, 2, ... also the servicer's bar and the client's cone"
    ax.set_title(title, loc="left", color=STYLE["ink"], fontsize=STYLE["font"])
    legend(ax, 4)


def _outline(result: Result, k: int, tools: Tools, flat) -> Array:  # type: ignore[no-untyped-def]
    """Section of the cone with the plane through its axis."""
    surface = tools.surface
    s, c = np.sin(surface.half_angle), np.cos(surface.half_angle)  # type: ignore[attr-defined]
    rim = surface.generator * np.array([[0.0, s, c], [0.0, 0.0, 0.0], [0.0, -s, c]])  # type: ignore[attr-defined]
    in_client = surface.X_CS.apply(rim)
    R = quat_to_matrix(result["client.q_WB"][k])
    return flat(result["client.p_WB"][k] + in_client @ R.T)
