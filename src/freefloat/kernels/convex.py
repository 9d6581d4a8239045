"""Any two convex shapes, by MuJoCo's `mj_geomDistance` on their cores.

A core is a shape less a rounding radius, and a shape is what is within that radius of its core: as long as the cores
are apart, distance and normal have no error of a penetration depth. The table of a pair is made by
`contact.convex_pair.ConvexPair`.
"""

from __future__ import annotations

import math

from freefloat.cmujoco import mj_geomDistance
from freefloat.kernels.handle import ivec_at, vec_at
from freefloat.kernels.jit import kernel

MODEL, DATA, XPOS, XMAT, NUMBERS = range(5)  # places in a pair's table: addresses of what compiled code needs
PLACES = 5
ROUNDING_A, ROUNDING_B, RADIUS_A, RADIUS_B, FROMTO = range(5)  # among NUMBERS; RADIUS: of the ball round the origin
N_NUMBERS = FROMTO + 6
TOUCHING = 1e-9  # [m] cores that are nearer have no normal of their own


@kernel
def convex_gap(pair, R_a, p_a, R_b, p_b, reach):
    """Gap [m] of two convex shapes, the normal from A to B and the point in the middle of the gap: (d, n, p).

    `pair` is the address of the pair's table, R (row by row) and p [m] the poses of both in one frame. A gap of `reach`
    [m] or more is told as `reach`, with the normal from origin to origin, which also stands in where cores just touch.
    """
    places = ivec_at(pair, PLACES)
    numbers, xpos, xmat = vec_at(places[NUMBERS], N_NUMBERS), vec_at(places[XPOS], 6), vec_at(places[XMAT], 18)
    x, y, z = p_b[0] - p_a[0], p_b[1] - p_a[1], p_b[2] - p_a[2]
    apart = math.sqrt(x * x + y * y + z * z)
    n = (x / apart, y / apart, z / apart) if apart > 0.0 else (0.0, 0.0, 1.0)
    half = 0.5 * (apart + numbers[RADIUS_A] - numbers[RADIUS_B])
    middle = (p_a[0] + half * n[0], p_a[1] + half * n[1], p_a[2] + half * n[2])
    if apart - numbers[RADIUS_A] - numbers[RADIUS_B] >= reach:
        return reach, n, middle
    for j in range(3):
        xpos[j] = 0.0  # small numbers: the frames may be far from the world's origin
    xpos[3], xpos[4], xpos[5] = x, y, z
    for j in range(9):
        xmat[j], xmat[9 + j] = R_a[j], R_b[j]
    rounding = numbers[ROUNDING_A] + numbers[ROUNDING_B]
    d = mj_geomDistance(places[MODEL], places[DATA], 0, 1, reach + rounding, places[NUMBERS] + 8 * FROMTO)
    if d >= reach + rounding:
        return reach, n, middle
    ax, ay, az, bx, by, bz = numbers[4], numbers[5], numbers[6], numbers[7], numbers[8], numbers[9]
    if abs(d) > TOUCHING:
        size = math.copysign(math.sqrt((bx - ax) ** 2 + (by - ay) ** 2 + (bz - az) ** 2), d)
        n = ((bx - ax) / size, (by - ay) / size, (bz - az) / size)
    shift = 0.5 * (numbers[ROUNDING_A] - numbers[ROUNDING_B])
    p = (
        p_a[0] + 0.5 * (ax + bx) + shift * n[0],
        p_a[1] + 0.5 * (ay + by) + shift * n[1],
        p_a[2] + 0.5 * (az + bz) + shift * n[2],
    )
    return d - rounding, n, p
