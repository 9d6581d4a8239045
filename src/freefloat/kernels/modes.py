"""Modes of banks: guards whose zeros are located in compiled code, and `settle`, where modes change."""

from __future__ import annotations

import numpy as np

from freefloat.cmujoco import mj_solveM
from freefloat.kernels import handle as H
from freefloat.kernels.audit_layout import BOOK, N_AUDIT
from freefloat.kernels.banks import N_BANKS, T, dispatcher, rows_of
from freefloat.kernels.fast_states import answer_of, find_answers
from freefloat.kernels.handle import address, imat, imat_at, ivec, mat, part, vec
from freefloat.kernels.jit import kernel
from freefloat.kernels.plant import make_view, wrenches_to_efforts
from freefloat.kernels.projection import project_change, projection_work
from freefloat.kernels.verbs import call_guard, call_settle, note_raised

LARGEST_BURST = 1000  # crossings within a millisecond, and four of each guard, that mean chattering without end
BURST_SPAN = 1_000_000  # [ns]

_guard_of = dispatcher("guard")
_settle_of = dispatcher("settle")


@kernel
def _guard(h, table, b, t, x, u, view, g):
    B = table[b]
    size = ivec(h, H.SIZES)
    p, xb = rows_of(h, table, b), part(x, size[H.NQ] + size[H.NV] + B[T.state], B[T.states])
    gb = part(g, size[H.NGUARD] + B[T.guard], B[T.guards])
    if b < N_BANKS:
        _guard_of(b, t, p, xb, u, view, gb)
    else:
        note_raised(h, b, call_guard(B[T.call_guard], (t, p, xb, u, view, gb)))


@kernel
def bank_guards(h, x, g, changed):
    """Guard values of banks into g, behind those of events; with `changed`, of banks only whose states changed."""
    table, u, view = imat(h, H.BANK_TABLE), vec(h, H.U), make_view(h)
    for b in range(table.shape[0]):
        if table[b, T.guards] > 0 and table[b, T.rows] > 0 and (not changed or table[b, T.changed] == 1):
            _guard(h, table, b, vec(h, H.FRACTION)[1], x, u, view, g)


@kernel
def mark_crossed(h, before, after):
    """CROSSED of every bank guard: +1 rising through zero, -1 falling, 0 neither; returns how many crossed."""
    size, mark = ivec(h, H.SIZES), ivec(h, H.CROSSED)
    n, count = size[H.NGUARD], 0
    for g in range(size[H.NBANKGUARD]):
        a, b = before[n + g], after[n + g]
        mark[g] = ((a < 0.0) & (b >= 0.0)) - np.int64((a > 0.0) & (b <= 0.0))
        count += abs(mark[g])
    return count


@kernel
def _bits(tau, wrench):
    """A number that changes when an impulse is added: all words, mixed in order by an odd factor."""
    total = np.int64(0)
    for words in (imat_at(tau.ctypes.data, 1, tau.size), imat_at(wrench.ctypes.data, 1, wrench.size)):
        for i in range(words.shape[1]):
            total = (total ^ words[0, i]) * 1099511628211
    return total


@kernel
def _jolt(h, x):
    """Change the velocities by the impulses that banks left; returns whether there were any. Books what they did.

    M dv = tau + J^T wrench, less what constraints take. The work of the impulses, their product with the mean of the
    velocities before and after, leaves the heat: an impact that only loses energy heats.
    """
    tau, wrench, dv = vec(h, H.JOLT_TAU), mat(h, H.JOLT), vec(h, H.RHS)
    size, booked = ivec(h, H.SIZES), vec(h, H.BOOKED)
    nq, nv = size[H.NQ], size[H.NV]
    any_wrench, any_tau = False, False
    for b in range(wrench.shape[0]):
        for j in range(6):
            any_wrench |= wrench[b, j] != 0.0
    for i in range(nv):
        any_tau |= tau[i] != 0.0
    if not any_wrench and not any_tau:
        return False
    if any_wrench:
        wrenches_to_efforts(h, wrench, tau)
    mj_solveM(address(h, H.MODEL), address(h, H.DATA), address(h, H.RHS), address(h, H.JOLT_TAU), np.int32(1))
    if size[H.NROWS] > 0:
        project_change(h, dv)
    mean = vec(h, H.JOLT_MEAN)
    for i in range(nv):
        mean[i] = x[nq + i] + 0.5 * dv[i]
        booked[BOOK.heat] -= tau[i] * mean[i]
        x[nq + i] += dv[i]
    if size[H.NROWS] > 0:
        welds = 6 * size[H.NWELD]
        imposed = welds + imat(h, H.IMPOSED).shape[0]
        booked[BOOK.constraint_work] += projection_work(h, mean, 0, welds)
        booked[BOOK.constraint_work] += projection_work(h, mean, imposed, size[H.NROWS])
        booked[BOOK.work_supplied] += projection_work(h, mean, welds, imposed)
    inside = wrench.shape[0] - 1
    for j in range(3):
        booked[BOOK.impulse + j] -= wrench[0, 3 + j]
        booked[BOOK.angular_impulse + j] -= wrench[0, j]
        booked[BOOK.kept + j] += wrench[inside, 3 + j]
        booked[BOOK.spin + j] += wrench[inside, j]
    return True


