"""`ff.campaign(...)`: what the command does, as a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from freefloat.campaign.campaign import Request, conduct
from freefloat.campaign.crew import Crew, LocalCrew
from freefloat.campaign.file import campaign_document, campaign_from, campaign_of
from freefloat.campaign.folder import SETTINGS, is_folder
from freefloat.campaign.plan import IN_PYTHON, Plan
from freefloat.campaign.report import Campaign
from freefloat.campaign.settings import CampaignSettings
from freefloat.campaign.shipped import shipped_campaigns
from freefloat.errors import InputError, unknown_name
from freefloat.progress import drawn
from freefloat.scenario import python_file, registry
from freefloat.scenario.base import Scenario
from freefloat.scenario.files import is_path
from freefloat.scenario.presets import presets
from freefloat.scenario.yamltext import read_file
from freefloat.workers.many import cores


def campaign(
    scenario: str | PathLike[str] | Scenario,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    out: str | PathLike[str] | None = None,
    resume: bool = False,
    retry: Sequence[str] = (),
    progress: bool | None = None,
    **fields: Any,
) -> Campaign:
    """Run a campaign: a scenario's name, file or object, or a file or folder of a campaign.

    `fields` are those of the file, which they change: runs, vary (distributions by path), set, sampling, seed,
    one_seed, correlations, success, worst, signals, keep, time_limit [s], memory_limit ("800 MB").
    """
    settings, folder = settings_of(scenario, fields)
    plan = Plan.of(settings, scenario if isinstance(scenario, Scenario) else None)
    request = Request(Path(out) if out is not None else folder if resume or retry else None, resume, tuple(retry))

    def hire() -> Crew:
        return crew(plan, workers, scheduler)

    check_workers(workers, scheduler)
    with drawn(progress) as draw:
        path = conduct(plan, request, hire, lambda tally: draw(tally.done / max(tally.cases, 1), str(tally)))
    found = Campaign(path, plan)
    _ = found.summary
    return found


def settings_of(
    source: str | PathLike[str] | Scenario, fields: Mapping[str, Any]
) -> tuple[CampaignSettings, Path | None]:
    """Of a scenario or a campaign with changes, and the folder where `source` is one."""
    if isinstance(source, Scenario):
        return campaign_of({"scenario": f"{IN_PYTHON}{type(source).__qualname__}", **fields}), None
    name = str(source)
    if is_folder(Path(name)):
        return campaign_from(read_file(Path(name) / SETTINGS), fields), Path(name)
    document = campaign_document(name)
    if document is not None:
        inside = Path(name).parent if Path(name).name == SETTINGS and is_folder(Path(name).parent) else None
        return campaign_from(document, fields), inside
    known = {*presets(), *registry.names()}
    if name not in known and not is_path(name) and python_file.split(name) is None:
        raise unknown_name("scenario or campaign", name, {*known, *shipped_campaigns()})
    return campaign_of({"scenario": name, **fields}), None


def check_workers(workers: int | None, scheduler: str | None) -> None:
    """Refuse what no crew can be made of."""
    if workers is not None and scheduler is not None:
        raise InputError("--workers and --scheduler; allowed: one of them, a cluster brings its own workers")
    if workers is not None and not 1 <= workers <= 1024:
        raise InputError(f"--workers {workers}; allowed: 1 to 1024")


def crew(plan: Plan, workers: int | None, scheduler: str | None) -> Crew:
    """Who runs the cases of a plan."""
    limits = plan.settings.limits()
    if scheduler is None:
        return LocalCrew(plan.job, min(workers or cores(), len(plan.cases)), limits)
    from freefloat.campaign.cluster import ClusterCrew

    return ClusterCrew(plan.job, scheduler, limits)
