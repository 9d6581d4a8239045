"""A contact that goes on over the border of two modules: the pair of the next module takes it over as it is."""

from __future__ import annotations

from freefloat.kernels.contact_pairs import dot, touch_of
from freefloat.kernels.contact_row import (
    FIRST,
    HIDDEN,
    LEAVING,
    OPEN,
    SMOOTH_STATES,
    STICKING,
    TOUCHING,
    A,
    B,
    F,
    K,
    N,
)
from freefloat.kernels.jit import kernel

INSIDE = 1e-9  # [m] a pair that begins deeper did not come from outside
ALIKE = 1.0 - 1e-9  # cosine of the angle between the normals of two modules that are flush


@kernel
def states_of(f):
    """How many states a row has."""
    return N if int(f[F.friction]) == STICKING else SMOOTH_STATES


@kernel
def begins_inside(touch, crossed):
    """Whether a pair begins inside, so that no speed of approach is known."""
    return crossed and touch.d < -INSIDE


@kernel
def _same(p, q, r):
    """Whether two rows are the same shape of B on modules of A, with one law."""
    f, g, i, k = p.f[q], p.f[r], p.i[q], p.i[r]
    same = i[A] == k[A] and i[B] == k[B] and f[F.stiffness] == g[F.stiffness] and f[F.mu] == g[F.mu]
    same = same and f[F.friction] == g[F.friction]
    for j in range(3):
        same = same and f[F.p_BC + j] == g[F.p_BC + j]
    return same


@kernel
def take_over(p, x, u, view, crossed):
    """Pairs of modules that begin inside get all that the neighbour's has which touched so far, and which lets go."""
    here = 0
    for q in range(p.i.shape[0]):
        mine, n = here, states_of(p.f[q])
        here += n
        if crossed[2 * q + FIRST] >= 0 or p.i[q, HIDDEN] < 0 or p.kept[q, K.mode] != OPEN:
            continue
        touch = touch_of(view, p.f[q], p.i[q], u)
        if touch.off or not begins_inside(touch, True):
            continue
        there = 0
        for r in range(p.i.shape[0]):
            its, there = there, there + states_of(p.f[r])
            if r == q or p.kept[r, K.mode] != TOUCHING or p.i[r, HIDDEN] < 0 or not _same(p, q, r):
                continue
            other = touch_of(view, p.f[r], p.i[r], u)
            if dot(touch.n, other.n) < ALIKE or abs(touch.d - other.d) > INSIDE:
                continue
            for j in range(n):
                x[mine + j], x[its + j] = x[its + j], 0.0
            for j in range(p.kept.shape[1]):
                p.kept[q, j] = p.kept[r, j]
            p.kept[r, K.mode] = OPEN if other.off else LEAVING
            crossed[2 * q + FIRST] = crossed[2 * r + FIRST] = 0
            break
