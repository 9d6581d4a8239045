"""Kinematics of a spherical-elbow-spherical limb on plain numbers, compiled.

Frame C has its origin in the shoulder S, z along the stretched limb and y along the elbow's axis at q = 0; H is the
hand's frame in the wrist's centre W, parallel to C at q = 0. With the links l1 = |SE| and l2 = |EW|:

    R_C3 = Rz(q1) Ry(q2) Rz(q3),   R_C4 = R_C3 Ry(q4),   R_CH = R_C4 Rz(q5) Ry(q6) Rz(q7)
    p_CE = l1 R_C3 z,   p_CH = p_CE + l2 R_C4 z

The distance D of W from S fixes |q4|; the elbow E is on a circle about SW, at the swivel angle psi from the half-plane
that holds the vector `up`. With n along SW and u towards the elbow, y of the elbow is -+ n x u for q4 >= 0 and < 0.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.rotations import Matrix, Vector, cross, dot, norm, scaled

BRANCHES = 8
ELBOW, SHOULDER, WRIST = 4, 2, 1  # bits of a branch's number: q4 < 0, q2 < 0, q6 < 0
REACHED, TOO_FAR, TOO_NEAR = 0, 1, 2
ROUNDING = 1e-12  # [m] by which a stretched limb may miss
ALIGNED = 1e-9  # [-] sine of q2 or q6 below which only the sum of the rolls beside it is known
SCANNED = 96  # [-] swivels between which a locked joint's angle is sought
TURN = 2.0 * math.pi


@inner
def wrapped(angle: float) -> float:
    """In [-pi, pi)."""
    return angle - TURN * math.floor(angle / TURN + 0.5)


@inner
def _spun(x: Vector, y: Vector, angle: float) -> tuple[Vector, Vector]:
    """Two axes turned about the third, from x to y."""
    c, s = math.cos(angle), math.sin(angle)
    return (
        (c * x[0] + s * y[0], c * x[1] + s * y[1], c * x[2] + s * y[2]),
        (c * y[0] - s * x[0], c * y[1] - s * x[1], c * y[2] - s * x[2]),
    )


@onboard
def frames(l1: float, l2: float, q: Array, axes: Array, centres: Array) -> None:
    """Axes (8, 3, 3) of the segments in C, columns x y z, and the points S, E, W that they turn about (8, 3)."""
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    frames_from(l1, l2, x, y, z, (0.0, 0.0, 0.0), q, axes, centres)


@inner
def frames_from(
    l1: float, l2: float, x: Vector, y: Vector, z: Vector, p: Vector, q: Array, axes: Array, centres: Array
) -> None:
    """The same in another frame, in which C has the axes x, y, z and its origin at p."""
    for k in range(8):
        if k > 0 and k % 2 == 1:
            x, y = _spun(x, y, q[k - 1])
        elif k > 0:
            if k == 4 or k == 6:  # the link before the pitch lies along z
                far = l1 if k == 4 else l2
                p = (p[0] + far * z[0], p[1] + far * z[1], p[2] + far * z[2])
            z, x = _spun(z, x, q[k - 1])
        for i in range(3):
            axes[k, i, 0], axes[k, i, 1], axes[k, i, 2] = x[i], y[i], z[i]
            centres[k, i] = p[i]


@inner
def around(w: Vector, up: Vector) -> tuple[float, Vector, Vector, Vector]:
    """|w|, its direction n, and e1, e2 across it: e1 in the half-plane of `up`, or of x or y where up is along w."""
    D = norm(w)
    n = scaled(w, 1.0 / D) if D > 0.0 else (0.0, 0.0, 1.0)
    e2 = cross(n, up)
    if norm(e2) <= 1e-9 * norm(up):
        e2 = cross(n, (1.0, 0.0, 0.0)) if abs(n[0]) < 0.9 else cross(n, (0.0, 1.0, 0.0))
    e2 = scaled(e2, 1.0 / norm(e2))
    return D, n, cross(e2, n), e2


@inner
def _rolls(R: Matrix, flip: bool, now: float) -> tuple[float, float, float, bool]:
    """Angles of R = Rz(a) Ry(b) Rz(c), and whether a was free, which then stays as `now`.

    b and c follow from the a that is taken, so that rounding of a is not seen in R.
    """
    aligned = math.hypot(R[0][2], R[1][2]) < ALIGNED
    a = now if aligned else math.atan2(R[1][2], R[0][2])
    if flip and not aligned:
        a = wrapped(a + math.pi)
    ca, sa = math.cos(a), math.sin(a)
    b = math.atan2(ca * R[0][2] + sa * R[1][2], R[2][2])
    c = math.atan2(ca * R[1][0] - sa * R[0][0], ca * R[1][1] - sa * R[0][1])
    return a, b, c, aligned


@inner
def elbow_angle(l1: float, l2: float, D: float) -> tuple[float, int, float]:
    """|q4| [rad] for the distance D [m] of the wrist; whether it is reached, and by how much [m] not."""
    if l1 + l2 + ROUNDING < D:
        return 0.0, TOO_FAR, D - l1 - l2
    if max(abs(l1 - l2) - ROUNDING, 1e-9 * (l1 + l2)) > D:
        return math.pi, TOO_NEAR, max(abs(l1 - l2), 1e-9 * (l1 + l2)) - D
    wide, narrow = (l1 + l2 - D) * (l1 + l2 + D), (D - l1 + l2) * (D + l1 - l2)
    return 2.0 * math.atan2(math.sqrt(max(wide, 0.0)), math.sqrt(max(narrow, 0.0))), REACHED, 0.0


@inner
def one_branch(
    l1: float, l2: float, w: Vector, R: Matrix, up: Vector, psi: float, b: int, now1: float, now5: float, q: Array
) -> int:
    """Joint angles of one branch into q (7,); -1 where out of reach, else 1 for an aligned shoulder plus 2 for a wrist.

    R has the rows of R_CH, w is p_CH.
    """
    D, n, e1, e2 = around(w, up)
    q4, told, _ = elbow_angle(l1, l2, D)
    if told != REACHED:
        return -1
    # from the elbow's angle rather than from D, so that both agree where the limb is stretched
    ahead, aside = l1 + l2 * math.cos(q4), l2 * math.sin(q4)
    far = math.hypot(ahead, aside)
    along, out = ahead / far, aside / far
    c, s = math.cos(psi), math.sin(psi)
    u = (c * e1[0] + s * e2[0], c * e1[1] + s * e2[1], c * e1[2] + s * e2[2])
    bent = -1.0 if b & ELBOW else 1.0
    y = scaled(cross(u, n), bent)
    z = (along * n[0] + out * u[0], along * n[1] + out * u[1], along * n[2] + out * u[2])
    x = cross(y, z)
    upper = ((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2]))
    q[0], q[1], q[2], free1 = _rolls(upper, b & SHOULDER != 0, now1)
    q[3] = bent * q4
    z, x = _spun(z, x, q[3])
    columns = ((R[0][0], R[1][0], R[2][0]), (R[0][1], R[1][1], R[2][1]), (R[0][2], R[1][2], R[2][2]))
    hand = (
        (dot(x, columns[0]), dot(x, columns[1]), dot(x, columns[2])),
        (dot(y, columns[0]), dot(y, columns[1]), dot(y, columns[2])),
        (dot(z, columns[0]), dot(z, columns[1]), dot(z, columns[2])),
    )
    q[4], q[5], q[6], free5 = _rolls(hand, b & WRIST != 0, now5)
    return (1 if free1 else 0) + (2 if free5 else 0)


@onboard
def branch_at(l1: float, l2: float, p: Array, R: Array, up: Array, psi: float, b: int, now: Array, q: Array) -> int:
    """`one_branch` on arrays: p_CH (3,), R_CH (3, 3), `now` (7,) for what an aligned joint leaves free."""
    rows = ((R[0, 0], R[0, 1], R[0, 2]), (R[1, 0], R[1, 1], R[1, 2]), (R[2, 0], R[2, 1], R[2, 2]))
    w, v = (p[0], p[1], p[2]), (up[0], up[1], up[2])
    return one_branch(l1, l2, w, rows, v, psi, b, now[0], now[4], q)


@onboard
def inverse(
    l1: float, l2: float, p: Array, R: Array, up: Array, psi: float, now: Array, q: Array, told: NDArray[np.int64]
) -> None:
    """All branches at a swivel into q (8, 7), angles in [-pi, pi], and what `one_branch` tells of each."""
    for b in range(BRANCHES):
        told[b] = branch_at(l1, l2, p, R, up, psi, b, now, q[b])


@onboard
def swivel(l1: float, l2: float, q: Array, up: Array) -> float:
    """psi of joint angles q. Where the elbow is straight, its axis tells where it would go."""
    axes, centres = np.empty((8, 3, 3)), np.empty((8, 3))
    frames(l1, l2, q, axes, centres)
    w = (centres[7, 0], centres[7, 1], centres[7, 2])
    _, n, e1, e2 = around(w, (up[0], up[1], up[2]))
    y = (axes[3, 0, 1], axes[3, 1, 1], axes[3, 2, 1])
    u = scaled(cross(n, y), -1.0 if q[3] < 0.0 else 1.0)
    return math.atan2(dot(e2, u), dot(e1, u))


@onboard
def locked_swivels(
    l1: float, l2: float, p: Array, R: Array, up: Array, b: int, joint: int, value: float, period: float, found: Array
) -> int:
    """Swivels at which a joint of a branch has an angle, up to whole periods; how many were written into `found`.

    Between `SCANNED` swivels around the circle each change of sign is halved to the last digit; a pair of roots closer
    than that is not seen.
    """
    q, count = np.empty(7), 0
    now = np.zeros(7)
    last = 0.0
    for k in range(SCANNED + 1):
        psi = -math.pi + TURN * k / SCANNED
        if branch_at(l1, l2, p, R, up, psi, b, now, q) < 0:
            return 0
        off = (q[joint] - value) - period * math.floor((q[joint] - value) / period + 0.5)
        if k > 0 and (last < 0.0) != (off < 0.0) and abs(off - last) < 0.5 * period and count < found.shape[0]:
            low, high = psi - TURN / SCANNED, psi
            while True:
                middle = 0.5 * (low + high)
                if middle <= low or middle >= high:
                    break
                branch_at(l1, l2, p, R, up, middle, b, now, q)
                here = (q[joint] - value) - period * math.floor((q[joint] - value) / period + 0.5)
                if (here < 0.0) == (last < 0.0):
                    low = middle
                else:
                    high = middle
            found[count] = high
            count += 1
        last = off
    return count
