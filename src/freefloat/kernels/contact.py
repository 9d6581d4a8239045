"""Bank: shapes that touch. A row is one pair, a shape S of body A and a shape C of body B.

With the gap d, the penetration x = -d and the unit normal n from A to B, a law (`contact_laws`) gives the force f
along n. Friction acts against the slip velocity v: regularised, f_t = -mu f v / sqrt(v^2 + v_s^2), or by a spring that
sticks, f_t = -k_t s - c_t v with s' = v, until |f_t| reaches mu f, and then slides, f_t = -mu f v / |v|, with the
direction of the step's start: at rest it would be undefined, and close to rest stiff. Where a slip turns, that is of
first order.

Modes are held within a step, forces are not cut off in it: touching, parting (where f falls to zero), slipping and
sticking are located as zeros of guards. What is left in a spring then becomes heat.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from freefloat.kernels.audit_layout import BOOK
from freefloat.kernels.bank import Apart, Bank, Body, Solid
from freefloat.kernels.contact_borders import begins_inside, states_of, take_over
from freefloat.kernels.contact_impulses import TOGETHER, give_impulses
from freefloat.kernels.contact_laws import IMPULSE, normal_force
from freefloat.kernels.contact_pairs import FAR, dot, follow_places, is_absent, room, size_of, touch_of
from freefloat.kernels.contact_row import (
    AIM,
    APART,
    COLUMNS,
    DECIDING,
    FIRST,
    KEPT,
    LEAVING,
    OPEN,
    OUTPUTS,
    PARTED,
    PLACE,
    REGULARISED,
    SECOND,
    SLIP,
    SMOOTH,
    STATES,
    STICK,
    STICKING,
    STRETCH,
    TOUCHED,
    TOUCHING,
    A,
    B,
    F,
    K,
    M,
    N,
    X,
)
from freefloat.kernels.handle import part
from freefloat.kernels.jit import kernel
from freefloat.kernels.notes import note
from freefloat.kernels.view import add_pair, rotate, rotate_back

STRAIGHT = 1.0 - 1e-12  # cosine of the angle by which a slip may turn before its direction follows
SHORTEST = 1e-9  # [s] between two samples of the force that a parabola is laid through


@kernel
def _normal(f, onset, touch):
    """Force [N] of the law, its elastic part [N], and the energy of the spring [J]."""
    law, k, n, c, e = int(f[F.law]), f[F.stiffness], f[F.exponent], f[F.damping], f[F.restitution]
    return normal_force(law, k, n, c, e, onset, -touch.d, touch.rate)


@kernel
def _pull(f, RA, x, touch):
    """What the sticking spring and its damper hold against along the surface of now [N], in W: three floats."""
    s, n, v = rotate(RA, x[STRETCH], x[STRETCH + 1], x[STRETCH + 2]), touch.n, touch.v
    stiffness, c, up = f[F.shear_stiffness], f[F.shear_damping], dot(s, n)
    return (
        stiffness * (s[0] - up * n[0]) + c * v[0],
        stiffness * (s[1] - up * n[1]) + c * v[1],
        stiffness * (s[2] - up * n[2]) + c * v[2],
    )


@kernel
def _friction(f, RA, x, k, force, touch, dx, power):
    """Force on B along the surface [N]: three floats. Books its power, and stretches the spring."""
    v, kind = touch.v, int(f[F.friction])
    speed = size_of(v)
    if kind == REGULARISED:
        g = f[F.mu] * force / math.sqrt(speed * speed + f[F.slip_speed] * f[F.slip_speed])
        power[2] += g * speed * speed
        dx[X.lost] += g * speed * speed
        return -g * v[0], -g * v[1], -g * v[2]
    if k[K.slip] == SLIP:
        g, e = f[F.mu] * force, (k[AIM], k[AIM + 1], k[AIM + 2])
        power[2] += g * dot(e, v)
        dx[X.lost] += g * dot(e, v)
        n, up = touch.n, dot(e, touch.n)  # the surface may have turned within the step
        return -g * (e[0] - up * n[0]), -g * (e[1] - up * n[1]), -g * (e[2] - up * n[2])
    t = _pull(f, RA, x, touch)
    damped = f[F.shear_damping] * speed * speed
    power[1] += dot(t, v) - damped
    power[2] += damped
    dx[X.lost] += damped
    dx[STRETCH], dx[STRETCH + 1], dx[STRETCH + 2] = rotate_back(RA, v[0], v[1], v[2])
    return -t[0], -t[1], -t[2]


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """The law and the friction of pairs that touch."""
    if p.inside == 1 and p.busy[0] == 0:
        return
    if p.inside == 0:
        follow_places(p, u)
    first = 0
    for r in range(p.i.shape[0]):
        f, i, k, yr = p.f[r], p.i[r], p.kept[r], part(y, M * r, M)
        xr, dxr, first = part(x, first, N), part(dx, first, N), first + states_of(f)
        if k[K.mode] != TOUCHING or i[APART] == 0:
            if p.inside == 0:
                k[K.room] = room(view, f, i[A], i[B])
                if is_absent(i, u):
                    k[K.room] = max(k[K.room], FAR)
                yr[0] = k[K.room] if k[K.room] > 0.0 else touch_of(view, f, i, u).d
                yr[1], yr[2], yr[3], yr[4], yr[5], yr[6], yr[7], yr[8] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            continue
        touch = touch_of(view, f, i, u)
        force, spring, _ = _normal(f, k[K.onset_speed], touch)
        power[1] += spring * touch.rate
        power[2] += (force - spring) * touch.rate
        dxr[X.impulse], dxr[X.lost] = force, (force - spring) * touch.rate
        tx, ty, tz = 0.0, 0.0, 0.0
        if int(f[F.friction]) != SMOOTH:
            tx, ty, tz = _friction(f, view.xmat[i[A]], xr, k, force, touch, dxr, power)
        n, at = touch.n, touch.p
        fx, fy, fz = force * n[0] + tx, force * n[1] + ty, force * n[2] + tz
        add_pair(view, wrench, i[A], i[B], at[0], at[1], at[2], fx, fy, fz)
        g = f[F.sign]
        yr[0], yr[1], yr[2] = touch.d, force, math.sqrt(tx * tx + ty * ty + tz * tz)
        yr[3], yr[4], yr[5], yr[6], yr[7], yr[8] = g * fx, g * fy, g * fz, at[0], at[1], at[2]


@kernel
def guard(t, p, x, u, view, g):
    """Gap of what is open, force of what touches, and of friction what is left before it slips, or its speed."""
    busy, first = 0, 0
    for r in range(p.i.shape[0]):
        f, i, k, gr = p.f[r], p.i[r], p.kept[r], part(g, 2 * r, 2)
        xr, first = part(x, first, N), first + states_of(f)
        gr[FIRST], gr[SECOND] = 1.0, 1.0
        if k[K.mode] == OPEN and (k[K.room] > 0.0 or i[APART] == 0):
            continue
        touch = touch_of(view, f, i, u)
        if k[K.mode] == OPEN:
            if not touch.off:
                gr[FIRST] = touch.d
                busy |= touch.d <= TOGETHER
            continue
        busy = 1
        if i[APART] == 0:
            continue
        force = _normal(f, k[K.onset_speed], touch)[0]
        gr[FIRST] = -1.0 if touch.off else force if touch.d <= 0.0 else min(force, -touch.d)
        if k[K.mode] == LEAVING:
            gr[SECOND] = touch.d
        elif int(f[F.friction]) != STICKING:
            continue
        elif k[K.slip] == SLIP:
            gr[SECOND] = dot(touch.v, (k[AIM], k[AIM + 1], k[AIM + 2]))
        else:
            pull = _pull(f, view.xmat[i[A]], xr, touch)
            if dot(pull, touch.v) > 0.0:  # else the spring relaxes, and yields at the end of a step
                gr[SECOND] = f[F.mu] * force - size_of(pull)
    p.busy[0] = busy


@kernel
def _aim(k, v):
    """Let the slip point along v."""
    size = size_of(v)
    for j in range(3):
        k[AIM + j] = v[j] / size


@kernel
def _book_stored(booked, energy):
    """Energy that goes from heat into a spring; negative: back."""
    booked[BOOK.energy_stored] += energy
    booked[BOOK.heat] -= energy


@kernel
def _let_go(f, x, booked):
    """The spring that sticks loses what it holds."""
    held = 0.5 * f[F.shear_stiffness] * (x[STRETCH] ** 2 + x[STRETCH + 1] ** 2 + x[STRETCH + 2] ** 2)
    _book_stored(booked, -held)
    x[X.lost] += held
    for j in range(3):
        x[STRETCH + j] = 0.0


@kernel
def _begin(t, f, x, k, touch, force, answer, r):
    """First touch; what moves along the surface slips at once, for the force begins at nothing."""
    k[K.mode], k[K.onset_speed], k[K.slip] = TOUCHING, touch.rate, STICK
    if int(f[F.friction]) == STICKING and size_of(touch.v) > 0.0:
        k[K.slip] = SLIP
        _aim(k, touch.v)
    x[X.impulse], x[X.lost], k[K.began], k[K.peak] = 0.0, 0.0, t, max(force, 0.0)
    k[K.deepest] = k[K.depth] = max(-touch.d, 0.0)
    k[K.t1] = k[K.t2] = t
    k[K.f1] = k[K.f2] = force
    note(answer, t, r, TOUCHED, touch.rate, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def _follow(t, k, touch, force):
    """Keep the largest force and penetration, by parabolas through what was sampled at the steps."""
    h, g = t - k[K.t1], k[K.t1] - k[K.t2]
    if h < SHORTEST:
        return
    if g > 0.0 and k[K.f1] >= force and k[K.f1] >= k[K.f2]:
        before, after = (k[K.f1] - k[K.f2]) / g, (force - k[K.f1]) / h
        bend, slope = (after - before) / (g + h), (before * h + after * g) / (g + h)
        if bend < 0.0:
            k[K.peak] = max(k[K.peak], k[K.f1] - slope * slope / (4.0 * bend))
    k[K.peak] = max(k[K.peak], force)
    bend = (k[K.depth] + touch.d + touch.rate * h) / (h * h)  # of the penetration, with its rate of now
    if bend < 0.0 and touch.rate < 0.0 and touch.rate > 2.0 * bend * h:
        k[K.deepest] = max(k[K.deepest], -touch.d - touch.rate * touch.rate / (4.0 * bend))
    k[K.deepest] = max(k[K.deepest], -touch.d)
    k[K.depth] = -touch.d
    k[K.t2], k[K.f2] = k[K.t1], k[K.f1]
    k[K.t1], k[K.f1] = t, force


@kernel
def _moved(t, f, i, k, touch, force, stored, booked):
    """Book what a surface that was put elsewhere since the last step's end has given to the spring; sample anew."""
    if i[PLACE] < 0 or t != k[K.t1] or k[K.depth] == -touch.d:
        return
    law, n, c, e = int(f[F.law]), f[F.exponent], f[F.damping], f[F.restitution]
    before = normal_force(law, f[F.stiffness], n, c, e, k[K.onset_speed], k[K.depth], 0.0)[2]
    booked[BOOK.energy_stored] += stored - before
    booked[BOOK.work_supplied] += stored - before
    k[K.depth] = -touch.d
    k[K.t2] = t
    k[K.f1] = k[K.f2] = force
    k[K.peak], k[K.deepest] = max(k[K.peak], force), max(k[K.deepest], -touch.d)


