"""What the docking facility costs: a whole scenario, its operation and its plant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from freefloat.bench.case import Figure, bench
from freefloat.bench.race import race
from freefloat.bench.sessions import again, under_way


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    begin: float = 8.0  # [s] from when on: the robots have moved to the start by then
    stretch: float = 5.0  # [s] in a round
    rounds: int = 9


@bench("facility")
def facility() -> Iterator[Figure]:
    """`epos-approach` with its data pool, rigid and elastic, as a share of real time."""
    yield from figures(Effort())


def figures(effort: Effort) -> Iterator[Figure]:
    """All figures of the facility."""
    kinds = ("rigid", "elastic")
    sessions = {kind: under_way("epos-approach", {"facility.joints": kind}, effort.begin) for kind in kinds}
    times = race({name: again(session, effort.stretch) for name, session in sessions.items()}, effort.rounds)
    how = (
        f"epos-approach, {effort.stretch:g} s a round from {effort.begin:g} s on, audit and data pool in memory, over "
        f"the median CPU time of {effort.rounds} rounds"
    )
    yield Figure("scenario_real_time_factor", effort.stretch / times.median("rigid"), how)
    yield Figure("elastic_real_time_factor", effort.stretch / times.median("elastic"), f"{how}; elastic joints")
    yield Figure("elastic_over_rigid_ratio", times.ratio("elastic", "rigid"), "median ratio of the same rounds")
