"""The answer of a campaign from its folder, also of one that is still running."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from freefloat.campaign import results
from freefloat.campaign.figures import rate_of
from freefloat.campaign.folder import settings_in
from freefloat.campaign.journal import Journal
from freefloat.campaign.keeping import same, table_of
from freefloat.campaign.plan import Plan, difference
from freefloat.campaign.settings import CampaignSettings
from freefloat.campaign.summary import summarise
from freefloat.campaign.table import Table
from freefloat.errors import InputError
from freefloat.frames import Array

if TYPE_CHECKING:
    import polars as pl

    from freefloat.engine.result import Result
    from freefloat.scenario.base import Scenario


class Success(NamedTuple):
    """Share of all cases that are a success, with its Wilson interval (95 %)."""

    rate: float
    low: float
    high: float


class Campaign:
    """A campaign that has been run. `plan` is given where it was made in this process."""

    def __init__(self, folder: Path, plan: Plan | None = None) -> None:
        self.folder = folder
        self.settings: CampaignSettings = settings_in(folder)
        self._plan = plan

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row for each case that has ended: `docs/reference/campaigns.md` has the columns."""
        with closing(Journal(self.folder, reading=True)) as journal:
            return results.frame_of(journal, list(self.settings.vary))

    @property
    def cases(self) -> int:
        """How many have ended."""
        return len(self.frame)

    @property
    def ok(self) -> int:
        """How many ended as they should."""
        return int((self.frame["status"] == "ok").sum())

    @property
    def success(self) -> Success | None:
        """The rate of success, without a criterion of cases that are ok; None where no case has ended."""
        return Success(*rate_of(self._table)) if self.cases else None

    @cached_property
    def _table(self) -> Table:
        return table_of(self.frame, self.settings, self.folder)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What `summary.json` has; the files of the summary are written."""
        signals: dict[str, dict[int, tuple[Array, Array]]] = {}
        units: dict[str, str] = {}
        with closing(Journal(self.folder, reading=True)) as journal:
            for name in self.settings.signals:
                for case, course in journal.signals(name):
                    signals.setdefault(name, {})[case] = course.samples[0], course.samples[1:].T
                    units[name] = course.unit
        return summarise(self.folder, self.frame, replace(self._table.about, signal_units=units), signals)

    def scenario(self, n: int) -> Scenario:
        """The scenario of case n."""
        return self._planned().scenario(n)

    def _planned(self) -> Plan:
        plan = self._plan or Plan.of(self.settings)
        found = difference(self.settings, plan)
        if found:
            raise InputError(f"{self.folder}: its cases cannot be run again as they were: {found}")
        return plan

    def replay(self, n: int, out: str | Path | None = None, progress: bool | None = None) -> Result:
        """Run case n again, with everything recorded; with `out` into a folder."""
        from freefloat.api import run

        return run(self.scenario(n), out=out, progress=progress)

    def repeats(self, n: int, metrics: dict[str, float]) -> bool | None:
        """Whether these metrics are those of case n, to the last bit; None where it has no row that is ok."""
        with closing(Journal(self.folder, reading=True)) as journal:
            row = journal.row(n)
        return None if row is None or row.outcome.status != "ok" else same(row.metrics, metrics)

    def flat(self) -> dict[str, Any]:
        """What `freefloat campaign --json` prints."""
        rate, low, high = self.success or (None, None, None)
        counts = {"cases": self.cases, "ok": self.ok, "failed": self.cases - self.ok}
        return {**counts, "success_rate": rate, "success_low": low, "success_high": high, "out": str(self.folder)}

    def __repr__(self) -> str:
        found = f"campaign {self.folder}: {self.cases} cases, {self.cases - self.ok} failed"
        success = self.success
        if success is None:
            return found
        return f"{found}, success {success.rate:.4g} ({success.low:.4g} to {success.high:.4g})"
