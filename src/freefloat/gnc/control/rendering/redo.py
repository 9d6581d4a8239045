"""From when on the satellites' contact is computed again (sec. IV-F of Lange, Grunwald and Albu-Schaeffer 2016)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from freefloat.errors import RenderingWarning
from freefloat.frames import Array
from freefloat.gnc.control.rendering.touch import Flight

Recomputation = Literal["off", "onset", "contact"]
PARTED = 1e-4  # [m] gap from which satellites have parted


@dataclass
class Redo:
    """`contact`: the whole contact at every cycle that brings news; `onset`: once, when the robots' touch is seen;
    `off`: never, news act forward only."""

    kind: Recomputation
    horizon: float  # [s] that may be redone
    flight: Flight = field(init=False)
    touched: bool = False  # the robots, one cycle ago
    met: bool = False  # the satellites, since the robots' onset
    parted: bool = False
    told: bool = False  # that the horizon is too short

    def __post_init__(self) -> None:
        self.flight = Flight(self.horizon)

    @property
    def whole(self) -> bool:
        """Whether a contact is redone as often as there is news."""
        return self.kind == "contact"

    def update(
        self, t: float, p_CT: Array, inside: bool, touching: bool, news: bool, gaps: Callable[[Array], Array]
    ) -> float | None:
        """The instant [s] to begin at again, or None.

        `p_CT` is the simulated tip, `inside` whether it is in contact as simulated so far, `gaps` are those to the new
        surface; `touching` are the robots.
        """
        onset, self.touched = touching and not self.touched, touching
        self.flight.add(t, p_CT, inside)
        gap = float(gaps(p_CT[None, :])[0])
        self._look_elsewhere(t, onset, touching, gap)
        since: float | None = None
        if news and (self.whole or (onset and self.kind == "onset")):
            since = self._in_reach(t, self.flight.before_touch(gaps))
        if since is not None:
            self.flight.cut(since)
        elif not touching and gap > 0.0 and self.flight.frozen:
            self.flight.restart()
        return since

    def _in_reach(self, t: float, since: float | None) -> float | None:
        """None where a contact has lasted longer than may be redone; that is told once."""
        if since is None or t - since <= self.horizon:
            return since
        if not self.told:
            self.told = True
            warnings.warn(
                f"at {t:.3f} s the robots' contact has lasted longer than the {self.horizon:g} s that can be redone; "
                "what it still tells acts forward only",
                RenderingWarning,
                stacklevel=3,
            )
        return None

    def _look_elsewhere(self, t: float, onset: bool, touching: bool, gap: float) -> None:
        """Warn where satellites meet again while the robots are still in the contact before."""
        if onset or not touching:
            self.met = self.parted = False
        if touching and gap <= 0.0:
            if self.parted:
                self.parted = False
                warnings.warn(
                    f"at {t:.3f} s the satellites meet elsewhere while their robots still touch; the contact that is "
                    "measured is not theirs. Faster robots, or a shorter delay, would part in time",
                    RenderingWarning,
                    stacklevel=2,
                )
            self.met = True
        elif touching and self.met and gap > PARTED:
            self.parted = True
