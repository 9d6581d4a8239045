"""Finds the cases, runs those that are asked for, and says with which exit code to end."""

from __future__ import annotations

import importlib
import pkgutil
import traceback
from collections.abc import Callable, Iterable, Sequence

from freefloat.errors import unknown_name
from freefloat.verify import cases
from freefloat.verify.case import REGISTRY, Case, Row

Progress = Callable[[str, int, int], None]  # name of the case about to run, its index, number of cases


def case_names() -> list[str]:
    """Every registered case, in alphabetical order."""
    return sorted(_all())


def case_title(name: str) -> str:
    """One line on what a case compares."""
    return _find([name])[0].title


def run_cases(names: Sequence[str] = (), progress: Progress | None = None) -> list[Row]:
    """Rows of the named cases in that order; of all of them where no name is given.

    Names are checked before anything runs. A case that raises gives one failing row without a reason: an exception
    explains nothing.
    """
    chosen = _find(names or case_names())
    rows: list[Row] = []
    for index, one in enumerate(chosen):
        if progress is not None:
            progress(one.name, index, len(chosen))
        rows += _run(one)
    return rows


def exit_code(rows: Iterable[Row]) -> int:
    """1 where a row fails without a reason, else 0."""
    return int(any(row.unexplained for row in rows))


def _all() -> dict[str, Case]:
    for module in pkgutil.iter_modules(cases.__path__, f"{cases.__name__}."):
        importlib.import_module(module.name)
    return REGISTRY


def _find(names: Sequence[str]) -> list[Case]:
    known = _all()
    for name in names:
        if name not in known:
            raise unknown_name("verification case", name, known)
    return [known[name] for name in dict.fromkeys(names)]


def _run(one: Case) -> list[Row]:
    try:
        rows = one.rows()
    except Exception as error:
        what = f"error: {type(error).__name__}: {error}"
        return [_failure(one, what, traceback.format_exc())]
    return rows or [_failure(one, "error: the case yielded no row", "")]


def _failure(one: Case, what: str, trace: str) -> Row:
    return Row(what, "-", None, None, None, False, case=one.name, source=one.source, traceback=trace)
