"""Time integration of the plant: fixed-step RK4, fixed-step and adaptive Dormand-Prince 5(4), records and events.

Orientations are advanced in the Lie algebra: a stage's rotation increment th obeys th' = dexpinv(th) w with the body
rate w (Munthe-Kaas 1999); without it the order falls to two. Dormand & Prince 1980; the continuous extension is
Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, II.6.
"""

from __future__ import annotations

import math

import numpy as np

from freefloat.kernels import handle as H
from freefloat.kernels.audit_layout import N_AUDIT
from freefloat.kernels.cmujoco import mj_integratePos
from freefloat.kernels.fast_states import advance_banks, hand_over, put_new_states
from freefloat.kernels.guards import any_crossed, guard_values, mark_fired
from freefloat.kernels.handle import address, imat, ivec, local, mat, part, vec
from freefloat.kernels.jit import kernel
from freefloat.kernels.modes import bank_guards, chatters, mark_crossed, settle_banks
from freefloat.kernels.plant import evaluate_forces, evaluate_state
from freefloat.kernels.sample import next_record, record

RK4, DOPRI5, DOPRI54 = range(3)
# SETTINGS: [method, step, rtol, atol, largest step]; STEPPER: [next step, last error]
METHOD, STEP, RTOL, ATOL, MAX_STEP = range(5)

DONE, EVENT, BUFFER_FULL, DIVERGED, STEP_TOO_SMALL, PAUSED, CHATTERING, RAISED = range(8)  # what `advance` returns

SMALLEST_STEP = 1e-12  # [s]
EVENT_TOLERANCE = 1e-12  # [s] width of the bracket that holds an event

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
def _trial(h, t, dt):
    """A step from X0, at which everything is evaluated: the new state in XT."""
    fast = ivec(h, H.SIZES)[H.NADVANCE] > 0
    if fast:
        advance_banks(h, t, dt)
    if vec(h, H.SETTINGS)[METHOD] == RK4:
        _rk4_trial(h, t, dt)
    else:
        _dopri_trial(h, t, dt)
    if fast:
        put_new_states(h, vec(h, H.XT))


@kernel
def _trial_again(h, t, dt):
    """`_trial` after another one has left its own evaluation behind; banks that advance need that of X0."""
    if ivec(h, H.SIZES)[H.NADVANCE] > 0:
        evaluate_state(h, vec(h, H.X0))
        evaluate_forces(h, t, vec(h, H.X0), mat(h, H.K)[0])
    _trial(h, t, dt)


@kernel
def _after(now, part, dt, stop):
    """The instant dt after (now, part) as (whole ns, fraction in s), `stop` itself when dt reaches it."""
    if dt >= (stop - now) / 1e9 - part:
        return stop, 0.0
    whole = np.int64(math.floor((part + dt) * 1e9))
    return now + whole, max(part + dt - whole / 1e9, 0.0)


@kernel
def _evaluate_end(h, now, part):
    """Evaluate at XT, the state at (now, part): the derivative into K0 (raw), and into K[6] in this step's algebra.

    The time is made from the instant, as after a restore, and not from the step before: the bits must be the same.
    """
    xt, k0, k6 = vec(h, H.XT), vec(h, H.K0), mat(h, H.K)[6]
    evaluate_state(h, xt)
    evaluate_forces(h, now / 1e9 + part, xt, k0)
    for i in range(k0.shape[0]):
        k6[i] = k0[i]
    correct_rotations(h, k6, vec(h, H.DELTA))


@kernel
def _error_norm(h, dt):
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
def _is_finite(x):
    finite = True
    for i in range(x.shape[0]):
        finite &= abs(x[i]) < 1e150  # false for nan and inf too
    return finite


@kernel
def _locate(h, now, part, dt, stop, before):
    """Shrink dt to just past the first crossing, by bisection over repeated steps; XT and its evaluation follow."""
    t = now / 1e9 + part
    low, high = 0.0, dt
    value = vec(h, H.GUARD_NEW)
    while high - low > EVENT_TOLERANCE:
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:  # a long step has no time between the two
            break
        _trial_again(h, t, middle)
        end_now, end_part = _after(now, part, middle, stop)
        _evaluate_end(h, end_now, end_part)
        guard_values(h, vec(h, H.XT), value)
        if any_crossed(h, before, value):
            high = middle
        else:
            low = middle
    _trial_again(h, t, high)
    end_now, end_part = _after(now, part, high, stop)
    _evaluate_end(h, end_now, end_part)
    return high


