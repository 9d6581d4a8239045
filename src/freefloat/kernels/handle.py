"""The plant's memory as one table: Python hands a whole world to compiled code for the price of one number.

The handle h is the address of the table. Slot s holds (address, n0, n1, n2) of an array that a `Memory` object keeps
alive. A kernel asks for what it needs with `vec(h, QPOS)`, `mat(h, XPOS)`, ...: loads and no reference counting.
The slots are listed once, below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array
from numpy.typing import NDArray

# MuJoCo's model and data (addresses), then views into them
MODEL, DATA, QPOS, QVEL, QACC, BIAS, XPOS, XQUAT, XMAT, XIPOS, XIMAT, COM, CVEL, CDOF, CDOF_DOT = range(15)
BODY_PARENT, BODY_ROOT, BODY_DOF_ADR, BODY_DOF_NUM, DOF_BODY, MASS, INERTIA, QUAT_DOF = range(15, 23)
# the state x = [qpos | qvel | bank states | audit integrals], its time, commands, outputs
X, CLOCK, FRACTION, U, Y, SIZES = range(23, 29)  # FRACTION: [s beyond NOW, time of the last evaluation]
# accumulators of one evaluation
TAU, WRENCH, SUBTREE, POWER, RHS = range(29, 34)
# integrators: stage derivatives in the tangent space, increments, trial states, settings, step-size memory
K, DELTA, X0, XT, K0, SETTINGS, STEPPER = range(34, 41)
# banks: where their rows, states, outputs, forces and guards are (`banks.TABLE`); states of modes and fast ones
BANK_TABLE, HELD = 41, 42
# constraints
WELD, WELD_POSE, JAC, MINV_JT, DELASSUS, LAMBDA, CACC, CWORK = range(43, 51)
# recorder and events; DRIFT is the common velocity that the dynamics is computed without
OPS, GROUPS, GUARDS, GUARD_LEVEL, GUARD_VALUE, FRAMES, ARMATURE, GUARD_NEW, DRIFT = range(51, 60)
# verbs: carried forces now and their course in a step (start, impulse and moment, then coefficients), states that
# `advance` leaves, what a verb books, which states are fast, columns of M^-1 and what they answer to, which guards
# crossed, the phase, and impulses on bodies and joints
CARRIED, COURSE, NEW_STATES, BOOKED, FAST, ANSWERS, UNIT_EFFORTS, CROSSED, PHASE, JOLT, JOLT_TAU = range(60, 71)
SAVED, SAVED_WHOLE, JOLT_MEAN = 71, 72, 73  # where a world stood when others may still stop it (`worlds`)
SHAPES, SHAPE_ROWS = 74, 75  # shapes of all links, and which are those of each body (`shapes`)
LOADS = 76  # loads that signals tell (`loads`)
NOTES, IMPACT = 77, 78  # notes for Python (`notes`), and scratch of impulses (`impact`)
KEPT, KEPT_BEFORE, BUSY = 79, 80, 81  # what banks keep beside the state, and which have something to settle
IMPOSED, IMPOSED_RATES = 82, 83  # joints that follow a course (`imposed`)
TURNS = 84  # answers about a body's turning: [row of UNIT_EFFORTS, body, bank, row of the bank, column of the axis]
COUPLED, COUPLED_NUMBERS = 85, 86  # joints that another one leads (`coupling`)
WELD_FREE, FRICTION = 87, 88  # directions that connections leave free, and scratch of friction along them
SLOTS = 89

# SIZES entries
NQ, NV, NZ, NT, NWELD, NGUARD, NGROUP, NOWN, FLOATING = range(9)
NADVANCE, NSETTLE, NBANKGUARD = range(9, 12)  # banks with these verbs, guards of banks
NROWS = 12  # of all constraints: six of each weld, then one of each imposed motion, then one of each coupled joint
N_SIZES = 13
# PHASE entries: inside a step, whether the answers are those of now, whether a user's verb raised (1 + its bank),
# crossings settled of late, since when [ns], and by which bank; where to find what was raised; notes held
INSIDE, ANSWERED, RAISED, CROSSINGS, SINCE, SETTLER, TOLD, NOTED = range(8)
N_PHASE = 8
# CLOCK entries: whole nanoseconds, how much of the evaluation at X is valid, whether guard values are, steps taken,
# whether built-in banks have settled since Python changed something
NOW, VALID, GUARDED, STEPS, SETTLED = range(5)
N_CLOCK = 5
NOTHING, STATE, FORCES = range(3)  # values of VALID


def compiled_inline(function: Callable[..., Any]) -> Any:
    """Numba's intrinsic: the function types a call and returns its code; literal arguments stay literal."""
    return intrinsic(prefer_literal=True)(function)


def _array(context, builder, kind, address, shape):
    """LLVM value of a C-contiguous array of `kind` at an address; nobody's memory, so never counted."""
    item = context.get_abi_sizeof(context.get_data_type(kind))
    out = context.make_array(types.Array(kind, len(shape), "C"))(context, builder)
    strides = [shape[0].type(item)]
    for n in reversed(shape[1:]):
        strides.insert(0, builder.mul(n, strides[0]))
    data = builder.inttoptr(address, out.data.type)
    populate_array(out, data, shape, strides, item, None)
    return out._getvalue()


def _load(builder, args, column):
    """Column of a slot, of args = (h, slot). It does not change while compiled code runs: LLVM may load it once."""
    h, slot = args
    word = slot.type
    place = builder.add(builder.mul(slot, word(4)), word(column))
    value = builder.load(builder.gep(builder.inttoptr(h, word.as_pointer()), [place]))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def _slot(kind: types.Type, ndim: int, doc: str) -> Any:
    """Intrinsic (h, slot) -> the array in that slot."""

    @compiled_inline
    def view(typingctx, h, slot):
        def codegen(context, builder, signature, args):
            shape = [_load(builder, args, column) for column in range(1, 1 + ndim)]
            return _array(context, builder, kind, _load(builder, args, 0), shape)

        return types.Array(kind, ndim, "C")(types.int64, types.int64), codegen

    view.__doc__ = doc
    return view


