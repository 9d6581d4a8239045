"""Plans of reconfigurations: `plan` takes a problem and a robot's motions and gives the operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from freefloat.gnc.planning.reconfiguration.admission import admit
from freefloat.gnc.planning.reconfiguration.astar import Step
from freefloat.gnc.planning.reconfiguration.attempt import Attempt, Limits, Progress
from freefloat.gnc.planning.reconfiguration.motions import Motions
from freefloat.gnc.planning.reconfiguration.partial_order import ordered
from freefloat.gnc.planning.reconfiguration.problem import Operation, Plan, Problem
from freefloat.gnc.planning.reconfiguration.space import Space, State
from freefloat.gnc.planning.reconfiguration.tables import turns_from

Mode = Literal["anytime", "optimal"]

__all__ = ["Limits", "Mode", "Progress", "operations_of", "plan"]


def plan(
    problem: Problem,
    motions: Motions,
    mode: Mode = "anytime",
    seed: int = 0,
    limits: Limits | None = None,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
) -> Plan:
    """Operations from the problem's start to its goal, each with a verified motion.

    `optimal` ends with a plan that no other beats in predicted time, by operations that motions verify; `anytime` with
    the best that it finds within the limits. Ctrl-C, or `stop` when it says so, ends a search with the best plan so
    far. A problem that cannot be solved, or for which the limits do not suffice, is a `RefusedError`. Modules take only
    orientations that start or goal have for them; where `anytime` finds nothing so, all are tried. `seed` is for
    choices that are drawn; there is none so far.
    """
    space = Space(problem, motions)
    admit(problem, space.setting)
    quiet, never = (lambda cost, bound: None), (lambda: False)
    attempt = _made(space, mode, limits or Limits(), progress or quiet, stop or never)
    turned = mode == "anytime" and len(turns_from(space.tables, space.start.content)) > 1
    if attempt.way is None and attempt.ended != "stop" and turned:
        space = Space(problem, motions, every_orientation=True)
        attempt = _made(space, mode, limits or Limits(), progress or quiet, stop or never)
    if attempt.way is None:
        raise attempt.refuse()
    return Plan(
        operations=ordered(space, attempt.way, operations_of(space, attempt.way)),
        cost=attempt.cost,
        bound=attempt.bound,
        transfers_bound=space.least_transfers(space.start),
        motion_checks=space.checks,
        expansions=attempt.expansions,
    )


def _made(space: Space, mode: Mode, limits: Limits, progress: Progress, stop: Callable[[], bool]) -> Attempt:
    attempt = Attempt(space, limits, progress, stop)
    try:
        attempt.optimal() if mode == "optimal" else attempt.anytime()
    except KeyboardInterrupt:
        if attempt.way is None:
            raise
    return attempt


def operations_of(space: Space, way: tuple[Step, ...]) -> tuple[Operation, ...]:
    """The way as operations one after the other, with the identities of the modules."""
    identity = np.array(space.problem.start.identity)
    state: State = space.start
    operations: list[Operation] = []
    for n, (act, seconds) in enumerate(way, 1):
        stance = state.feet[act.robot]
        module = int(identity[act.source])
        to = None if act.to is None else stance.stepping(act.to)
        operations.append(Operation(n, act.robot, stance, to, act.carry, module, (), seconds))
        if act.target >= 0:
            identity[act.source] = 0
            identity[act.target] = module
        state = state.after(act)
    return tuple(operations)
