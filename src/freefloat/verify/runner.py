"""Runs the cases that are asked for, and says with which exit code to end."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Sequence
from dataclasses import replace

from freefloat.cases import Case, Progress
from freefloat.verify.case import VERIFICATIONS, Comparison


def run_cases(chosen: Sequence[str] = (), progress: Progress | None = None) -> list[Comparison]:
    """Comparisons of the chosen cases in that order; of all of them where none is chosen.

    Names are checked before anything runs. A case that raises gives one failing comparison without a reason: an
    exception explains nothing.
    """
    return [row for one in VERIFICATIONS.in_turn(chosen, progress) for row in _run(one)]


def exit_code(rows: Iterable[Comparison]) -> int:
    """1 where a comparison fails without a reason, else 0."""
    return int(any(row.unexplained for row in rows))


def _run(one: Case[Comparison]) -> list[Comparison]:
    try:
        rows = [replace(row, case=one.name, source=row.source or one.source) for row in one.function()]
    except Exception as error:
        what = f"error: {type(error).__name__}: {error}"
        return [_failure(one, what, traceback.format_exc())]
    return rows or [_failure(one, "error: the case yielded no row", "")]


def _failure(one: Case[Comparison], what: str, trace: str) -> Comparison:
    return Comparison(what, "-", None, None, None, False, case=one.name, source=one.source, traceback=trace)
