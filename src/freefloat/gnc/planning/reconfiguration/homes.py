"""Where a walking manipulator rests between operations: the first clear one of a fixed list of postures."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from freefloat.frames import Array

ROLLS = (0.0, 0.5, 1.0, -0.5, 0.25, -0.25, 0.75, -0.75)  # [half turns] of joint 1, in the order tried
PITCHES = (
    (0.0, 2.0, 1.14),  # hand down, near
    (0.35, 1.6, 1.19),  # hand down, farther out and higher
    (-0.45, 2.4, 1.19),  # hand down, close to the foot
    (0.3, 0.9, 0.7),  # hand outwards, high
    (0.5, -1.0, 0.5),  # hand up, bent
    (0.25, -0.5, 0.25),  # hand up, nearly straight
)  # [rad] of joints 2, 4, 6


def home_postures() -> Array:
    """(k, 7) [rad] as the limb's steps count joints, comfortable ones first, the straight column last."""
    found = []
    for pitch in PITCHES:
        for roll in ROLLS:
            q = np.zeros(7)
            q[0], q[1], q[3], q[5] = math.pi * roll, *pitch
            found.append(q)
    found.append(np.zeros(7))
    return np.array(found)


def homes_with(joint: int, angle: float) -> Array:
    """(k, 7) the same with a joint at an angle [rad], and then others with the rolls of the elbow turned too."""
    found = home_postures()
    more = [found]
    for third, fifth in product((0.0, 0.5, -0.5, 1.0), repeat=2):
        other = found.copy()
        other[:, 2], other[:, 4] = math.pi * third, math.pi * fifth
        more.append(other)
    rows = np.concatenate(more)
    rows[:, joint] = angle
    _, first = np.unique(rows.round(9), axis=0, return_index=True)
    return np.ascontiguousarray(rows[np.sort(first)])
