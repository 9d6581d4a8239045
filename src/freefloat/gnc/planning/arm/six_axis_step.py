"""Kinematics of a six-axis arm with spherical wrist on plain numbers, compiled (chain: `freefloat.six_axis_arms`).

`size` is [d1, a1, a2, o, l, f] [m]. Everything is in the frame B of the arm's base; C is the wrist's centre, F the
flange. In the plane of the upper arm, with the turn A1 taken back, r is forwards and z up; s = q2 + q3 pitches the
forearm:

    r = a1 + a2 cos q2 + l cos s + o sin s,   z = d1 - a2 sin q2 - l sin s + o cos s
    R_B6 = Rz(-q1) Ry(s) Rx(-q4) Ry(q5) Rx(-q6)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.rotations import Matrix, Vector, cross, dot

BRANCHES = 8  # front and back, elbow up and down, wrist as it is and flipped
FRONT_BACK, ELBOW, WRIST = 4, 2, 1  # bits of a branch's number: 0 is front, elbow up, q5 > 0
REACHED, TOO_FAR, TOO_NEAR = 0, 1, 2
ROUNDING = 1e-12  # [m] by which a stretched arm may miss
WRIST_SINGULAR = 1e-10  # [-] |sin q5| below which only q4 + q6 is known
D1, A1, A2, OFFSET, FOREARM, FLANGE = range(6)


@inner
def _spun(c: float, s: float, v: Vector) -> Vector:
    """Rz v, from cosine and sine."""
    return c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]


@inner
def _frames(size: Array, q: Array) -> tuple[Vector, Vector, Vector, Vector, Matrix]:
    """Places of A2, A3 and the wrist, direction of A4 (outwards) and R_B6, in B."""
    c1, s1 = math.cos(q[0]), -math.sin(q[0])
    pitch = q[1] + q[2]
    cs, ss = math.cos(pitch), math.sin(pitch)
    r, z = size[A1], size[D1]
    shoulder = _spun(c1, s1, (r, 0.0, z))
    r, z = r + size[A2] * math.cos(q[1]), z - size[A2] * math.sin(q[1])
    elbow = _spun(c1, s1, (r, 0.0, z))
    r, z = r + size[FOREARM] * cs + size[OFFSET] * ss, z - size[FOREARM] * ss + size[OFFSET] * cs
    wrist = _spun(c1, s1, (r, 0.0, z))
    c4, s4, c5, s5 = math.cos(q[3]), math.sin(q[3]), math.cos(q[4]), math.sin(q[4])
    c6, s6 = math.cos(q[5]), math.sin(q[5])
    # columns of R_36 = Rx(-q4) Ry(q5) Rx(-q6), then turned by Rz(-q1) Ry(s)
    x = (c5, -s4 * s5, -c4 * s5)
    y = (-s5 * s6, c4 * c6 - s4 * c5 * s6, -s4 * c6 - c4 * c5 * s6)
    w = cross(x, y)
    X = _spun(c1, s1, (cs * x[0] + ss * x[2], x[1], -ss * x[0] + cs * x[2]))
    Y = _spun(c1, s1, (cs * y[0] + ss * y[2], y[1], -ss * y[0] + cs * y[2]))
    Z = _spun(c1, s1, (cs * w[0] + ss * w[2], w[1], -ss * w[0] + cs * w[2]))
    forearm = _spun(c1, s1, (cs, 0.0, -ss))
    return shoulder, elbow, wrist, forearm, ((X[0], Y[0], Z[0]), (X[1], Y[1], Z[1]), (X[2], Y[2], Z[2]))


@onboard
def forward(size: Array, q: Array, p: Array, R: Array) -> None:
    """p_BF and R_BF into p and R. Axes of the flange: z is x of link 6, x is its -z."""
    _, _, wrist, _, R6 = _frames(size, q)
    for i in range(3):
        p[i] = wrist[i] + size[FLANGE] * R6[i][0]
        R[i, 0], R[i, 1], R[i, 2] = -R6[i][2], R6[i][1], R6[i][0]


@inner
def _screws(size: Array, q: Array) -> tuple[tuple[Vector, ...], tuple[Vector, ...]]:
    """Directions of the six axes and a point on each, in B."""
    shoulder, elbow, wrist, forearm, R6 = _frames(size, q)
    c1, s1 = math.cos(q[0]), -math.sin(q[0])
    across = (-s1, c1, 0.0)  # +y turned by A1
    c4, s4 = math.cos(q[3]), math.sin(q[3])
    up = cross(forearm, across)  # z of link 3
    axes = (
        (0.0, 0.0, -1.0),
        across,
        across,
        (-forearm[0], -forearm[1], -forearm[2]),
        (c4 * across[0] - s4 * up[0], c4 * across[1] - s4 * up[1], c4 * across[2] - s4 * up[2]),
        (-R6[0][0], -R6[1][0], -R6[2][0]),
    )
    return axes, ((0.0, 0.0, 0.0), shoulder, elbow, wrist, wrist, wrist)


@onboard
def jacobian(size: Array, q: Array, p: Array, J: Array) -> None:
    """J (6, 6) with [w; v] = J q' in B, of the point that is fixed to the flange and at p now."""
    axes, points = _screws(size, q)
    for j in range(6):
        a, at = axes[j], points[j]
        v = cross(a, (p[0] - at[0], p[1] - at[1], p[2] - at[2]))
        for i in range(3):
            J[i, j], J[3 + i, j] = a[i], v[i]


