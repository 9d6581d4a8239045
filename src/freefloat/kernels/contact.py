"""Bank: balls that touch surfaces. A row is one pair: a ball of body B, and a surface S of body A.

With the gap d, the penetration x = -d and the unit normal n from surface to ball, the law gives the force f along n:

    spring and damper (Kelvin, Voigt)                     f = k x + c x'
    Hunt and Crossley (1975)                              f = k x^n (1 + 3/2 c x')
    Lankarani and Nikravesh (1990)                        f = k x^n (1 + 3/4 (1 - e^2) x' / x'_0)

and friction acts against the slip velocity v: regularised, f_t = -mu f v / sqrt(v^2 + v_s^2), or by a spring that
sticks, f_t = -k_t s - c_t v with s' = v, until |f_t| reaches mu f, and then slides, f_t = -mu f v / |v|, with the
direction of the step's start: at rest it would be undefined, and close to rest stiff. Where a slip turns, that is of
first order.

Modes are held within a step, forces are not cut off in it: touching, parting (where f falls to zero), slipping and
sticking are located as zeros of guards. What is left in a spring then becomes heat.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from freefloat.kernels.audit_layout import BOOK
from freefloat.kernels.bank import Bank, Body, Column, State, places
from freefloat.kernels.contact_laws import normal_force
from freefloat.kernels.handle import part
from freefloat.kernels.jit import kernel
from freefloat.kernels.surfaces import distance
from freefloat.kernels.view import add_pair, rotate, velocity_at

SMOOTH, REGULARISED, STICKING = range(3)  # values of `friction`
OPEN, TOUCHING, LEAVING = 0.0, 1.0, 2.0  # values of `mode`; LEAVING: still inside, without a force
STICK, SLIP = 0.0, 1.0  # values of `slip`
STRAIGHT = 1.0 - 1e-12  # cosine of the angle by which a slip may turn before its direction follows

COLUMNS = (
    Column("law", meaning="of the normal force, as in `contact_laws`"),
    Column("stiffness", "N/m", meaning="k; per m^n"),
    Column("exponent", meaning="n"),
    Column("damping", meaning="c: N s/m of a damper, s/m in Hunt and Crossley's law"),
    Column("restitution", meaning="e of Lankarani and Nikravesh"),
    Column("friction", meaning="its kind"),
    Column("mu", meaning="coefficient of friction"),
    Column("slip_speed", "m/s", meaning="v_s"),
    Column("shear_stiffness", "N/m", meaning="k_t"),
    Column("shear_damping", "N s/m", meaning="c_t"),
    Column("radius", "m", meaning="of the ball"),
    Column("p_BC", "m", 3, "its centre", frame="B"),
    Column("surface", meaning="its kind"),
    Column("size", "m", 3, "of the surface"),
    Column("p_AS", "m", 3, "where it is", frame="A"),
    Column("R_AS", "-", 9, "its axes, row by row"),
)
F = places(COLUMNS)
STATES = (
    State("mode", kind="mode", meaning="0 open, 1 touching, 2 parted but still inside"),
    State("onset_speed", "m/s", "mode", meaning="rate of penetration at first touch"),
    State("slip", kind="mode", meaning="0 sticks, 1 slips"),
    *(State(f"slip_{axis}", kind="mode", meaning="direction of the slip in W") for axis in "xyz"),
    *(State(f"stretch_{axis}", "m", meaning="of the spring that sticks, in A") for axis in "xyz"),
)
N = len(STATES)
MODE, ONSET, SLIPS, AIM, STRETCH = 0, 1, 2, 3, 6  # places among a row's states
GAP, FORCE, FRICTION = 0, 1, 2  # places among a row's guards and outputs


class Touch(NamedTuple):
    """How a ball and a surface stand to each other, in W."""

    d: float  # [m] gap
    n: tuple[float, float, float]  # from the surface to the ball
    p: tuple[float, float, float]  # [m] point between the two
    rate: float  # [m/s] of penetration
    v: tuple[float, float, float]  # [m/s] slip of the ball on the surface


@kernel
def _back(R, x, y, z):
    """R^T v with R a row-major (9,) matrix: three floats."""
    return R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z, R[2] * x + R[5] * y + R[8] * z


@kernel
def _size(v):
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@kernel
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def touch_of(view, f, a, b):
    """The present `Touch` of a row's ball on body b and its surface on body a."""
    RA, RB, oa, ob, R_AS = view.xmat[a], view.xmat[b], view.xpos[a], view.xpos[b], part(f, F.R_AS, 9)
    cx, cy, cz = rotate(RB, f[F.p_BC], f[F.p_BC + 1], f[F.p_BC + 2])
    cx, cy, cz = cx + ob[0], cy + ob[1], cz + ob[2]
    x, y, z = _back(RA, cx - oa[0], cy - oa[1], cz - oa[2])
    x, y, z = _back(R_AS, x - f[F.p_AS], y - f[F.p_AS + 1], z - f[F.p_AS + 2])
    d, gx, gy, gz = distance(int(f[F.surface]), f[F.size], f[F.size + 1], f[F.size + 2], x, y, z)
    gx, gy, gz = rotate(R_AS, gx, gy, gz)
    n, d = rotate(RA, gx, gy, gz), d - f[F.radius]
    r = f[F.radius] + 0.5 * d
    p = (cx - r * n[0], cy - r * n[1], cz - r * n[2])
    va, vb = velocity_at(view, a, p[0], p[1], p[2]), velocity_at(view, b, p[0], p[1], p[2])
    v = (vb[0] - va[0], vb[1] - va[1], vb[2] - va[2])
    rate = -_dot(v, n)
    return Touch(d, n, p, rate, (v[0] + rate * n[0], v[1] + rate * n[1], v[2] + rate * n[2]))


