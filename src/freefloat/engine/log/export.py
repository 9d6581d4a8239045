"""What a log holds, and its tables as files for other tools."""

from __future__ import annotations

import math
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Literal

import polars as pl

from freefloat.engine.log.reader import LogData, read_log
from freefloat.errors import InputError

FORMATS = ("parquet", "csv")


def signal_table(log: LogData) -> pl.DataFrame:
    """One row per signal: name, unit, shape, frame, group, rows, rate [Hz], meaning and the labels of its entries."""
    rows: list[tuple[str, str, str, str, str, int, float | None, str, str]] = []
    for group, frame in log.frames.items():
        for name in frame.columns[1:]:
            s = log.signals[name]
            shape = "x".join(str(k) for k in s.shape)
            rows.append(
                (name, s.unit, shape, s.frame, group, frame.height, _rate(frame), s.meaning, ", ".join(s.labels))
            )
    names = ["signal", "unit", "shape", "frame", "group", "rows", "rate", "meaning", "labels"]
    types = [pl.String] * 5 + [pl.Int64, pl.Float64, pl.String, pl.String]
    return pl.DataFrame(rows, schema=dict(zip(names, types, strict=True)), orient="row")


def _rate(frame: pl.DataFrame) -> float | None:
    """Median rate [Hz]; None with fewer than two instants."""
    gaps = frame["t"].diff().drop_nulls()
    middle = gaps.filter(gaps > 0.0).median()
    return round(1.0 / middle, 6) if isinstance(middle, float) else None


def info(path: str | PathLike[str]) -> dict[str, object]:
    """Summary of a log as plain values, ready for JSON; `signals` and `events` are lists of rows."""
    path = Path(path)
    log = read_log(path)
    ends = [frame["t"][-1] for frame in log.frames.values() if frame.height]
    return {
        "path": str(path),
        "size_bytes": path.stat().st_size,
        "complete": log.complete,
        "duration": max(ends, default=0.0),
        "groups": {g: {"rows": f.height, "rate": _rate(f)} for g, f in log.frames.items()},
        "signals": signal_table(log).to_dicts(),
        "events": log.events.to_dicts(),
        "metadata": {name: dict(entry) for name, entry in log.metadata.items()},
    }


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """The same table with scalars only: `arm.q` (7,) becomes `arm.q[0]` ... `arm.q[6]`; matrices count by rows."""
    out: list[pl.Series] = []
    for column in frame.get_columns():
        if isinstance(column.dtype, pl.Array):
            table = column.to_numpy().reshape(len(column), math.prod(column.dtype.shape))
            out += [pl.Series(f"{column.name}[{i}]", scalar) for i, scalar in enumerate(table.T)]
        else:
            out.append(column)
    return pl.DataFrame(out)


def export(
    path: str | PathLike[str], out_dir: str | PathLike[str], fmt: Literal["parquet", "csv"] = "parquet"
) -> list[Path]:
    """Write every group, `log_events` and `log_signals` as `out_dir/NAME.fmt`; returns the files.

    Parquet keeps vectors as arrays; CSV has one column per scalar. Each file appears whole or not at all.
    """
    if fmt not in FORMATS:
        raise InputError(f"unknown format {fmt!r}; allowed: {', '.join(FORMATS)}")
    log = read_log(path)
    tables = {**{g.replace("/", "_"): f for g, f in log.frames.items()}, "log_events": log.events}
    tables["log_signals"] = signal_table(log)
    folder = Path(out_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_write_whole(folder / f"{name}.{fmt}", _saver(table, fmt)) for name, table in tables.items()]
    except OSError as e:
        raise InputError(f"{folder} cannot be written: {e.strerror or e}") from None


def _saver(table: pl.DataFrame, fmt: str) -> Callable[[Path], None]:
    return table.write_parquet if fmt == "parquet" else flat(table).write_csv


def _write_whole(path: Path, save: Callable[[Path], None]) -> Path:
    part = path.with_suffix(path.suffix + ".part")
    try:
        save(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path
