"""How far a limb's parts can move while its joints turn a little, compiled.

A point at the distance d from a joint's axis moves by at most d |dq|. While all joints turn, d itself grows by at most
what the point moves; so with D the sum of d_j |dq_j| and A that of |dq_j|, nothing moves more than D / (1 - A).
"""

from __future__ import annotations

import math

from freefloat.compiled import onboard
from freefloat.frames import Array
from freefloat.gnc.planning.arm.limb_step import frames_from

LARGEST = 0.5  # [rad] sum of turns beyond which distances at their worst are taken


@onboard
def travels(
    links: Array, base: Array, far: Array, balls: Array, q: Array, turn: Array, axes: Array, centres: Array, out: Array
) -> float:
    """How far [m] each segment and the load (9,) can move from q with turns of up to `turn` (7,); the most of all.

    `balls` (9, 4) are centre and radius [m] of a ball around each segment's solids, from the point that it turns about.
    """
    x, y = (base[0, 0], base[0, 1], base[0, 2]), (base[1, 0], base[1, 1], base[1, 2])
    z, p = (base[2, 0], base[2, 1], base[2, 2]), (base[3, 0], base[3, 1], base[3, 2])
    frames_from(links[0], links[1], x, y, z, p, q, axes, centres)
    most, total = 0.0, 0.0
    out[0] = 0.0
    for k in range(1, 9):
        s = min(k, 7)
        if k <= 7:
            total += turn[k - 1]
        bx = balls[k, 0] * axes[s, 0, 0] + balls[k, 1] * axes[s, 0, 1] + balls[k, 2] * axes[s, 0, 2] + centres[s, 0]
        by = balls[k, 0] * axes[s, 1, 0] + balls[k, 1] * axes[s, 1, 1] + balls[k, 2] * axes[s, 1, 2] + centres[s, 1]
        bz = balls[k, 0] * axes[s, 2, 0] + balls[k, 1] * axes[s, 2, 1] + balls[k, 2] * axes[s, 2, 2] + centres[s, 2]
        worst = now = 0.0
        for j in range(s):
            worst += far[k, j] * turn[j]
            c, col = (j + 1, 1) if j % 2 == 1 else (j, 2)
            ux, uy, uz = axes[j, 0, col], axes[j, 1, col], axes[j, 2, col]
            vx, vy, vz = bx - centres[c, 0], by - centres[c, 1], bz - centres[c, 2]
            along = ux * vx + uy * vy + uz * vz
            off = math.sqrt(max(vx * vx + vy * vy + vz * vz - along * along, 0.0)) + balls[k, 3]
            now += off * turn[j]
        out[k] = min(worst, now / (1.0 - total)) if total < LARGEST else worst
        if balls[k, 3] == 0.0:
            out[k] = 0.0
        most = max(most, out[k])
    return most
