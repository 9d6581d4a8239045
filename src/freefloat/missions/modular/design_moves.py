"""Moves of a design's modules by a gantry from above: where each leads, or why it cannot be made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.errors import InputError, unknown_name
from freefloat.frames import Pose
from freefloat.missions.modular.gantry_job import DOWN, SAFE, GantryJob, Transfer
from freefloat.robots.gantry import gantry_over
from freefloat.structure.design.design import Design, assembled, label
from freefloat.structure.faults import Face
from freefloat.structure.grid import cubic
from freefloat.structure.interface import Misalignment, misalignment
from freefloat.structure.latches import Latches, own_face
from freefloat.structure.module import InterfaceType, compatible
from freefloat.structure.tensor_body import TensorBody, transfer

RAM_SIDE = 0.06  # [m] that the middle of the ram keeps off columns, assumed
UP = 4  # the side +z of a place
Cell = tuple[int, int, int]


@dataclass(frozen=True)
class Wish:
    """A module and the cell where it shall go."""

    module: int  # identity
    to: Cell


class MoveError(InputError):
    """A move that cannot be made: its number from 0, the field that is wrong ("" for the whole), and why."""

    def __init__(self, number: int, field: str, message: str) -> None:
        super().__init__(message)
        self.number, self.field = number, field


def job_of(design: Design, wishes: Sequence[Wish], hand: str = "") -> GantryJob:
    """The design as a stack with room for all moves, and a gantry that spans it.

    Raises MoveError for the first move that cannot be made, and InputError for a hand that the catalogue does not have.
    The design has no errors and a cubic grid.
    """
    body = _with_room(design, wishes)
    apart, broken = (_faces(body, design, state) for state in ("open", "failed"))
    interface = _hand(body, wishes, hand)
    latches = Latches(apart=apart, broken=broken)
    latches.close_all(body)
    start, moves = body.copy(), []
    for number, wish in enumerate(wishes):
        moves.append(_move(number, wish, body, latches, interface))
    half = 0.5 * body.grid.spacing
    touched = start.grid.p_TP if not moves else start.grid.p_TP[[p for move in moves for p in move]]
    corners = start.grid.p_TP.min(axis=0) - half, start.grid.p_TP.max(axis=0) + half
    size = gantry_over(*corners, lift=2.0 * half + SAFE, lowest=float(touched[:, 2].min() + half))
    return GantryJob(start, moves, interface, size, apart, broken, RAM_SIDE)


def _with_room(design: Design, wishes: Sequence[Wish]) -> TensorBody:
    """The design's modules on its grid, grown where moves lead beyond it; T stays where it is."""
    body, _ = assembled(design)
    grid = body.grid
    size = np.array(grid.size)
    for number, wish in enumerate(wishes):
        size = np.maximum(size, np.array(wish.to) + 1)
        if np.prod(size) > 100 * grid.n + 1000:
            allowed = f"near the design's cells, (0, 0, 0) to {_cell(np.array(grid.size) - 1)}"
            raise MoveError(number, "to", f"cell {_cell(wish.to)} is far from every module; allowed: {allowed}")
    if (size == grid.size).all():
        return body.copy("stack")
    origin = 0.5 * (size - np.array(grid.size)) * grid.spacing
    nx, ny, nz = size.tolist()
    grown = TensorBody("stack", cubic(nx, ny, nz, grid.spacing, origin), design.catalogue)
    for place in body.occupied.tolist():
        grown.insert(grown.grid.index(grid.cells[place]), body.module(place), int(body.orientation[place]))
    return grown


def _faces(body: TensorBody, design: Design, state: str) -> frozenset[Face]:
    """Interfaces of the design in this state, by their modules' own sides."""
    found = ((body.find(held.identity), held.side) for held in design.held if held.state == state)
    sides = body.grid.side_names
    return frozenset(own_face(body, place, sides.index(side)) for place, side in found if place is not None)


