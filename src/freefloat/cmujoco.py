"""MuJoCo's C functions, callable from compiled code.

The library in the mujoco wheel is loaded once; each symbol is checked with ctypes, because a name that the header
declares but the library does not export would end the process at its first call. `m` and `d` are the addresses of
mjModel and mjData (`MjModel._address`); pointers to numbers are addresses too.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import mujoco
from numba import types

from freefloat.errors import FreefloatError


def _library() -> Path:
    folder = Path(mujoco.__file__).parent
    found = sorted(p for pattern in ("libmujoco.so*", "libmujoco*.dylib", "mujoco.dll") for p in folder.glob(pattern))
    if not found:
        raise FreefloatError(f"no MuJoCo library in the mujoco package {mujoco.__version__}; reinstall mujoco")
    return found[0]


# what machine code that calls these functions depends on besides its own sources
STAMP = f"{mujoco.__version__} {Path(__file__).read_text(encoding='utf-8')}"

_PATH = _library()
_CDLL = ctypes.CDLL(str(_PATH))
llvm.load_library_permanently(str(_PATH))


def _external(name: str, *arguments: types.Type, returns: types.Type = types.void) -> Any:
    if not hasattr(_CDLL, name):
        raise FreefloatError(f"MuJoCo {mujoco.__version__} does not export {name}; Freefloat needs mujoco 4.0")
    return types.ExternalFunction(name, returns(*arguments))


_ptr = types.intp

mj_kinematics = _external("mj_kinematics", _ptr, _ptr)
mj_comPos = _external("mj_comPos", _ptr, _ptr)
mj_crb = _external("mj_crb", _ptr, _ptr)  # mj_makeM without tendons and actuators, which our models do not have
mj_makeM = _external("mj_makeM", _ptr, _ptr)
mj_fullM = _external("mj_fullM", _ptr, _ptr, _ptr)  # m, d, M dense
mj_factorM = _external("mj_factorM", _ptr, _ptr)
mj_comVel = _external("mj_comVel", _ptr, _ptr)
mj_rne = _external("mj_rne", _ptr, _ptr, types.int32, _ptr)  # m, d, flg_acc, result
mj_solveM = _external("mj_solveM", _ptr, _ptr, _ptr, _ptr, types.int32)  # m, d, x, y, rows
mj_integratePos = _external("mj_integratePos", _ptr, _ptr, _ptr, types.float64)  # m, qpos, qvel, dt
mj_jac = _external("mj_jac", _ptr, _ptr, _ptr, _ptr, _ptr, types.int32)  # m, d, jacp, jacr, point, body
mj_angmomMat = _external("mj_angmomMat", _ptr, _ptr, _ptr, types.int32)  # m, d, matrix (3, nv), body
mju_copy = _external("mju_copy", _ptr, _ptr, types.int32)  # to, from, how many
# m, d, geom 1, geom 2, distmax, fromto (6,): signed distance [m]
mj_geomDistance = _external(
    "mj_geomDistance", _ptr, _ptr, types.int32, types.int32, types.float64, _ptr, returns=types.float64
)
