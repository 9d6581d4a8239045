"""States faster than the step: how a bank's `advance` is called, and what the stages get of the forces it carries.

`advance` runs once per trial step, from the state at its start. Of every force that it carries it leaves the impulse
I = integral of f and the first moment D = integral of (h - s) f over the step. The stages get the quadratic
f(s) = f0 + a s + b s^2, s from 0 to 1, that begins at the true force and has both: with A = I/h - f0 and
B = D/h^2 - f0/2, a = 24 B - 6 A and b = 3 A - 1.5 a. Any scheme of order three or more integrates it exactly, so the
plant gets the whole impulse at the right time; what is left is the answer of the bodies within the step: second order.
"""

from __future__ import annotations

import numpy as np

from freefloat.cmujoco import mj_solveM
from freefloat.kernels import handle as H
from freefloat.kernels.acceleration import spatial_accelerations
from freefloat.kernels.audit_layout import N_AUDIT
from freefloat.kernels.banks import N_BANKS, T, dispatcher, rows_of
from freefloat.kernels.handle import address, i32, imat, ivec, mat, mat_at, part, vec
from freefloat.kernels.jit import kernel
from freefloat.kernels.plant import make_view
from freefloat.kernels.projection import project_change
from freefloat.kernels.verbs import call_advance, note_raised
from freefloat.kernels.view import Answer, rotate

_advance_of = dispatcher("advance")


@kernel
def _unit_turns(h):
    """Rows of UNIT_EFFORTS that stand for a unit torque on a body: what it does at each joint below which it hangs."""
    turns, table = imat(h, H.TURNS), imat(h, H.BANK_TABLE)
    efforts, xmat, cdof = mat(h, H.UNIT_EFFORTS), mat(h, H.XMAT), mat(h, H.CDOF)
    parent, adr, num = i32(h, H.BODY_PARENT), i32(h, H.BODY_DOF_ADR), i32(h, H.BODY_DOF_NUM)
    for n in range(turns.shape[0]):
        row, b, B, r, c = efforts[turns[n, 0]], turns[n, 1], table[turns[n, 2]], turns[n, 3], turns[n, 4]
        f = mat_at(B[T.f], r + 1, B[T.f_columns])[r]
        ax, ay, az = rotate(xmat[b], f[c], f[c + 1], f[c + 2])
        for i in range(row.shape[0]):
            row[i] = 0.0
        while b > 0:
            for i in range(adr[b], adr[b] + num[b]):
                row[i] = ax * cdof[i, 0] + ay * cdof[i, 1] + az * cdof[i, 2]
            b = parent[b]


@kernel
def find_answers(h):
    """Accelerations of bodies and columns of M^-1 at the state that was evaluated last."""
    phase = ivec(h, H.PHASE)
    if phase[H.ANSWERED] == 1:
        return
    spatial_accelerations(h, 1.0)
    n = mat(h, H.ANSWERS).shape[0]
    if n > 0:
        m, d = address(h, H.MODEL), address(h, H.DATA)
        _unit_turns(h)
        mj_solveM(m, d, address(h, H.ANSWERS), address(h, H.UNIT_EFFORTS), np.int32(n))
        if ivec(h, H.SIZES)[H.NROWS] > 0:
            for c in range(n):  # what constraints answer
                project_change(h, mat(h, H.ANSWERS)[c])
    phase[H.ANSWERED] = 1


@kernel
def answer_of(h, table, b):
    """What bank b gets of the answers."""
    nv, B = ivec(h, H.SIZES)[H.NV], table[b]
    minv = mat_at(address(h, H.ANSWERS) + 8 * nv * B[T.answer], B[T.answers], nv)
    efforts = mat_at(address(h, H.UNIT_EFFORTS) + 8 * nv * B[T.answer], B[T.answers], nv)
    return Answer(vec(h, H.QACC), mat(h, H.CACC), minv, efforts, h, b)


@kernel
def advance_banks(h, t, dt):
    """Run `advance` over the step dt from the state X0, at which everything is evaluated."""
    size = ivec(h, H.SIZES)
    z0 = size[H.NQ] + size[H.NV]
    x0, new, booked, u = vec(h, H.X0), vec(h, H.NEW_STATES), vec(h, H.BOOKED), vec(h, H.U)
    forces, course = vec(h, H.CARRIED), mat(h, H.COURSE)
    booked[:] = 0.0
    for i in range(size[H.NZ]):
        new[i] = x0[z0 + i]
    for c in range(forces.shape[0]):
        course[0, c], course[1, c], course[2, c] = forces[c], 0.0, 0.0
    find_answers(h)
    view = make_view(h)
    table = imat(h, H.BANK_TABLE)
    for b in range(N_BANKS + size[H.NOWN]):
        B = table[b]
        if B[T.advances] == 0 or B[T.rows] == 0:
            continue
        p, answer = rows_of(h, table, b), answer_of(h, table, b)
        xb, newb = part(x0, z0 + B[T.state], B[T.states]), part(new, B[T.state], B[T.states])
        impulse, moment = part(course[1], B[T.force], B[T.forces]), part(course[2], B[T.force], B[T.forces])
        if b < N_BANKS:
            _advance_of(b, t, dt, p, xb, u, view, answer, newb, impulse, moment, booked)
        else:
            note_raised(
                h, b, call_advance(B[T.call_advance], (t, dt, p, xb, u, view, answer, newb, impulse, moment, booked))
            )
    for c in range(forces.shape[0]):
        A = course[1, c] / dt - course[0, c]
        D = course[2, c] / (dt * dt) - 0.5 * course[0, c]
        course[1, c] = 24.0 * D - 6.0 * A
        course[2, c] = 3.0 * A - 1.5 * course[1, c]


@kernel
def hand_over(h, s):
    """Give the stages the carried forces at the place s (0 to 1) of the step."""
    forces, course = vec(h, H.CARRIED), mat(h, H.COURSE)
    for c in range(forces.shape[0]):
        forces[c] = course[0, c] + s * (course[1, c] + s * course[2, c])


@kernel
def put_new_states(h, x):
    """Put what `advance` left into the state x at the end of the step."""
    size = ivec(h, H.SIZES)
    z0 = size[H.NQ] + size[H.NV]
    new, fast, booked = vec(h, H.NEW_STATES), ivec(h, H.FAST), vec(h, H.BOOKED)
    for n in range(fast.shape[0]):
        x[z0 + fast[n]] = new[fast[n]]
    for j in range(N_AUDIT):
        x[x.shape[0] - N_AUDIT + j] += booked[j]
