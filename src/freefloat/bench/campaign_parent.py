"""What the parent of a campaign holds in memory: cases are recorded that nobody has run, in a process of their own."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from freefloat.campaign.campaign import Request, conduct
from freefloat.campaign.crew import Tasks
from freefloat.campaign.file import campaign_of
from freefloat.campaign.plan import Plan
from freefloat.workers.limits import resident
from freefloat.workers.outcome import Cost, Outcome
from freefloat.workers.scenario_runs import Ran

METRICS = 45


class NobodysCrew:
    """Gives outcomes at once, and notes what is resident [bytes] after some of them."""

    nominal = Ran({f"metric_{k}": 0.5 for k in range(METRICS)})

    def outcomes(self, tasks: Tasks) -> Iterator[tuple[int, Outcome]]:
        for n, _ in tasks:
            yield n, Outcome("ok", "", Ran({f"metric_{k}": n + 0.1 * k for k in range(METRICS)}), Cost(1.0, 1.0, 0.0))

    def __enter__(self) -> NobodysCrew:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def held(cases: int, folder: Path) -> int:
    """[bytes] resident after a campaign of so many cases, its table written at the end."""
    settings = campaign_of({"scenario": "reacsa-line", "runs": cases, "vary": {"floor.seed": "choice(1, 2, 3)"}})
    conduct(Plan.of(settings), Request(folder), NobodysCrew)
    return resident()


def main(few: int, many: int) -> None:
    """Print both, the smaller campaign first."""
    with tempfile.TemporaryDirectory() as folder:
        print(held(few, Path(folder) / "few"), held(many, Path(folder) / "many"))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