@kernel
def _part(t, f, x, k, touch, stored, booked, answer, r):
    """The force ends: what springs hold becomes heat."""
    _book_stored(booked, -stored)
    x[X.lost] += stored
    if int(f[F.friction]) == STICKING:
        _let_go(f, x, booked)
    k[K.mode] = LEAVING if touch.d < 0.0 and not touch.off else OPEN
    note(answer, t, r, PARTED, k[K.began], k[K.onset_speed], k[K.peak], x[X.impulse], k[K.deepest], x[X.lost])


@kernel
def _hold(f, RA, x, k, force, booked):
    """The slip ends: the spring takes over with the force that there was."""
    s = f[F.mu] * force / f[F.shear_stiffness]
    k[K.slip] = STICK
    x[STRETCH], x[STRETCH + 1], x[STRETCH + 2] = rotate_back(RA, s * k[AIM], s * k[AIM + 1], s * k[AIM + 2])
    held = 0.5 * f[F.shear_stiffness] * s * s
    _book_stored(booked, held)
    x[X.lost] -= held


@kernel
def _yield(f, x, share, booked):
    """The spring keeps a share of its stretch: its load has grown too large for it, but nothing slips along it."""
    before = x[STRETCH] ** 2 + x[STRETCH + 1] ** 2 + x[STRETCH + 2] ** 2
    lost = 0.5 * f[F.shear_stiffness] * before * (1.0 - share * share)
    _book_stored(booked, -lost)
    x[X.lost] += lost
    for j in range(3):
        x[STRETCH + j] *= share


