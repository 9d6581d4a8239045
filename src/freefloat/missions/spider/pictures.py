"""The harmonics of a motor's torque over frequency, as in Fig. 7 of Ferretti and others 2004."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from freefloat.charts import STYLE, panels, save
from freefloat.missions.spider.harmonics import Harmonics

CAUSES = {
    1: "offset of a current sensor",
    2: "unbalanced phases",
    4: "third harmonic of the back-EMF",
}  # by multiple of the electrical frequency
GREY = STYLE["colors"][7]
SMALLEST = 0.005  # [%] of another line that is labelled


def draw_ripple(found: Harmonics, pole_pairs: int, path: Path) -> None:
    """A line for each harmonic of the rotor's turn; those that have a cause are named."""
    figure, (ax,) = panels(1)
    figure.set_size_inches(STYLE["width"], 1.9 * STYLE["row"])
    share = 100.0 * found.amplitudes / abs(found.mean)
    hertz = found.w * np.arange(1, share.size + 1) / (2.0 * math.pi)
    ax.vlines(hertz, 0.0, share, color=GREY, linewidth=3.0)
    colours = dict(zip(CAUSES, STYLE["colors"], strict=False))
    for at in range(share.size):
        k, rest = divmod(at + 1, pole_pairs)
        named = rest == 0 and k in CAUSES
        if not named and share[at] < SMALLEST:
            continue
        colour, told = (colours[k], f"{share[at]:.3f} %\n{CAUSES[k]}") if named else (GREY, f"{share[at]:.3f} %")
        ax.vlines(hertz[at], 0.0, share[at], color=colour, linewidth=7.0 if named else 3.0)
        ax.annotate(
            told,
            (hertz[at], share[at]),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            va="bottom",
            color=colour,
            fontsize=STYLE["font"] if named else STYLE["font"] - 2,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        )
    multiples = range(1, share.size // pole_pairs + 1)
    ticks = [float(hertz[k * pole_pairs - 1]) for k in multiples]
    ax.set_xticks([0.0, *ticks], ["0", *(f"{f:.1f}\n{k}p" for k, f in zip(multiples, ticks, strict=True))])
    ax.set_xlim(0.0, hertz[-1] + 0.5 * ticks[0])
    ax.set_ylim(0.0, 1.2 * float(share.max()))
    turns = found.w / (2.0 * math.pi)
    title = (
        f"Ripple of the motor's torque about its mean of {found.mean:.4f} N m, rotor at {60.0 * turns:.0f} rpm\n"
        f"1p is the electrical frequency: {pole_pairs} pole pairs x {turns:.3f} turns/s = {ticks[0]:.1f} Hz"
    )
    ax.set_title(title, loc="left", color=STYLE["ink"], fontsize=STYLE["font"] + 1)
    ax.set_ylabel("amplitude [% of the mean torque]", color=STYLE["ink"], fontsize=STYLE["font"])
    ax.set_xlabel("frequency [Hz]", color=STYLE["ink"], fontsize=STYLE["font"])
    save(figure, path)
