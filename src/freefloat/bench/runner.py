"""Runs the benchmarks that are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from freefloat.bench.case import BENCHMARKS, Figure
from freefloat.cases import Progress
from freefloat.errors import FreefloatError


def run(chosen: Sequence[str] = (), progress: Progress | None = None) -> dict[str, Figure]:
    """Figures by name of the chosen benchmarks in that order; of all of them where none is chosen.

    Names are checked before anything runs.
    """
    figures: dict[str, Figure] = {}
    for one in BENCHMARKS.in_turn(chosen, progress):
        for figure in one.function():
            if figure.name in figures:
                raise FreefloatError(f"benchmark {one.name!r}: figure {figure.name!r} is reported twice")
            figures[figure.name] = figure
    return figures
