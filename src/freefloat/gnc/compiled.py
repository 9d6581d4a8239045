"""How onboard steps compile. A step is a function on plain arrays and numbers: the same in Python and compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from numba import njit
from numba.extending import register_jitable

from freefloat.stamped_cache import stamped_cache

F = TypeVar("F", bound=Callable[..., Any])


def onboard(function: F) -> F:
    """Compile at the first call, GIL released; the next process takes the machine code from the cache."""
    dispatcher: Any = njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = stamped_cache(function, Path(__file__).parent)
    return dispatcher


def inner(function: F) -> F:
    """A plain Python function that compiled steps may call too."""
    return register_jitable(error_model="numpy")(function)