@onboard
def drift(size: Array, q: Array, qd: Array, p: Array, out: Array) -> None:
    """J' q' (6,) in B of the same point: its angular and linear acceleration where q'' = 0."""
    axes, points = _screws(size, q)
    w = (0.0, 0.0, 0.0)  # of the link before the axis
    at = points[0]
    alpha, a = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for j in range(6):
        way = (points[j][0] - at[0], points[j][1] - at[1], points[j][2] - at[2])
        # along the link between the axes, as a rigid body
        turned, pulled = cross(alpha, way), cross(w, cross(w, way))
        a = (a[0] + turned[0] + pulled[0], a[1] + turned[1] + pulled[1], a[2] + turned[2] + pulled[2])
        at, own = points[j], (axes[j][0] * qd[j], axes[j][1] * qd[j], axes[j][2] * qd[j])
        more = cross(w, own)
        alpha = (alpha[0] + more[0], alpha[1] + more[1], alpha[2] + more[2])
        w = (w[0] + own[0], w[1] + own[1], w[2] + own[2])
    way = (p[0] - at[0], p[1] - at[1], p[2] - at[2])
    turned, pulled = cross(alpha, way), cross(w, cross(w, way))
    for i in range(3):
        out[i], out[3 + i] = alpha[i], a[i] + turned[i] + pulled[i]


@inner
def _wrist(pitch: float, phi: float, R: Array, flip: bool, q4: float) -> Vector:
    """q4, q5, q6 of the flange's axes, with the forearm at the pitch and the plane at phi; q4 as given where singular.

    R_36 = Ry(-s) Rz(-phi) R_B6; its first row is [c5, s5 s(-q6), s5 c(-q6)], its first column [c5, -s4 s5, -c4 s5].
    """
    c1, s1, cs, ss = math.cos(phi), math.sin(phi), math.cos(pitch), math.sin(pitch)
    first = (cs * c1, cs * s1, -ss)  # axes of link 3 in B
    third = (ss * c1, ss * s1, cs)
    second = (-s1, c1, 0.0)
    x, y, z = (R[0, 2], R[1, 2], R[2, 2]), (R[0, 1], R[1, 1], R[2, 1]), (-R[0, 0], -R[1, 0], -R[2, 0])
    m00, m10, m20 = dot(first, x), dot(second, x), dot(third, x)
    m01, m02 = dot(first, y), dot(first, z)
    sine = math.hypot(m10, m20)
    if sine < WRIST_SINGULAR:
        # R_36 is a turn about x by -(q4 + q6) for q5 = 0; by -q4 + q6 (and half a turn) for q5 = pi
        turn = math.atan2(dot(third, y), dot(second, y))
        return (q4, 0.0, -turn - q4) if m00 > 0.0 else (q4, math.pi, turn + q4)
    if flip:
        return math.atan2(m10, m20), -math.atan2(sine, m00), math.atan2(m01, -m02)
    return math.atan2(-m10, -m20), math.atan2(sine, m00), math.atan2(-m01, m02)


