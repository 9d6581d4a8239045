"""The plant's memory as one int64 array: Python hands a whole world to compiled code for the price of one argument.

Slot s holds (address, n0, n1, n2) of an array that a `Memory` object keeps alive. A kernel asks for what it needs with
`vec(h, QPOS)`, `mat(h, XPOS)`, ...: a load and no reference counting. The slots are listed once, below.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, types  # pyright: ignore[reportPrivateImportUsage]
from numba.extending import intrinsic
from numpy.typing import NDArray

from freefloat.kernels.jit import kernel

# MuJoCo's model and data (addresses), then views into them
MODEL, DATA, QPOS, QVEL, QACC, BIAS, XPOS, XQUAT, XMAT, XIPOS, XIMAT, COM, CVEL, CDOF, CDOF_DOT = range(15)
BODY_PARENT, BODY_ROOT, BODY_DOF_ADR, BODY_DOF_NUM, DOF_BODY, MASS, INERTIA, QUAT_DOF = range(15, 23)
# the state x = [qpos | qvel | bank states | audit integrals], its time, commands, outputs
X, CLOCK, FRACTION, U, Y, SIZES = range(23, 29)
# accumulators of one evaluation
TAU, WRENCH, SUBTREE, POWER, RHS = range(29, 34)
# integrators: stage derivatives in the tangent space, increments, trial states, settings, step-size memory
K, DELTA, X0, XT, K0, SETTINGS, STEPPER = range(34, 41)
# banks: per bank the numeric rows, index rows, and offsets (state, outputs)
BANK_TABLE, EFFECT_TABLE = 41, 42
# constraints
WELD, WELD_POSE, JAC, MINV_JT, DELASSUS, LAMBDA, CACC, CWORK = range(43, 51)
# recorder and events
OPS, GROUPS, GUARDS, GUARD_LEVEL, GUARD_VALUE, FRAMES, ARMATURE = range(51, 58)
SLOTS = 58

# SIZES entries
NQ, NV, NZ, NT, NWELD, NGUARD, NGROUP, NEFFECT = range(8)
N_SIZES = 8
# CLOCK entries: whole nanoseconds, how much of the evaluation at X is valid, whether guard values are, steps taken
NOW, VALID, GUARDED, STEPS = range(4)
NOTHING, STATE, FORCES = range(3)  # values of VALID


def _pointer_to(kind: types.Type) -> Any:
    """Intrinsic that turns an address into a pointer to numbers of this kind."""

    @intrinsic
    def pointer(typingctx, address):  # pyright: ignore[reportUnusedParameter]
        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

        return types.CPointer(kind)(address), codegen

    return pointer


_f64_pointer = _pointer_to(types.float64)
_i64_pointer = _pointer_to(types.int64)
_i32_pointer = _pointer_to(types.int32)


@kernel
def vec(h, slot):
    """Float vector of a slot."""
    return carray(_f64_pointer(h[slot, 0]), h[slot, 1])


@kernel
def mat(h, slot):
    """Float matrix of a slot."""
    return carray(_f64_pointer(h[slot, 0]), (h[slot, 1], h[slot, 2]))


@kernel
def mat_at(address, n0, n1):
    """Float matrix at an address."""
    return carray(_f64_pointer(address), (n0, n1))


@kernel
def imat_at(address, n0, n1):
    """Int64 matrix at an address."""
    return carray(_i64_pointer(address), (n0, n1))


@kernel
def ivec(h, slot):
    """Int64 vector of a slot."""
    return carray(_i64_pointer(h[slot, 0]), h[slot, 1])


@kernel
def imat(h, slot):
    """Int64 matrix of a slot."""
    return carray(_i64_pointer(h[slot, 0]), (h[slot, 1], h[slot, 2]))


@kernel
def i32(h, slot):
    """Int32 vector of a slot (MuJoCo's index arrays)."""
    return carray(_i32_pointer(h[slot, 0]), h[slot, 1])


class Memory:
    """Keeps the arrays of a plant alive and writes their places into the handle `h`."""

    def __init__(self) -> None:
        self.h: NDArray[np.int64] = np.zeros((SLOTS, 4), dtype=np.int64)
        self._alive: dict[int, np.ndarray] = {}
        self._kept: list[np.ndarray] = []

    def bind(self, slot: int, array: np.ndarray) -> np.ndarray:
        """Put a C-contiguous array into a slot and return it."""
        if not array.flags.c_contiguous:
            raise ValueError(f"slot {slot}: the array is not C-contiguous")
        self._alive[slot] = array
        self.h[slot, 0] = array.ctypes.data
        self.h[slot, 1 : 1 + array.ndim] = array.shape
        return array

    def bind_address(self, slot: int, address: int) -> None:
        """Put a bare address (mjModel, mjData) into a slot."""
        self.h[slot, 0] = address

    def keep(self, *arrays: np.ndarray) -> None:
        """Keep arrays alive whose addresses stand in a table."""
        self._kept += arrays

    def __getitem__(self, slot: int) -> np.ndarray:
        return self._alive[slot]
