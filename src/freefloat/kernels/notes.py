"""Notes that a bank's `settle` leaves for Python: what happened in a row, when, and up to six numbers about it."""

from __future__ import annotations

from freefloat.kernels import handle as H
from freefloat.kernels.bank import Column, places
from freefloat.kernels.handle import ivec, mat
from freefloat.kernels.jit import kernel

NUMBERS = 6
NOTE = places([*(Column(n) for n in ("t", "bank", "row", "kind")), Column("numbers", size=NUMBERS)])
COLUMNS = NOTE.numbers + NUMBERS
LEAST_ROOM = 256  # notes that the memory holds at least


@kernel
def has_room_for_notes(h):
    """Whether half of the memory is free; a row mostly leaves two at a time at most, for which that is enough."""
    return 2 * ivec(h, H.PHASE)[H.NOTED] <= mat(h, H.NOTES).shape[0]


@kernel
def note(answer, t, row, kind, a, b, c, d, e, f):
    """Leave a note of this kind about a row of the bank."""
    notes, phase = mat(answer.h, H.NOTES), ivec(answer.h, H.PHASE)
    n = phase[H.NOTED]
    if n == notes.shape[0]:
        return
    notes[n, NOTE.t], notes[n, NOTE.bank], notes[n, NOTE.row], notes[n, NOTE.kind] = t, answer.bank, row, kind
    numbers = notes[n, NOTE.numbers :]
    numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5] = a, b, c, d, e, f
    phase[H.NOTED] = n + 1
