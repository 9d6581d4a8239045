"""How long joint motion takes at least, compiled."""

from __future__ import annotations

import math

import numpy as np

from freefloat.compiled import onboard
from freefloat.frames import Array
from freefloat.gnc.planning.arm.limb_body import LimbBody
from freefloat.gnc.planning.arm.limb_search_step import way_off
from freefloat.gnc.planning.arm.limb_step import TURN


@onboard
def rest_to_rest(d: float, v: float, a: float, j: float) -> float:
    """Least time [s] over a distance d from rest to rest within limits of speed, acceleration and jerk."""
    if a * a / j > v:  # the speed is reached before the acceleration
        ramp = math.sqrt(v / j)
        return d / v + 2.0 * ramp if d >= 2.0 * v * ramp else (32.0 * d / j) ** (1.0 / 3.0)
    if d >= v * v / a + v * a / j:
        return d / v + v / a + a / j
    if d >= 2.0 * a**3 / j**2:
        return a / j + math.sqrt((a / j) ** 2 + 4.0 * d / a)
    return (32.0 * d / j) ** (1.0 / 3.0)


@onboard
def least_from(
    body: LimbBody, p: Array, R: Array, up: Array, swivels: Array, off: float, homes: Array, limits: Array
) -> tuple[float, float]:
    """Least time [s] between any of the homes (k, 7) and the hand at a pose with a straight way off it, and |q4| there.

    Infinite where no posture at the swivels has such a way within the limits. Joint 7 and whole turns of the rolls do
    not count.
    """
    Q, near, out = np.empty((5, 7)), np.zeros(7), np.zeros((2, 3))
    out[0] = -R[:, 2]
    best, bent = math.inf, 0.0
    for s in range(swivels.shape[0]):
        for b in range(8):
            if way_off(body, p, R, out, up, swivels[s], b, near, off, 4, Q) < 5:
                continue
            bent = abs(Q[0, 3])
            for k in range(homes.shape[0]):
                most = 0.0
                for m in range(6):
                    d = abs(Q[0, m] - homes[k, m])
                    if m % 2 == 0:
                        d -= TURN * math.floor(d / TURN)
                        d = min(d, TURN - d)
                    if d / limits[0, m] < best:  # slower than that it is for certain
                        most = max(most, rest_to_rest(d, limits[0, m], limits[1, m], limits[2, m]))
                    else:
                        most = math.inf
                best = min(best, most)
    return best, bent
