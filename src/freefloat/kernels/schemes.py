"""The schemes: one trial step of RK4 or Dormand-Prince 5(4), with the error of the pair and its continuous extension.

Orientations are advanced in the Lie algebra: a stage's rotation increment th obeys th' = dexpinv(th) w with the body
rate w (Munthe-Kaas 1999); without it the order falls to two. Dormand & Prince 1980; the continuous extension is
Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, II.6.
"""

from __future__ import annotations

import math

import numpy as np

from freefloat.cmujoco import mj_integratePos
from freefloat.kernels import handle as H
from freefloat.kernels.audit_layout import N_AUDIT
from freefloat.kernels.fast_states import advance_banks, hand_over, put_new_states
from freefloat.kernels.handle import address, ivec, local, mat, part, vec
from freefloat.kernels.jit import kernel
from freefloat.kernels.plant import evaluate_forces, evaluate_state

RK4, DOPRI5, DOPRI54 = range(3)
# SETTINGS: [method, step, rtol, atol, largest step]; STEPPER: [next step, last error]
METHOD, STEP, RTOL, ATOL, MAX_STEP = range(5)


_C = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
_A = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
_E = np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
# continuous extension: weights b_i(s) = sum_j _P[i, j] s^(j + 1)
_P = np.array(
    [
        [1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0, 0, 0, 0],
        [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ]
)


@kernel
def apply_increment(h, x0, delta, out):
    """out = x0 moved by the tangent increment delta."""
    size = ivec(h, H.SIZES)
    nq, nv = size[H.NQ], size[H.NV]
    for i in range(nq):
        out[i] = x0[i]
    mj_integratePos(address(h, H.MODEL), out.ctypes.data, delta.ctypes.data, 1.0)
    n = x0.shape[0] - nq
    start, change, end = part(x0, nq, n), part(delta, nv, n), part(out, nq, n)
    for i in range(n):
        end[i] = start[i] + change[i]


@kernel
def correct_rotations(h, k, delta):
    """k_th = w + th x w / 2 + (1/12 + th^2/720) th x (th x w) for every free joint, th its increment in delta."""
    dofs = ivec(h, H.QUAT_DOF)
    for n in range(dofs.shape[0]):
        i = dofs[n]
        a, b, c = delta[i], delta[i + 1], delta[i + 2]
        x, y, z = k[i], k[i + 1], k[i + 2]
        f = 1.0 / 12.0 + (a * a + b * b + c * c) / 720.0
        p, q, r = b * z - c * y, c * x - a * z, a * y - b * x
        k[i] = x + 0.5 * p + f * (b * r - c * q)
        k[i + 1] = y + 0.5 * q + f * (c * p - a * r)
        k[i + 2] = z + 0.5 * r + f * (a * q - b * p)


@kernel
def _stage(h, t, dt, s, k):
    """Derivative at the trial state XT of increment DELTA, in the algebra; s (0 to 1) is its place in the step."""
    if ivec(h, H.SIZES)[H.NADVANCE] > 0:
        hand_over(h, s)
    ivec(h, H.PHASE)[H.INSIDE] = 1
    apply_increment(h, vec(h, H.X0), vec(h, H.DELTA), vec(h, H.XT))
    evaluate_state(h, vec(h, H.XT))
    evaluate_forces(h, t + s * dt, vec(h, H.XT), k)
    correct_rotations(h, k, vec(h, H.DELTA))


@kernel
def _rk4_trial(h, t, dt):
    """Fourth-order step from X0 with derivative K[0]: the new state in XT."""
    K, delta = mat(h, H.K), vec(h, H.DELTA)
    n = delta.shape[0]
    for i in range(n):
        delta[i] = 0.5 * dt * K[0, i]
    _stage(h, t, dt, 0.5, K[1])
    for i in range(n):
        delta[i] = 0.5 * dt * K[1, i]
    _stage(h, t, dt, 0.5, K[2])
    for i in range(n):
        delta[i] = dt * K[2, i]
    _stage(h, t, dt, 1.0, K[3])
    for i in range(n):
        delta[i] = dt / 6.0 * (K[0, i] + 2.0 * (K[1, i] + K[2, i]) + K[3, i])
    apply_increment(h, vec(h, H.X0), delta, vec(h, H.XT))


@kernel
def _dopri_trial(h, t, dt):
    """Fifth-order step from X0 with derivative K[0]: the new state in XT, increment in DELTA, K[1..5] filled."""
    K, delta = mat(h, H.K), vec(h, H.DELTA)
    n = delta.shape[0]
    for s in range(1, 7):
        for i in range(n):
            total = 0.0
            for j in range(s):
                total += _A[s, j] * K[j, i]
            delta[i] = dt * total
        if s < 6:
            _stage(h, t, dt, _C[s], K[s])
    apply_increment(h, vec(h, H.X0), delta, vec(h, H.XT))


@kernel
def trial(h, t, dt):
    """A step from X0, at which everything is evaluated: the new state in XT."""
    fast = ivec(h, H.SIZES)[H.NADVANCE] > 0
    if fast:
        advance_banks(h, t, dt)
    if vec(h, H.SETTINGS)[METHOD] == RK4:
        _rk4_trial(h, t, dt)
    else:
        _dopri_trial(h, t, dt)
    ivec(h, H.PHASE)[H.INSIDE] = 0
    if fast:
        put_new_states(h, vec(h, H.XT))


@kernel
def trial_again(h, t, dt):
    """`trial` after another one has left its own evaluation behind; banks that advance need that of X0."""
    if ivec(h, H.SIZES)[H.NADVANCE] > 0:
        evaluate_state(h, vec(h, H.X0))
        evaluate_forces(h, t, vec(h, H.X0), mat(h, H.K)[0])
    trial(h, t, dt)


@kernel
def error_norm(h, dt):
    """RMS of the embedded error over its tolerance; the audit integrals do not steer the step."""
    size = ivec(h, H.SIZES)
    nq, nv = size[H.NQ], size[H.NV]
    settings = vec(h, H.SETTINGS)
    rtol, atol = settings[RTOL], settings[ATOL]
    K, x0, xt = mat(h, H.K), vec(h, H.X0), vec(h, H.XT)
    n = size[H.NT] - N_AUDIT
    span = 1.0
    for i in range(nq):
        span = max(span, abs(xt[i]))
    total = 0.0
    for i in range(n):
        error = 0.0
        for s in range(7):
            error += _E[s] * K[s, i]
        size_i = span if i < nv else max(abs(x0[nq - nv + i]), abs(xt[nq - nv + i]))
        ratio = dt * error / (atol + rtol * size_i)
        total += ratio * ratio
    return math.sqrt(total / max(n, 1))


@kernel
def interpolate(h, dt, s, x):
    """x = the state at the place s (0 to 1) of a step of the pair from X0; DELTA is scratch."""
    K, delta = mat(h, H.K), vec(h, H.DELTA)
    weight = local(7)
    for i in range(7):
        weight[i] = dt * s * (_P[i, 0] + s * (_P[i, 1] + s * (_P[i, 2] + s * _P[i, 3])))
    for i in range(delta.shape[0]):
        total = 0.0
        for j in range(7):
            total += weight[j] * K[j, i]
        delta[i] = total
    apply_increment(h, vec(h, H.X0), delta, x)
