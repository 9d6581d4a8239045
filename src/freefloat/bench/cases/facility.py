"""What the docking facility costs: a whole scenario, its operation and its plant; its server."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from freefloat.bench.case import Figure, bench
from freefloat.bench.race import race
from freefloat.bench.serving import prompt, server
from freefloat.bench.sessions import again, under_way
from freefloat.facility.axes import CYCLE


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    begin: float = 8.0  # [s] from when on: the robots have moved to the start by then
    stretch: float = 5.0  # [s] in a round
    rounds: int = 9
    block: int = 500  # cycles of the server in lockstep that are timed together
    first: int = 15_000  # cycles after which its memory is looked at: 1 min
    last: int = 75_000  # and again: 5 min
    realtime: float = 60.0  # [s] with the clock, half of them a bare loop


@bench("facility")
def facility() -> Iterator[Figure]:
    """`epos-approach` with its data pool, rigid and elastic, as a share of real time; the facility's server."""
    yield from figures(Effort())
    yield from server_figures(Effort())


def figures(effort: Effort) -> Iterator[Figure]:
    """Figures of its scenarios."""
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


def server_figures(effort: Effort) -> Iterator[Figure]:
    """Figures of its server: in lockstep, then with the clock."""
    with server("lockstep") as fast, prompt():
        fast.begin()
        times = [fast.cycles(effort.block) for _ in range(effort.first // effort.block)]
        before = fast.memory()
        times += [fast.cycles(effort.block) for _ in range((effort.last - effort.first) // effort.block)]
        ratio = fast.memory() / before
        fast.end()
    factor = effort.block * CYCLE / statistics.median(times)
    how = f"an application in another process by UDP, log on; median of {len(times)} blocks of {effort.block} cycles"
    yield Figure("lockstep_real_time_factor", factor, f"{how}, wall time, before other programs where permitted")
    what = f"memory of both processes after {effort.last} cycles over that after {effort.first}"
    yield Figure("server_memory_growth_ratio", ratio, what)
    with server("realtime", alternate=True) as steady, prompt():
        steady.begin()
        steady.cycles(round(0.5 * effort.realtime / CYCLE))
        timing = steady.end()
    how = f"{timing['cycles']} cycles with the clock"
    yield Figure("cycle_load_p99", timing["cycle_load_p99"], f"{how}; CPU time over 4 ms, in steps of 0.01")
    late, bare = timing["late_cycles"] / timing["cycles"], timing["bare_late"] / max(1, timing["bare_cycles"])
    what = "late by a whole cycle or more, minus the share of a bare loop in slices of 1 s between them"
    yield Figure("late_share_excess", late - bare, f"{how}; {what}: {late:.5f} - {bare:.5f}")
