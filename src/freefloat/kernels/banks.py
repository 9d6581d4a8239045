"""The built-in banks: their numbers, which are the order in which the plant calls them, and their rows in memory."""

from __future__ import annotations

from freefloat.kernels.handle import imat_at, mat_at
from freefloat.kernels.jit import kernel
from freefloat.kernels.view import Rows

# the rows of BANK_TABLE are
# [address of f, rows, columns, address of i, columns, state offset, states, output offset, outputs]
JOINT_TORQUE, JOINT_SPRING, BODY_WRENCH, UNIFORM_GRAVITY, POINT_MASS_GRAVITY, ORBIT_GRAVITY, THRUSTER, WHEEL = range(8)
COLD_GAS, FLOOR = 8, 9
N_BANKS = 10
TABLE_COLUMNS = 9


@kernel
def rows_of(table, b):
    """Parameters of bank b."""
    n = table[b, 1]
    return Rows(mat_at(table[b, 0], n, table[b, 2]), imat_at(table[b, 3], n, table[b, 4]))
