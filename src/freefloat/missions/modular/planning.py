"""Plans between two designs: the robot's motions, the search, and what is said where there is none."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from freefloat.errors import InputError
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits
from freefloat.gnc.planning.reconfiguration.admission import admit
from freefloat.gnc.planning.reconfiguration.limb_motions import LimbMotions, Orders
from freefloat.gnc.planning.reconfiguration.motions import Motions
from freefloat.gnc.planning.reconfiguration.planner import Mode, Progress, plan
from freefloat.gnc.planning.reconfiguration.problem import Plan
from freefloat.gnc.planning.reconfiguration.refusal import RefusedError
from freefloat.gnc.planning.reconfiguration.tables import setting_of
from freefloat.missions.modular.design_pair import DesignPair
from freefloat.missions.modular.walker import Walker
from freefloat.robots.shipped import load_robot
from freefloat.structure.design.robot_kinds import ROBOT_KINDS

JOINT_SPEED = math.radians(10.0)  # [rad/s] assumed, docs/reference/parameters.md


class NoPlanError(InputError):
    """No plan was found; `stopped` where the search was ended from outside before it had one."""

    def __init__(self, message: str, stopped: bool) -> None:
        super().__init__(message)
        self.stopped = stopped


def admit_pair(pair: DesignPair) -> None:
    """Raise NoPlanError where no search is needed to see that there is no plan; quick."""
    with _worded(pair):
        admit(pair.problem, setting_of(pair.problem))


def plan_pair(
    pair: DesignPair,
    motions: Motions,
    mode: Mode = "anytime",
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
) -> Plan:
    """The plan between two designs; raises NoPlanError, with the design and its cells, where there is none."""
    with _worded(pair):
        return plan(pair.problem, motions, mode, progress=progress, stop=stop)


@contextmanager
def _worded(pair: DesignPair) -> Iterator[None]:
    try:
        yield
    except RefusedError as error:
        raise NoPlanError(f"{_place(pair, error)}: {error}", error.reason == "stopped") from error


def motions_of(pair: DesignPair, speed: float = JOINT_SPEED) -> LimbMotions:
    """Motions of the pair's robots on its grid, with joints of at most `speed` [rad/s]."""
    kind = ROBOT_KINDS[pair.robots[0].kind]
    walker = Walker(load_robot(kind.name), MotionLimits.uniform(kind.joints, speed, 0.5 * speed, 0.5 * speed))
    solids = {link.name: link.shapes for link in walker.graph.links}
    orders = Orders(kind.end.closing_time, kind.end.opening_time)
    chain = walker.chain("a", "b")
    return LimbMotions(pair.grid, chain, solids, walker.limits, orders, kind.end.symmetry)


def _place(pair: DesignPair, error: RefusedError) -> str:
    """The line of the robot or of the first module that a refusal is about, or the design's file."""
    if error.robot is not None:
        return pair.robots[error.robot].where or pair.start.line("robots")
    design = pair.start if error.reason.startswith("start") else pair.goal
    cells = [tuple(pair.grid.cells[place].tolist()) for place in error.places]
    lines = [module.where for cell in cells for module in design.modules if module.cell == cell]
    return next((line for line in lines if line), design.line("modules"))