@kernel
def _slip_or_stick(f, RA, x, k, touch, force, crossed, booked):
    if k[K.slip] == STICK:
        pull, most = _pull(f, RA, x, touch), f[F.mu] * force
        size = size_of(pull)
        if crossed < 0 or (size > most and dot(pull, touch.v) > 0.0):
            k[K.slip] = SLIP
            _aim(k, pull)
            _let_go(f, x, booked)
        elif size > most:
            _yield(f, x, most / size, booked)
    elif crossed < 0:
        _hold(f, RA, x, k, force, booked)
    elif dot(touch.v, (k[AIM], k[AIM + 1], k[AIM + 2])) < STRAIGHT * size_of(touch.v):
        _aim(k, touch.v)


@kernel
def _settle_open(t, f, x, k, touch, crossed, booked, answer, r):
    """A pair that is found inside, at the start or after a jump, touches from then on, if it would push."""
    force, _, stored = _normal(f, touch.rate, touch)
    if force < 0.0:
        k[K.mode] = LEAVING
        return
    if not crossed and touch.d == 0.0 and touch.rate <= 0.0:
        return
    _begin(t, f, x, k, touch, force, answer, r)
    if touch.d < 0.0 and (begins_inside(touch, crossed) or not crossed):
        k[K.onset_speed] = 0.0  # not known
    if crossed:
        _book_stored(booked, stored)
        x[X.lost] -= stored
    else:  # somebody has put it there
        booked[BOOK.energy_stored] += stored
        booked[BOOK.work_supplied] += stored