@kernel
def settle_banks(h, x, crossings, stepped):
    """Run `settle` of every bank at the accepted state x, which was evaluated last; returns how much of that evaluation
    is still valid: FORCES, STATE where states of banks changed, NOTHING where velocities did. Where no guard crossed,
    and no bank says that it is busy, there is nothing to do. Not `stepped`: after a change from outside or a jump of
    velocities, for built-in banks alone.
    """
    size = ivec(h, H.SIZES)
    z0 = size[H.NQ] + size[H.NV]
    table, busy = imat(h, H.BANK_TABLE), ivec(h, H.BUSY)
    due = False
    for b in range(N_BANKS + size[H.NOWN]):
        B = table[b]
        B[T.changed] = 0
        due |= B[T.settles] == 1 and B[T.rows] > 0 and (crossings > 0 or busy[b] == 1) and (stepped or b < N_BANKS)
    if not due:
        return H.FORCES
    u, view, t, kept, before = vec(h, H.U), make_view(h), vec(h, H.FRACTION)[1], vec(h, H.KEPT), vec(h, H.KEPT_BEFORE)
    tau, wrench, booked, old = vec(h, H.JOLT_TAU), mat(h, H.JOLT), vec(h, H.BOOKED), vec(h, H.NEW_STATES)
    tau[:] = 0.0
    wrench[:] = 0.0
    booked[:] = 0.0
    valid, pushes = H.FORCES, _bits(tau, wrench)
    for b in range(N_BANKS + size[H.NOWN]):
        B = table[b]
        if B[T.settles] == 0 or B[T.rows] == 0 or (b >= N_BANKS and not stepped):
            continue
        if b >= N_BANKS or B[T.answers] > 0:
            find_answers(h)
        p, answer, crossed = (
            rows_of(h, table, b),
            answer_of(h, table, b),
            part(ivec(h, H.CROSSED), B[T.guard], B[T.guards]),
        )
        xb = part(x, z0 + B[T.state], B[T.states])
        for i in range(B[T.states]):
            old[i] = xb[i]
        if B[T.deciding] > 0:
            for i in range(B[T.kept], B[T.kept] + B[T.rows] * B[T.kept_columns]):
                before[i] = kept[i]
        if b < N_BANKS:
            _settle_of(b, t, p, xb, u, view, answer, crossed, tau, wrench, booked)
        else:
            note_raised(h, b, call_settle(B[T.call_settle], (t, p, xb, u, view, answer, crossed, tau, wrench, booked)))
        for i in range(B[T.states]):
            if old[i] != xb[i]:
                B[T.changed] = 1
        for r in range(B[T.rows]):
            first = B[T.kept] + r * B[T.kept_columns]
            for i in range(first, first + B[T.deciding]):
                if before[i] != kept[i]:
                    B[T.changed] = 1
        if B[T.changed] == 1:
            valid = H.STATE
        pushed = _bits(tau, wrench)
        if pushed != pushes:
            B[T.changed] = 1
        pushes = pushed
    if _jolt(h, x):
        valid = H.NOTHING
    for j in range(N_AUDIT):
        x[x.shape[0] - N_AUDIT + j] += booked[j]
    return valid


@kernel
def chatters(h, now, count):
    """Count crossings at the instant `now` [ns]; True when there were more than LARGEST_BURST within a millisecond."""
    phase, table, mark = ivec(h, H.PHASE), imat(h, H.BANK_TABLE), ivec(h, H.CROSSED)
    if now - phase[H.SINCE] > BURST_SPAN:
        phase[H.SINCE], phase[H.CROSSINGS] = now, 0
    phase[H.CROSSINGS] += count
    if phase[H.CROSSINGS] <= LARGEST_BURST + 4 * ivec(h, H.SIZES)[H.NBANKGUARD]:
        return False
    for b in range(table.shape[0]):
        for g in range(table[b, T.guard], table[b, T.guard] + table[b, T.guards]):
            if mark[g] != 0:
                phase[H.SETTLER] = b
    return True
