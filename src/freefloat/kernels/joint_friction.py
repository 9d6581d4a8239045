"""Bank: dry friction of joints that have no drive. A row is LuGre friction on one joint's own rate.

The bristle is a fast state. A sub-step d is an implicit midpoint rule in the rates; with the rate v of the middle and
c = s0 |v| / g, a bristle goes in each half to e z + (1 - e) / c v, e = exp(-c d / 2), which is exact. So the friction
of the middle is F = push + drag v. All joints answer at once, as M^-1 says: with S = sqrt(drag), y = S v and q'' but
for friction a, (1 + d/2 S M^-1 S) y = S (v0 + d/2 (a - M^-1 push)), which is positive definite: stiff bristles on
light links are no matter. A second pass has |v| and g of the first. A sub-step balances its energy; second order.
"""

from __future__ import annotations

import math

from freefloat.kernels import lugre
from freefloat.kernels.audit_layout import BOOK
from freefloat.kernels.bank import Bank, Column, Rate, State, places
from freefloat.kernels.jit import inlined_kernel, kernel
from freefloat.kernels.view import carried

COLUMNS = (
    Column("coulomb", "N m or N", meaning="0: viscous friction only"),
    Column("stiction", "N m or N", meaning="at least that of Coulomb"),
    Column("stribeck", "rad/s or m/s", default=0.01),
    Column("exponent", default=2.0),
    Column("viscous", "N m s/rad or N s/m", default=0.0),
    Column("bristle_stiffness", "N m/rad or N/m"),
    Column("bristle_damping", "N m s/rad or N s/m"),
    Column("substeps", default=10.0),
)
F = places(COLUMNS)
WORK = tuple(
    Column(n)
    for n in (
        "rate",
        "free",  # q'' but for friction
        "middle",  # rate of the middle
        "push",  # F = push + drag v
        "drag",
        "root",  # of drag
        "y",
    )
)
W = places(WORK)
N_WORK = len(WORK)  # rows of scratch before the square matrices
PASSES = 2


@inlined_kernel
def _limit(f, v):
    """g(v) [N m or N]."""
    if f[F.stiction] == f[F.coulomb]:
        return f[F.coulomb]
    return f[F.coulomb] + lugre.stribeck(f[F.coulomb], f[F.stiction], f[F.stribeck], f[F.exponent], v)[0]


@inlined_kernel
def _decay(f, v, time):
    """c = s0 |v| / g, and e and (1 - e) / c of the bristle after `time`."""
    c = f[F.bristle_stiffness] * abs(v) / _limit(f, v)
    lost = -math.expm1(-c * time)
    return c, 1.0 - lost, lost / c if c * time > 1e-12 else time


@inlined_kernel
def _force(f, v, z):
    """F [N m or N] against the motion."""
    force = f[F.viscous] * v
    if f[F.coulomb] > 0.0:
        s0 = f[F.bristle_stiffness]
        force += s0 * z + f[F.bristle_damping] * (v - s0 * abs(v) / _limit(f, v) * z)
    return force


@kernel
def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    """tau = -F. `advance` books the heat."""
    for r in range(p.i.shape[0]):
        dof = p.i[r, 0]
        true = -_force(p.f[r], view.qvel[dof], x[r]) if p.inside == 0 else 0.0
        effort = carried(p, r, true)
        tau[dof] += effort
        y[r] = effort


@inlined_kernel
def _linear(d, p, z, r):
    """push and drag of row r, with |v| and g as its rate of the middle says."""
    f, w = p.f[r], p.work
    push, drag = 0.0, f[F.viscous]
    if f[F.coulomb] > 0.0:
        s0, s1 = f[F.bristle_stiffness], f[F.bristle_damping]
        c, e, grown = _decay(f, w[W.middle, r], 0.5 * d)
        push = (s0 - s1 * c) * e * z
        drag += s0 * grown + s1 * e
    w[W.push, r], w[W.drag, r], w[W.root, r] = push, drag, math.sqrt(drag)


