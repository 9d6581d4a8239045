"""Where a walking manipulator rests between operations: the first clear one of a fixed list of postures."""

from __future__ import annotations

import math

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
