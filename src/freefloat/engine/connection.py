"""Connections between two named frames that can be closed and opened while a run goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from freefloat.amounts import Amount, Measure, take
from freefloat.engine.event import Event
from freefloat.engine.graph import Vector
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.kernels.free_directions import FREE, FREE_COLUMNS

if TYPE_CHECKING:
    from freefloat.engine.session import Session

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
PULL = 1e-6  # [N] that counts as pulling: rounding does not
PUSHES = tuple(f"{sign}{axis}" for axis in "xyz" for sign in "+-")


@dataclass(frozen=True)
class Connection:
    """A connection between two named frames that can be closed and opened while the run goes on.

    It is rigid unless directions of frame a are `free`: x, y, z to slide along, rx, ry, rz to turn about (one, or all
    three). With `pushes`, such as "+z", side a pushes b along that direction and opens the connection where it would
    have to pull; where the two sides part, or it would pull them from rest, it does not close. `friction` then acts
    against what slips.
    """

    name: str
    a: str  # frame on one side
    b: str  # frame on the other side
    hold: str = "tree"  # "tree": by re-rooting, exact; "constraint": by multipliers with Baumgarte stabilisation
    eta: Measure = 50.0  # [1/s] Baumgarte rate, for constraints
    closed: bool = False  # at the start
    free: Sequence[str] = ()  # needs a constraint
    pushes: str = ""  # a held direction of a, with its sign
    friction: Measure = 0.0  # [-] Coulomb's coefficient, of what pushes
    slip_speed: Measure = 1e-4  # [m/s] below which friction fades

    def __post_init__(self) -> None:
        where = f"connection {self.name!r}"
        if self.hold not in ("tree", "constraint"):
            raise InputError(f"{where}: hold {self.hold!r}; allowed: tree, constraint")
        take(self, where, eta=Amount("1/s", ge=0.0), friction=Amount("-", ge=0.0), slip_speed=Amount("m/s", gt=0.0))
        unknown = [d for d in self.free if d not in DIRECTIONS]
        if isinstance(self.free, str) or unknown or len(set(self.free)) == len(DIRECTIONS):
            allowed = f"a list of {', '.join(DIRECTIONS)}, not all of them"
            raise InputError(f"{where}: free {self.free!r}; allowed: {allowed}")
        object.__setattr__(self, "free", tuple(d for d in DIRECTIONS if d in self.free))
        if len([d for d in self.free if d.startswith("r")]) == 2:
            raise InputError(f"{where}: free {self.free!r}; allowed: turns about one axis, or about all three")
        if self.free and self.hold != "constraint":
            raise InputError(f"{where}: free directions need hold='constraint', a tree holds all")
        if self.pushes and (self.pushes not in PUSHES or self.pushes[1] in self.free):
            raise InputError(f"{where}: pushes {self.pushes!r}; allowed: {', '.join(PUSHES)}, a direction that is held")
        if self.pushes and not self.free:
            raise InputError(f"{where}: pushes {self.pushes!r} needs free directions; a rigid connection pulls too")
        if self.friction and not self.pushes:
            raise InputError(f"{where}: friction {self.friction:g} needs a direction that `pushes`")

    @property
    def push(self) -> Vector:
        """The direction in which side a pushes, in its frame; zero: it is none."""
        sign = {"+": 1.0, "-": -1.0}.get(self.pushes[:1], 0.0)
        return sign * np.array([float(axis == self.pushes[1:]) for axis in "xyz"])

    def free_row(self, X_LA: Pose) -> Vector:
        """What compiled code needs of the free directions (`kernels.free_directions`); frame a stands at X_LA."""
        row = np.zeros(FREE_COLUMNS)
        row[FREE.any] = float(bool(self.free))
        row[FREE.R_AC : FREE.R_AC + 9] = X_LA.R.ravel()
        row[FREE.held : FREE.held + 6] = [float(d not in self.free) for d in DIRECTIONS]
        row[FREE.mu], row[FREE.slip_speed] = self.friction, self.slip_speed
        if self.pushes:
            row[FREE.normal], row[FREE.sign] = "xyz".index(self.pushes[1]), 1.0 if self.pushes[0] == "+" else -1.0
        return row


def parting(connection: Connection) -> Event:
    """Opens a connection where side a would have to pull."""

    def part(session: Session) -> str:
        session.detach(connection.name)
        return "parted"

    name = f"{connection.name}.parting"
    return Event(name, part, signal=f"{connection.name}.push", level=-PULL, direction="falling")
