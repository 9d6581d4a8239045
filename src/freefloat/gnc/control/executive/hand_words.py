"""What a hand says and is told, as the numbers of its signals; those of `freefloat.structure.hand`."""

from __future__ import annotations

from enum import IntEnum


class Says(IntEnum):
    """What the signal `state` of a hand says."""

    OPEN = 0
    CLOSING = 1
    CLOSED = 2
    OPENING = 3
    FAILED = 4
    CARRYING = 5
    PICKING = 6
    PLACING = 7


class Told(IntEnum):
    """What a hand can be ordered to do."""

    NONE = 0
    LATCH = 1
    RELEASE = 2
    PICK = 3
    PLACE = 4
    RESET = 5


BUSY = frozenset({Says.CLOSING, Says.OPENING, Says.PICKING, Says.PLACING})
DONE = {  # what a hand says when an order has been carried out
    Told.LATCH: frozenset({Says.CLOSED}),
    Told.RELEASE: frozenset({Says.OPEN}),
    Told.PICK: frozenset({Says.CARRYING}),
    Told.PLACE: frozenset({Says.CLOSED}),
    Told.RESET: frozenset({Says.OPEN, Says.CLOSED, Says.CARRYING}),
}
