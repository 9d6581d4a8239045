"""How the two shapes of a contact pair stand to each other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from freefloat.kernels.contact_row import APART, BALL, CAPSULES, GATE, HIDDEN, HIDDEN_B, PLACE, SOLID, A, B, F
from freefloat.kernels.convex import convex_gap
from freefloat.kernels.handle import local, part
from freefloat.kernels.height_field import to_height_field
from freefloat.kernels.jit import kernel
from freefloat.kernels.modules import feature_along, is_hidden, to_module
from freefloat.kernels.segments import capsule_gap
from freefloat.kernels.surfaces import HEIGHT_FIELD, REVOLVED, distance, to_revolved
from freefloat.kernels.view import rotate, rotate_back, velocity_at

FAR = 1.0  # [m] gap that convex shapes are told to have at least


class Touch(NamedTuple):
    """A pair in W. `off`: what lies nearest does not push, or the two do not move against each other."""

    d: float  # [m] gap
    n: tuple[float, float, float]  # from A to B
    p: tuple[float, float, float]  # [m] point between the two
    rate: float  # [m/s] of penetration
    v: tuple[float, float, float]  # [m/s] slip of B on A
    off: bool


@kernel
def size_of(v):
    """Length of three floats."""
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@kernel
def dot(a, b):
    """Product of three floats with three."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def _times(R, S, out):
    """out = R S, row-major (9,) matrices."""
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = R[3 * i] * S[j] + R[3 * i + 1] * S[3 + j] + R[3 * i + 2] * S[6 + j]


@kernel
def _origins(view, f, a, b):
    """From body A's origin to those of S and C, in W: two times three floats."""
    o, q = view.xpos[a], view.xpos[b]
    s = rotate(view.xmat[a], f[F.p_AS], f[F.p_AS + 1], f[F.p_AS + 2])
    c = rotate(view.xmat[b], f[F.p_BC], f[F.p_BC + 1], f[F.p_BC + 2])
    return s, (c[0] + (q[0] - o[0]), c[1] + (q[1] - o[1]), c[2] + (q[2] - o[2]))


@kernel
def room(view, f, a, b):
    """Gap [m] of balls around S and C: where it is positive, the two are apart at least so much."""
    s, c = _origins(view, f, a, b)
    x, y, z = c[0] - s[0], c[1] - s[1], c[2] - s[2]
    return math.sqrt(x * x + y * y + z * z) - f[F.reach]


@kernel
def _on_surface(f, RA, s, c, hidden):
    """A ball on a surface: gap, normal, point (from A's origin), and whether a module's nearest feature does not push.

    `hidden`: what does not push of a module; negative: it is none.
    """
    R_AS, kind, off = part(f, F.R_AS, 9), int(f[F.surface]), False
    x, y, z = rotate_back(RA, c[0] - s[0], c[1] - s[1], c[2] - s[2])
    x, y, z = rotate_back(R_AS, x, y, z)
    if hidden >= 0:
        d, gx, gy, gz, off = to_module(kind, f[F.size], f[F.size + 1], f[F.size + 2], hidden, x, y, z)
    elif kind == REVOLVED:
        d, gx, gy, gz = to_revolved(f, F.data, int(f[F.size]), f[F.size + 1], x, y, z)
    elif kind == HEIGHT_FIELD:
        d, gx, gy, gz = to_height_field(f, F.data, f[F.size], int(f[F.size + 1]), int(f[F.size + 2]), x, y, z)
    else:
        d, gx, gy, gz = distance(kind, f[F.size], f[F.size + 1], f[F.size + 2], x, y, z)
    gx, gy, gz = rotate(R_AS, gx, gy, gz)
    n, d = rotate(RA, gx, gy, gz), d - f[F.radius]
    r = f[F.radius] + 0.5 * d
    return d, n, (c[0] - r * n[0], c[1] - r * n[1], c[2] - r * n[2]), off


@kernel
def _two_shapes(f, RA, RB, s, c, solid, hidden, hidden_b):
    """Two capsules, or any two convex shapes: gap, normal, point (from A's origin), and whether they do not push."""
    R, Q = local(9), local(9)
    _times(RA, part(f, F.R_AS, 9), R)
    _times(RB, part(f, F.R_BC, 9), Q)
    if int(f[F.pair]) == CAPSULES:
        a, b = f[F.size + 1], f[F.half]
        u, w = (a * R[2], a * R[5], a * R[8]), (b * Q[2], b * Q[5], b * Q[8])
        d, n, p = capsule_gap(s, u, f[F.size], c, w, f[F.radius])
        return d, n, p, False
    d, n, p = convex_gap(solid, R, s, Q, c, FAR)
    off = False
    if hidden >= 0:
        x, y, z = rotate_back(R, n[0], n[1], n[2])
        off = is_hidden(hidden, feature_along(x, y, z))
    if hidden_b >= 0:
        x, y, z = rotate_back(Q, n[0], n[1], n[2])
        off = off or is_hidden(hidden_b, feature_along(-x, -y, -z))
    return d, n, p, off


@kernel
def _mask(u, place):
    """What does not push of a module, -1 where it is none; and whether its place is empty."""
    if place < 0:
        return np.int64(-1), False
    return np.int64(u[place]), u[place] < 0.0


@kernel
def is_absent(i, u):
    """Whether one of the two is a module that is not there now, or a command says that nothing touches."""
    return _mask(u, i[HIDDEN])[1] or _mask(u, i[HIDDEN_B])[1] or (i[GATE] >= 0 and u[i[GATE]] < 0.5)


@kernel
def follow_places(p, u):
    """Take the poses of surfaces that are commanded, [p_AS, q_AS] each; a quaternion of zeros turns nothing."""
    for r in range(p.i.shape[0]):
        first = p.i[r, PLACE]
        if first < 0:
            continue
        f = p.f[r]
        w, x, y, z = u[first + 3], u[first + 4], u[first + 5], u[first + 6]
        for j in range(3):
            f[F.p_AS + j] = u[first + j]
        if w == 0.0 and x == 0.0 and y == 0.0 and z == 0.0:
            continue
        s = 2.0 / (w * w + x * x + y * y + z * z)
        R = part(f, F.R_AS, 9)
        R[0], R[1], R[2] = 1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)
        R[3], R[4], R[5] = s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)
        R[6], R[7], R[8] = s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)


@kernel
def touch_of(view, f, i, u):
    """The present `Touch` of the pair with numbers f and references i."""
    a, b = i[A], i[B]
    RA, o = view.xmat[a], view.xpos[a]
    s, c = _origins(view, f, a, b)
    hidden, empty = _mask(u, i[HIDDEN])
    hidden_b, empty_b = _mask(u, i[HIDDEN_B])
    if int(f[F.pair]) == BALL:
        d, n, at, off = _on_surface(f, RA, s, c, hidden)
    else:
        d, n, at, off = _two_shapes(f, RA, view.xmat[b], s, c, i[SOLID], hidden, hidden_b)
    off = off or empty or empty_b or i[APART] == 0 or (i[GATE] >= 0 and u[i[GATE]] < 0.5)
    p = (o[0] + at[0], o[1] + at[1], o[2] + at[2])
    va, vb = velocity_at(view, a, p[0], p[1], p[2]), velocity_at(view, b, p[0], p[1], p[2])
    v = (vb[0] - va[0], vb[1] - va[1], vb[2] - va[2])
    rate = -dot(v, n)
    return Touch(d, n, p, rate, (v[0] + rate * n[0], v[1] + rate * n[1], v[2] + rate * n[2]), off)
