"""Any two convex shapes, by MuJoCo's `mj_geomDistance` on their cores.

A core is a shape less a rounding radius, and a shape is what is within that radius of its core: as long as the cores
are apart, distance and normal have no error of a penetration depth. The table of a pair is made by
`contact.convex_pair.ConvexPair`.
"""

from __future__ import annotations

import math

from freefloat.cmujoco import mj_geomDistance
from freefloat.kernels.closest import closest
from freefloat.kernels.handle import ivec_at, part, vec_at
from freefloat.kernels.jit import kernel

MODEL, DATA, XPOS, XMAT, NUMBERS = range(5)  # places in a pair's table: addresses of what compiled code needs
PLACES = 5
# among NUMBERS; RADIUS: of the ball round the origin; CORE: kind in `surfaces` and sizes, where REFINED is not zero
ROUNDING_A, ROUNDING_B, RADIUS_A, RADIUS_B, REFINED, CORE_A, CORE_B, FROMTO = 0, 1, 2, 3, 4, 5, 9, 13
N_NUMBERS = FROMTO + 6
TOUCHING, NUDGE = 1e-7, 1e-5  # [m] cores that are nearer have no normal of their own; how far they are then moved


@kernel
def _apart(places, numbers, R_a, R_b, o, most):
    """Distance [m] of the cores with B's origin at o from A's, `most` if it is more, and the closest points: FROMTO."""
    xpos, xmat = vec_at(places[XPOS], 6), vec_at(places[XMAT], 18)
    for j in range(3):
        xpos[j], xpos[3 + j] = 0.0, o[j]
    for j in range(9):
        xmat[j], xmat[9 + j] = R_a[j], R_b[j]
    d = mj_geomDistance(places[MODEL], places[DATA], 0, 1, most, places[NUMBERS] + 8 * FROMTO)
    if TOUCHING < d < most and numbers[REFINED] != 0.0:
        closest(part(numbers, CORE_A, 4), R_a, part(numbers, CORE_B, 4), R_b, o, part(numbers, FROMTO, 6))
    return d


@kernel
def convex_gap(pair, R_a, p_a, R_b, p_b, reach):
    """Gap [m] of two convex shapes, the normal from A to B and the point in the middle of the gap: (d, n, p).

    `pair` is the address of the pair's table, R (row by row) and p [m] the poses of both in one frame. A gap of `reach`
    [m] or more is told as `reach`, with the normal from origin to origin. Where the cores just touch, the normal is
    that of a place a little farther off.
    """
    places = ivec_at(pair, PLACES)
    numbers = vec_at(places[NUMBERS], N_NUMBERS)
    found, rounding = part(numbers, FROMTO, 6), numbers[ROUNDING_A] + numbers[ROUNDING_B]
    o = (p_b[0] - p_a[0], p_b[1] - p_a[1], p_b[2] - p_a[2])
    apart = math.sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2])
    n = (o[0] / apart, o[1] / apart, o[2] / apart) if apart > 0.0 else (0.0, 0.0, 1.0)
    near = apart - numbers[RADIUS_A] - numbers[RADIUS_B] < reach
    d = _apart(places, numbers, R_a, R_b, o, reach + rounding) if near else reach + rounding
    if d >= reach + rounding:
        half = 0.5 * (apart + numbers[RADIUS_A] - numbers[RADIUS_B])
        return reach, n, (p_a[0] + half * n[0], p_a[1] + half * n[1], p_a[2] + half * n[2])
    sign = math.copysign(1.0, d)
    if abs(d) <= TOUCHING:
        sign = 1.0
        _apart(places, numbers, R_a, R_b, (o[0] + NUDGE * n[0], o[1] + NUDGE * n[1], o[2] + NUDGE * n[2]), 2.0 * NUDGE)
    x, y, z = found[3] - found[0], found[4] - found[1], found[5] - found[2]
    size = math.sqrt(x * x + y * y + z * z)
    if size > 0.0:
        n = (sign * x / size, sign * y / size, sign * z / size)
    if abs(d) > TOUCHING:
        d = sign * size
    shift = 0.5 * (numbers[ROUNDING_A] - numbers[ROUNDING_B])
    p = (
        p_a[0] + 0.5 * (found[0] + found[3]) + shift * n[0],
        p_a[1] + 0.5 * (found[1] + found[4]) + shift * n[1],
        p_a[2] + 0.5 * (found[2] + found[5]) + shift * n[2],
    )
    return d - rounding, n, p
