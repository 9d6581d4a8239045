"""Counts of planned reconfigurations, every motion checked: the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from freefloat.bench.case import Figure
from freefloat.gnc.planning.reconfiguration.attempt import Limits
from freefloat.gnc.planning.reconfiguration.planner import plan
from freefloat.gnc.planning.reconfiguration.problem import Plan, Problem
from freefloat.structure.grid import Grid
from freefloat.verify.limb_rig import motions
from freefloat.verify.rebuild_jobs import slab_to_tower_20, slab_to_tower_60, slab_to_tower_200


def planned(case: Callable[[], Problem], limits: Limits | None = None) -> Plan:
    """The `anytime` plan of a case."""
    problem = case()
    assert isinstance(problem.places, Grid)
    return plan(problem, motions(problem.places), limits=limits)


def counts() -> Iterator[Figure]:
    """Transfers over their bound, and what the search of 20 modules looked at."""
    twenty = planned(slab_to_tower_20)
    yield _over_bound("transfers_over_bound_20", twenty, "5 x 2 x 2 mixed modules to 2 x 2 x 5")
    yield Figure("motion_checks_20", twenty.motion_checks, "operations that motions were asked for")
    yield Figure("expansions_20", twenty.expansions, "states looked at")
    sixty = planned(slab_to_tower_60)
    yield _over_bound("transfers_over_bound_60_mixed", sixty, "5 x 6 x 2 mixed modules to 3 x 4 x 5")
    many = planned(slab_to_tower_200, Limits(window=0))
    yield _over_bound(
        "transfers_over_bound_200", many, "10 x 10 x 2 to 10 x 4 x 5, buses but for two sources that stay"
    )


def _over_bound(name: str, made: Plan, what: str) -> Figure:
    note = f"{what}: {made.transfers} transfers, bound {made.transfers_bound}, {made.steps} steps, {made.cost:.0f} s"
    return Figure(name, made.transfers / made.transfers_bound, note)
