"""The answers of a campaign in its folder: `summary.json` for programs, `summary.html` for people.

    summarise(folder, frame, About("docking", "dock-probe-cone", criterion="docked == 1"))

`frame` has a row for each case that is done: `case`, `seed`, `in.PATH`, metrics, `success`, `status`, `reason` and
`run.*`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from freefloat.campaign.about import About
from freefloat.campaign.figures import OUTCOMES, figures_of
from freefloat.campaign.influence import correlations, indices
from freefloat.campaign.table import Table

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from freefloat.campaign.pictures.fans import Signals


def summarise(
    folder: str | os.PathLike[str], frame: pl.DataFrame, about: About, signals: Signals | None = None
) -> dict[str, Any]:
    """Write `summary.json` and `summary.html` into a folder that exists, and return what the first one holds.

    Both are written aside and renamed, so that a reader finds the old ones or the new ones. The same rows give the same
    bytes. `signals`: of each signal to be drawn, times [s] and values by case.
    """
    from freefloat.campaign.page import summary_page
    from freefloat.campaign.pictures.canvas import png_of

    table = Table(frame, about)
    figures = figures_of(table)
    drawn = {heading: (told, png_of(made)) for heading, told, made in _pictures(table, signals or {})}
    _replace(Path(folder) / "summary.json", json.dumps(figures, indent=2) + "\n")
    _replace(Path(folder) / "summary.html", summary_page(table, figures, drawn))
    return figures


def _pictures(table: Table, signals: Signals) -> Iterator[tuple[str, str, Figure]]:
    """Heading, what is said below it, and the picture, of those for which there is something to draw."""
    from freefloat.campaign.pictures.bars import draw_correlations, draw_indices
    from freefloat.campaign.pictures.distributions import draw_distributions
    from freefloat.campaign.pictures.fans import draw_fans
    from freefloat.campaign.pictures.over_runs import draw_over_runs
    from freefloat.campaign.pictures.scatter import draw_scatter_matrix
    from freefloat.campaign.pictures.success_map import draw_success_map
    from freefloat.campaign.pictures.worst_cases import draw_worst

    found = [
        ("Where it succeeds", "Over the inputs with most influence on success.", draw_success_map(table)),
        (
            "What matters most: Sobol indices",
            "Shares of the variance of each outcome that an input causes. Those of the first kind add up to at most 1.",
            draw_indices(indices(table, OUTCOMES)),
        ),
        (
            "What matters most: rank correlations",
            "Near 1 or -1: the outcome rises or falls with the input. An effect that is the same at both ends of an "
            "input does not show here; look at the scatter matrix, or use the sampling <code>sensitivity</code>.",
            draw_correlations(correlations(table, OUTCOMES)),
        ),
        ("Distributions", "Of metrics, in cases that ran to their end.", draw_distributions(table)),
        ("Scatter matrix", "Inputs with most influence, and metrics.", draw_scatter_matrix(table)),
        ("Worst cases: their inputs", "", draw_worst(table)),
        ("Signals", "Fan charts of all cases that have them.", draw_fans(table, signals)),
        ("How sure the rate is", "Wilson's interval, after more and more independent cases.", draw_over_runs(table)),
    ]
    yield from ((heading, told, made) for heading, told, made in found if made is not None)


def _replace(path: Path, text: str) -> None:
    aside = path.with_name(f".{path.name}.new")
    aside.write_text(text, encoding="utf-8")
    aside.replace(path)
