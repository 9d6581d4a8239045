"""Names into places: indices of references, and signals as ops that compiled code copies into the columns of a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from freefloat.engine.blueprint import Blueprint
from freefloat.engine.sources import (
    Acceleration,
    CommandSource,
    ConnectionLoad,
    ConnectionSource,
    FrameSource,
    ImposedSource,
    InterfaceLoad,
    MountLoad,
    RowKept,
    RowOutput,
    RowState,
    Source,
)
from freefloat.engine.tree import WORLD
from freefloat.errors import InputError, unknown_name
from freefloat.kernels import sample as S
from freefloat.kernels.bank import Apart, Bank, Body, Command, Coordinate, Rate, Ref, Row, Solid
from freefloat.kernels.banks import BANKS

if TYPE_CHECKING:
    from freefloat.engine.plant import Plant

Firsts: TypeAlias = tuple[dict[str, int], dict[str, int]]  # first state and first output by row


def index_of(plant: Plant, ref: Ref, where: str) -> int:
    """The present index of a reference."""
    tree = plant.tree
    match ref:
        case Body(link) if link == WORLD:
            return 0
        case Apart(a, b):
            return int(tree.rigid(a) != tree.rigid(b))
        case Solid(make):
            return 0 if make is None else plant.solid(where, make)
        case Body(link):
            if link not in tree.body:
                raise unknown_name(f"link (in {where})", link, tree.body)
            return tree.body[link]
        case Coordinate(joint) | Rate(joint):
            table = tree.coordinate if isinstance(ref, Coordinate) else tree.rate
            if joint not in table:
                raise unknown_name(f"joint (in {where})", joint, table)
            return table[joint]
        case Command(name, entry):
            if name not in plant.command_at:
                raise unknown_name(f"command (in {where})", name, plant.command_at)
            at = plant.command_at[name]
            if not 0 <= entry < at.stop - at.start:
                raise InputError(f"{where}: entry {entry} of command {name!r}, which has {at.stop - at.start}")
            return at.start + entry
        case _:
            return ref


def offsets(bp: Blueprint) -> Firsts:
    """First state and first output of every row, in the order of the rows."""
    state: dict[str, int] = {}
    output: dict[str, int] = {}
    nz = ny = 0
    for row in bp.rows.values():
        state[row.name], output[row.name] = nz, ny
        nz += len(row.states)
        ny += row.outputs
    return state, output


def rows_of_banks(plant: Plant) -> list[tuple[Bank, list[Row]]]:
    """Every bank with its rows, in the order of the table: the built-in ones, then the user's."""
    rows: dict[str, list[Row]] = {}
    for row in plant.blueprint.rows.values():
        rows.setdefault(row.bank.name, []).append(row)
    return [(bank, rows.get(bank.name, [])) for bank in (*BANKS, *plant.own_banks.values())]


_FRAME_SOURCE = {
    "p": (S.FRAME_P, 3),
    "q": (S.FRAME_Q, 4),
    "v": (S.FRAME_V, 3),
    "w": (S.FRAME_W, 3),
    "f": (S.FRAME_F, 3),
}


def source_op(plant: Plant, source: Source, where: str, firsts: Firsts) -> tuple[int, int, int]:
    """(kernel source, index, length) of one source; `firsts` are the `offsets` of the plant's blueprint."""
    bp = plant.blueprint
    match source:
        case FrameSource(frame, quantity):
            bp.frame(frame)
            kind, length = _FRAME_SOURCE[quantity]
            return kind, list(bp.frames).index(frame), length
        case Coordinate():
            return S.POSITION, index_of(plant, source, where), 1
        case Rate():
            return S.RATE, index_of(plant, source, where), 1
        case Acceleration(joint):
            return S.ACCELERATION, index_of(plant, Rate(joint), where), 1
        case RowOutput(row, entry):
            number = _entry(bp, row, entry, "outputs", where)
            return S.OUTPUT, firsts[1][row] + number, 1
        case RowState(row, entry):
            number = _entry(bp, row, entry, "states", where)
            return S.BANK_STATE, firsts[0][row] + number, 1
        case RowKept(row, entry):
            return S.KEPT, _kept_at(plant, row) + _entry(bp, row, entry, "kept", where), 1
        case CommandSource(name):
            at = plant.command_at[name]
            return S.COMMAND, at.start, at.stop - at.start
        case ConnectionSource(connection, quantity):
            welds = [edge.name for edge in plant.tree.loops]
            if connection not in welds:
                return S.MISSING, 0, 1 if quantity == "push" else 6
            w = welds.index(connection)
            return {"load": (S.WELD_LOAD, 6 * w, 6), "error": (S.WELD_ERROR, w, 6), "push": (S.PUSH, w, 1)}[quantity]
        case ImposedSource(joint, quantity):  # efforts stand behind the loads of the welds, errors behind the efforts
            if joint not in bp.imposed:
                raise unknown_name(f"imposed motion (in {where})", joint, bp.imposed)
            r = 6 * len(plant.tree.loops) + list(bp.imposed).index(joint)
            return S.WELD_LOAD, r if quantity == "effort" else r + len(bp.imposed) + len(bp.couplings), 1
        case ConnectionLoad() | MountLoad():
            return S.LOAD, bp.loads.index(source), 6
        case InterfaceLoad(limits=limits):
            return (S.LOAD_SHARE, bp.loads.index(source), 1) if limits else (S.LOAD_SIZES, bp.loads.index(source), 2)


def _kept_at(plant: Plant, row: str) -> int:
    """Where a row's kept numbers begin."""
    first = 0
    for bank, rows in rows_of_banks(plant):
        for one in rows:
            if one.name == row:
                return first
            first += len(bank.kept)
    raise unknown_name("bank row", row, plant.blueprint.rows)


def _entry(bp: Blueprint, row: str, entry: int | str, what: str, where: str) -> int:
    """The number of a state or output of a row."""
    if row not in bp.rows:
        raise unknown_name(f"bank row (in {where})", row, bp.rows)
    names = [c.name for c in getattr(bp.rows[row].bank, what)]
    if isinstance(entry, str):
        if entry not in names:
            raise unknown_name(f"entry of the {what} of bank row {row!r} (in {where})", entry, names)
        return names.index(entry)
    size = bp.rows[row].outputs if what == "outputs" else len(bp.rows[row].states)
    if not 0 <= entry < size:
        raise InputError(f"signal {where!r}: entry {entry} of the {size} {what} of bank row {row!r}")
    return entry


def resolve_ops(plant: Plant, names: Sequence[str], columns: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """Ops that put signals into columns of a row, given the first of each; neighbours on both sides become one op."""
    ops: list[tuple[int, int, int, int]] = []
    firsts = offsets(plant.blueprint)
    for name, first in zip(names, columns, strict=True):
        signal, sources = plant.blueprint.sources[name]
        column = first
        for source in sources:
            kind, index, length = source_op(plant, source, name, firsts)
            before = ops[-1] if ops else (-1, 0, 0, 0)
            joined = before[0] == kind and before[1] + before[2] == index and before[3] + before[2] == column
            if kind < S.FRAME_P and joined:
                ops[-1] = (kind, before[1], before[2] + length, before[3])
            else:
                ops.append((kind, index, length, column))
            column += length
        if column - first != signal.size:
            raise InputError(f"signal {name!r}: its sources do not fill shape {signal.shape}")
    return ops
