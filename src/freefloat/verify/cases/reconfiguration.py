"""Plans of reconfigurations against an exhaustive search over the same verified operations."""

from __future__ import annotations

from collections.abc import Iterator

from freefloat.gnc.planning.reconfiguration.planner import plan
from freefloat.structure.grid import cubic
from freefloat.verify.case import Comparison, at_most, case
from freefloat.verify.limb_rig import motions
from freefloat.verify.oracles.exhaustive_rebuild import least_cost
from freefloat.verify.rebuild_jobs import small_job

SEEDS = 40
SIZE = (3, 3, 2)
WITHIN = 1.15  # [-] of the optimum, for `anytime`


@case(
    "reconfiguration-optimal",
    source="uniform-cost search over all states (Dijkstra 1959), by the same verified motions",
)
def reconfiguration_optimal() -> Iterator[Comparison]:
    """Four modules on 3 x 3 x 2 places: A* costs what looking at everything costs, and `anytime` little more."""
    yield from against_exhaustive(SEEDS)


def against_exhaustive(count: int) -> Iterator[Comparison]:
    """The comparisons for a number of seeded cases."""
    asked = motions(cubic(*SIZE))  # answers are kept from case to case
    worst, most, equal = 0.0, 0.0, 0
    for seed in range(count):
        problem = small_job(seed, asked)
        truth = least_cost(problem, asked).cost
        best = plan(problem, asked, "optimal")
        error = abs(best.cost - truth)
        worst, equal = max(worst, error), equal + (error <= 1e-9 * truth)
        most = max(most, plan(problem, asked).cost / truth)
    what = f"{count} cases of 4 modules on 3 x 3 x 2 places"
    yield at_most(f"{what}: optimal plan's cost, largest error", "s", ours=worst, tolerance=1e-6)
    yield at_most(f"{what}: plans that are not optimal", "-", ours=count - equal, tolerance=0.0)
    yield at_most(f"{what}: anytime over the optimum, largest", "-", ours=most, tolerance=0.0, published=WITHIN)
