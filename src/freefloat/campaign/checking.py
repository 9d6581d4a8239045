"""Variations and cases against a scenario, before anything runs: paths, units, and every value of every case."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from freefloat.campaign.sampling import Cases
from freefloat.campaign.variation import Variation
from freefloat.errors import InputError
from freefloat.scenario.base import Scenario
from freefloat.scenario.describe import rows
from freefloat.scenario.overrides import Override, apply_all
from freefloat.scenario.problems import Problem, ScenarioError
from freefloat.scenario.template import Template, value_at
from freefloat.units import parse_quantity, to_si_factor

SHOWN = 5  # cases in a message

Inputs = list[Any]  # of one case: the values of the varied fields, in their units and their order


def inputs_of(template: Template, cases: Cases, each: Callable[[int], None] = lambda n: None) -> list[Inputs]:
    """The inputs of all cases. Refused: variations whose path or unit does not fit, cases with a value that is not
    allowed; `each` is called with every case's number.
    """
    base = template.scenario({})
    problems = [problem for variation in cases.variations for problem in _unfit(base, variation)]
    problems += _astray(template, cases)
    if problems:
        raise ScenarioError(problems)
    found: list[Inputs] = []
    refused: list[ScenarioError] = []
    for n in range(len(cases)):
        each(n)
        try:
            scenario = template.scenario(cases.values(n), f"case {n}")
        except ScenarioError as error:
            refused.append(error)
        else:
            found.append([_plain(value_at(scenario, path)) for path in cases.paths])
    if refused:
        shown = [problem for error in refused[:SHOWN] for problem in error.errors]
        rest = len(refused) - SHOWN
        more = [Problem("", "", f"and {rest} more of {len(cases)} cases")] if rest > 0 else []
        raise ScenarioError([*shown, *more])
    return found


def unit_of(base: Scenario, path: str) -> str:
    """The unit of a field, or of the list or mapping that it is an element of; empty where it has none."""
    units = {row.path: row.unit for row in rows(base)}
    steps = path.split(".")
    around = (".".join(steps[:end]) for end in range(len(steps), 0, -1))
    return next((units[p] for p in around if p in units), "")


def _astray(template: Template, cases: Cases) -> list[Problem]:
    """Variations of fields that are not there."""
    values = cases.values(0) if len(cases) else {}
    overrides = [Override(v.path, values[v.path], v.label) for v in cases.variations]
    return apply_all(template.model, dict(template.data), overrides)[1]


def _unfit(base: Scenario, variation: Variation) -> Iterator[Problem]:
    """What is wrong with the unit of a variation."""
    if not variation.unit:
        return
    units = {row.path: row.unit for row in rows(base)}
    unit = unit_of(base, variation.path)
    if not unit:
        if variation.path in units:
            told = f"values in {variation.unit}, but the field has no unit; allowed: values without one"
            yield Problem(variation.label, variation.path, told)
        return
    try:
        parse_quantity(f"1 {variation.unit}", unit)
    except InputError as error:
        yield Problem(variation.label, variation.path, str(error))
        return
    if to_si_factor(unit) != 1.0:
        told = f"values in {variation.unit}; allowed for a field in {unit}: numbers without a unit"
        yield Problem(variation.label, variation.path, told)


def _plain(value: Any) -> Any:
    """As JSON has it; what is no number, text or switch becomes a text."""
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
