"""A task at its instants, in compiled code: sensors, the tick, commands on their way, records.

Whether a controller is compiled or Python, all but its update happens here: what a Python task measures is ready when
Python is called, and what it returned is used afterwards. A task, a sensor's channel and a reader are rows of whole
numbers: counts, and addresses of arrays that the engine keeps (`JOB`, `CHANNEL`, `SOURCE`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from freefloat.kernels import handle as H
from freefloat.kernels.bank import Column, places
from freefloat.kernels.handle import imat_at, ivec, ivec_at, vec, vec_at
from freefloat.kernels.integrate import BUFFER_FULL, DONE, refresh
from freefloat.kernels.jit import kernel
from freefloat.kernels.sample import fill_row
from freefloat.kernels.ticks import call_tick
from freefloat.kernels.worlds import WORLD

CALL, PREPARE, TICK_RAISED, NOT_FINITE = range(8, 12)  # what happens besides the statuses of `integrate`
MEASURING, FINISHING = range(2)  # phases of a task at an instant
BLOCK = 256  # samples whose noise is drawn at once
DOUBLE = 8  # [bytes]


def _layout(names: str) -> tuple[Any, int]:
    columns = [Column(name) for name in names.split()]
    return places(columns), len(columns)


# ops of one reader in each world: rows of `readings` [world, first, last] fill its `buffer` of `width`
SOURCE, N_SOURCE = _layout("readings worlds buffer width")
# truth [size] -> reading; `late` ones wait in a ring of `room` samples with the instants of their arrival
CHANNEL, N_CHANNEL = _layout(
    "truth size meas noisy draws drawn biased bias quantised quantum"
    " drops probability chances chanced last has_last late delay times ring room first queued value has_value model"
)
# rows of `writes` are [address of the output, size, world, first entry of u, whether banks settle when it changes,
# whether forces depend on it, clock that is due when it changes or -1], of `records` [address, size]
JOB, N_JOB = _layout(
    "channels n_channels tick arguments phase writes n_writes latency times ring room first queued width arrival"
    " records n_records rows row_room held row_width every offset period culprit told"
)
WRITE_COLUMNS, RECORD_COLUMNS, READING_COLUMNS = 7, 2, 3


@kernel
def take(table, source):
    """Read what a source reads, into its buffer."""
    S = ivec_at(source, N_SOURCE)
    readings = imat_at(S[SOURCE.readings], S[SOURCE.worlds], READING_COLUMNS)
    buffer = vec_at(S[SOURCE.buffer], S[SOURCE.width])
    for r in range(readings.shape[0]):
        h = table[1 + readings[r, 0], WORLD.handle]
        refresh(h)
        fill_row(h, vec(h, H.X), readings[r, 1], readings[r, 2], buffer)


@kernel
def _ready(C):
    """Whether a channel has noise left for a sample, and room."""
    noise = C[CHANNEL.noisy] == 0 or C[CHANNEL.drawn] < BLOCK or C[CHANNEL.model] == 1  # Python sees to it for a model
    chance = C[CHANNEL.drops] == 0 or C[CHANNEL.chanced] < BLOCK
    return noise and chance and (C[CHANNEL.late] == 0 or C[CHANNEL.queued] < C[CHANNEL.room])


@kernel
def measure(C, out):
    """One sample of the truth: quantise(truth + bias + noise), or the one before where it is lost."""
    n = C[CHANNEL.size]
    truth = vec_at(C[CHANNEL.truth], n)
    last = vec_at(C[CHANNEL.last], n)
    if C[CHANNEL.drops] == 1:
        C[CHANNEL.chanced] += 1
        chance = vec_at(C[CHANNEL.chances], BLOCK)[C[CHANNEL.chanced] - 1]
        if chance < vec_at(C[CHANNEL.probability], 1)[0] and C[CHANNEL.has_last] == 1:
            for i in range(n):
                out[i] = last[i]
            return
    noise = vec_at(C[CHANNEL.draws] + DOUBLE * n * C[CHANNEL.drawn], n)
    C[CHANNEL.drawn] += C[CHANNEL.noisy]
    bias, quantum = vec_at(C[CHANNEL.bias], n), vec_at(C[CHANNEL.quantum], n)
    for i in range(n):
        value = truth[i]
        if C[CHANNEL.biased] == 1:
            value += bias[i]
        if C[CHANNEL.noisy] == 1:
            value += noise[i]
        if C[CHANNEL.quantised] == 1 and quantum[i] > 0.0:
            value = np.rint(value / quantum[i]) * quantum[i]
        out[i] = value
    if C[CHANNEL.drops] == 1:
        for i in range(n):
            last[i] = out[i]
        C[CHANNEL.has_last] = 1


@kernel
def _arrived(C, now):
    """Let the samples that have arrived be the channel's value."""
    n, room = C[CHANNEL.size], C[CHANNEL.room]
    times, value = ivec_at(C[CHANNEL.times], room), vec_at(C[CHANNEL.value], n)
    while C[CHANNEL.queued] > 0 and times[C[CHANNEL.first]] <= now:
        sample = vec_at(C[CHANNEL.ring] + DOUBLE * n * C[CHANNEL.first], n)
        for i in range(n):
            value[i] = sample[i]
        C[CHANNEL.first] = (C[CHANNEL.first] + 1) % room
        C[CHANNEL.queued] -= 1