def _hand(body: TensorBody, wishes: Sequence[Wish], name: str) -> InterfaceType:
    """The named interface, or the first with a drive that fits the tops of all modules that are moved."""
    active = [i for i in body.catalogue.interfaces if i.active]
    if name:
        if name not in (names := [i.name for i in active]):
            raise unknown_name("interface with a drive", name, names)
        return body.catalogue.interface(name)
    places = [body.find(wish.module) for wish in wishes]
    tops = [top for place in places if place is not None and (top := _top(body, place)) is not None]
    fitting = [i for i in active if all(compatible(i, top) for top in tops)]
    if not (fitting or active):
        raise InputError("no interface of the catalogue has a drive; allowed: one that is active, for the hand")
    return (fitting or active)[0]


def _top(body: TensorBody, place: int) -> InterfaceType | None:
    number = int(body.interfaces()[place, UP])
    return body.catalogue.interface(number) if number > 0 else None


def _move(number: int, wish: Wish, body: TensorBody, latches: Latches, hand: InterfaceType) -> Transfer:
    """Make a move, or refuse it and say why."""
    place = body.find(wish.module)
    if place is None:
        known = ", ".join(map(str, sorted(body.identity[body.occupied].tolist())))
        raise MoveError(number, "module", f"there is no module {wish.module}; allowed: {known}")
    problem = _cannot_leave(body, place, latches, hand)
    if problem:
        raise MoveError(number, "module", f"{label(body, place)} {problem}")
    goal = body.grid.index(wish.to)
    problem = _cannot_enter(body, place, goal)
    if problem:
        raise MoveError(number, "to", f"cell {_cell(wish.to)} {problem}")
    module, orientation = body.module(place), int(body.orientation[place])
    rest = body.copy()
    rest.remove(place)
    latches.cleared(rest, place)
    reason = latches.begin_closing(rest, goal, module, orientation, 0.0, Misalignment())
    if reason:
        allowed = "a cell beside a module on which it can close"
        raise MoveError(number, "to", f"cell {_cell(wish.to)}: {reason}; allowed: {allowed}")
    transfer(body, place, body, goal, orientation)
    latches.settled(body, goal)
    return place, goal


def _cannot_leave(body: TensorBody, place: int, latches: Latches, hand: InterfaceType) -> str:
    """Why the gantry cannot lift the module at a place, or nothing."""
    over = _over(body, place)
    if over is not None:
        return f"is locked in, {label(body, over)} is above it; allowed: one with nothing above, so move that first"
    top, allowed = _top(body, place), f"one that the hand's {hand.name!r} fits"
    if top is None:
        return f"has no interface on top (+z); allowed: {allowed}"
    if not compatible(hand, top):
        return f"has {top.name!r} on top (+z); allowed: {allowed}"
    if own_face(body, place, UP) in latches.broken:
        return f"has a failed interface on top (+z); allowed: {allowed}"
    X_TF = body.X_TF(place, UP)
    off = misalignment(X_TF.inverse() @ Pose(DOWN, X_TF.p), hand.symmetry)
    if off.angle > hand.angle_tolerance:
        rolled = f"{np.degrees(off.angle):.0f} deg from the hand"
        return f"has its top (+z) rolled by {rolled}, which does not turn; allowed: {hand.symmetry}-fold positions"
    pieces = latches.without(body, place)
    if pieces == 0:
        return "is the only one; allowed: one of several"
    if pieces > 1:
        return f"cannot be taken, the rest would fall into {pieces} pieces; allowed: one that leaves the rest connected"
    return ""


def _cannot_enter(body: TensorBody, place: int, goal: int) -> str:
    """Why the gantry cannot lower the module at `place` to a goal, or nothing."""
    if goal == place:
        return "is where it is already; allowed: a free cell"
    if body.shape[goal] > 0:
        return f"is occupied by {label(body, goal)}; allowed: a free cell"
    rest = body.copy()
    rest.remove(place)
    over = _over(rest, goal)
    return "" if over is None else f"is covered, {label(body, over)} is above it; allowed: one that is open to +z"


def _over(body: TensorBody, place: int) -> int | None:
    """The next module above a place, however high."""
    i, j, k = body.grid.cells[place].tolist()
    column = (body.grid.index((i, j, layer)) for layer in range(k + 1, body.grid.size[2]))
    return next((p for p in column if body.shape[p] > 0), None)


def _cell(cell: Sequence[int] | np.ndarray) -> str:
    return f"({', '.join(str(int(c)) for c in cell)})"
