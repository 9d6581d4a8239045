"""Which inputs matter to which metrics: correlations of ranks, and Sobol indices of a campaign of `sensitivity`."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from freefloat.campaign.statistics import Correlation, SobolIndices, sobol_indices, spearman
from freefloat.campaign.table import Table

Vector: TypeAlias = NDArray[np.float64]

SUCCESS = "success"  # what is asked about besides metrics: 1 where a case succeeds, else 0


def outcomes(table: Table, most: int) -> dict[str, Vector]:
    """Success and the metrics that tell most, those that vary; nan where a case did not run to its end."""
    found = {SUCCESS: table.success.astype(np.float64)}
    for metric in table.telling(most):
        values = np.where(table.ok & np.isfinite(table.metrics[metric]), table.metrics[metric], np.nan)
        found[metric] = values
    return {name: values for name, values in found.items() if len(np.unique(values[~np.isnan(values)])) > 1}


def correlations(table: Table, most: int) -> dict[str, dict[str, Correlation]]:
    """By outcome and input; inputs of more than two names have no order, and are left out."""
    ordered = {path: given for path, given in table.inputs.items() if len(given.names) <= 2}
    found: dict[str, dict[str, Correlation]] = {}
    for name, values in outcomes(table, most).items():
        values = np.where(table.independent, values, np.nan)
        pairs = {path: spearman(given.values, values) for path, given in ordered.items()}
        known = {path: correlation for path, correlation in pairs.items() if correlation is not None}
        if known:
            found[name] = known
    return found


def indices(table: Table, most: int) -> dict[str, SobolIndices]:
    """By outcome, of a campaign of `sensitivity`; of others there are none."""
    if table.about.sampling != "sensitivity" or not table.inputs:
        return {}
    each = len(table.inputs) + 2
    count = (int(table.cases[-1]) // each + 1) * each if len(table.cases) else 0
    found = {}
    for name, values in outcomes(table, most).items():
        whole = np.full(count, np.nan)
        whole[table.cases] = values
        computed = sobol_indices(whole, list(table.inputs))
        if computed is not None:
            found[name] = computed
    return found


def by_influence(table: Table) -> list[str]:
    """The inputs, those first that have most influence on success, or on the next outcome where all is the same."""
    totals = indices(table, 1)
    found = outcomes(table, 1)
    name = next(iter(found), "")
    if name in totals:
        strength = {path: index.value for path, index in totals[name].total.items()}
    else:
        strength = {path: _strength(given.values, found[name]) if name else 0.0 for path, given in table.inputs.items()}
    return sorted(table.inputs, key=lambda path: -strength[path])


def _strength(x: Vector, y: Vector) -> float:
    """How much y goes with x, or with its distance from the middle: what fails at both ends has no order."""
    both = (spearman(x, y), spearman(np.abs(x - np.median(x)), y))
    return max((abs(one.r) for one in both if one is not None), default=0.0)
