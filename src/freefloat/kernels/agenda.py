"""The schedule in compiled code: what is due at an instant, in order, then all worlds to the next instant."""

from __future__ import annotations

import numpy as np

from freefloat.kernels import handle as H
from freefloat.kernels.bank import Column, places
from freefloat.kernels.handle import imat_at, ivec, ivec_at
from freefloat.kernels.integrate import BUFFER_FULL, DONE, EVENT, PAUSED, has_room
from freefloat.kernels.jit import kernel
from freefloat.kernels.tasks import CALL, N_CHANNEL, N_JOB, deliver, run_task, sample_late, take
from freefloat.kernels.worlds import COLUMNS, HEAD, WORLD, advance_worlds

# a clock: next instant and period [ns], worlds that must stand there (a set), what it does, what it reads, its row
CLOCK = places([Column(n) for n in ("next", "period", "worlds", "kind", "source", "row")])
CLOCK_COLUMNS = 6
NEVER = 1 << 62
CALLBACK, SAMPLE, TASK, ARRIVAL = range(4)  # kinds
ALL_WORLDS = -1
TURN = 1000  # steps of one world before it is another's turn


@kernel
def _set_next(clock):
    clock[CLOCK.next] = NEVER if clock[CLOCK.period] == NEVER else clock[CLOCK.next] + clock[CLOCK.period]


@kernel
def _fire(table, agenda, clock, now):
    """Do what a clock is for; it is due."""
    kind = clock[CLOCK.kind]
    if kind == TASK:
        return run_task(table, agenda, clock, clock[CLOCK.source], ivec_at(clock[CLOCK.row], N_JOB), now)
    if kind == ARRIVAL:
        _set_next(clock)
        deliver(table, agenda, ivec_at(clock[CLOCK.row], N_JOB), now)
        return DONE
    if clock[CLOCK.source] != 0:
        take(table, clock[CLOCK.source])
    if kind == SAMPLE:
        status = sample_late(ivec_at(clock[CLOCK.row], N_CHANNEL), now)
        if status == DONE:
            _set_next(clock)
        return status
    _set_next(clock)
    return CALL


@kernel
def _run_due(table, agenda):
    """Everything that is due at the instant, from where an earlier call stopped: DONE, or why it stops here."""
    head = table[0]
    now = head[HEAD.instant]
    while head[HEAD.position] < agenda.shape[0]:
        clock = agenda[head[HEAD.position]]
        if clock[CLOCK.next] <= now or head[HEAD.goes_on] == 1:
            head[HEAD.clock], head[HEAD.goes_on] = head[HEAD.position], 0
            status = _fire(table, agenda, clock, now)
            if status == CALL:
                # a task goes on with what its controller returned, everything else is done
                head[HEAD.goes_on] = clock[CLOCK.kind] == TASK
                head[HEAD.position] += clock[CLOCK.kind] != TASK
            if status != DONE:
                return status
        head[HEAD.position] += 1
    return DONE


@kernel
def _steps(table):
    """Steps that all worlds have taken."""
    total = 0
    for w in range(1, table.shape[0]):
        total += ivec(table[w, WORLD.handle], H.CLOCK)[H.STEPS]
    return total


@kernel
def _next_stop(table, target):
    """Where watched worlds stop on their way to `target` [ns], on a fixed grid."""
    stretch, now = table[0, HEAD.stretch], np.int64(0)
    if stretch == 0:
        return target
    for w in range(1, table.shape[0]):
        now = max(now, ivec(table[w, WORLD.handle], H.CLOCK)[H.NOW])
    stop = min(target, (now // stretch + 1) * stretch)
    if table[0, HEAD.takes_back] == 1:
        for w in range(1, table.shape[0]):
            if not has_room(table[w, WORLD.handle], stop - now):
                return np.int64(-1)
    return stop


@kernel
def _want(table, agenda, target, end):
    """Mark the worlds that must stand at `target` [ns]: all at the end, those of what is due elsewhere."""
    wanted = np.int64(ALL_WORLDS)
    if table[0, HEAD.together] == 0 and target != end:
        wanted = np.int64(0)
        for c in range(agenda.shape[0]):
            if agenda[c, CLOCK.next] <= target:
                wanted |= agenda[c, CLOCK.worlds]
    for w in range(1, table.shape[0]):
        table[w, WORLD.wanted] = (wanted >> (w - 1)) & 1


@kernel
def run(fleet, end, budget):
    """Bring a fleet to `end` [ns] through all that is due before; returns a status.

    What is due at the end itself waits for the next call. PAUSED after about `budget` steps, CALL where the clock
    HEAD.clock is for Python. CALL and EVENT are returned until Python has taken them.
    """
    n = imat_at(fleet, 1, COLUMNS)[0, HEAD.worlds]
    table = imat_at(fleet, n + 1, COLUMNS)
    head = table[0]
    agenda = imat_at(head[HEAD.agenda], head[HEAD.clocks], CLOCK_COLUMNS)
    last = _steps(table) + budget
    if head[HEAD.pending] != DONE:
        return head[HEAD.pending]
    while True:
        status = _run_due(table, agenda)
        if status != DONE:
            if status == CALL:
                head[HEAD.pending] = CALL
            return status
        last -= 1  # an instant at which no world has to move costs something too
        target = end
        for c in range(agenda.shape[0]):
            target = min(target, agenda[c, CLOCK.next])
        _want(table, agenda, target, end)
        while True:
            stop = _next_stop(table, target)
            if stop < 0:
                return BUFFER_FULL
            left = last - _steps(table)
            if left <= 0:
                return PAUSED
            status = advance_worlds(table, stop, NEVER if head[HEAD.takes_back] == 1 else min(left, TURN))
            if status == DONE and stop == target:
                break
            if status != DONE and status != PAUSED:
                if status == EVENT:
                    head[HEAD.pending] = EVENT
                return status
        head[HEAD.instant], head[HEAD.position] = target, 0
        if target == end:
            return DONE