@kernel
def settle(t, p, x, u, view, answer, crossed, tau, wrench, booked):
    """Touch, part, slip, stick; and the impulses of those that meet faster than their springs are for."""
    meet, first = False, 0
    take_over(p, x, u, view, crossed)
    for r in range(p.i.shape[0]):
        f, i, k, cross = p.f[r], p.i[r], p.kept[r], part(crossed, 2 * r, 2)
        xr, first = part(x, first, N), first + states_of(f)
        if k[K.mode] == OPEN and (i[APART] == 0 or is_absent(i, u) or (cross[FIRST] >= 0 and k[K.room] > 0.0)):
            continue
        touch = touch_of(view, f, i, u)
        if k[K.mode] == OPEN:
            if not touch.off and (cross[FIRST] < 0 or touch.d <= 0.0):
                rests = 0.0 <= touch.rate <= f[F.rest_speed] or begins_inside(touch, cross[FIRST] < 0)
                if int(f[F.law]) == IMPULSE and not rests:
                    meet = meet or touch.rate > 0.0
                else:
                    _settle_open(t, f, xr, k, touch, cross[FIRST] < 0, booked, answer, r)
            continue
        force, _, stored = _normal(f, k[K.onset_speed], touch)
        if k[K.mode] == LEAVING:
            if touch.off or touch.d >= 0.0:
                k[K.mode] = OPEN
            elif i[PLACE] >= 0 and cross[FIRST] == 0 and force > 0.0:  # the surface was put nearer
                _settle_open(t, f, xr, k, touch, False, booked, answer, r)
            elif cross[FIRST] > 0:  # pressed in again before it was out
                _book_stored(booked, stored)
                _begin(t, f, xr, k, touch, force, answer, r)
            continue
        _moved(t, f, i, k, touch, force, stored, booked)
        _follow(t, k, touch, force)
        if touch.off or cross[FIRST] < 0 or force < 0.0 or touch.d > 0.0:
            _part(t, f, xr, k, touch, stored, booked, answer, r)
        elif int(f[F.friction]) == STICKING:
            _slip_or_stick(f, view.xmat[i[A]], xr, k, touch, force, cross[SECOND], booked)
    if meet:
        give_impulses(t, p, x, u, view, answer, wrench)


def _tell(kind: int, numbers: Sequence[float]) -> str:
    if kind == TOUCHED:
        return f"touch at {numbers[0]:.4g} m/s"
    _, _, peak, impulse, deepest, lost = numbers
    if math.isnan(peak):
        return f"hit: {impulse:.4g} N s, {lost:.3g} J lost"
    return f"parted: at most {peak:.4g} N, {1e3 * deepest:.3g} mm deep, {impulse:.4g} N s, {lost:.3g} J lost"


CONTACT = Bank(
    "contact",
    stage,
    COLUMNS,
    references={"a": Body, "b": Body, "apart": Apart, "solid": Solid},
    # what does not push of a module S or C (`modules`), below 0: its place is empty; pose of S in A; 0: nothing touches
    commands=("hidden", "hidden_b", "place", "gate"),
    settling=("place", "gate"),
    states=STATES,
    outputs=OUTPUTS,
    guard=guard,
    settle=settle,
    guards=("first", "second"),
    kept=KEPT,
    fewer_states=True,
    deciding=DECIDING,
    tell=_tell,
)
