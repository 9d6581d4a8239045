"""Pairs of the impulse law that meet: velocities jump."""

from __future__ import annotations

import math

from freefloat.kernels import impact
from freefloat.kernels.contact_borders import states_of
from freefloat.kernels.contact_laws import IMPULSE
from freefloat.kernels.contact_pairs import dot, room, touch_of
from freefloat.kernels.contact_row import OPEN, PARTED, SMOOTH, TOUCHED, A, B, F, K, N, X
from freefloat.kernels.handle import local, part
from freefloat.kernels.jit import kernel
from freefloat.kernels.notes import note
from freefloat.kernels.view import add_pair

TOGETHER = 1e-9  # [m] pairs nearer than this take part in the same impact
ELASTIC, SWEEPS = 50, 200  # sweeps over the pairs of an impact: with their restitution, and in all, at most


@kernel
def give_impulses(t, p, x, u, view, answer, wrench):
    """Impulses of pairs that meet, one after the other, until none approaches faster than its `rest_speed`.

    Where they go on and on (a light body between heavy ones), no speed comes back after a while.
    """
    h, mobility = answer.h, local(9)
    impact.clear(h)
    for sweep in range(SWEEPS):
        any_hit, first = False, 0
        for r in range(p.i.shape[0]):
            f, i, k = p.f[r], p.i[r], p.kept[r]
            xr, first = part(x, first, N), first + states_of(f)
            if int(f[F.law]) != IMPULSE or k[K.mode] != OPEN or room(view, f, i[A], i[B]) > TOGETHER:
                continue
            touch = touch_of(view, f, i, u)
            if touch.off or touch.d > TOGETHER:
                continue
            impact.mobility(h, i[A], i[B], touch.p, mobility)
            n, more = touch.n, impact.changed(h)
            v = (
                touch.v[0] - touch.rate * n[0] + more[0],
                touch.v[1] - touch.rate * n[1] + more[1],
                touch.v[2] - touch.rate * n[2] + more[2],
            )
            approach = -dot(v, n)
            if approach <= f[F.rest_speed]:
                continue
            any_hit = True
            e, mu = f[F.restitution] if sweep < ELASTIC else 0.0, 0.0 if int(f[F.friction]) == SMOOTH else f[F.mu]
            P, lost = impact.passive_impulse(mobility, v, n, e, mu)
            impact.give(h, P)
            add_pair(view, wrench, i[A], i[B], touch.p[0], touch.p[1], touch.p[2], P[0], P[1], P[2])
            if k[K.began] != t:
                k[K.began], k[K.onset_speed], xr[X.impulse], xr[X.lost] = t, approach, 0.0, 0.0
            xr[X.impulse] += dot(P, n)
            xr[X.lost] += lost
        if not any_hit:
            break
    first = 0
    for r in range(p.i.shape[0]):
        f, k = p.f[r], p.kept[r]
        xr, first = part(x, first, N), first + states_of(f)
        if int(f[F.law]) == IMPULSE and k[K.mode] == OPEN and k[K.began] == t and xr[X.impulse] > 0.0:
            note(answer, t, r, TOUCHED, k[K.onset_speed], 0.0, 0.0, 0.0, 0.0, 0.0)
            note(answer, t, r, PARTED, t, k[K.onset_speed], math.nan, xr[X.impulse], 0.0, xr[X.lost])
