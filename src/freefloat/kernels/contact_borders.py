"""A contact that goes on over the border of two modules: the pair of the next module takes it over as it is."""

from __future__ import annotations

from freefloat.kernels.contact_pairs import dot, touch_of
from freefloat.kernels.contact_row import GAP, HIDDEN, LEAVING, OPEN, TOUCHING, A, B, F, N, X
from freefloat.kernels.handle import part
from freefloat.kernels.jit import kernel

INSIDE = 1e-9  # [m] a pair that begins deeper did not come from outside
ALIKE = 1.0 - 1e-9  # cosine of the angle between the normals of two modules that are flush


@kernel
def begins_inside(touch, crossed):
    """Whether a pair begins inside, so that no speed of approach is known."""
    return crossed and touch.d < -INSIDE


@kernel
def _same(p, q, r):
    """Whether two rows are the same shape of B on modules of A, with one law."""
    f, g, i, k = p.f[q], p.f[r], p.i[q], p.i[r]
    same = i[A] == k[A] and i[B] == k[B] and f[F.stiffness] == g[F.stiffness] and f[F.mu] == g[F.mu]
    for j in range(3):
        same = same and f[F.p_BC + j] == g[F.p_BC + j]
    return same


@kernel
def take_over(p, x, u, view, crossed):
    """Pairs of modules that begin inside get all states of the neighbour's that touched so far, which lets go."""
    for q in range(p.i.shape[0]):
        mine = part(x, N * q, N)
        if crossed[3 * q + GAP] >= 0 or p.i[q, HIDDEN] < 0 or mine[X.mode] != OPEN:
            continue
        touch = touch_of(view, p.f[q], p.i[q], u)
        if touch.off or not begins_inside(touch, True):
            continue
        for r in range(p.i.shape[0]):
            its = part(x, N * r, N)
            if r == q or its[X.mode] != TOUCHING or p.i[r, HIDDEN] < 0 or not _same(p, q, r):
                continue
            other = touch_of(view, p.f[r], p.i[r], u)
            if dot(touch.n, other.n) < ALIKE or abs(touch.d - other.d) > INSIDE:
                continue
            for j in range(N):
                mine[j] = its[j]
            its[X.mode] = OPEN if other.off else LEAVING
            break
