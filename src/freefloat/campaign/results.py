"""The table of a campaign from its journal: `results.parquet`, made column by column, written aside and renamed.

| column        | what                                                           |
| ---           | ---                                                            |
| `case`, `seed`| its number, from 0, and the seed with which it ran             |
| `in.PATH`     | values of the varied fields, in the units of the fields        |
| metrics       | by name, sorted; null where a case has none; `metric.NAME` where NAME is a column of these |
| `success`     | whether it is `ok` and met the criterion, if there is one      |
| `status`, `reason` | how it ended (`workers.outcome`)                          |
| `run.*`       | `cpu_s`, `wall_s`, `idle_s`, `host`, `processor`: not repeatable |
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from freefloat.campaign.journal import Journal

if TYPE_CHECKING:
    import polars as pl

FILE = "results.parquet"
TAKEN = ("case", "seed", "success", "status", "reason")  # names of columns that no metric's column may have


def column_of(metric: str) -> str:
    """The name of a metric's column."""
    return f"metric.{metric}" if metric in TAKEN or metric.startswith(("in.", "run.", "metric.")) else metric


def frame_of(journal: Journal, paths: Sequence[str]) -> pl.DataFrame:
    """All rows so far, in the order of the cases; `paths` are the varied fields."""
    import polars as pl

    names = journal.metric_names()
    place = {name: k for k, name in enumerate(names)}
    count = journal.counts()[0]
    metrics, present = np.zeros((len(names), count)), np.zeros((len(names), count), bool)
    case, seed = np.zeros(count, np.int64), np.zeros(count, np.int64)
    costs = np.zeros((3, count))
    inputs: list[list[Any]] = [[] for _ in paths]
    texts: dict[str, list[str]] = {"status": [], "reason": [], "host": [], "processor": []}
    success = np.zeros(count, bool)
    known: dict[str, str] = {}  # each text once
    for n, row in enumerate(journal.rows()):
        if n == count:  # written since it was counted
            break
        case[n], seed[n] = row.case, row.seed
        for name, value in row.metrics.items():
            metrics[place[name], n], present[place[name], n] = value, True
        for column, value in zip(inputs, row.inputs, strict=True):
            column.append(value)
        success[n] = row.success
        outcome, cost = row.outcome, row.outcome.cost
        costs[:, n] = cost.cpu, cost.wall, cost.idle
        for name, text in zip(texts, (outcome.status, outcome.reason, cost.host, cost.processor), strict=True):
            texts[name].append(known.setdefault(text, text))
    columns: list[pl.Series] = [pl.Series("case", case), pl.Series("seed", seed)]
    columns += [_inputs(f"in.{path}", values) for path, values in zip(paths, inputs, strict=True)]
    columns += [_numbers(column_of(name), metrics[k], present[k]) for name, k in place.items()]
    columns.append(pl.Series("success", success))
    columns += [pl.Series(name, texts[name], pl.String) for name in ("status", "reason")]
    columns += [pl.Series(f"run.{name}", costs[k]) for k, name in enumerate(("cpu_s", "wall_s", "idle_s"))]
    columns += [pl.Series(f"run.{name}", texts[name], pl.String) for name in ("host", "processor")]
    return pl.DataFrame(columns)


def _numbers(name: str, values: Any, present: Any) -> pl.Series:
    import polars as pl

    column = pl.Series(name, values)
    if present.all():
        return column
    return pl.select(pl.when(pl.Series(present)).then(column).otherwise(None).alias(name)).to_series()


def _inputs(name: str, values: list[Any]) -> pl.Series:
    """Numbers where all are, switches where all are, else texts."""
    import polars as pl

    if all(isinstance(value, bool) for value in values):
        return pl.Series(name, values, pl.Boolean)
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return pl.Series(name, [float(value) for value in values], pl.Float64)
    return pl.Series(name, [None if value is None else str(value) for value in values], pl.String)


def write(frame: pl.DataFrame, folder: Path) -> None:
    """Whoever reads the file sees the old one or the new one."""
    aside = folder / f".{FILE}.{os.getpid()}"
    frame.write_parquet(aside)
    aside.replace(folder / FILE)
