"""A limb of which one joint is stuck: its limits are one angle, and the swivel is what that angle leaves, compiled.

Six joints reach a pose in isolated postures. Along a straight way of the hand each of them goes on without a jump until
two of them meet or a limit ends it.
"""

from __future__ import annotations

import math

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.planning.arm.limb_body import LimbBody
from freefloat.gnc.planning.arm.limb_step import BRANCHES, TURN, branch_at, locked_swivels, wrapped

AT = 1e-6  # [rad] by which a swivel that is given may miss the locked angle
EXACT = 1e-12  # [rad] to which it is found
NEXT = 1e-4  # [rad] between the first two swivels that are tried
APART = 0.5  # [rad] beyond which another swivel is another posture
ROUNDS = 24
ROOM = 16  # swivels of a branch at most


@inner
def stuck_joint(body: LimbBody) -> int:
    """The joint with one angle for both limits; -1 where all move."""
    for j in range(7):
        if body.lower[j] == body.upper[j]:
            return j
    return -1


@inner
def _miss(body: LimbBody, p: Array, R: Array, up: Array, psi: float, b: int, now: Array, joint: int, q: Array) -> float:
    """[rad] by which the joint misses its angle at a swivel; nan where the pose is out of reach."""
    if branch_at(body.links[0], body.links[1], p, R, up, psi, b, now, q) < 0:
        return math.nan
    return wrapped(q[joint] - body.lower[joint])


@inner
def kept_branch(
    body: LimbBody, p: Array, R: Array, up: Array, psi: float, b: int, now: Array, k: int, q: Array
) -> tuple[float, bool]:
    """`branch_at` for sample k of a way, by a swivel that follows a stuck joint; the swivel, and whether there is one.

    The first sample must have the joint at its angle at the swivel that is given; each later one is sought from there.
    """
    joint = stuck_joint(body)
    if joint < 0:
        return psi, branch_at(body.links[0], body.links[1], p, R, up, psi, b, now, q) >= 0
    near = _miss(body, p, R, up, psi, b, now, joint, q)
    if math.isnan(near) or (k == 0 and abs(near) > AT):
        return psi, False
    last, there, found = psi, near, psi
    if abs(near) > EXACT:
        found = psi + NEXT
        for _ in range(ROUNDS):  # secant
            here = _miss(body, p, R, up, found, b, now, joint, q)
            if math.isnan(here) or abs(found - psi) > APART:
                return psi, False
            if abs(here) <= EXACT or here == there:
                there = here
                break
            last, there, found = found, here, found - here * (found - last) / (here - there)
        if abs(there) > 1e-9:
            return psi, False
    q[joint] = body.lower[joint]
    return found, True


@onboard
def stuck_swivels(body: LimbBody, p: Array, R: Array, up: Array) -> Array:
    """Swivels of all branches at which the stuck joint has its angle with the hand at a pose."""
    joint = stuck_joint(body)
    found, count = np.empty(BRANCHES * ROOM), 0
    for b in range(BRANCHES):
        one = np.empty(ROOM)
        n = locked_swivels(body.links[0], body.links[1], p, R, up, b, joint, body.lower[joint], TURN, one)
        for k in range(n):
            found[count] = one[k]
            count += 1
    return found[:count].copy()
