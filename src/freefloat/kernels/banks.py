"""The built-in banks in the order in which the plant calls them, and the table by which compiled code finds rows.

A new built-in bank is its module and one line of `BANKS`; everything else follows from its declaration. A user's own
banks come after these, each with the addresses of its verbs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from freefloat.kernels import handle as H
from freefloat.kernels.bank import Bank, Column, places
from freefloat.kernels.body_wrench import BODY_WRENCH
from freefloat.kernels.cold_gas import COLD_GAS
from freefloat.kernels.contact import CONTACT
from freefloat.kernels.drive import DRIVE
from freefloat.kernels.floor import FLOOR
from freefloat.kernels.gravity import POINT_MASS_GRAVITY, UNIFORM_GRAVITY
from freefloat.kernels.handle import address, imat_at, ivec, mat_at, part, vec
from freefloat.kernels.jit import inlined_kernel, kernel
from freefloat.kernels.joint_actuator import JOINT_ACTUATOR
from freefloat.kernels.joint_friction import JOINT_FRICTION
from freefloat.kernels.joint_spring import JOINT_SPRING
from freefloat.kernels.joint_torque import JOINT_TORQUE
from freefloat.kernels.orbit_gravity import ORBIT_GRAVITY
from freefloat.kernels.thruster import THRUSTER
from freefloat.kernels.view import Rows
from freefloat.kernels.wheel import WHEEL

BANKS = (
    JOINT_TORQUE,
    JOINT_SPRING,
    BODY_WRENCH,
    UNIFORM_GRAVITY,
    POINT_MASS_GRAVITY,
    ORBIT_GRAVITY,
    THRUSTER,
    WHEEL,
    COLD_GAS,
    FLOOR,
    CONTACT,
    JOINT_FRICTION,
    DRIVE,
    JOINT_ACTUATOR,
)
N_BANKS = len(BANKS)
UNIFORM, POINT_MASS, ORBIT = (BANKS.index(b) for b in (UNIFORM_GRAVITY, POINT_MASS_GRAVITY, ORBIT_GRAVITY))

# columns of BANK_TABLE, one row per bank: addresses and sizes of its arrays, its slices of the world's vectors, and the
# addresses of a user's verbs
TABLE = (
    *(Column(n) for n in ("f", "rows", "f_columns", "i", "i_columns", "tables")),
    *(Column(n) for n in ("state", "states", "output", "outputs", "force", "forces", "guard", "guards")),
    *(Column(n) for n in ("answer", "answers", "kept", "kept_columns", "deciding")),
    *(Column(n) for n in ("work", "works")),
    *(Column(n) for n in ("call_stage", "call_advance", "call_guard", "call_settle", "call_stored")),
    *(Column(n) for n in ("advances", "settles", "stores", "changed")),  # 1: it has the verb; its states changed
)
T = places(TABLE)


@kernel
def rows_of(h, table, b):
    """Parameters of bank b."""
    B = table[b]
    n = B[T.rows]
    return Rows(
        mat_at(B[T.f], n, B[T.f_columns]),
        imat_at(B[T.i], n, B[T.i_columns]),
        imat_at(B[T.tables], n, 3),
        part(vec(h, H.CARRIED), B[T.force], B[T.forces]),
        ivec(h, H.PHASE)[H.INSIDE],
        mat_at(address(h, H.KEPT) + 8 * B[T.kept], n, B[T.kept_columns]),
        part(ivec(h, H.BUSY), b, 1),
        mat_at(B[T.work], B[T.works], n),
    )


def dispatcher(verb: str) -> Callable[..., Any]:
    """A kernel (b, arguments...) that calls this verb of the built-in bank b, where it has one."""
    run = _nothing
    for number, bank in reversed(list(enumerate(BANKS))):
        if getattr(bank, verb) is not None:
            run = _branch(number, getattr(bank, verb), run)
    return run


@inlined_kernel
def _nothing(b, *arguments):
    pass


def _branch(number: int, function: Callable[..., Any], rest: Callable[..., Any]) -> Callable[..., Any]:
    @inlined_kernel
    def run(b, *arguments):
        if b == number:
            function(*arguments)
        else:
            rest(b, *arguments)

    return run


def number_of(bank: Bank) -> int:
    """The place of a built-in bank in `BANKS`, or -1 for a user's own."""
    return next((n for n, b in enumerate(BANKS) if b is bank), -1)
