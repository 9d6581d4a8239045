"""Time integration of the plant: fixed and adaptive steps, records on their grid, events and modes in place."""

from __future__ import annotations

import math

import numpy as np

from freefloat.kernels import handle as H
from freefloat.kernels.guards import any_crossed, guard_values, mark_fired
from freefloat.kernels.handle import imat, ivec, mat, vec
from freefloat.kernels.jit import kernel
from freefloat.kernels.modes import bank_guards, chatters, mark_crossed, settle_banks
from freefloat.kernels.notes import has_room_for_notes
from freefloat.kernels.plant import evaluate_forces, evaluate_state
from freefloat.kernels.sample import next_record, record
from freefloat.kernels.schemes import (
    DOPRI54,
    MAX_STEP,
    METHOD,
    STEP,
    correct_rotations,
    error_norm,
    interpolate,
    trial,
    trial_again,
)

DONE, EVENT, BUFFER_FULL, DIVERGED, STEP_TOO_SMALL, PAUSED, CHATTERING, RAISED = range(8)  # what `advance` returns

NEVER = 1 << 62  # [ns] of a group that records nothing for now
MOST_ROWS = 2044  # of one adaptive step: a rehearsed world has that many free besides those that it holds back
SMALLEST_STEP = 1e-12  # [s]
EVENT_TOLERANCE = 1e-12  # [s] width of the bracket that holds an event


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
        trial_again(h, t, middle)
        end_now, end_part = _after(now, part, middle, stop)
        _evaluate_end(h, end_now, end_part)
        guard_values(h, vec(h, H.XT), value)
        if any_crossed(h, before, value):
            high = middle
        else:
            low = middle
    trial_again(h, t, high)
    end_now, end_part = _after(now, part, high, stop)
    _evaluate_end(h, end_now, end_part)
    return high


@kernel
def _dense_records(h, t, dt, start, start_fraction, stop):
    """Rows due before `stop` [ns] inside an accepted step, by the continuous extension; there is room for them.

    X, DELTA and K0 serve as scratch: the caller evaluates at XT again and accepts it.
    """
    x, k = vec(h, H.X), vec(h, H.K0)
    while True:
        due = next_record(h)
        if due >= stop:
            return
        s = ((due - start) / 1e9 - start_fraction) / dt
        interpolate(h, dt, s, x)
        evaluate_state(h, x)
        evaluate_forces(h, t + s * dt, x, k)
        record(h, x, due)


@kernel
def has_room(h, span):
    """Whether every buffer has room for the rows of the next `span` nanoseconds."""
    groups = imat(h, H.GROUPS)
    for g in range(ivec(h, H.SIZES)[H.NGROUP]):
        G = groups[g]
        if G[1] < NEVER and G[7] + span // G[0] + 2 > G[6]:
            return False
    return True


@kernel
def _longest_recorded_step(h):
    """Longest step [s] whose rows fit into empty buffers."""
    groups = imat(h, H.GROUPS)
    longest = 1e9
    for g in range(ivec(h, H.SIZES)[H.NGROUP]):
        longest = min(longest, groups[g, 0] / 1e9 * min(groups[g, 6] - 4, MOST_ROWS))
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
def _settle_now(h, x, guards):
    """Let built-in banks settle between two steps, where velocities jumped or something was changed from outside."""
    ivec(h, H.CROSSED)[:] = 0
    clock = ivec(h, H.CLOCK)
    clock[H.VALID] = settle_banks(h, x, 0, False)
    if clock[H.VALID] < H.FORCES:
        refresh(h)
        bank_guards(h, x, guards, False)


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
        if clock[H.SETTLED] == 0:
            clock[H.SETTLED] = 1
            if size[H.NSETTLE] > 0:
                _settle_now(h, x, guard_old)
        if now > end or (now == end and part >= tail):
            return DONE
        if budget <= 0:
            return PAUSED
        budget -= 1
        if size[H.NSETTLE] > 0 and not has_room_for_notes(h):
            return BUFFER_FULL
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
            if not has_room(h, np.int64(dt * 1e9)):
                return BUFFER_FULL
        if dt <= 0.0:
            clock[H.NOW], fraction[0] = stop, 0.0
            continue
        rejected = False
        while True:
            trial(h, t, dt)
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
            error = max(error_norm(h, dt), 1e-10)
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
            clock[H.VALID] = H.NOTHING
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
            crossings = mark_crossed(h, guard_old, guard_new) if located else 0
            if chatters(h, after_now, crossings):
                return CHATTERING
            clock[H.VALID] = settle_banks(h, x, crossings, True)
            jumped = clock[H.VALID] == H.NOTHING
            if clock[H.VALID] < H.FORCES:
                refresh(h)
                bank_guards(h, x, guard_new, True)
            if jumped:
                _settle_now(h, x, guard_new)
        if watch:
            for g in range(guard_new.shape[0]):
                guard_old[g] = guard_new[g]
        if event:
            return EVENT
