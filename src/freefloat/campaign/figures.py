"""A campaign's answers as numbers: rates, quantiles, correlations, indices, worst cases."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from freefloat.campaign.influence import correlations, indices
from freefloat.campaign.statistics import Correlation, Index, SobolIndices, quantile, rate_over_runs, wilson
from freefloat.campaign.table import Table

Vector = NDArray[np.float64]

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
OUTCOMES = 6  # metrics besides success whose inputs are compared
WORST = 10  # cases


def figures_of(table: Table) -> dict[str, Any]:
    """All answers, as plain data for JSON; what is no finite number is None."""
    rate, low, high = rate_of(table)
    told: dict[str, Any] = {
        "campaign": table.about.name,
        "scenario": table.about.scenario,
        "sampling": table.about.sampling,
        "seed": table.about.seed,
        "criterion": table.about.criterion,
        "varied": {v.path: v.text.partition("=")[2] or v.path for v in table.about.variations},
        "set": dict(table.about.set),
        "planned": max(table.about.planned, len(table.cases)),
        "cases": len(table.cases),
        "ok": int(table.ok.sum()),
        "failed": int((~table.ok).sum()),
        "successes": int(table.success.sum()),
        "success_rate": rate,
        "success_low": low,
        "success_high": high,
        "without_metric": table.lacking,
        "statuses": table.statuses,
        "reasons": [
            {"status": status, "reason": reason, "cases": len(cases), "first": cases[0]}
            for (status, reason), cases in table.reasons.items()
        ],
        "metrics": {
            name: metric_figures(values[table.ok & table.independent]) for name, values in table.metrics.items()
        },
        "spearman": {name: {p: _correlation(c) for p, c in of.items()} for name, of in _correlations(table).items()},
        "sobol": {name: _indices(one) for name, one in indices(table, OUTCOMES).items()},
        "worst_by": table.worst_by,
        "worst": worst_rows(table, WORST),
        "over_runs": {
            name: list(values) for name, values in asdict(rate_over_runs(table.success[table.independent])).items()
        },
    }
    return _finite(told)


def rate_of(table: Table) -> tuple[float, float, float]:
    """Success rate of all cases, with an interval that counts only those that are independent."""
    independent = int(table.independent.sum())
    if not independent:
        return wilson(0, 0)
    return wilson(float(table.success.mean()) * independent, independent)


def metric_figures(values: Vector) -> dict[str, Any]:
    """Of one metric in independent cases: counts, mean, spread, quantiles with intervals."""
    known = values[~np.isnan(values)]
    if not len(known):
        return {"count": 0}
    finite = known[np.isfinite(known)]
    found = {f"{p:g}": quantile(known, p) for p in QUANTILES}
    return {
        "count": len(known),
        "mean": float(finite.mean()) if len(finite) else math.nan,
        "sd": float(finite.std(ddof=1)) if len(finite) > 1 else math.nan,
        "least": float(known.min()),
        "largest": float(known.max()),
        "quantiles": {p: _quantile(q.value, q.low, q.high, q.runs_needed) for p, q in found.items()},
    }


def _quantile(value: float, low: float | None, high: float | None, needed: int) -> dict[str, Any]:
    """With `runs_needed` only where the runs are too few for an interval."""
    return {"value": value, "low": low, "high": high} | ({"runs_needed": needed} if low is None else {})


def _correlations(table: Table) -> dict[str, dict[str, Correlation]]:
    return correlations(table, OUTCOMES)


def _correlation(found: Correlation) -> dict[str, Any]:
    return {"r": found.r, "low": found.low, "high": found.high, "count": found.n}


def _indices(found: SobolIndices) -> dict[str, Any]:
    def plain(of: dict[str, Index]) -> dict[str, Any]:
        return {path: asdict(index) for path, index in of.items()}

    return {
        "first": plain(found.first),
        "total": plain(found.total),
        "base_points": found.points,
        "dropped": found.dropped,
    }


def worst_rows(table: Table, count: int) -> list[dict[str, Any]]:
    """Case, seed, inputs and the metrics that tell most of the worst cases."""
    cases = table.worst(count)
    rows = []
    for case, row in zip(cases, table.rows_of(cases), strict=True):
        inputs = {path: table.frame[f"in.{path}"][int(row)] for path in table.inputs}
        metrics = {name: float(table.metrics[name][row]) for name in table.telling(OUTCOMES)}
        seed, success = int(table.frame["seed"][int(row)]), bool(table.success[row])
        rows.append({"case": case, "seed": seed, "success": success, "in": inputs, "metrics": metrics})
    return rows


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
