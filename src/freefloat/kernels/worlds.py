"""Several worlds brought to the same instant by one compiled loop.

Worlds that events watch go first. The earliest event sets the instant for all; a world that ran past it is set back to
where this call found it and goes again. So all stand at an event's instant.
"""

from __future__ import annotations

from freefloat.kernels import handle as H
from freefloat.kernels.bank import Column, places
from freefloat.kernels.handle import imat, ivec, mat_at, vec
from freefloat.kernels.integrate import DONE, EVENT, advance
from freefloat.kernels.jit import kernel

# row 0 of the fleet's table: how many worlds; a status that waits for the others, its instant [ns] and the address of
# its fraction; the world that a failure is about; of the schedule (`agenda`) address and number of clocks, the instant
# [ns] whose clocks run, the next of them, the one that Python was called for, whether that one goes on, a status that
# Python has not taken yet (Ctrl-C may come between); length [ns] of
# the stretches in which watched worlds go, whether they may be set back, whether all stand at every instant
# row 1 + w: a world
HEAD = places([
    Column(n)
    for n in (
        *("worlds", "waiting", "now", "part", "culprit"),
        *("agenda", "clocks", "instant", "position", "clock", "goes_on", "pending"),
        *("stretch", "takes_back", "together"),
    )
])  # fmt: skip
WORLD = places([Column(n) for n in ("handle", "wanted", "guarded", "status")])
COLUMNS = 15

NEXT, HELD_ROWS = 1, 7  # columns of GROUPS


@kernel
def _save(h):
    """Keep what `_put_back` needs: state, clock, step size, guard values, what banks keep, how far the recorder is."""
    x, numbers, whole = vec(h, H.X), vec(h, H.SAVED), ivec(h, H.SAVED_WHOLE)
    stepper, guards, clock, phase = vec(h, H.STEPPER), vec(h, H.GUARD_VALUE), ivec(h, H.CLOCK), ivec(h, H.PHASE)
    groups = imat(h, H.GROUPS)
    n = x.shape[0]
    for i in range(n):
        numbers[i] = x[i]
    numbers[n] = vec(h, H.FRACTION)[0]
    for i in range(2):
        numbers[n + 1 + i] = stepper[i]
    for i in range(guards.shape[0]):
        numbers[n + 3 + i] = guards[i]
    kept, m = vec(h, H.KEPT), n + 3 + guards.shape[0]
    for i in range(kept.shape[0]):
        numbers[m + i] = kept[i]
    for i in range(clock.shape[0]):
        whole[i] = clock[i]
    for i in range(phase.shape[0]):
        whole[clock.shape[0] + i] = phase[i]
    first = clock.shape[0] + phase.shape[0]
    for g in range(groups.shape[0]):
        whole[first + 2 * g], whole[first + 2 * g + 1] = groups[g, NEXT], groups[g, HELD_ROWS]


@kernel
def _put_back(h):
    """Return to what `_save` kept; the evaluation there is made anew."""
    x, numbers, whole = vec(h, H.X), vec(h, H.SAVED), ivec(h, H.SAVED_WHOLE)
    stepper, guards, clock, phase = vec(h, H.STEPPER), vec(h, H.GUARD_VALUE), ivec(h, H.CLOCK), ivec(h, H.PHASE)
    groups = imat(h, H.GROUPS)
    n = x.shape[0]
    for i in range(n):
        x[i] = numbers[i]
    vec(h, H.FRACTION)[0] = numbers[n]
    for i in range(2):
        stepper[i] = numbers[n + 1 + i]
    for i in range(guards.shape[0]):
        guards[i] = numbers[n + 3 + i]
    kept, m = vec(h, H.KEPT), n + 3 + guards.shape[0]
    for i in range(kept.shape[0]):
        kept[i] = numbers[m + i]
    ivec(h, H.BUSY)[:] = 1
    for i in range(clock.shape[0]):
        clock[i] = whole[i]
    clock[H.VALID] = H.NOTHING
    for i in range(phase.shape[0]):
        phase[i] = whole[clock.shape[0] + i]
    first = clock.shape[0] + phase.shape[0]
    for g in range(groups.shape[0]):
        groups[g, NEXT], groups[g, HELD_ROWS] = whole[first + 2 * g], whole[first + 2 * g + 1]


@kernel
def _guarded_worlds(table, end, budget):
    """Bring the worlds with guards to `end` [ns], or to the earliest instant at which one stops: DONE, EVENT, or why.

    Row 0 receives the instant. Where several have guards, none may pause: the caller gives room and budget enough. A
    failure counts only where no event came before it, whose action may have prevented it.
    """
    head = table[0]
    part = mat_at(head[HEAD.part], 1, 1)
    head[HEAD.now], part[0, 0] = end, 0.0
    n, several = head[HEAD.worlds], 0
    for w in range(1, n + 1):
        table[w, WORLD.status] = DONE
        several += table[w, WORLD.guarded]
    if several == 0:
        return DONE
    if several > 1:
        for w in range(1, n + 1):
            if table[w, WORLD.guarded] == 1:
                _save(table[w, WORLD.handle])
    w = 1
    while w <= n:
        W = table[w]
        w += 1
        if W[WORLD.guarded] == 0:
            continue
        h = W[WORLD.handle]
        clock, fraction = ivec(h, H.CLOCK), vec(h, H.FRACTION)
        past = clock[H.NOW] > head[HEAD.now] or (clock[H.NOW] == head[HEAD.now] and fraction[0] > part[0, 0])
        if past and several > 1:
            _put_back(h)
        if past or W[WORLD.status] == DONE:
            W[WORLD.status] = advance(h, head[HEAD.now], part[0, 0], budget)
        early = clock[H.NOW] < head[HEAD.now] or (clock[H.NOW] == head[HEAD.now] and fraction[0] < part[0, 0])
        if W[WORLD.status] != DONE and early:
            head[HEAD.now], part[0, 0], w = clock[H.NOW], fraction[0], 1
    reason = DONE
    for w in range(1, n + 1):
        status = table[w, WORLD.status]
        if status == EVENT:
            return EVENT
        if status != DONE:
            reason, head[HEAD.culprit] = status, w - 1
    return reason


@kernel
def _furthest_behind(table, now, part):
    """The wanted world without guards that is furthest from the instant, so that a pause finds all near each other."""
    found, least = 0, now
    for w in range(1, table.shape[0]):
        if table[w, WORLD.guarded] == 1 or table[w, WORLD.wanted] == 0:
            continue
        h = table[w, WORLD.handle]
        at = ivec(h, H.CLOCK)[H.NOW]
        if at < least or (found == 0 and at == now and vec(h, H.FRACTION)[0] < part):
            found, least = w, at
    return found


@kernel
def advance_worlds(table, end, budget):
    """Bring the wanted worlds to `end` [ns], or to where the first of them stops; returns a status of `integrate`."""
    head = table[0]
    part = mat_at(head[HEAD.part], 1, 1)
    reason = head[HEAD.waiting]
    if reason == DONE:
        reason = _guarded_worlds(table, end, budget)
        if reason != DONE and reason != EVENT:
            return reason
    while True:
        w = _furthest_behind(table, head[HEAD.now], part[0, 0])
        if w == 0:
            break
        status = advance(table[w, WORLD.handle], head[HEAD.now], part[0, 0], budget)
        if status != DONE:
            head[HEAD.waiting], head[HEAD.culprit] = reason, w - 1
            return status
    head[HEAD.waiting] = DONE
    return reason