@kernel
def sample_late(C, now):
    """Take a sample that arrives `delay` later; the first one arrives at once. PREPARE where Python is needed first."""
    if not _ready(C):
        _arrived(C, now)
        if not _ready(C):
            return PREPARE
    n, room = C[CHANNEL.size], C[CHANNEL.room]
    place = (C[CHANNEL.first] + C[CHANNEL.queued]) % room
    sample = vec_at(C[CHANNEL.ring] + DOUBLE * n * place, n)
    measure(C, sample)
    ivec_at(C[CHANNEL.times], room)[place] = now + C[CHANNEL.delay]
    C[CHANNEL.queued] += 1
    if C[CHANNEL.has_value] == 0:
        C[CHANNEL.has_value] = 1
        value = vec_at(C[CHANNEL.value], n)
        for i in range(n):
            value[i] = sample[i]
    return DONE


@kernel
def _look(C, now):
    """What a task reads at an instant."""
    meas = vec_at(C[CHANNEL.meas], C[CHANNEL.size])
    if C[CHANNEL.late] == 1:
        _arrived(C, now)
        value = vec_at(C[CHANNEL.value], C[CHANNEL.size])
        for i in range(meas.shape[0]):
            meas[i] = value[i]
    elif C[CHANNEL.model] == 0:
        measure(C, meas)


@kernel
def _hold(table, agenda, job, values, now):
    """Hold commands, one after the other in `values`, from now on."""
    writes = imat_at(job[JOB.writes], job[JOB.n_writes], WRITE_COLUMNS)
    start = 0
    for k in range(writes.shape[0]):
        h, first = table[1 + writes[k, 2], WORLD.handle], writes[k, 3]
        u, clock = vec(h, H.U), ivec(h, H.CLOCK)
        for i in range(writes[k, 1]):
            if u[first + i] != values[start + i]:
                if writes[k, 5] == 1:
                    clock[H.VALID] = min(clock[H.VALID], H.STATE)
                if writes[k, 4] == 1:
                    clock[H.SETTLED], clock[H.GUARDED] = 0, 0
                if writes[k, 6] >= 0:
                    agenda[writes[k, 6], 0] = now
            u[first + i] = values[start + i]
        start += writes[k, 1]


@kernel
def deliver(table, agenda, job, now):
    """Hold the commands that arrive now."""
    room, width = job[JOB.room], job[JOB.width]
    times = ivec_at(job[JOB.times], room)
    while job[JOB.queued] > 0 and times[job[JOB.first]] <= now:
        _hold(table, agenda, job, vec_at(job[JOB.ring] + DOUBLE * width * job[JOB.first], width), now)
        job[JOB.first] = (job[JOB.first] + 1) % room
        job[JOB.queued] -= 1
    if job[JOB.queued] > 0:
        agenda[job[JOB.arrival], 0] = times[job[JOB.first]]


@kernel
def _finish(table, agenda, job, now):
    """Use what the controller gave: hold its commands, now or after the latency, and record."""
    writes = imat_at(job[JOB.writes], job[JOB.n_writes], WRITE_COLUMNS)
    room, width = job[JOB.room], job[JOB.width]
    place = (job[JOB.first] + job[JOB.queued]) % room
    values = vec_at(job[JOB.ring] + DOUBLE * width * place, width)
    start = 0
    for k in range(writes.shape[0]):
        out = vec_at(writes[k, 0], writes[k, 1])
        for i in range(out.shape[0]):
            if not math.isfinite(out[i]):
                job[JOB.culprit] = k
                return NOT_FINITE
            values[start + i] = out[i]
        start += out.shape[0]
    if job[JOB.latency] == 0:
        _hold(table, agenda, job, values, now)
    elif writes.shape[0] > 0:
        times = ivec_at(job[JOB.times], room)
        times[place] = now + job[JOB.latency]
        job[JOB.queued] += 1
        agenda[job[JOB.arrival], 0] = times[job[JOB.first]]
    if _records(job, now):
        row = vec_at(job[JOB.rows] + DOUBLE * job[JOB.row_width] * job[JOB.held], job[JOB.row_width])
        row[0] = now / 1e9
        records, column = imat_at(job[JOB.records], job[JOB.n_records], RECORD_COLUMNS), 1
        for k in range(records.shape[0]):
            value = vec_at(records[k, 0], records[k, 1])
            for i in range(value.shape[0]):
                row[column + i] = value[i]
            column += value.shape[0]
        job[JOB.held] += 1
    return DONE


@kernel
def _records(job, now):
    """Whether this update is recorded; by its time, so that a restored run records the same."""
    updates = (now - job[JOB.offset]) // job[JOB.period]
    return job[JOB.n_records] > 0 and updates % job[JOB.every] == 0


@kernel
def run_task(table, agenda, clock, source, job, now):
    """Do a task that is due, and set its clock: DONE, CALL where its controller is Python's turn, or what is wrong."""
    channels = imat_at(job[JOB.channels], job[JOB.n_channels], N_CHANNEL)
    if job[JOB.phase] == MEASURING:
        if job[JOB.held] >= job[JOB.row_room] and _records(job, now):
            return BUFFER_FULL
        if job[JOB.queued] >= job[JOB.room]:
            return PREPARE
        for c in range(channels.shape[0]):
            if channels[c, CHANNEL.late] == 0 and not _ready(channels[c]):
                return PREPARE
        clock[0] += clock[1]
        take(table, source)
        for c in range(channels.shape[0]):
            _look(channels[c], now)
        if job[JOB.tick] == 0:
            job[JOB.phase] = FINISHING
            return CALL
        job[JOB.told] = call_tick(job[JOB.tick], (now / 1e9, job[JOB.arguments]))
        if job[JOB.told] != 0:
            return TICK_RAISED
    job[JOB.phase] = MEASURING
    return _finish(table, agenda, job, now)