@inlined_kernel
def _solve(d, p, answer):
    """y of all rows by Cholesky's factors."""
    w, n = p.work, p.i.shape[0]
    for r in range(n):
        row, dof, total = w[N_WORK + r], p.i[r, 0], w[W.free, r]
        for c in range(n):
            total -= answer.minv[c, dof] * w[W.push, c]
        y = w[W.root, r] * (w[W.rate, r] + 0.5 * d * total)
        for c in range(r + 1):
            other = w[N_WORK + c]
            entry = 0.5 * d * w[W.root, r] * answer.minv[c, dof] * w[W.root, c] + (1.0 if r == c else 0.0)
            for k in range(c):
                entry -= row[k] * other[k]
            row[c] = math.sqrt(entry) if r == c else entry / other[c]
        for c in range(r):
            y -= row[c] * w[W.y, c]
        w[W.y, r] = y / row[r]
    for r in range(n - 1, -1, -1):
        y = w[W.y, r]
        for k in range(r + 1, n):
            y -= w[N_WORK + k, r] * w[W.y, k]
        w[W.y, r] = y / w[N_WORK + r, r]


@inlined_kernel
def _answer(d, p, answer):
    """Rates of the middle under the friction that was found."""
    w, n = p.work, p.i.shape[0]
    for r in range(n):
        w[W.middle, r] = w[W.rate, r] + 0.5 * d * w[W.free, r]
    for c in range(n):
        force = w[W.push, c] + w[W.root, c] * w[W.y, c]
        for r in range(n):
            w[W.middle, r] -= 0.5 * d * answer.minv[c, p.i[r, 0]] * force


@inlined_kernel
def _sub_step(late, d, p, new, r, impulse, moment, booked):
    """Row r at the end of a sub-step whose middle is found."""
    f, w, z = p.f[r], p.work, new[r]
    force, middle = w[W.push, r] + w[W.root, r] * w[W.y, r], w[W.middle, r]
    impulse[r] -= d * force
    moment[r] -= d * late * force
    w[W.rate, r] = 2.0 * middle - w[W.rate, r]
    heat = d * force * middle
    if f[F.coulomb] > 0.0:
        _, e, grown = _decay(f, middle, d)
        new[r] = e * z + grown * middle
        heat -= 0.5 * f[F.bristle_stiffness] * (new[r] - z) * (new[r] + z)
    booked[BOOK.heat] += heat


@kernel
def advance(t, h, p, x, u, view, answer, new, impulse, moment, booked):
    """All frictions over the step h."""
    w, n, m = p.work, p.i.shape[0], 1
    for r in range(n):
        m = max(m, int(p.f[r, F.substeps]))
        w[W.rate, r], w[W.free, r] = view.qvel[p.i[r, 0]], answer.qacc[p.i[r, 0]]
        impulse[r] = moment[r] = 0.0
        for c in range(n):
            w[W.free, r] -= answer.minv[c, p.i[r, 0]] * p.forces[c]
    d = h / m
    for k in range(m):
        for r in range(n):
            w[W.middle, r] = w[W.rate, r]
        for _ in range(PASSES):
            for r in range(n):
                _linear(d, p, new[r], r)
            _solve(d, p, answer)
            _answer(d, p, answer)
        for r in range(n):
            _sub_step(h - (k + 0.5) * d, d, p, new, r, impulse, moment, booked)


@kernel
def stored(p, x, view, energy):
    """Energy [J] of the bristles."""
    for r in range(p.i.shape[0]):
        energy[0] += 0.5 * p.f[r, F.bristle_stiffness] * x[r] ** 2


JOINT_FRICTION = Bank(
    "joint_friction",
    stage,
    COLUMNS,
    references={"rate": Rate},
    states=(State("bristle", "rad or m", "fast", meaning="deflection of the bristles"),),
    outputs=(Column("effort", "N m or N", meaning="of the friction on the joint"),),
    advance=advance,
    stored=stored,
    carried=("friction",),
    answers=("rate",),
    work=N_WORK,
)
