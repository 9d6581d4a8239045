"""Checked arrays over the nodes and edges of a network."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.errors import InputError
from freefloat.frames import Array

Integers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]


def check_edges(n: int, edges: ArrayLike) -> Integers:
    """Edges as (m, 2) node numbers; refuses numbers outside 0..n-1 and edges from a node to itself."""
    e = np.array(edges, dtype=np.int64).reshape(-1, 2)
    if e.size and (e.min() < 0 or e.max() >= n):
        bad = e[((e < 0) | (e >= n)).any(axis=1)][0].tolist()
        raise InputError(f"edge {bad} names a node that does not exist; allowed: 0 to {n - 1}")
    loops = e[:, 0] == e[:, 1]
    if loops.any():
        raise InputError(f"edge {e[loops][0].tolist()} joins a node to itself")
    return e


def check_flags(n: int, flags: ArrayLike, what: str) -> Flags:
    """A fresh array (n,) of truth values; a single one stands for all."""
    a = np.asarray(flags, dtype=np.bool_)
    if a.shape not in ((), (n,)):
        raise InputError(f"{what} must be one truth value or have shape ({n},), got {a.shape}")
    return np.array(np.broadcast_to(a, (n,)))


def check_finite(n: int, values: ArrayLike, what: str) -> Array:
    """A fresh array (n,) of finite numbers; a single number stands for all."""
    a = _numbers(n, values, what)
    if not np.isfinite(a).all():
        raise InputError(f"{what} must be finite, got {a[~np.isfinite(a)][0]} at {_first(~np.isfinite(a))}")
    return a


def check_amount(n: int, values: ArrayLike, what: str) -> Array:
    """As `check_finite`, and not negative."""
    a = check_finite(n, values, what)
    if (a < 0.0).any():
        raise InputError(f"{what} must not be negative, got {a[a < 0.0][0]} at {_first(a < 0.0)}")
    return a


def check_limit(n: int, values: ArrayLike, what: str) -> Array:
    """Numbers (n,) from 0 to infinity, both included."""
    a = _numbers(n, values, what)
    bad = ~(a >= 0.0)
    if bad.any():
        raise InputError(f"{what} must be a number from 0 to infinity, got {a[bad][0]} at {_first(bad)}")
    return a


def check_positive(n: int, values: ArrayLike, what: str, where: ArrayLike = True) -> Array:
    """As `check_finite`, and above zero where asked."""
    a = check_finite(n, values, what)
    bad = (a <= 0.0) & np.asarray(where, dtype=np.bool_)
    if bad.any():
        raise InputError(f"{what} must be positive, got {a[bad][0]} at {_first(bad)}")
    return a


def sum_at(n: int, where: Integers, values: Array) -> Array:
    """Sums (n,) of the values that belong to each node."""
    return np.bincount(where, values, n).astype(np.float64, copy=False)


def _numbers(n: int, values: ArrayLike, what: str) -> Array:
    a = np.asarray(values, dtype=np.float64)
    if a.shape not in ((), (n,)):
        raise InputError(f"{what} must be one number or have shape ({n},), got {a.shape}")
    return np.array(np.broadcast_to(a, (n,)))


def _first(where: Flags) -> int:
    return int(np.flatnonzero(where)[0])
