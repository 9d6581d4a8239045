"""When the robots touch: onset and end of every contact from the measured force, and where a redo begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from freefloat.frames import Array


@dataclass
class Touch:
    """Contacts by the measured force, with hysteresis against its noise."""

    onset_force: float  # [N] from which the robots touch
    end_force: float  # [N] below which they have parted
    touching: bool = False
    began: float = 0.0  # [s] of the running or the last contact
    ended: float = -np.inf  # [s]
    count: int = 0

    def update(self, t: float, force: float) -> bool:
        """Whether the robots touch now."""
        if not self.touching and force >= self.onset_force:
            self.touching, self.began, self.count = True, t, self.count + 1
        elif self.touching and force < self.end_force:
            self.touching, self.ended = False, t
        return self.touching


@dataclass
class Flight:
    """Where the simulated tip was in the client's frame at the past cycles since the last contact: the flight that a
    redo may go back to."""

    horizon: float  # [s] that is kept
    times: list[float] = field(default_factory=list)
    tips: list[Array] = field(default_factory=list)  # p_CT (3,) [m]
    touched: list[bool] = field(default_factory=list)  # whether the satellites touched then, as it was simulated
    frozen: bool = False  # a redo changed what came after

    def add(self, t: float, p_CT: Array, touched: bool) -> None:
        """One more cycle of the present timeline."""
        if self.frozen:
            return
        self.times.append(t)
        self.tips.append(p_CT)
        self.touched.append(touched)
        while self.times[0] < t - self.horizon:
            del self.times[0], self.tips[0], self.touched[0]

    def before_touch(self, gaps: Callable[[Array], Array]) -> float | None:
        """The last instant [s] before the satellites touched, or would have with these gaps; None: they did not.

        Sec. IV-F: past positions are tested against what is measured now.
        """
        if not self.times:
            return None
        inside = np.flatnonzero((gaps(np.array(self.tips)) <= 0.0) | self.touched)
        if len(inside):
            return self.times[max(int(inside[0]) - 1, 0)]
        return self.times[-1] if self.frozen else None

    def cut(self, since: float) -> None:
        """Forget what a redo from `since` makes untrue; nothing is added until the contact is over."""
        while len(self.times) > 1 and self.times[-1] > since:
            del self.times[-1], self.tips[-1], self.touched[-1]
        self.frozen = True

    def restart(self) -> None:
        """The contact is over: free flight begins anew."""
        self.times, self.tips, self.touched, self.frozen = [], [], [], False
