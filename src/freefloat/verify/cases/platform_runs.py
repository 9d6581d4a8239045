"""Whole runs of the floating platform against the paper's tables: one seed each; `freefloat tables` has the means."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product

from freefloat.api import run
from freefloat.campaign.campaign import Missing, row_of
from freefloat.campaign.crew import LocalCrew
from freefloat.campaign.file import campaign_document, campaign_from
from freefloat.campaign.plan import Plan
from freefloat.campaign.statistics import wilson
from freefloat.missions.platform.tables import FLOORS, PUBLISHED, TRAJECTORIES
from freefloat.verify.case import Comparison, at_least, at_most, case, compare
from freefloat.workers.many import cores, metrics_of

SEEDS = 6
FLAT_ON_TIME = {"line": 3.0, "circle": 14.0, "s": 13.0}  # [s] that the value-iteration tracker shall stay below


@case("platform-table-5-2", source="REACSA Table 5.2: the filters in the loop, line on a flat floor, after 10 s")
def table_5_2() -> Iterator[Comparison]:
    """Errors of the estimate with the table's exaggerated noise."""
    noisy = {"capture.position_variance": 1e-3, "capture.angle_variance": 1e-3}
    settings = {"controller": "paper", "floor.kind": "flat", **noisy}
    runs = metrics_of([("reacsa-line", {**settings, "seed": seed}) for seed in range(SEEDS)], cores())
    rows = (("x_m", "mm", 1e3, 2.52), ("y_m", "mm", 1e3, 2.52), ("angle_deg", "deg", 1.0, 0.199))
    for name, unit, scale, limit in rows:
        pooled = scale * math.sqrt(sum(found[f"estimate_rms_{name}"] ** 2 for found in runs) / SEEDS)
        what = f"{name.split('_')[0]}, root mean square over {SEEDS} seeds"
        yield at_most(what, unit, published=limit, ours=pooled, tolerance=0.0)


@case("platform-table-5-4", source="REACSA Tables 5.4 and 5.5, controller=paper, single contact")
def table_5_4() -> Iterator[Comparison]:
    """The paper's controller: position errors at or below the published ones; on-times beside them."""
    for trajectory, floor in product(TRAJECTORIES, FLOORS):
        ours = _run(trajectory, floor, "paper")
        published = PUBLISHED[trajectory, floor]
        for name in ("rms_x_m", "rms_y_m", "rms_position_m"):
            text = f"{trajectory}, {floor} floor: {name[:-2].replace('_', ' ')}"
            yield at_most(text, "m", published=published[name], ours=ours[name], tolerance=0.0)
        yield at_least(
            f"{trajectory}, {floor} floor: eq. 5.6 at the end",
            "-",
            ours=ours["end_reached"],
            published=1.0,
            tolerance=0.0,
        )
        for name, unit in (("rms_angle_deg", "deg"), ("total_on_time_s", "s")):
            text = f"{trajectory}, {floor} floor: {name.rsplit('_', 1)[0].replace('_', ' ')}"
            yield compare(text, unit, published=published[name], ours=ours[name])


@case("platform-best", source="what the paper's outlook asks for: less error with less gas; controller=best")
def better_tracker() -> Iterator[Comparison]:
    """The value-iteration tracker: error, angle and on-time against what cancelling the slope alone would take."""
    for trajectory, floor in product(TRAJECTORIES, FLOORS):
        ours = _run(trajectory, floor, "best")
        slope = ours["slope_on_time_s"]
        on_time = FLAT_ON_TIME[trajectory] if floor == "flat" else 1.10 * slope + 0.5
        place = f"{trajectory}, {floor} floor"
        error = 0.012 if floor == "flat" else 0.010
        yield at_most(f"{place}: position error", "m", ours=ours["rms_position_m"], tolerance=error)
        if floor == "uneven":
            half = ours["rms_position_m"] / _run(trajectory, floor, "paper")["rms_position_m"]
            yield at_most(f"{place}: position error over that of controller=paper", "-", ours=half, tolerance=0.5)
        yield at_most(f"{place}: angle error", "deg", ours=ours["rms_angle_deg"], tolerance=0.3)
        spent = ours["total_on_time_s"]
        yield at_most(f"{place}: on-time, slope alone {slope:.1f} s", "s", ours=spent, tolerance=on_time)


CASES, PUBLISHED_CASES = 60, 100
ARRIVAL = 140.0  # [s] after which nobody shall arrive; a plan takes 125 s at most


@case("platform-monte-carlo", source="REACSA sec. 5.3.2: 100 of 100 random starts arrive at the origin and stay there")
def monte_carlo() -> Iterator[Comparison]:
    """The first cases of the campaign `to-origin`: how many arrive and stay, and the latest of them."""
    document = campaign_document("to-origin")
    assert document is not None, "the campaign is part of the package"
    plan = Plan.of(campaign_from(document, {"runs": CASES}))
    with LocalCrew(plan.job, cores(), plan.settings.limits()) as crew:
        rows = [row_of(plan, n, outcome) for n, outcome in crew.outcomes(Missing(plan, range(CASES)))]
    arrived = sum(row.success for row in rows)
    failed = sum(row.outcome.status != "ok" for row in rows)
    published, low = 1.0, wilson(PUBLISHED_CASES, PUBLISHED_CASES)[1]
    share = f"share of {CASES} starts that arrive and stay"
    bar = f"{share}; the published interval of 95 % begins at {low:.3f}"
    yield at_least(bar, "-", published=published, ours=arrived / CASES, tolerance=published - low)
    yield compare(f"{share}: its interval begins at", "-", published=low, ours=wilson(arrived, CASES)[1])
    yield at_most("cases that do not end as they should", "-", ours=failed, tolerance=0.0)
    latest = max((row.metrics["arrival_s"] for row in rows if row.success), default=math.nan)
    yield at_most("latest arrival", "s", ours=latest, tolerance=ARRIVAL)


@cache
def _run(trajectory: str, floor: str, controller: str) -> dict[str, float]:
    changes = {"controller": controller, "floor.kind": floor, "floor.contact": "single"}
    return run(f"reacsa-{trajectory}", changes, seed=0).metrics
