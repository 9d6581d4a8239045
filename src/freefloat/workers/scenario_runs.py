"""The job of running scenarios: each task is a template's number and values, the answer metrics and wanted signals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from freefloat.engine.result import Result
from freefloat.engine.signals import select, shared
from freefloat.frames import Array
from freefloat.scenario.conduct import built, conducted
from freefloat.scenario.template import Template

POINTS = 201  # of a signal that is kept, evenly over the run


@dataclass(frozen=True)
class Run:
    """One run to be done: values for dotted paths of a template, the seed among them."""

    values: Mapping[str, Any]
    template: int = 0
    label: str = ""  # for messages


@dataclass(frozen=True)
class Course:
    """A signal over a run: its unit, or that of each column ("m, m, rad"); (1 + columns, POINTS), times [s] first."""

    unit: str
    samples: Array


@dataclass(frozen=True)
class Ran:
    """What a run that has ended gives back."""

    metrics: dict[str, float]
    signals: dict[str, Course] = field(default_factory=dict)


@dataclass(frozen=True)
class ScenarioRuns:
    """Runs of one or more templates."""

    templates: Sequence[Template]
    signals: Sequence[str] = ()

    def prepare(self) -> None:
        """Import the classes and what builds their missions."""
        for template in self.templates:
            built(template.scenario({}))

    def rehearse(self) -> Ran:
        """The first template as it stands."""
        self.prepare()
        return self.run(Run({}))

    def run(self, task: Run) -> Ran:
        """Build, run, judge."""
        result = conducted(self.templates[task.template].scenario(task.values, task.label))
        return Ran(dict(result.metrics), {name: _course(result, name) for name in self.signals})


def _course(result: Result, name: str) -> Course:
    """Of a signal, or of a component such as `arm.q[2]`."""
    signal, chosen = select(result.signals, name)
    t = result.time(signal.name)
    grid = np.linspace(t[0], t[-1], POINTS)
    columns = result[signal.name].reshape(len(t), -1).T[chosen]
    units = signal.units()
    return Course(
        shared([units[k] for k in chosen]), np.array([grid, *(np.interp(grid, t, column) for column in columns)])
    )
