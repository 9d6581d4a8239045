"""The folder of a campaign: `campaign.yaml`, `runs.sqlite`, `results.parquet`, `summary.json` and `.html`, `cases/`.

One process at a time writes to it (flock); what is there belongs to one campaign, or is refused.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from freefloat.campaign.file import campaign_from, dump
from freefloat.campaign.journal import FILE as JOURNAL
from freefloat.campaign.plan import Plan, difference
from freefloat.campaign.settings import CampaignSettings
from freefloat.errors import InputError
from freefloat.folders import next_folder
from freefloat.scenario.yamltext import read_file

SETTINGS = "campaign.yaml"


def is_folder(path: Path) -> bool:
    """Whether a campaign lies there."""
    return (path / SETTINGS).is_file()


def settings_in(path: Path) -> CampaignSettings:
    """Of the campaign in a folder."""
    if not is_folder(path):
        raise InputError(f"{path}: not the folder of a campaign, it has no {SETTINGS}")
    return campaign_from(read_file(path / SETTINGS))


class CampaignFolder:
    """A folder that this process alone writes to, until `close`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise InputError(f"{path}: in use by another process; wait for it, or give another folder") from None

    @classmethod
    def new(cls, out: Path | None, name: str) -> CampaignFolder:
        """A new or empty folder, by default runs/campaign-NAME-NNN."""
        try:
            if out is None:
                return cls(next_folder(Path("runs"), f"campaign-{name}"))
            out.mkdir(parents=True, exist_ok=True)
            if any(out.iterdir()):
                raise InputError(
                    f"--out {out}: the folder is not empty; allowed: a new or empty folder, or --resume for a "
                    "campaign's own"
                )
            return cls(out)
        except OSError as error:
            raise InputError(f"--out {out or 'runs'}: cannot be written: {error.strerror}") from None

    @classmethod
    def again(cls, path: Path, plan: Plan) -> CampaignFolder:
        """The folder of a campaign that is to go on with a plan; refused where it is another one."""
        before = settings_in(path)
        found = difference(before, plan)
        if found:
            raise InputError(f"{path}: the campaign there is another one: {found}; give another folder")
        _check_runs(path, before, plan)
        return cls(path)

    def write(self, plan: Plan) -> None:
        """Everything that the campaign is."""
        settings = plan.settings.changed(record=plan.record)
        aside = self.path / f".{SETTINGS}"
        aside.write_text(dump(settings), encoding="utf-8")
        aside.replace(self.path / SETTINGS)

    def close(self) -> None:
        os.close(self._lock)


def _check_runs(path: Path, before: CampaignSettings, plan: Plan) -> None:
    """More runs than before are the same cases and more, with some samplings."""
    count, now = len(before.cases()), len(plan.cases)
    if now == count:
        return
    if now < count:
        raise InputError(f"{path}: {count} cases are planned there, {now} are asked for; allowed: as many, or more")
    if not plan.cases.extendable:
        raise InputError(
            f"{path}: {count} cases are planned there, {now} are asked for; sampling {plan.settings.sampling} places "
            "each by all others, so that no case would stay what it was; allowed: random, sobol, sensitivity"
        )


def may_go_on(path: Path | None) -> bool:
    """Whether a campaign is there to go on with; a folder that was made and not begun is as good as none."""
    return path is not None and (is_folder(path) or (path / JOURNAL).exists())
