"""Cases whose whole folder is kept, `cases/N/`: they are run again at the end, since a replay is exact.

Which are the worst is known only then, and a case that ends its process leaves no folder.
"""

from __future__ import annotations

import math
import shutil
import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from freefloat.campaign.about import About
from freefloat.campaign.journal import Journal
from freefloat.campaign.plan import Plan
from freefloat.campaign.results import frame_of
from freefloat.campaign.settings import CampaignSettings
from freefloat.campaign.table import Table
from freefloat.scenario.template import Template
from freefloat.workers.pool import Pool
from freefloat.workers.scenario_runs import Run

if TYPE_CHECKING:
    import polars as pl

CASES = "cases"


class ReplayWarning(UserWarning):
    """A case that was run again has not given the same metrics."""


@dataclass(frozen=True)
class Replays:
    """The job of running cases again with all files; a task is a folder and a run."""

    template: Template

    def prepare(self) -> None:
        """Import the class."""
        _ = self.template.model

    def rehearse(self) -> None:
        """There may be few: no run is done for nothing."""
        self.prepare()

    def run(self, task: tuple[str, Run]) -> dict[str, float]:
        """Into a folder aside, which is renamed when it is complete."""
        from freefloat.api import execute

        out, run = Path(task[0]), task[1]
        aside = _aside(out)
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        try:
            result = execute(self.template.scenario(run.values, run.label), out=aside, progress=False)
        except BaseException:  # what it has written until then is what is wanted of a case that fails
            aside.replace(out)
            raise
        aside.replace(out)
        return dict(result.metrics)


def keep(plan: Plan, folder: Path) -> None:
    """Run the cases again that are to be kept and are not there yet."""
    with closing(Journal(folder, reading=True)) as journal:
        wanted = set(chosen(plan, journal))
        rows = {row.case: row for row in journal.rows() if row.case in wanted}
    places = {n: folder / CASES / str(n) for n in rows if not (folder / CASES / str(n)).exists()}
    if not places:
        return
    with Pool(Replays(plan.template), 1, plan.settings.limits()) as pool:
        for n, outcome in pool.outcomes((n, (str(place), plan.run(n))) for n, place in places.items()):
            if (aside := _aside(places[n])).exists():  # its process has ended
                aside.replace(places[n])
            if outcome.status != rows[n].outcome.status or not same(outcome.value or {}, rows[n].metrics):
                told = outcome.reason or "other metrics than in its row"
                warnings.warn(f"case {n}, run again: {told}", ReplayWarning, stacklevel=2)


def same(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Whether two runs have the same metrics, to the last bit."""
    return one.keys() == other.keys() and all(
        value == other[name] or (math.isnan(value) and math.isnan(other[name])) for name, value in one.items()
    )


def _aside(place: Path) -> Path:
    return place.with_name(f".{place.name}")


def chosen(plan: Plan, journal: Journal) -> Sequence[int]:
    """Numbers of the cases that are to be kept."""
    how = plan.settings.keep
    if how == "all":
        return sorted(journal.done())
    if how == "failed":
        return [row.case for row in journal.rows() if row.outcome.status != "ok"]
    if not plan.settings.kept_worst:
        return []
    return table_of(frame_of(journal, plan.cases.paths), plan.settings).worst(plan.settings.kept_worst)


def table_of(frame: pl.DataFrame, settings: CampaignSettings, folder: Path | None = None) -> Table:
    """The rows of a campaign with what has to be known of it."""
    about = About(
        name=settings.about or settings.scenario,
        scenario=settings.scenario,
        planned=len(settings.cases()),
        sampling=settings.sampling,
        seed=settings.seed,
        criterion=settings.success,
        variations=settings.variations(),
        set=settings.set,
        worst=settings.worst,
        units=settings.record.get("units", {}),
        folder="" if folder is None else str(folder),
    )
    return Table(frame, about)
