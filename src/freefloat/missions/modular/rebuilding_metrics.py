"""How well a reconfiguration went, from recorded signals and events alone."""

from __future__ import annotations

import numpy as np

from freefloat.engine.result import Result
from freefloat.gnc.planning.reconfiguration.problem import Contents, Match
from freefloat.hand_words import HandState
from freefloat.missions.modular.crew import ASSEMBLY, STACK
from freefloat.missions.modular.metrics import module_metrics
from freefloat.missions.modular.rebuilding import Rebuilding


def judge(result: Result, job: Rebuilding, alone: float) -> dict[str, float]:
    """Whether the goal stands, what was done for it, and how exactly; `alone` [s]: what one robot takes, 0: unknown."""
    crew, problem = job.members(), job.pair.problem
    hands = [hand for m in crew for hand in m.hands.values()]
    bodies = [STACK, *(load for m in crew for load in m.loads.values())]
    wrong = misplaced(result, problem.goal, problem.match)
    transfers, steps, recoveries, replans = (float(x) for x in result["plan.counts"][-1])
    q = result[f"{STACK}.q_WB"]
    turn = 2.0 * np.arccos(np.minimum(np.abs(q @ q[0]), 1.0))
    took = makespan(result)
    beside = {"makespan_ratio": took / alone} if alone > 0.0 else {}
    if len(crew) > 1 and job.plan.cost > 0.0:
        beside["makespan_over_sum"] = took / job.plan.cost
    return {
        **module_metrics(result, bodies, hands, ASSEMBLY),
        "goal_reached": float(wrong == 0),
        "modules_misplaced": float(wrong),
        "transfers": transfers,
        "steps_walked": steps,
        "recoveries": recoveries,
        "replans": replans,
        "makespan_s": took,
        **beside,
        "place_position_error_m": placing_error(result, hands),
        "pointing_error_max_deg": float(np.rad2deg(turn.max())),
        "tracking_error_max_rad": float(max(np.abs(result[f"{m.name}.error"]).max() for m in crew)),
    }


def misplaced(result: Result, goal: Contents, match: Match) -> int:
    """Places whose module, or its orientation, is not the goal's at the end."""
    kind, who, turn = (np.rint(result[f"{STACK}.{x}"][-1]) for x in ("type", "identity", "orientation"))
    right = (who == goal.identity) if match == "identity" else (kind == goal.type)
    return int(np.sum(~(right & (turn == goal.orientation))))


def makespan(result: Result) -> float:
    """[s] when all was done, or at the end where it was not."""
    done = result["plan.step"][:, 1] > 0.5
    time = result.time("plan.step")
    return float(time[int(np.argmax(done))] if done.any() else time[-1])


def placing_error(result: Result, hands: list[str]) -> float:
    """[m] the farthest that a module was from its place when it was put in, before an interface drew it in."""
    worst = 0.0
    for hand in hands:
        placing = result[f"{ASSEMBLY}.{hand}.state"][:, 0] == HandState.PLACING
        if placing.any():
            worst = max(worst, float(result[f"{ASSEMBLY}.{hand}.misaligned"][placing, 0].max()))
    return worst
