"""How onboard steps compile. A step is a function on plain arrays and numbers: the same in Python and compiled.

A controller that offers a step as its `tick` runs inside the plant's compiled loop:

    tick(t, meas, state, out)

`meas`, `state` and `out` are NamedTuples of arrays. The fields of `meas` are the names that the task reads; `state` and
`out` are attributes of the controller: what it remembers and needs (constants too), and what it returns. Arrays are
C-contiguous, of float64, int64 or bool; a tick writes into them and never replaces them. What a tick does not write
into `out` stays as it was.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numba import njit
from numba.extending import register_jitable

from freefloat.cmujoco import STAMP
from freefloat.frames import Array
from freefloat.stamped_cache import fingerprint, stamped_cache

F = TypeVar("F", bound=Callable[..., Any])
_PACKAGE = Path(__file__).parent


def onboard(function: F) -> F:
    """Compile at the first call, GIL released; the next process takes the machine code from the cache."""
    dispatcher: Any = njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = stamped_cache(function, room_of(function), stamp())
    return dispatcher


def room_of(function: Callable[..., Any]) -> Path:
    """The folder whose sources a function may hold, besides gnc: that of its file, or the room of our package."""
    file = Path(function.__code__.co_filename)
    return _PACKAGE / file.relative_to(_PACKAGE).parts[0] if file.is_relative_to(_PACKAGE) else file.parent


@cache
def stamp() -> str:
    """Of everything that onboard code may call: gnc, frames, and MuJoCo's functions."""
    return f"{STAMP} {fingerprint(_PACKAGE / 'gnc', (_PACKAGE / 'frames.py').read_text('utf-8'))}"


def inner(function: F) -> F:
    """A plain Python function that compiled steps may call too."""
    return register_jitable(error_model="numpy")(function)


def inlined(function: F) -> F:
    """The same, written out where it is called: for a part of one step, which would get the whole state copied."""
    return register_jitable(error_model="numpy", forceinline=True)(function)


class Ticking:
    """A controller with a `tick`, called from Python: `update` hands it the measurements and copies what it gives."""

    tick: Any  # a staticmethod, or a property that chooses one
    state: Any
    out: Any

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """Commands for the next period."""
        return ticked(self.tick, t, meas, self.state, self.out)


def ticked(tick: Callable[..., None], t: float, meas: Mapping[str, Array], state: Any, out: Any) -> dict[str, Array]:
    """What one tick from Python gives, copied."""
    values = record(tuple(meas))(*(np.ascontiguousarray(v, dtype=np.float64) for v in meas.values()))
    tick(float(t), values, state, out)
    return {name: value.copy() for name, value in out._asdict().items()}


@cache
def record(names: tuple[str, ...]) -> Any:
    """The NamedTuple class with these fields."""
    return namedtuple("Record", names)


def joined(*parts: Any) -> Any:
    """The fields of several NamedTuples in one; the arrays are the same."""
    together = {name: value for part in parts for name, value in part._asdict().items()}
    return record(tuple(together))(*together.values())
