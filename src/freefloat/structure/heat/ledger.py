"""The heat accounts of a network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ledger:
    """Heat accounts [J] since the network was made."""

    initial: float = 0.0  # stored at the start
    stored: float = 0.0  # sum of C T now
    dissipated: float = 0.0  # by equipment
    absorbed: float = 0.0  # sunlight, albedo, infrared
    heaters: float = 0.0
    radiated: float = 0.0  # net, to deep space
    carried: float = 0.0  # with modules that came or left, and by changes of capacity

    @property
    def imbalance(self) -> float:
        """Stored minus what the accounts say [J]."""
        gained = self.dissipated + self.absorbed + self.heaters + self.carried - self.radiated
        return (self.stored - self.initial) - gained

    @property
    def drift(self) -> float:
        """Imbalance relative to the largest amount exchanged, or to a thousandth of the heat stored if that is more.

        The floor is for networks that have exchanged next to nothing, whose imbalance is rounding of the sum C T.
        """
        exchanged = max(abs(self.dissipated) + abs(self.absorbed) + abs(self.heaters), abs(self.radiated))
        scale = max(exchanged, abs(self.carried), 1e-3 * self.initial, 1e-3 * self.stored)
        return abs(self.imbalance) / scale if scale > 0.0 else 0.0