def _matrix_at(kind: types.Type, doc: str) -> Any:
    """Intrinsic (address, n0, n1) -> the matrix at that address."""

    @compiled_inline
    def view(typingctx, address, n0, n1):
        def codegen(context, builder, signature, args):
            return _array(context, builder, kind, args[0], args[1:])

        return types.Array(kind, 2, "C")(types.int64, types.int64, types.int64), codegen

    view.__doc__ = doc
    return view


def _vector_at(kind: types.Type, doc: str) -> Any:
    """Intrinsic (address, n) -> the vector at that address."""

    @compiled_inline
    def view(typingctx, address, n):
        def codegen(context, builder, signature, args):
            return _array(context, builder, kind, args[0], args[1:])

        return types.Array(kind, 1, "C")(types.int64, types.int64), codegen

    view.__doc__ = doc
    return view


def tuple_at(kind: types.NamedTuple, first: int) -> Any:
    """Intrinsic (table) -> the arrays of rows `first` on of a table [address, n0, n1, n2], as a NamedTuple."""

    @compiled_inline
    def view(typingctx, table):
        def codegen(context, builder, signature, args):
            word = args[0].type
            cells = builder.inttoptr(args[0], word.as_pointer())
            arrays = []
            for row, array in enumerate(kind.types, first):
                of = [builder.load(builder.gep(cells, [word(4 * row + c)])) for c in range(1 + array.ndim)]
                arrays.append(_array(context, builder, array.dtype, of[0], of[1:]))
            return context.make_tuple(builder, kind, arrays)

        return kind(types.int64), codegen

    return view


vec = _slot(types.float64, 1, "Float vector of a slot.")
mat = _slot(types.float64, 2, "Float matrix of a slot.")
ivec = _slot(types.int64, 1, "Int64 vector of a slot.")
imat = _slot(types.int64, 2, "Int64 matrix of a slot.")
i32 = _slot(types.int32, 1, "Int32 vector of a slot (MuJoCo's index arrays).")
mat_at = _matrix_at(types.float64, "Float matrix at an address.")
imat_at = _matrix_at(types.int64, "Int64 matrix at an address.")
vec_at = _vector_at(types.float64, "Float vector at an address.")
ivec_at = _vector_at(types.int64, "Int64 vector at an address.")


@compiled_inline
def table_of(typingctx, tables, r):
    """The float matrix of which row r of `tables` (`Rows.tables`) holds address, rows and columns."""

    def codegen(context, builder, signature, args):
        word = context.get_value_type(types.int64)
        data = context.make_array(tables)(context, builder, args[0]).data
        first = builder.mul(args[1], word(3))
        place, n0, n1 = (builder.load(builder.gep(data, [builder.add(first, word(k))])) for k in range(3))
        return _array(context, builder, types.float64, place, [n0, n1])

    return types.Array(types.float64, 2, "C")(types.Array(types.int64, 2, "C"), types.int64), codegen


@compiled_inline
def part(typingctx, vector, first, n):
    """vector[first : first + n] without the checks of a slice."""

    def codegen(context, builder, signature, args):
        data = context.make_array(vector)(context, builder, args[0]).data
        start = builder.ptrtoint(builder.gep(data, [args[1]]), args[1].type)
        return _array(context, builder, vector.dtype, start, [args[2]])

    return vector(vector, types.int64, types.int64), codegen


@compiled_inline
def address(typingctx, h, slot):
    """The address in a slot."""

    def codegen(context, builder, signature, args):
        return _load(builder, args, 0)

    return types.int64(types.int64, types.int64), codegen


@compiled_inline
def local(typingctx, size):
    """Float vector of a literal size in the frame of the function that asks for it; its values are undefined."""
    n = size.literal_value

    def codegen(context, builder, signature, args):
        word = context.get_value_type(types.int64)
        frame = cgutils.alloca_once(builder, context.get_value_type(types.float64), n)
        frame.align = 64  # a cache line: vectors never straddle two
        return _array(context, builder, types.float64, builder.ptrtoint(frame, word), [word(n)])

    return types.Array(types.float64, 1, "C")(size), codegen


class Memory:
    """Keeps the arrays of a plant alive and writes their places into the table at `h`."""

    def __init__(self) -> None:
        self._table: NDArray[np.int64] = np.zeros((SLOTS, 4), dtype=np.int64)
        self.h = int(self._table.ctypes.data)
        self._alive: dict[int, np.ndarray] = {}
        self._kept: list[np.ndarray] = []

    def bind(self, slot: int, array: np.ndarray) -> np.ndarray:
        """Put a C-contiguous array into a slot and return it."""
        if not array.flags.c_contiguous:
            raise ValueError(f"slot {slot}: the array is not C-contiguous")
        self._alive[slot] = array
        self._table[slot, 0] = array.ctypes.data
        self._table[slot, 1 : 1 + array.ndim] = array.shape
        return array

    def bind_address(self, slot: int, address: int) -> None:
        """Put a bare address (mjModel, mjData) into a slot."""
        self._table[slot, 0] = address

    def forget(self) -> None:
        """Let go of the arrays kept so far; their addresses must be replaced before compiled code runs again."""
        self._kept.clear()

    def keep(self, *arrays: np.ndarray) -> None:
        """Keep arrays alive whose addresses stand in a table."""
        self._kept += arrays

    def __getitem__(self, slot: int) -> np.ndarray:
        return self._alive[slot]
