"""What a reconfiguration is, on plain arrays: places, kinds of modules, contents at the start and the goal, robots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from freefloat.frames import Array, Pose

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]
Match = Literal["type", "identity"]


class Places(Protocol):
    """Where modules can be, in the structure's frame T: a cubic or a hexagonal grid.

    Each place has a frame P at its centre, parallel to T. A module's frame M sits there in one of the orientations
    R_PM; its own side s then shows at the place's side side_at[orientation, s].
    """

    @property
    def n(self) -> int: ...
    @property
    def sides(self) -> int: ...
    @property
    def side_names(self) -> tuple[str, ...]: ...
    @property
    def cells(self) -> Indices: ...  # (n, 3) i, j, k or (n, 2) q, r
    @property
    def p_TP(self) -> Array: ...  # [m] (n, 3)
    @property
    def neighbours(self) -> Indices: ...  # (n, sides), -1 where there is none
    @property
    def facing(self) -> Indices: ...  # (sides,) side of a neighbour that faces a side, -1 where nothing can
    @property
    def X_PF(self) -> tuple[Pose, ...]: ...  # connector frame of each side, z outwards
    @property
    def R_PM(self) -> Array: ...  # (orientations, 3, 3), identity first
    @property
    def side_at(self) -> Indices: ...  # (orientations, sides)
    @property
    def outline(self) -> Array: ...  # [m] (corners, 3) of a cell's prism, in P
    @property
    def faces(self) -> tuple[tuple[int, ...], ...]: ...  # corners of each face of the prism


@dataclass(frozen=True, eq=False)
class Kinds:
    """Types of modules by number, 0 for an empty place, and their interfaces by number, 0 for none."""

    names: tuple[str, ...]  # (types + 1,)
    interface: Indices  # (types + 1, sides) on the module's own sides
    mates: Flags  # (interfaces + 1, interfaces + 1) which close on each other
    power: Flags  # the same shape: and carry current then
    grip: Flags  # (interfaces + 1,) on which a robot's end closes
    feeds: Flags  # (types + 1,) sources of power
    needs: Flags  # (types + 1,) those that must have a path to one


@dataclass(frozen=True, eq=False)
class Contents:
    """What is where: (n,) each, 0 where a place is empty."""

    type: Indices
    orientation: Indices
    identity: Indices


@dataclass(frozen=True)
class Stance:
    """A face on which a robot stands with one end; which end it is matters only where a joint of it is stuck."""

    place: int
    side: int  # of the place
    end: int = 0  # 1 end A, 2 end B; 0: it does not matter

    def stepping(self, to: Stance) -> Stance:
        """Where the robot stands once its other end is on a face."""
        return Stance(to.place, to.side, 3 - self.end if self.end else 0)


@dataclass(frozen=True)
class Carry:
    """A module from one place to another, in one stance; it may end where it began, turned.

    The hand grips at the side `grip` of the source's place. The module turns by R_PM[turn] in T, so that its
    orientation o becomes the one with R_PM[turn] R_PM[o], and the hand ends at the side side_at[turn, grip] of the
    target's place.
    """

    source: int
    target: int
    grip: int
    turn: int = 0


@dataclass(frozen=True)
class Excluded:
    """What does not work any more."""

    faces: frozenset[tuple[int, int]] = frozenset()  # (identity, own side) on which nothing closes or grips
    opens: frozenset[int] = frozenset()  # identities of modules that do not let go of their neighbours
    dead: frozenset[int] = frozenset()  # identities of modules that pass no power and give none


@dataclass(frozen=True, eq=False)
class Problem:
    """From the start's contents to the goal's, by robots that stand somewhere.

    With `match` "type" a goal cell is right when a module of its type is there in its orientation (up to what the
    type's interfaces cannot tell apart is NOT taken into account: the orientation is the goal's); with "identity" it
    must be that very module.
    """

    places: Places
    kinds: Kinds
    start: Contents
    goal: Contents
    robots: Sequence[Stance]
    match: Match = "type"
    excluded: Excluded = field(default_factory=Excluded)


@dataclass(frozen=True)
class Operation:
    """One operation of a plan. `stance` is where the robot stands meanwhile.

    step: the free end latches on `to`, the other lets go. transfer: `carry`.
    """

    n: int
    robot: int
    stance: Stance
    to: Stance | None = None
    carry: Carry | None = None
    module: int = 0  # identity: of the module that is carried, or on which the robot steps
    after: tuple[int, ...] = ()  # operations that must have ended before
    seconds: float = 0.0  # predicted

    @property
    def kind(self) -> Literal["step", "transfer"]:
        return "step" if self.carry is None else "transfer"


@dataclass(frozen=True)
class Plan:
    """Operations in an order in which they can be done one by one, what they cost, and what was proven."""

    operations: tuple[Operation, ...]
    cost: float  # [s] sum of the predicted times
    bound: float  # [s] proven: no plan costs less
    transfers_bound: int
    motion_checks: int
    expansions: int

    @property
    def transfers(self) -> int:
        return sum(o.kind == "transfer" for o in self.operations)

    @property
    def steps(self) -> int:
        return sum(o.kind == "step" for o in self.operations)
