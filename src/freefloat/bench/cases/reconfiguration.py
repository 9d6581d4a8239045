"""Planned reconfigurations: kinematics and clearance beside what they replaced, counts, planning beside flying."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from freefloat.bench.case import Figure, bench
from freefloat.bench.flown_rebuilds import flown
from freefloat.bench.limb import ClearanceByBoth, InverseByBoth
from freefloat.bench.planned_rebuilds import counts
from freefloat.bench.race import Runner, race


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    poses: int = 100  # of a round
    postures: int = 300  # of a round
    rounds: int = 9


@bench("reconfiguration")
def reconfiguration() -> Iterator[Figure]:
    """The robot's kinematics and clearance against mink and MuJoCo; transfers of planned rebuilds over their bound."""
    yield from limb_figures(Effort())
    yield from counts()
    yield from flown()


def limb_figures(effort: Effort) -> Iterator[Figure]:
    """Inverse kinematics and clearance of the limb."""
    how = f"{effort.rounds} rounds in turns, median of the ratios of CPU times"
    ik = InverseByBoth(effort.poses)
    times = race({"closed": Runner(ik.closed), "mink": Runner(ik.mink)}, effort.rounds)
    what = f"eight branches in closed form over mink's first solution, {effort.poses} random poses"
    yield Figure("limb_ik_over_mink_ratio", times.ratio("closed", "mink"), f"{what}; {how}")
    yield Figure("limb_ik_us", 1e6 * times.median("closed") / effort.poses, "eight branches from Python")
    yield Figure("mink_ik_us", 1e6 * times.median("mink") / effort.poses, "mink's first solution")
    both = ClearanceByBoth(effort.postures)
    times = race({"compiled": Runner(both.compiled), "python": Runner(both.by_python)}, effort.rounds)
    what = f"whether {effort.postures} random postures keep 20 mm on a slab of 20 modules, compiled over Python"
    yield Figure("clearance_over_python_ratio", times.ratio("compiled", "python"), f"{what}; {how}")
    yield Figure("clearance_us", 1e6 * times.median("compiled") / effort.postures, "a posture, in a compiled loop")
    yield Figure("clearance_python_us", 1e6 * times.median("python") / effort.postures, "a posture, today's Clearance")
