"""How kernels compile: `kernel` for functions that compiled code calls, `entry` for the ones that Python calls.

Numba's own cache looks only at the file of the cached function; an entry's machine code also holds every kernel that it
calls. `entry` therefore stamps its cache with all sources of this package and MuJoCo's version.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import mujoco
from numba import njit
from numba.core import caching

_FAST = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile for callers in compiled code only: no exceptions, no Python wrapper."""
    return njit(**_FAST)(function)


@cache
def _fingerprint() -> str:
    digest = hashlib.sha256(mujoco.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _stamped(locator: type) -> type:
    return type(f"Stamped{locator.__name__}", (locator,), {"get_source_stamp": lambda self: _fingerprint()})


class _Impl(caching.CompileResultCacheImpl):
    _locator_classes: ClassVar[list[type]] = [
        _stamped(caching.UserProvidedCacheLocator),
        _stamped(caching.InTreeCacheLocator),
        _stamped(caching.UserWideCacheLocator),
    ]


class _Cache(caching.FunctionCache):
    _impl_class = _Impl


def entry(signature: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile at import for callers in Python, with the GIL released; the next import takes it from the cache."""

    def compile_now(function: Callable[..., Any]) -> Callable[..., Any]:
        dispatcher: Any = njit(nogil=True, error_model="numpy")(function)
        dispatcher._cache = _Cache(function)
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return compile_now
