"""A robot with a joint that does not move any more: seen from its two ends it is two different robots of six joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.gnc.planning.reconfiguration.homes import homes_with
from freefloat.gnc.planning.reconfiguration.limb_ground import LimbGround

END_A, END_B = 1, 2  # of a stance


@dataclass(frozen=True)
class Locked:
    """A joint, counted from 0 at end A, and the angle [rad] at which it stands for good."""

    joint: int
    angle: float
    rests: tuple[tuple[int, tuple[float, ...]], ...] = ()  # end and postures (7,) from it that may be homes too


def locked_grounds(ground: LimbGround, locked: Locked, symmetry: int, gap: float) -> dict[int, LimbGround]:
    """What motions need of it, by the end that stands; joints count from there."""
    found = {end: _ground(ground, locked, end, symmetry, gap) for end in (END_A, END_B)}
    found[END_A].turned, found[END_B].turned = found[END_B], found[END_A]
    return found


def _ground(ground: LimbGround, locked: Locked, end: int, symmetry: int, gap: float) -> LimbGround:
    limb, body = ground.limb, ground.body
    k = locked.joint if end == END_A else 6 - locked.joint
    at, angle = int(limb.order[k]), float(limb.sign[k] * locked.angle)
    lower, upper = body.lower.copy(), body.upper.copy()
    lower[at] = upper[at] = angle
    stuck = body._replace(lower=lower, upper=upper)
    rests = [limb.to_steps(q) for where, q in locked.rests if where == end]
    homes = np.vstack([homes_with(at, angle), *rests])
    return LimbGround(ground.view, limb, stuck, ground.planner, symmetry, gap, homes)