@kernel
def _dense_records(h, t, dt, start, start_fraction, stop):
    """Rows due before `stop` [ns] inside an accepted step, by the continuous extension; there is room for them.

    X, DELTA and K0 serve as scratch: the caller evaluates at XT again and accepts it.
    """
    K, x0 = mat(h, H.K), vec(h, H.X0)
    x, delta, k = vec(h, H.X), vec(h, H.DELTA), vec(h, H.K0)
    weight = local(7)
    while True:
        due = next_record(h)
        if due >= stop:
            return
        s = ((due - start) / 1e9 - start_fraction) / dt
        for i in range(7):
            weight[i] = dt * s * (_P[i, 0] + s * (_P[i, 1] + s * (_P[i, 2] + s * _P[i, 3])))
        for i in range(delta.shape[0]):
            total = 0.0
            for j in range(7):
                total += weight[j] * K[j, i]
            delta[i] = total
        apply_increment(h, x0, delta, x)
        evaluate_state(h, x)
        evaluate_forces(h, t + s * dt, x, k)
        record(h, x, due)


@kernel
def _room(h, span):
    """Whether every buffer has room for the rows of the next `span` nanoseconds."""
    groups = imat(h, H.GROUPS)
    for g in range(ivec(h, H.SIZES)[H.NGROUP]):
        G = groups[g]
        if G[7] + span // G[0] + 2 > G[6]:
            return False
    return True


@kernel
def _longest_recorded_step(h):
    """Longest step [s] whose rows fit into empty buffers."""
    groups = imat(h, H.GROUPS)
    longest = 1e9
    for g in range(ivec(h, H.SIZES)[H.NGROUP]):
        longest = min(longest, groups[g, 0] / 1e9 * (groups[g, 6] - 4))
    return longest


@kernel
def refresh(h):
    """Make the evaluation at X valid with the present commands."""
    clock, x = ivec(h, H.CLOCK), vec(h, H.X)
    if clock[H.VALID] < H.STATE:
        evaluate_state(h, x)
    if clock[H.VALID] < H.FORCES:
        evaluate_forces(h, clock[H.NOW] / 1e9 + vec(h, H.FRACTION)[0], x, mat(h, H.K)[0])
        clock[H.VALID] = H.FORCES
    if clock[H.GUARDED] == 0 and vec(h, H.GUARD_VALUE).shape[0] > 0:
        guard_values(h, x, vec(h, H.GUARD_VALUE))
        clock[H.GUARDED] = 1


@kernel
def _accept(h, now, fraction, count):
    """X = XT at the time (now, fraction); the evaluation at XT is current and its derivative is in K0."""
    x, xt, K, k0 = vec(h, H.X), vec(h, H.XT), mat(h, H.K), vec(h, H.K0)
    for i in range(x.shape[0]):
        x[i] = xt[i]
    for i in range(k0.shape[0]):
        K[0, i] = k0[i]
    clock = ivec(h, H.CLOCK)
    clock[H.NOW] = now
    vec(h, H.FRACTION)[0] = fraction
    clock[H.VALID] = H.FORCES
    clock[H.STEPS] += count


