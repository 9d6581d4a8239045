"""What planning a reconfiguration costs beside flying it."""

from __future__ import annotations

import time
from collections.abc import Iterator

from freefloat.bench.case import Figure
from freefloat.missions.modular.design_pair import pair_of
from freefloat.missions.modular.planning import JOINT_SPEED, motions_of, plan_pair
from freefloat.missions.modular.rebuilding import rebuilding
from freefloat.missions.modular.reconfiguration import Reconfiguration
from freefloat.structure.design.file import load_design

START, GOAL = "slab-20", "tower-20"


def flown(start: str = START, goal: str = GOAL) -> Iterator[Figure]:
    """CPU time of a plan over that of its mission; what compiles is compiled by a first plan of nothing to do."""
    here = load_design(start)
    idle = pair_of(here, here, 1)
    plan_pair(idle, motions_of(idle))
    pair = pair_of(here, load_design(goal), 1)
    begun = time.process_time()
    motions = motions_of(pair)
    made = plan_pair(pair, motions)
    planned = time.process_time()
    mission = Reconfiguration(start=start, goal=goal).fly(rebuilding(pair, made, motions, JOINT_SPEED))
    assert mission.duration is not None
    mission.session(0).step(1.0)  # compiles
    ready = time.process_time()
    mission.run(mission.duration, progress=False)
    spent = planned - begun, time.process_time() - ready
    note = f"{start} to {goal}: CPU time of the plan over that of flying it with all tasks, hands, power and heat"
    yield Figure("plan_over_mission_ratio", spent[0] / spent[1], note)
    yield Figure("plan_s", spent[0], "CPU time, of the ratio above")
    yield Figure("plan_mission_s", spent[1], "CPU time, of the ratio above")
