"""The journal of a campaign, `runs.sqlite`: a row for each case that has ended, on disk before it counts.

A row is written once. Metrics are numbers in the order of a layout, a list of names that many rows share.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from freefloat.errors import InputError
from freefloat.workers.outcome import Cost, Outcome
from freefloat.workers.scenario_runs import Course

FILE = "runs.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS layouts (id INTEGER PRIMARY KEY, names TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS cases (
    n INTEGER PRIMARY KEY, seed INTEGER NOT NULL, inputs TEXT NOT NULL, layout INTEGER, metrics BLOB,
    success INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
    cpu REAL, wall REAL, idle REAL, host TEXT, processor TEXT);
CREATE TABLE IF NOT EXISTS signals (
    n INTEGER NOT NULL, name TEXT NOT NULL, unit TEXT NOT NULL, columns INTEGER NOT NULL, samples BLOB NOT NULL,
    PRIMARY KEY (n, name));
"""


@dataclass(frozen=True)
class Row:
    """One case as the journal has it."""

    case: int
    seed: int
    inputs: Sequence[Any]
    metrics: dict[str, float]
    success: bool
    outcome: Outcome
    signals: Mapping[str, Course] = field(default_factory=dict)


class Journal:
    """Of one folder. With `reading` it may be another process's that is being written."""

    def __init__(self, folder: Path, reading: bool = False) -> None:
        file = folder / FILE
        if reading and not file.is_file():
            raise InputError(f"{folder}: not the folder of a campaign, it has no {FILE}")
        try:
            self._base = sqlite3.connect(file, isolation_level=None, timeout=60.0)
            if reading:
                self._base.execute("PRAGMA query_only=ON")
            else:
                self._base.execute("PRAGMA journal_mode=WAL")
                self._base.execute("PRAGMA synchronous=FULL")
                self._base.executescript(_TABLES)
            self._layouts = {names: n for n, names in self._base.execute("SELECT id, names FROM layouts")}
        except sqlite3.Error as error:
            raise InputError(f"{file}: not the journal of a campaign: {error}") from None

    def close(self) -> None:
        self._base.close()

    def record(self, row: Row) -> bool:
        """Write a row, to the disk; False where the case has one."""
        cost, outcome = row.outcome.cost, row.outcome
        with _Transaction(self._base) as base:
            layout = self._layout(list(row.metrics)) if row.metrics else None
            numbers = np.array(list(row.metrics.values())).tobytes() if row.metrics else None
            # fmt: off
            written = base.execute(
                "INSERT OR IGNORE INTO cases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (row.case, row.seed, json.dumps(list(row.inputs)), layout, numbers, row.success,
                 outcome.status, outcome.reason, cost.cpu, cost.wall, cost.idle, cost.host, cost.processor),
            ).rowcount
            # fmt: on
            if written:
                for name, course in row.signals.items():
                    samples = np.ascontiguousarray(course.samples)
                    values = (row.case, name, course.unit, len(samples), samples.tobytes())
                    base.execute("INSERT INTO signals VALUES (?, ?, ?, ?, ?)", values)
        return bool(written)

    def _layout(self, names: list[str]) -> int:
        text = json.dumps(names)
        if text not in self._layouts:
            self._layouts[text] = self._base.execute("INSERT INTO layouts (names) VALUES (?)", (text,)).lastrowid or 0
        return self._layouts[text]

    def forget(self, statuses: Sequence[str]) -> int:
        """Delete the rows of cases that are to be run again; how many there were."""
        marks = ", ".join("?" * len(statuses))
        with _Transaction(self._base) as base:
            base.execute(f"DELETE FROM signals WHERE n IN (SELECT n FROM cases WHERE status IN ({marks}))", statuses)
            return base.execute(f"DELETE FROM cases WHERE status IN ({marks})", statuses).rowcount

    def done(self) -> set[int]:
        """Numbers of the cases that have a row."""
        return {n for (n,) in self._base.execute("SELECT n FROM cases")}

    def counts(self) -> tuple[int, int, int]:
        """How many cases have a row, are not `ok`, are a success."""
        text = "SELECT count(*), coalesce(sum(status != 'ok'), 0), coalesce(sum(success), 0) FROM cases"
        return self._base.execute(text).fetchone()

    def metric_names(self) -> list[str]:
        """Of all rows, sorted."""
        used = self._base.execute("SELECT names FROM layouts WHERE id IN (SELECT DISTINCT layout FROM cases)")
        return sorted({name for (names,) in used for name in json.loads(names)})

    def rows(self, case: int | None = None) -> Iterator[Row]:
        """In the order of the cases, one at a time; with `case` only that one."""
        layouts = {n: json.loads(names) for n, names in self._base.execute("SELECT id, names FROM layouts")}
        for n, seed, inputs, layout, numbers, success, status, reason, *cost in self._base.execute(
            f"SELECT * FROM cases {'' if case is None else 'WHERE n = ?'} ORDER BY n", () if case is None else (case,)
        ):
            metrics = dict(zip(layouts[layout], np.frombuffer(numbers).tolist(), strict=True)) if numbers else {}
            outcome = Outcome(status, reason, None, Cost(*cost))
            yield Row(n, seed, json.loads(inputs), metrics, bool(success), outcome)

    def row(self, n: int) -> Row | None:
        """Of one case; None where it has none yet."""
        return next(self.rows(n), None)

    def signals(self, name: str) -> Iterator[tuple[int, Course]]:
        """Courses of a signal by case."""
        text = "SELECT n, unit, columns, samples FROM signals WHERE name = ? ORDER BY n"
        for n, unit, columns, samples in self._base.execute(text, (name,)):
            yield n, Course(unit, np.frombuffer(samples).reshape(columns, -1))


class _Transaction:
    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base

    def __enter__(self) -> sqlite3.Connection:
        self._base.execute("BEGIN IMMEDIATE")
        return self._base

    def __exit__(self, kind: object, *_: object) -> None:
        self._base.execute("COMMIT" if kind is None else "ROLLBACK")
