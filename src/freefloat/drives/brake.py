"""The brake at the rotor."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.amounts import Measure, not_negative, take


@dataclass(frozen=True)
class Brake:
    """A brake between rotor and stator: engaged, it holds Om = 0 with at most Tb and slips with Tb beyond."""

    torque: Measure = 0.5  # [N m] Tb, at the rotor; 0: no brake; assumed, docs/reference/parameters.md

    def __post_init__(self) -> None:
        take(self, "brake", torque=not_negative("N m"))
