"""How far SPIDER's tip is from where it should be, over time."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from freefloat.charts import STYLE, panels, save
from freefloat.frames import Array

REQUIRED = (2.5, 0.5)  # [mm], [deg] published accuracy


def draw_errors(time: Array, off: Array, angle: Array, path: Path) -> None:
    """Errors of place and attitude beside the requirement."""
    figure, axes = panels(2)
    told = ("distance from the line [mm]", "angle from the line [deg]")
    values = (1e3 * np.linalg.norm(off, axis=1), np.rad2deg(angle))
    for ax, y, label, limit, colour in zip(axes, values, told, REQUIRED, STYLE["colors"], strict=False):
        ax.plot(time, y, color=colour, label="tip", linewidth=1.2)
        ax.axhline(limit, color=STYLE["colors"][7], linestyle="--", label="required", linewidth=1.0)
        ax.set_ylabel(label, color=STYLE["ink"], fontsize=STYLE["font"])
        ax.legend(loc="upper right", fontsize=STYLE["font"] - 1, frameon=False)
        ax.set_ylim(0.0, None)
    axes[0].set_title("SPIDER's tip: what is wanted less what is", loc="left", fontsize=STYLE["font"] + 1)
    axes[-1].set_xlabel("time [s]", color=STYLE["ink"], fontsize=STYLE["font"])
    save(figure, path)