@kernel
def _normal(f, onset, touch):
    """Force [N] of the law, its elastic part [N], and the energy of the spring [J]."""
    k, n, c, e = f[F.stiffness], f[F.exponent], f[F.damping], f[F.restitution]
    return normal_force(int(f[F.law]), k, n, c, e, onset, -touch.d, touch.rate)


@kernel
def _pull(f, RA, x, v):
    """What the sticking spring and its damper hold against [N], in W: three floats."""
    sx, sy, sz = rotate(RA, x[STRETCH], x[STRETCH + 1], x[STRETCH + 2])
    k, c = f[F.shear_stiffness], f[F.shear_damping]
    return k * sx + c * v[0], k * sy + c * v[1], k * sz + c * v[2]


@kernel
def _friction(f, RA, x, force, v, dx, power):
    """Force on the ball along the surface [N]: three floats. Books its power, and stretches the spring."""
    kind, speed = int(f[F.friction]), _size(v)
    if kind == REGULARISED:
        g = f[F.mu] * force / math.sqrt(speed * speed + f[F.slip_speed] * f[F.slip_speed])
        power[2] += g * speed * speed
        return -g * v[0], -g * v[1], -g * v[2]
    if x[SLIPS] == SLIP:
        g, e = f[F.mu] * force, (x[AIM], x[AIM + 1], x[AIM + 2])
        power[2] += g * _dot(e, v)
        return -g * e[0], -g * e[1], -g * e[2]
    t = _pull(f, RA, x, v)
    damped = f[F.shear_damping] * speed * speed
    power[1] += _dot(t, v) - damped
    power[2] += damped
    dx[STRETCH], dx[STRETCH + 1], dx[STRETCH + 2] = _back(RA, v[0], v[1], v[2])
    return -t[0], -t[1], -t[2]


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """The law and the friction of pairs that touch."""
    for r in range(p.i.shape[0]):
        f, a, b, xr, dxr, yr = p.f[r], p.i[r, 0], p.i[r, 1], part(x, N * r, N), part(dx, N * r, N), part(y, 3 * r, 3)
        for j in range(N):
            dxr[j] = 0.0
        touch = touch_of(view, f, a, b)
        yr[GAP], yr[FORCE], yr[FRICTION] = touch.d, 0.0, 0.0
        if xr[MODE] != TOUCHING:
            continue
        force, spring, _ = _normal(f, xr[ONSET], touch)
        power[1] += spring * touch.rate
        power[2] += (force - spring) * touch.rate
        tx, ty, tz = 0.0, 0.0, 0.0
        if int(f[F.friction]) != SMOOTH:
            tx, ty, tz = _friction(f, view.xmat[a], xr, force, touch.v, dxr, power)
        yr[FORCE], yr[FRICTION] = force, math.sqrt(tx * tx + ty * ty + tz * tz)
        n, at = touch.n, touch.p
        add_pair(view, wrench, a, b, at[0], at[1], at[2], force * n[0] + tx, force * n[1] + ty, force * n[2] + tz)


