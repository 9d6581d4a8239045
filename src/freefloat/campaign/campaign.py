"""A campaign: cases go to a crew, each that ends is a row of the journal, and at the end there is an answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from freefloat.campaign import results
from freefloat.campaign.crew import Crew
from freefloat.campaign.folder import CampaignFolder, may_go_on
from freefloat.campaign.journal import Journal, Row
from freefloat.campaign.keeping import keep
from freefloat.campaign.plan import Plan
from freefloat.campaign.tally import Tally
from freefloat.errors import InputError, unknown_name
from freefloat.workers.outcome import STATUSES, Outcome
from freefloat.workers.pool import Numbered
from freefloat.workers.scenario_runs import Ran

WRITE = 10.0  # [s] between two results.parquet
SHARE = 0.02  # [-] of the time, at most, that writing them may take

Progress = Callable[[Tally], None]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a campaign that has begun: what has ended is kept in `folder`, `done` of all `cases`."""

    def __init__(self, folder: Path, done: int, cases: int) -> None:
        super().__init__(f"{done} of {cases} cases are in {folder}")
        self.folder, self.done, self.cases = folder, done, cases


@dataclass(frozen=True)
class Request:
    """Where a campaign goes, and what is to be done with what lies there."""

    out: Path | None = None
    resume: bool = False
    retry: Sequence[str] = ()

    def __post_init__(self) -> None:
        for status in self.retry:
            if status not in STATUSES or status == "ok":
                raise unknown_name("status --retry", status, [name for name in STATUSES if name != "ok"])
        if (self.resume or self.retry) and self.out is None:
            raise InputError("--resume and --retry need the campaign's folder: --out DIR")


def conduct(plan: Plan, request: Request, hire: Callable[[], Crew], progress: Progress = lambda tally: None) -> Path:
    """Run what is missing; the folder. Nothing is written where something is refused, and nothing lost on the way."""
    going_on = (request.resume or bool(request.retry)) and may_go_on(request.out)
    folder = CampaignFolder.again(request.out, plan) if going_on and request.out is not None else None
    try:
        with hire() as crew:
            plan.check_names(crew.nominal.metrics)
            folder = folder or CampaignFolder.new(request.out, plan.name)
            folder.write(plan)
            with closing(Journal(folder.path)) as journal:
                if request.retry:
                    journal.forget(request.retry)
                _run(plan, folder.path, journal, crew, progress)
        keep(plan, folder.path)
        return folder.path
    finally:
        if folder is not None:
            folder.close()


def _run(plan: Plan, folder: Path, journal: Journal, crew: Crew, progress: Progress) -> None:
    done = journal.done()
    missing = [n for n in range(len(plan.cases)) if n not in done]
    tally = Tally(len(plan.cases), *journal.counts(), plan.criterion is not None)
    table = _Table(plan, folder, journal)
    progress(tally)
    try:
        for n, outcome in crew.outcomes(Missing(plan, missing)):
            row = row_of(plan, n, outcome)
            if journal.record(row):
                tally.count(outcome.status == "ok", row.success)
            table.write_when_due()
            progress(tally)
    except KeyboardInterrupt:
        raise Interrupted(folder, journal.counts()[0], tally.cases) from None
    finally:
        table.write()


@dataclass(frozen=True)
class Missing:
    """Cases that have no row, as tasks."""

    plan: Plan
    cases: Sequence[int]

    def __len__(self) -> int:
        return len(self.cases)

    def __iter__(self) -> Iterator[Numbered]:
        return ((n, self.plan.run(n)) for n in self.cases)


def row_of(plan: Plan, n: int, outcome: Outcome) -> Row:
    """Of a case that has ended, judged by the criterion."""
    ran: Ran = outcome.value if outcome.status == "ok" else Ran({})
    metrics = ran.metrics
    success = outcome.status == "ok" and (plan.criterion is None or plan.criterion(metrics))
    return Row(n, plan.cases.seed_of(n), plan.inputs[n], metrics, success, outcome, ran.signals)


class _Table:
    """Writes results.parquet every now and then; more seldom where that takes long."""

    def __init__(self, plan: Plan, folder: Path, journal: Journal) -> None:
        self._plan, self._folder, self._journal = plan, folder, journal
        self._due = time.monotonic() + WRITE

    def write_when_due(self) -> None:
        if time.monotonic() >= self._due:
            self.write()

    def write(self) -> None:
        begun = time.monotonic()
        results.write(results.frame_of(self._journal, self._plan.cases.paths), self._folder)
        now = time.monotonic()
        self._due = now + max(WRITE, (now - begun) / SHARE)
