"""A robot of the facility as it stands, compiled: its chain with errors, and the sag of its gears.

`Chain.steps` (7, 12) are poses from one axis to the next as rows [R (9, row by row), p (3)]: base B to A1, A1 to A2,
..., A6 to the adapter plate T, with the errors of the geometry and the zeros in them; behind each of the first six
comes the turn about the axis. Gears wind up: with motors at theta (output side) the links are at

    q = theta - c tau(q)        c [rad/(N m)], tau [N m] what holds everything against gravity at rest

Poses are rows of 12 like the steps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from freefloat.compiled import inner, onboard
from freefloat.frames import Array
from freefloat.gnc.rotations import cross, cubic_ratio, matrix_of, norm, quat_of, versine_ratio

AXIS, SIGN = (2, 1, 1, 0, 1, 0), (-1.0, 1.0, 1.0, -1.0, 1.0, -1.0)  # of A1 to A6: along z, y or x, and which way
GRAVITY = 9.81  # [m/s^2] along -z of the lab
CHAIN, WORK = 131, 120
SAG_ROUNDS = 3  # each gains a factor of about 500


class Chain(NamedTuple):
    """Numbers of one robot, all in one array of CHAIN numbers: calls from Python with many arrays are slow."""

    base: Array  # (12,) X_GB, on the rail at E1 = 0
    rides: Array  # (1,) [-] 1 where E1 carries the base along x of the lab, else 0
    steps: Array  # (7, 12)
    compliance: Array  # (6,) [rad/(N m)]
    masses: Array  # (7,) [kg] of links 1 to 6 and of what hangs on the plate
    centres: Array  # (7, 3) [m] in axes of their links, the last in those of link 6


class Work(NamedTuple):
    """Room that the functions here write into, all in one array of WORK numbers."""

    q: Array  # (6,) angles of the links
    axes: Array  # (6, 3) directions of the axes, in G
    points: Array  # (6, 3) a point on each
    weights: Array  # (6, 4) mass and first moment, about the origin of G, of what an axis carries
    pose: Array  # (12,) X_GT
    normal: Array  # (6, 6)
    step: Array  # (6,)


@inner
def chain_in(a: Array) -> Chain:
    """Views of an array (CHAIN,)."""
    return Chain(a[0:12], a[12:13], a[13:97].reshape((7, 12)), a[97:103], a[103:110], a[110:131].reshape((7, 3)))


@inner
def work_in(a: Array) -> Work:
    """Views of an array (WORK,)."""
    return Work(
        a[0:6],
        a[6:24].reshape((6, 3)),
        a[24:42].reshape((6, 3)),
        a[42:66].reshape((6, 4)),
        a[66:78],
        a[78:114].reshape((6, 6)),
        a[114:120],
    )


@inner
def _times_row(X: Array, S: Array, i: int) -> None:
    """X = X @ S[i]."""
    for r in range(3):
        a, b, c = X[3 * r], X[3 * r + 1], X[3 * r + 2]
        for k in range(3):
            X[3 * r + k] = a * S[i, k] + b * S[i, 3 + k] + c * S[i, 6 + k]
        X[9 + r] += a * S[i, 9] + b * S[i, 10] + c * S[i, 11]


@inner
def _turn(X: Array, axis: int, angle: float) -> None:
    """X = X @ rot(axis, angle) about x, y or z."""
    c, s = math.cos(angle), math.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    for r in range(3):
        u, v = X[3 * r + j], X[3 * r + k]
        X[3 * r + j], X[3 * r + k] = c * u + s * v, c * v - s * u


@onboard
def erred_steps(design: Array, errors: Array, steps: Array) -> None:
    """Steps (7, 12) of a chain from those by design and `errors` (48,) [turn; shift] of each step, then six zeros."""
    for i in range(7):
        w = (errors[6 * i], errors[6 * i + 1], errors[6 * i + 2])
        v = (errors[6 * i + 3], errors[6 * i + 4], errors[6 * i + 5])
        R, angle = matrix_of(quat_of(w)), norm(w)
        wv = cross(w, v)
        wwv = cross(w, wv)
        for r in range(3):
            steps[i, 9 + r] = v[r] + versine_ratio(angle) * wv[r] + cubic_ratio(angle) * wwv[r]  # J_l(w) v
            for k in range(3):
                steps[i, 3 * r + k] = R[r][k]
        if i < 6:
            _turn(steps[i], AXIS[i], SIGN[i] * errors[42 + i])
        _before_row(design, i, steps[i])


@inner
def _before_row(S: Array, i: int, X: Array) -> None:
    """X = S[i] @ X."""
    for k in range(4):  # columns, then the place
        j, skip = (9, 1) if k == 3 else (k, 3)
        a, b, c = X[j], X[j + skip], X[j + 2 * skip]
        for r in range(3):
            more = S[i, 9 + r] if k == 3 else 0.0
            X[j + r * skip] = S[i, 3 * r] * a + S[i, 3 * r + 1] * b + S[i, 3 * r + 2] * c + more


@inner
def _start(chain: Chain, e1: float, rail: Array, X: Array) -> None:
    """X_GB: the base where the rail takes it, displaced by `rail` (6,) [turn; shift] in axes of G."""
    R = matrix_of(quat_of((rail[0], rail[1], rail[2])))
    for k in range(3):
        u, v, w = chain.base[k], chain.base[3 + k], chain.base[6 + k]
        for r in range(3):
            X[3 * r + k] = R[r][0] * u + R[r][1] * v + R[r][2] * w
    for r in range(3):
        X[9 + r] = chain.base[9 + r] + rail[3 + r]
    X[9] += chain.rides[0] * e1


@inner
def walk(chain: Chain, e1: float, rail: Array, work: Work) -> None:
    """Axes, points, weights and the plate's pose, with the links at `work.q`."""
    X, weights = work.pose, work.weights
    _start(chain, e1, rail, X)
    for i in range(6):
        _times_row(X, chain.steps, i)
        k = AXIS[i]
        for r in range(3):
            work.axes[i, r], work.points[i, r] = SIGN[i] * X[3 * r + k], X[9 + r]
        _turn(X, k, SIGN[i] * work.q[i])
        weights[i, :] = 0.0
        for n in range(i, 7 if i == 5 else i + 1):
            m, c = chain.masses[n], chain.centres
            weights[i, 0] += m
            for r in range(3):
                place = X[9 + r] + X[3 * r] * c[n, 0] + X[3 * r + 1] * c[n, 1] + X[3 * r + 2] * c[n, 2]
                weights[i, 1 + r] += m * place
    for i in range(4, -1, -1):
        for r in range(4):
            weights[i, r] += weights[i + 1, r]
    _times_row(X, chain.steps, 6)


