"""What a hand says and what it can be told, as the numbers of its signals: for the structure and for who leads it."""

from __future__ import annotations

from enum import IntEnum


class HandState(IntEnum):
    """What the signal `state` of a hand says."""

    OPEN = 0
    CLOSING = 1
    CLOSED = 2
    OPENING = 3
    FAILED = 4
    CARRYING = 5
    PICKING = 6
    PLACING = 7


class Order(IntEnum):
    """What the command `order` of a hand asks; a change of its value, or of `count` beside it, is an order."""

    NONE = 0
    LATCH = 1
    RELEASE = 2
    PICK = 3
    PLACE = 4
    RESET = 5


UNDER_WAY = frozenset({HandState.CLOSING, HandState.OPENING, HandState.PICKING, HandState.PLACING})
DONE = {  # what a hand says when an order has been carried out
    Order.LATCH: frozenset({HandState.CLOSED}),
    Order.RELEASE: frozenset({HandState.OPEN}),
    Order.PICK: frozenset({HandState.CARRYING}),
    Order.PLACE: frozenset({HandState.CLOSED}),
    Order.RESET: frozenset({HandState.OPEN, HandState.CLOSED, HandState.CARRYING}),
}
