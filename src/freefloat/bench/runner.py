"""Finds the benchmarks and runs those that are asked for."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence

from freefloat.bench import cases
from freefloat.bench.case import REGISTRY, Bench, Figure
from freefloat.errors import FreefloatError, unknown_name

Progress = Callable[[str, int, int], None]  # name of the benchmark about to run, its index, number of benchmarks


def names() -> list[str]:
    """Every registered benchmark, in alphabetical order."""
    return sorted(_all())


def run(chosen: Sequence[str] = (), progress: Progress | None = None) -> dict[str, Figure]:
    """Figures by name of the chosen benchmarks in that order; of all of them where none is chosen.

    Names are checked before anything runs.
    """
    benches = _find(chosen or names())
    figures: dict[str, Figure] = {}
    for index, one in enumerate(benches):
        if progress is not None:
            progress(one.name, index, len(benches))
        for figure in one.function():
            if figure.name in figures:
                raise FreefloatError(f"benchmark {one.name!r}: figure {figure.name!r} is reported twice")
            figures[figure.name] = figure
    return figures


def _all() -> dict[str, Bench]:
    for module in pkgutil.iter_modules(cases.__path__, f"{cases.__name__}."):
        importlib.import_module(module.name)
    return REGISTRY


def _find(chosen: Sequence[str]) -> list[Bench]:
    known = _all()
    for name in chosen:
        if name not in known:
            raise unknown_name("benchmark", name, known)
    return [known[name] for name in dict.fromkeys(chosen)]