@onboard
def inverse(size: Array, p: Array, R: Array, q_now: Array, q: Array, told: NDArray[np.int64], by: Array) -> None:
    """Axes of all branches into q (8, 6), with angles in [-pi, pi) or as `q_now` has them where singular.

    `told` (8,) says whether a branch reaches the pose, `by` (8,) [m] by how much the wrist is too far or too near.
    """
    wx, wy, wz = p[0] - size[FLANGE] * R[0, 2], p[1] - size[FLANGE] * R[1, 2], p[2] - size[FLANGE] * R[2, 2]
    out = math.hypot(wx, wy)
    front = math.atan2(wy, wx) if out > 0.0 else -q_now[0]
    upper, lower = size[A2], math.hypot(size[FOREARM], size[OFFSET])
    bend = math.atan2(size[OFFSET], size[FOREARM])  # of the forearm's line against its axis
    for b in range(BRANCHES):
        back = b & FRONT_BACK != 0
        phi = front + math.pi if back else front
        dr, dz = (-out if back else out) - size[A1], wz - size[D1]
        far = math.hypot(dr, dz)
        told[b], by[b] = REACHED, 0.0
        if far > upper + lower + ROUNDING:
            told[b], by[b] = TOO_FAR, far - upper - lower
        elif far < abs(upper - lower) - ROUNDING:
            told[b], by[b] = TOO_NEAR, abs(upper - lower) - far
        if told[b] != REACHED:
            q[b, :] = np.nan
            continue
        wide, narrow = (upper + lower - far) * (upper + lower + far), (far - upper + lower) * (far + upper - lower)
        angle = 2.0 * math.atan2(math.sqrt(max(wide, 0.0)), math.sqrt(max(narrow, 0.0)))  # between arm and forearm
        if (b & ELBOW != 0) != back:  # seen from behind, an elbow that is up bends the other way
            angle = -angle
        q2 = math.atan2(-dz, dr) - math.atan2(lower * math.sin(angle), upper + lower * math.cos(angle))
        q3 = angle + bend
        w = _wrist(q2 + q3, phi, R, b & WRIST != 0, q_now[3])
        q[b, 0], q[b, 1], q[b, 2], q[b, 3], q[b, 4], q[b, 5] = -phi, q2, q3, w[0], w[1], w[2]
        for j in range(6):
            if j < 3 or w[1] != 0.0:
                q[b, j] -= 2.0 * math.pi * math.floor(q[b, j] / (2.0 * math.pi) + 0.5)


@onboard
def nearest_copies(
    q: Array, q_now: Array, lower: Array, upper: Array, endless: NDArray[np.bool_], slack: float
) -> None:
    """Turn each axis of each row by whole turns to where it is nearest to `q_now` within the limits, else nan."""
    turn = 2.0 * math.pi
    for b in range(q.shape[0]):
        for j in range(6):
            value = q[b, j] + turn * math.floor((q_now[j] - q[b, j]) / turn + 0.5)
            if not endless[j]:
                if value > upper[j] + slack:
                    value -= turn * math.ceil((value - upper[j] - slack) / turn)
                elif value < lower[j] - slack:
                    value += turn * math.ceil((lower[j] - slack - value) / turn)
                if not lower[j] - slack <= value <= upper[j] + slack:
                    value = np.nan
            q[b, j] = value


@onboard
def choose(q: Array, q_now: Array, speed: Array) -> int:
    """The row from which `q_now` is the shortest time away at the axes' speeds; -1 where every row has a nan."""
    best, found = math.inf, -1
    for b in range(q.shape[0]):
        time = 0.0
        for j in range(6):
            away = abs(q[b, j] - q_now[j]) / speed[j]
            time = max(time, away) if away < math.inf else math.inf  # nan: out of reach
        if time < best:
            best, found = time, b
    return found
