"""A scenario that is parsed once and validated for every case: 0.1 ms a case, where finding its file takes 10.

template = Template(find("reacsa-line"), ["duration=5"])
template.check(cases)                                    # before anything runs
scenario = template.scenario({"floor.seed": 3, "seed": 7}, "case 12")
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path as File
from typing import Any

from pydantic import ValidationError

from freefloat.campaign.sampling import Cases
from freefloat.campaign.variation import Variation
from freefloat.errors import InputError
from freefloat.scenario.base import Scenario
from freefloat.scenario.describe import rows
from freefloat.scenario.files import kind_of, scenario_from
from freefloat.scenario.locations import with_files_in
from freefloat.scenario.origin import Origin
from freefloat.scenario.overrides import Override, Overrides, apply_all
from freefloat.scenario.problems import Path, Problem, ScenarioError, dotted, misfits_of, short
from freefloat.scenario.yamltext import Document
from freefloat.units import parse_quantity, to_si_factor

SHOWN = 5  # cases in a message


class Template:
    """A scenario's tree with its overrides; every case writes its own values into it.

    `base` is the scenario as it is without a case's values. Raises ScenarioError where that is not right.
    """

    def __init__(self, document: Document, overrides: Overrides = ()) -> None:
        given = list(overrides.items()) if isinstance(overrides, Mapping) else list(overrides)
        overrides = dict(given) if isinstance(overrides, Mapping) else given  # an iterator is read once
        self.base = scenario_from(document, overrides)
        self._model = kind_of(document)
        data = {key: value for key, value in document.value.items() if key not in ("kind", "schema")}
        self._data = with_files_in(self._model, copy.deepcopy(data), str(File(document.name).parent))
        apply_all(self._model, self._data, overrides)
        self._units = {row.path: row.unit for row in rows(self.base)}
        self._places: dict[str, Path] = {}  # of paths that were met, with numbers for elements of lists

    def unit_of(self, path: str) -> str:
        """The unit of a field, or of the list or mapping that it is an element of; empty where it has none."""
        steps = path.split(".")
        around = (".".join(steps[:end]) for end in range(len(steps), 0, -1))
        return next((self._units[p] for p in around if p in self._units), "")

    def scenario(self, values: Mapping[str, Any], label: str) -> Scenario:
        """The scenario with these values by path; `label` begins what is told of a problem, such as "case 12"."""
        new = {path: value for path, value in values.items() if path not in self._places}
        if new:
            self._add(new, dict.fromkeys(new, label))
        data = self._data
        for path, value in values.items():
            data = _replaced(data, self._places[path], value)
        try:
            scenario = self._model.model_validate(data)
        except ValidationError as error:
            raise ScenarioError(self._told(error, values, label)) from None
        except InputError as error:  # raised by a scenario's own validator
            raise ScenarioError([Problem(label, "", f"{error} ({_listed(values)})")]) from None
        scenario._origin = Origin(lambda path: label)
        return scenario

    def check(self, cases: Cases) -> None:
        """Refuse variations whose path or unit does not fit, then cases with a value that is not allowed."""
        problems = [problem for variation in cases.variations for problem in self._unfit(variation)]
        if problems:
            raise ScenarioError(problems)
        values = cases.values(0)
        self._add(values, {variation.path: variation.label for variation in cases.variations})
        refused: list[ScenarioError] = []
        for n in range(len(cases)):
            try:
                self.scenario(cases.values(n), f"case {n}")
            except ScenarioError as error:
                refused.append(error)
        if refused:
            shown = [problem for error in refused[:SHOWN] for problem in error.errors]
            rest = len(refused) - SHOWN
            more = [Problem("", "", f"and {rest} more of {len(cases)} cases")] if rest > 0 else []
            raise ScenarioError([*shown, *more])

    def _add(self, values: Mapping[str, Any], labels: Mapping[str, str]) -> None:
        """Find the places of paths, and make the groups and lists on the way to them."""
        overrides = [Override(path, value, labels[path]) for path, value in values.items()]
        trial = copy.deepcopy(self._data)
        places, problems = apply_all(self._model, trial, overrides)
        if problems:
            raise ScenarioError(problems)
        self._data = trial
        self._places |= {dotted(place): place for place in places}

    def _unfit(self, variation: Variation) -> Iterator[Problem]:
        """What is wrong with the unit of a variation."""
        unit = self.unit_of(variation.path)
        if not variation.unit:
            return
        if not unit:
            if variation.path in self._units:
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

    def _told(self, error: ValidationError, values: Mapping[str, Any], label: str) -> list[Problem]:
        """Problems of a case; where the place is not a varied one, with the values that led there."""
        problems = []
        for misfit in misfits_of(self._model, error):
            path = dotted(misfit.path)
            own = any(path == p or path.startswith(f"{p}.") for p in values)
            problems.append(Problem(label, path, misfit.message if own else f"{misfit.message} ({_listed(values)})"))
        return problems


def _listed(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{path}={short(value)}" for path, value in values.items())


def _replaced(data: Any, place: Path, value: Any) -> Any:
    """A copy of plain data with another value at a place; what lies beside the way there is shared."""
    if not place:
        return value
    step: Any = place[0]
    changed = copy.copy(data)
    changed[step] = _replaced(data[step] if len(place) > 1 else None, place[1:], value)
    return changed
