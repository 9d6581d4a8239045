"""What an effect of your own needs, in one import: `from freefloat.effects import Effect, add_pair, carried, BOOK`.

`docs/howto/add-an-effect.md` shows how to use it.
"""

from __future__ import annotations

from freefloat.kernels.audit_layout import BOOK
from freefloat.kernels.bank import Body, Column, Command, Coordinate, Effect, Rate, Row, State, places
from freefloat.kernels.handle import table_of
from freefloat.kernels.notes import note
from freefloat.kernels.view import (
    Answer,
    Rows,
    View,
    add_force,
    add_pair,
    add_torque_pair,
    carried,
    rotate,
    velocity_at,
)

__all__ = [
    "BOOK",
    "Answer",
    "Body",
    "Column",
    "Command",
    "Coordinate",
    "Effect",
    "Rate",
    "Row",
    "Rows",
    "State",
    "View",
    "add_force",
    "add_pair",
    "add_torque_pair",
    "carried",
    "note",
    "places",
    "rotate",
    "table_of",
    "velocity_at",
]