@inner
def holding(work: Work, i: int) -> float:
    """Torque [N m] of axis i that holds what it carries: -a . ((S - m p) x g)."""
    x = work.weights[i, 1] - work.weights[i, 0] * work.points[i, 0]
    y = work.weights[i, 2] - work.weights[i, 0] * work.points[i, 1]
    return GRAVITY * (work.axes[i, 0] * y - work.axes[i, 1] * x)


@inner
def settle(chain: Chain, e1: float, rail: Array, theta: Array, work: Work) -> None:
    """Angles of the links, X_GT and the axes with motors at `theta` (6,) [rad] and the rail at `e1` [m], at rest."""
    for i in range(6):
        work.q[i] = theta[i]
    for _ in range(SAG_ROUNDS):
        walk(chain, e1, rail, work)
        for i in range(6):
            work.q[i] = theta[i] - chain.compliance[i] * holding(work, i)
    walk(chain, e1, rail, work)


@onboard
def settle_all(chain: Array, e1: Array, rail: Array, theta: Array, room: Array, poses: Array) -> None:
    """X_GT (n, 12) of many: `chain` (CHAIN,), `e1` (n,), `rail` (n, 6), `theta` (n, 6), `room` (WORK,)."""
    robot, work = chain_in(chain), work_in(room)
    for n in range(theta.shape[0]):
        settle(robot, e1[n], rail[n], theta[n], work)
        poses[n, :] = work.pose