@kernel
def guard(t, p, x, u, view, g):
    """Gap of what is open, force of what touches, and of friction what is left before it slips, or its speed."""
    for r in range(p.i.shape[0]):
        f, a, xr, gr = p.f[r], p.i[r, 0], part(x, N * r, N), part(g, 3 * r, 3)
        touch = touch_of(view, f, a, p.i[r, 1])
        gr[GAP], gr[FORCE], gr[FRICTION] = touch.d, 1.0, 1.0
        if xr[MODE] == OPEN:
            continue
        force = _normal(f, xr[ONSET], touch)[0]
        gr[FORCE] = force
        if xr[MODE] == LEAVING:
            continue
        gr[GAP] = 1.0
        if int(f[F.friction]) != STICKING:
            continue
        if xr[SLIPS] == SLIP:
            gr[FRICTION] = _dot(touch.v, (xr[AIM], xr[AIM + 1], xr[AIM + 2]))
        else:
            gr[FRICTION] = f[F.mu] * force - _size(_pull(f, view.xmat[a], xr, touch.v))


@kernel
def _aim(x, v):
    """Let the slip point along v."""
    size = _size(v)
    for j in range(3):
        x[AIM + j] = v[j] / size


@kernel
def _book_stored(booked, energy):
    """Energy that goes from heat into a spring; negative: back."""
    booked[BOOK.energy_stored] += energy
    booked[BOOK.heat] -= energy


@kernel
def _let_go(f, x, booked):
    """The spring that sticks loses what it holds."""
    _book_stored(booked, -0.5 * f[F.shear_stiffness] * (x[STRETCH] ** 2 + x[STRETCH + 1] ** 2 + x[STRETCH + 2] ** 2))
    for j in range(3):
        x[STRETCH + j] = 0.0


@kernel
def _begin(f, x, touch):
    """First touch; a ball that moves along the surface slips at once, for the force begins at nothing."""
    x[MODE], x[ONSET], x[SLIPS] = TOUCHING, touch.rate, STICK
    if int(f[F.friction]) == STICKING and _size(touch.v) > 0.0:
        x[SLIPS] = SLIP
        _aim(x, touch.v)


@kernel
def _hold(f, RA, x, force, booked):
    """The slip ends: the spring takes over with the force that there was."""
    s = f[F.mu] * force / f[F.shear_stiffness]
    x[SLIPS] = STICK
    x[STRETCH], x[STRETCH + 1], x[STRETCH + 2] = _back(RA, s * x[AIM], s * x[AIM + 1], s * x[AIM + 2])
    _book_stored(booked, 0.5 * f[F.shear_stiffness] * s * s)


@kernel
def settle(t, p, x, u, view, answer, crossed, tau, wrench, booked):
    """Touch, part, slip, stick. A pair that is found inside, at the start or after a jump, touches from then on."""
    for r in range(p.i.shape[0]):
        f, a, xr, cross = p.f[r], p.i[r, 0], part(x, N * r, N), part(crossed, 3 * r, 3)
        touch = touch_of(view, f, a, p.i[r, 1])
        sticking = int(f[F.friction]) == STICKING
        if xr[MODE] == OPEN and cross[GAP] >= 0 and touch.d >= 0.0:
            continue
        force, _, stored = _normal(f, touch.rate if xr[MODE] == OPEN else xr[ONSET], touch)
        if xr[MODE] == OPEN:
            if cross[GAP] < 0 or force > 0.0:
                _begin(f, xr, touch)
            else:
                xr[MODE] = LEAVING
            continue
        if xr[MODE] == LEAVING:
            if cross[FORCE] > 0:  # pressed in again before it was out
                _book_stored(booked, stored)
                _begin(f, xr, touch)
            elif touch.d >= 0.0:
                xr[MODE] = OPEN
        elif cross[FORCE] < 0:
            _book_stored(booked, -stored)
            if sticking:
                _let_go(f, xr, booked)
            xr[MODE] = LEAVING if touch.d < 0.0 else OPEN
        elif sticking and xr[SLIPS] == STICK and cross[FRICTION] < 0:
            xr[SLIPS] = SLIP
            _aim(xr, _pull(f, view.xmat[a], xr, touch.v))
            _let_go(f, xr, booked)
        elif sticking and xr[SLIPS] == SLIP:
            if cross[FRICTION] < 0:
                _hold(f, view.xmat[a], xr, force, booked)
            elif _dot(touch.v, (xr[AIM], xr[AIM + 1], xr[AIM + 2])) < STRAIGHT * _size(touch.v):
                _aim(xr, touch.v)


CONTACT = Bank(
    "contact",
    stage,
    COLUMNS,
    references={"a": Body, "b": Body},
    states=STATES,
    outputs=(
        Column("gap", "m", meaning="between ball and surface; negative: penetration"),
        Column("force", "N", meaning="along the normal, from the surface on the ball"),
        Column("friction_force", "N", meaning="size of the force along the surface"),
    ),
    guard=guard,
    settle=settle,
    guards=("gap", "force", "friction"),
)