@kernel
def advance(h, end, tail, budget):
    """Integrate to the instant `end` [ns] + `tail` [s], or PAUSE after `budget` steps; returns a status.

    Rows due at `end` itself are written by the next call. On EVENT the state stands just past the first crossing, and
    column 6 of GUARDS tells which guards fired. Fixed steps end on a global grid of whole steps, so that
    where a caller stops (on the grid) changes nothing.
    """
    size, clock, fraction = ivec(h, H.SIZES), ivec(h, H.CLOCK), vec(h, H.FRACTION)
    settings, stepper = vec(h, H.SETTINGS), vec(h, H.STEPPER)
    x, x0, xt = vec(h, H.X), vec(h, H.X0), vec(h, H.XT)
    phase = ivec(h, H.PHASE)
    watch = size[H.NGUARD] + size[H.NBANKGUARD] > 0
    guard_old = vec(h, H.GUARD_VALUE)
    guard_new = vec(h, H.GUARD_NEW)
    adaptive = settings[METHOD] == DOPRI54
    grid = np.int64(round(settings[STEP] * 1e9))
    while True:
        now, part = clock[H.NOW], fraction[0]
        refresh(h)
        if phase[H.RAISED] != 0:
            return RAISED
        if now > end or (now == end and part >= tail):
            return DONE
        if budget <= 0:
            return PAUSED
        budget -= 1
        if part == 0.0 and next_record(h) == now and not record(h, x, now):
            return BUFFER_FULL
        t = now / 1e9 + part
        for i in range(x.shape[0]):
            x0[i] = x[i]
        last = now == end  # less than a nanosecond is left, to where another world's event was located
        if last:
            stop, dt = end, tail - part
        elif not adaptive:
            stop = min(end, (now // grid + 1) * grid, next_record(h))
            dt = (stop - now) / 1e9 - part
        else:
            left = (end - now) / 1e9 - part
            dt = min(stepper[0], settings[MAX_STEP], _longest_recorded_step(h))
            if left <= 1.000001 * dt:
                dt = left
            elif left < 2.0 * dt:
                dt = 0.5 * left
            stop = end
            if not _room(h, np.int64(dt * 1e9)):
                return BUFFER_FULL
        if dt <= 0.0:
            clock[H.NOW], fraction[0] = stop, 0.0
            continue
        rejected = False
        while True:
            _trial(h, t, dt)
            if not _is_finite(xt):
                if adaptive and dt > 1e3 * SMALLEST_STEP:
                    dt *= 0.1
                    rejected = True
                    continue
                clock[H.VALID] = H.NOTHING
                return DIVERGED
            after_now, after_part = (end, tail) if last else _after(now, part, dt, stop)
            _evaluate_end(h, after_now, after_part)
            if last or not adaptive:
                break
            error = max(_error_norm(h, dt), 1e-10)
            if error <= 1.0:
                factor = 0.9 * error ** (-0.7 / 5.0) * stepper[1] ** (0.4 / 5.0)
                if rejected:
                    factor = min(factor, 1.0)
                limited = dt < min(stepper[0], settings[MAX_STEP])
                proposal = dt * min(5.0, max(0.2, factor))
                stepper[0] = max(proposal, stepper[0]) if limited and not rejected else proposal
                stepper[1] = max(error, 1e-4)
                break
            rejected = True
            dt *= max(0.2, 0.9 * error**-0.2)
            if dt < SMALLEST_STEP:
                clock[H.VALID] = H.NOTHING
                return STEP_TOO_SMALL
        located = False
        if watch:
            guard_values(h, xt, guard_new)
            if any_crossed(h, guard_old, guard_new):
                located = True
            if located and not last:
                dt = _locate(h, now, part, dt, stop, guard_old)
                after_now, after_part = _after(now, part, dt, stop)
        if phase[H.RAISED] != 0:
            return RAISED
        inside = after_now + 1 if after_part > 0.0 else after_now
        if adaptive and next_record(h) < inside:
            _dense_records(h, t, dt, now, part, inside)
            evaluate_state(h, xt)
            evaluate_forces(h, after_now / 1e9 + after_part, xt, vec(h, H.K0))
        _accept(h, after_now, after_part, 1)
        event = False
        if located:
            guard_values(h, x, guard_new)
            event = mark_fired(h, guard_old, guard_new)
        if size[H.NSETTLE] > 0:
            if chatters(h, after_now, mark_crossed(h, guard_old, guard_new)):
                return CHATTERING
            clock[H.VALID] = settle_banks(h, x)
            if clock[H.VALID] < H.FORCES:
                refresh(h)
                bank_guards(h, x, guard_new, True)
        if event:
            return EVENT
        if watch:
            for g in range(guard_new.shape[0]):
                guard_old[g] = guard_new[g]
