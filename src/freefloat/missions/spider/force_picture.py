"""The force between SPIDER and a plate over time, set and actual, as in Fig. 10 of Ferretti and others 2004."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from freefloat.charts import STYLE, panels, save
from freefloat.frames import Array

OPERATIONS = ("approach", "press", "slide")


def draw_force(time: Array, wanted: Array, force: Array, begun: Sequence[float], path: Path) -> None:
    """Set and actual force over all of the run, and what is between them from the slide on."""
    figure, (above, below) = panels(2)
    above.plot(time, force, color=STYLE["colors"][0], label="actual", linewidth=1.0)
    above.plot(time, wanted, color=STYLE["colors"][1], label="set", linestyle="--", linewidth=1.2)
    top = 1.3 * max(float(wanted.max()), 1.0)
    above.set_ylim(-0.05 * top, top)
    above.set_ylabel("force on the plate [N]", color=STYLE["ink"], fontsize=STYLE["font"])
    above.legend(loc="lower right", fontsize=STYLE["font"] - 1, frameon=False)
    above.set_title("SPIDER presses on a plate", loc="left", fontsize=STYLE["font"] + 1)
    slid = time >= begun[2] if len(begun) > 2 else time >= 0.0
    error = np.where(slid, force - wanted, np.nan)
    below.plot(time, error, color=STYLE["colors"][2], linewidth=0.9)
    below.axhspan(-0.5, 0.5, color=STYLE["colors"][7], alpha=0.2, linewidth=0.0)
    below.text(0.01, 0.06, "grey: 0.5 N", transform=below.transAxes, fontsize=STYLE["font"] - 1)
    below.set_ylabel("actual less set, sliding [N]", color=STYLE["ink"], fontsize=STYLE["font"])
    for at, name in zip(begun, OPERATIONS, strict=False):
        above.annotate(
            name, (at, top), xytext=(3, -4), textcoords="offset points", va="top", fontsize=STYLE["font"] - 1
        )
        if at > time[0] + 0.1:
            for ax in (above, below):
                ax.axvline(at, color=STYLE["colors"][7], linewidth=0.8, linestyle=":")
    below.set_xlabel("time [s]", color=STYLE["ink"], fontsize=STYLE["font"])
    save(figure, path)
