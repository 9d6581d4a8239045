"""A campaign that can be run: its settings, scenario and cases belong together, and every value is valid."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from freefloat.campaign.checking import Inputs, inputs_of, unit_of
from freefloat.campaign.criteria import Criterion
from freefloat.campaign.sampling import Cases
from freefloat.campaign.settings import CampaignSettings
from freefloat.campaign.versions import versions
from freefloat.errors import InputError, unknown_name
from freefloat.scenario import python_file
from freefloat.scenario.base import Scenario
from freefloat.scenario.locations import with_absolute_files
from freefloat.scenario.problems import short
from freefloat.scenario.template import Template
from freefloat.workers.scenario_runs import Run, ScenarioRuns

IN_PYTHON = "in Python: "  # begins what stands for a scenario that is an object


@dataclass(frozen=True)
class Plan:
    """`settings` as given, the `template` of its scenario, its `cases` and their `inputs`."""

    settings: CampaignSettings
    template: Template
    cases: Cases
    inputs: list[Inputs]

    @classmethod
    def of(cls, settings: CampaignSettings, scenario: Scenario | None = None) -> Plan:
        """Of settings, whose scenario may be an object instead. What cannot be run is refused."""
        if scenario is None and settings.scenario.startswith(IN_PYTHON):
            name = settings.scenario.removeprefix(IN_PYTHON)
            raise InputError(f"this campaign's scenario {name} was given in Python; go on there, with resume=True")
        cases = settings.cases()
        if scenario is None:
            template = Template.of(settings.scenario, settings.set)
        else:
            template = Template.of(_changed(scenario, settings.set))
        return cls(settings, template, cases, inputs_of(template, cases))

    @property
    def name(self) -> str:
        """Of its scenario, for its folder."""
        return self.template.model.kind

    @property
    def job(self) -> ScenarioRuns:
        return ScenarioRuns([self.template], self.settings.signals)

    @cached_property
    def criterion(self) -> Criterion | None:
        return Criterion.parse(self.settings.success) if self.settings.success else None

    def check_names(self, metrics: Mapping[str, float]) -> None:
        """Refuse what names metrics that the nominal run does not have."""
        if self.settings.success:
            Criterion.parse(self.settings.success, metrics)
        worst = self.settings.worst.removeprefix("-")
        if worst and worst not in metrics:
            raise unknown_name("metric --worst", worst, metrics)

    def run(self, n: int) -> Run:
        """What a worker does for case n."""
        return Run({**self.cases.values(n), "seed": self.cases.seed_of(n)}, label=f"case {n}")

    def scenario(self, n: int) -> Scenario:
        """Of case n."""
        if not 0 <= n < len(self.cases):
            raise InputError(f"case {n}: there is none; allowed: 0 to {len(self.cases) - 1}")
        run = self.run(n)
        return self.template.scenario(run.values, run.label)

    @cached_property
    def record(self) -> dict[str, Any]:
        """What the numbers of all cases depend on, besides the settings."""
        nominal = self.template.scenario({})
        tree = with_absolute_files(type(nominal), nominal.model_dump(mode="json"))
        units = {path: unit_of(nominal, path) for path in self.cases.paths}
        found: dict[str, Any] = {"versions": versions(), "kind": nominal.kind, "units": units, "nominal": tree}
        source = python_file.split(self.template.home)
        if source is not None:
            found["file_sha256"] = hashlib.sha256(Path(source[0]).read_bytes()).hexdigest()
        return found


def _changed(scenario: Scenario, values: Mapping[str, Any]) -> Scenario:
    return Template.of(scenario).scenario(values) if values else scenario


# what may differ between two runs of one campaign: how far it goes, what it may take, what is kept of it
FREE = {"about", "runs", "keep", "worst", "time_limit", "memory_limit", "record", "set", "scenario"}


def difference(before: CampaignSettings, plan: Plan) -> str:
    """What makes a plan another campaign than that of a folder, in words; empty where they are one."""
    now = plan.settings
    for name in CampaignSettings.model_fields:
        if name not in FREE and getattr(before, name) != getattr(now, name):
            return f"{name} was {_short(getattr(before, name))} and is {_short(getattr(now, name))}"
    return _first_difference(before.record, plan.record, "")


def _first_difference(before: Any, now: Any, path: str) -> str:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in {**before, **now}:
            inner = f"{path}.{key}" if path else str(key)
            if key not in before or key not in now:
                return f"{inner} was {'' if key in before else 'not '}there and is {'' if key in now else 'not '}there"
            found = _first_difference(before[key], now[key], inner)
            if found:
                return found
        return ""
    if isinstance(before, (list, tuple)) and isinstance(now, (list, tuple)) and len(before) == len(now):
        pairs = enumerate(zip(before, now, strict=True))
        return next((f for k, (a, b) in pairs if (f := _first_difference(a, b, f"{path}.{k}"))), "")
    return "" if before == now else f"{path} was {_short(before)} and is {_short(now)}"


def _short(value: Any) -> str:
    return short(list(value) if isinstance(value, tuple) else value)
