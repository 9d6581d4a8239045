"""The rows of a campaign, by what they are: inputs, metrics, successes, statuses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from freefloat.campaign.about import About
from freefloat.campaign.criteria import Criterion
from freefloat.units import on_page, to_si_factor

if TYPE_CHECKING:
    import polars as pl

Vector = NDArray[np.float64]

OWN = ("case", "seed", "success", "status", "reason")  # columns besides inputs, metrics and what a run took
DULL = ("audit.", "steps", "duration_s", "events")  # metrics that are shown where nothing else varies


@dataclass(frozen=True)
class Input:
    """A varied field in all cases, in the unit in which people read it; of names, their places in `names`."""

    path: str
    unit: str
    values: Vector
    names: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return f"{self.path} [{self.unit}]" if self.unit and self.unit != "-" else self.path


@dataclass(frozen=True)
class Table:
    """All rows that are there, in the order of their cases."""

    frame: pl.DataFrame
    about: About

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", self.frame.sort("case"))

    @cached_property
    def cases(self) -> NDArray[np.int64]:
        return self.frame["case"].to_numpy()

    @cached_property
    def ok(self) -> NDArray[np.bool_]:
        """Cases that ran to their end."""
        return np.array([status == "ok" for status in self.frame["status"]], dtype=bool)

    @cached_property
    def success(self) -> NDArray[np.bool_]:
        """Cases that ran to their end and met the criterion."""
        return np.array([bool(one) for one in self.frame["success"]], dtype=bool) & self.ok

    @cached_property
    def independent(self) -> NDArray[np.bool_]:
        """Cases whose inputs are their own. Of `sensitivity` only the first and the last of each base point are."""
        if self.about.sampling != "sensitivity":
            return np.ones(len(self.cases), dtype=bool)
        each = len(self.inputs) + 2
        return (self.cases % each == 0) | (self.cases % each == each - 1)

    @cached_property
    def statuses(self) -> dict[str, int]:
        return dict(Counter(self.frame["status"]).most_common())

    @cached_property
    def reasons(self) -> dict[tuple[str, str], list[int]]:
        """Cases by status and reason, of those that did not run to their end; the most frequent first."""
        found: dict[tuple[str, str], list[int]] = {}
        for case, status, reason in zip(self.cases, self.frame["status"], self.frame["reason"], strict=True):
            if status != "ok":
                found.setdefault((status, str(reason or "")), []).append(int(case))
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    @cached_property
    def inputs(self) -> dict[str, Input]:
        units = {variation.path: variation.unit for variation in self.about.variations}
        paths = [column.removeprefix("in.") for column in self.frame.columns if column.startswith("in.")]
        return {
            path: _input(path, self.frame[f"in.{path}"].to_list(), units.get(path, ""), self.about) for path in paths
        }

    @cached_property
    def metrics(self) -> dict[str, Vector]:
        """By name; nan where a case has none."""
        columns = self.frame.columns
        names = [c for c in columns if c not in OWN and not c.startswith(("in.", "run."))]
        return {name.removeprefix("metric."): _numbers(self.frame[name].to_list()) for name in names}

    @cached_property
    def criterion(self) -> Criterion | None:
        return Criterion.parse(self.about.criterion) if self.about.criterion else None

    @cached_property
    def lacking(self) -> int:
        """Cases that ran to their end and lack a metric of the criterion."""
        if self.criterion is None:
            return 0
        nothing = np.full(len(self.cases), np.nan)
        rows = zip(*(self.metrics.get(name, nothing) for name in self.criterion.names), strict=True)
        return sum(bool(np.isnan(row).any()) for row, ok in zip(rows, self.ok, strict=True) if ok)

    def telling(self, most: int) -> list[str]:
        """The metrics that say most: those of the criterion, then the worst's, then others that vary."""
        criterion = [] if self.criterion is None else list(self.criterion.names)
        asked = [*criterion, self.worst_by.removeprefix("-")]
        others = [name for name in self.metrics if not name.startswith(DULL)]
        dull = [name for name in self.metrics if name.startswith(DULL)]
        order = dict.fromkeys(
            [*(n for n in asked if n in self.metrics), *_varying(self, others), *_varying(self, dull)]
        )
        return list(order)[:most]

    @cached_property
    def worst_by(self) -> str:
        """The metric that says how bad a case is, with a minus where small is bad; empty where there is none.

        That which the campaign names, else the first that its criterion bounds.
        """
        if self.about.worst:
            return self.about.worst
        bounds = [] if self.criterion is None else self.criterion.bounds()
        signs = {"<": "", "<=": "", ">": "-", ">=": "-"}
        return next((signs[sign] + name for name, sign in bounds if sign in signs), "")

    def worst(self, count: int) -> list[int]:
        """The worst cases that ran to their end, the worst first; without a metric to tell, those without success."""
        name = self.worst_by.removeprefix("-")
        if name not in self.metrics:
            return [int(case) for case in self.cases[self.ok & ~self.success][:count]]
        values = self.metrics[name] * (1.0 if self.worst_by.startswith("-") else -1.0)
        order = [k for k in np.argsort(values, kind="stable") if self.ok[k] and not np.isnan(values[k])]
        return [int(self.cases[k]) for k in order[:count]]

    def rows_of(self, cases: Sequence[int]) -> NDArray[np.int64]:
        """Where cases stand in the table."""
        return np.searchsorted(self.cases, np.asarray(cases, dtype=np.int64))


def _varying(table: Table, names: Sequence[str]) -> list[str]:
    return [name for name in names if len(np.unique(table.metrics[name][np.isfinite(table.metrics[name])])) > 1]


def _input(path: str, values: list[Any], unit: str, about: About) -> Input:
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        shown, factor = (unit, 1.0 / to_si_factor(unit)) if unit else on_page(about.units.get(path, ""))
        return Input(path, shown, np.array(values, dtype=np.float64) * factor)
    names = tuple(sorted(set(map(_text, values))))
    return Input(path, "", np.array([names.index(_text(value)) for value in values], dtype=np.float64), names)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _numbers(values: list[Any]) -> Vector:
    return np.array([np.nan if v is None else float(v) for v in values], dtype=np.float64)
