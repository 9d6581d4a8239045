"""Pictures of a run in which bodies touch: some instants with the forces as arrows, and the forces over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from freefloat.charts import STYLE, colours, legend, panels, save
from freefloat.engine.result import Result
from freefloat.view.camera import Camera
from freefloat.view.configuration import full_rows
from freefloat.view.raycast import render

INSTANTS = 6
COLUMNS = 3
DIRECTION = (0.3, -1.0, 0.75)  # from which the pictures are taken, in W
WIDTH, HEIGHT = 560, 300  # [pixel] of one picture


def draw_touching(result: Result, contacts: Mapping[str, str], folder: str | PathLike[str]) -> list[Path]:
    """`touching.png` and `forces.png` in a folder, of bodies (link -> its contact); returns their paths."""
    made = [Path(folder) / "touching.png", Path(folder) / "forces.png"]
    save(_instants(result, contacts), made[0])
    save(_forces(result, contacts), made[1])
    return made


def _instants(result: Result, contacts: Mapping[str, str]) -> Figure:
    """A picture for each of some instants, from the start to the end."""
    times = instants_of(result, contacts)
    scenes = [result.scene_at(t) for t in times]
    camera = Camera.fit(scenes[0].shapes, [s.poses for s in scenes], DIRECTION, width=WIDTH, height=HEIGHT)
    columns = full_rows(len(times), COLUMNS)
    rows = -(-len(times) // columns)
    figure = Figure(figsize=(4.2 * columns, 2.55 * rows + 0.4), dpi=STYLE["dpi"], layout="constrained")
    axes: Any = figure.subplots(rows, columns, squeeze=False)
    decade = 0.16 * float(np.linalg.norm(np.subtract(camera.eye, camera.target))) * np.tan(0.5 * camera.fov)
    for ax in axes.flat[len(times) :]:
        ax.remove()
    for ax, t, scene in zip(axes.flat, times, scenes, strict=False):
        ax.axis("off")
        ax.imshow(render(scene.shapes, scene.poses, camera, "white", pushes=scene.pushes, decade=decade))
        largest = max((float(np.linalg.norm(push.f_W)) for push in scene.pushes), default=0.0)
        told = f"largest force {largest:.3g} N" if largest else "no contact"
        ax.set_title(f"{t:.3f} s: {told}", loc="left", color=STYLE["ink"], fontsize=STYLE["font"] + 1)
    told = f"Arrows: forces on the bodies, {decade:.2g} m longer for each factor of ten from 1 N"
    figure.suptitle(told, x=0.01, ha="left", color=STYLE["ink"], fontsize=STYLE["font"] + 1)
    return figure


def instants_of(result: Result, contacts: Mapping[str, str], count: int = INSTANTS) -> list[float]:
    """[s] The start, the largest force of each body's first contacts, and the end, at recorded instants."""
    first = next(iter(contacts.values()))
    t = result.time(f"{first}.force")
    total = np.array([result[f"{name}.force"].sum(axis=1) for name in contacts.values()])
    met = np.flatnonzero(total.max(axis=0) > 0.0)
    chosen = [0, len(t) - 1]
    begins = int(met[0]) if len(met) else 0
    edges = np.linspace(begins, len(t) - 1, count - 1).round().astype(int)
    for a, b in pairwise(edges.tolist()):
        if b > a:
            chosen.append(a + int(np.argmax(total[:, a:b].max(axis=0))))
    return [float(t[k]) for k in sorted(set(chosen))]


def _forces(result: Result, contacts: Mapping[str, str]) -> Figure:
    """The normal force of every body over time, and how high above the surface it is."""
    figure, axes = panels(2)
    for (name, contact), colour in zip(contacts.items(), _colours(result, list(contacts)), strict=True):
        t = result.time(f"{contact}.force")
        axes[0].plot(t, result[f"{contact}.force"].sum(axis=1), label=name, color=colour)
        axes[1].plot(t, 1e3 * result[f"{contact}.gap"].min(axis=1), label=name, color=colour)
    for ax, label, title in (
        (axes[0], "force [N]", "Force along the normal, all points of a body together"),
        (axes[1], "height [mm]", "Height of the lowest point above the surface; below 0 it presses in"),
    ):
        ax.set_ylabel(label, color=STYLE["ink"], fontsize=STYLE["font"])
        ax.set_title(title, loc="left", color=STYLE["ink"], fontsize=STYLE["font"])
        legend(ax, len(contacts))
    return figure


def _colours(result: Result, links: Sequence[str]) -> Sequence[ArrayLike]:
    """Those of their first shapes, where these differ."""
    own = [tuple(result.scene[link][0].rgba[:3]) for link in links]
    return own if len(set(own)) == len(own) else colours(len(links))
