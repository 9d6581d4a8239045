"""Resolvers: what a drive knows of its angles."""

from __future__ import annotations

import math
from dataclasses import dataclass

from freefloat.amounts import Count, Measure, not_negative, take


@dataclass(frozen=True)
class Resolver:
    """An angle sensor: the reading is th + eps sin 2 th, to the nearest of 2^bits values per turn.

    The commutation takes the motor's reading before it is rounded.
    """

    error: Measure = 0.0  # [rad] eps, amplitude, twice per turn
    bits: int = 16  # [-] of a turn; 0: not rounded; assumed, docs/reference/parameters.md

    def __post_init__(self) -> None:
        take(self, "resolver", error=not_negative("rad"), bits=Count(0, 32))

    @property
    def quantum(self) -> float:
        """[rad] Between two readings; 0: not rounded."""
        return 2.0 * math.pi / 2.0**self.bits if self.bits else 0.0
