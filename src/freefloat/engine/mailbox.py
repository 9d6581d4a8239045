"""Values that come from other threads: a link, a console, a joystick. A task reads the newest at its own instants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from freefloat.engine.graph import Vector
from freefloat.errors import InputError

Taken = tuple[float, Vector]  # instant [s] and value


class Mail(Protocol):
    """What a task can read besides signals (`Task.mail`)."""

    @property
    def live(self) -> bool:
        """Whether values come from outside, so that a run cannot go back."""
        ...

    def newest(self, t: float) -> Vector:
        """The value for an update at t [s]."""
        ...


class Mailbox:
    """The newest value that some thread has put; nobody waits. What a task took when is kept (`Session.mail`)."""

    live = True

    def __init__(self, first: ArrayLike) -> None:
        self._newest: Vector = np.array(first, dtype=np.float64)
        self.put(first)

    def put(self, value: ArrayLike) -> None:
        """Replace the value; from any thread."""
        new = np.array(value, dtype=np.float64)
        if new.shape != self._newest.shape:
            raise InputError(f"mailbox: a value of shape {new.shape}; allowed: {self._newest.shape}")
        if not np.isfinite(new).all():
            raise InputError(f"mailbox: value {new.tolist()} is not finite")
        self._newest = new  # one step for the interpreter: a reader gets the old array or the new one

    def newest(self, t: float) -> Vector:
        """The newest value, whenever it came."""
        return self._newest


class Replay:
    """Gives a task what an earlier run took (`session.mail()[task][name]`), at the same instants."""

    live = False

    def __init__(self, taken: Sequence[Taken]) -> None:
        if not taken:
            raise InputError("replay: nothing was taken; run the mission with a Mailbox first")
        self._times = np.array([t for t, _ in taken])
        if not (np.diff(self._times) > 0.0).all():
            raise InputError("replay: the instants must increase, as `Session.mail` gives them")
        self._values = [value.copy() for _, value in taken]

    def newest(self, t: float) -> Vector:
        """What was the newest then."""
        return self._values[max(int(np.searchsorted(self._times, t, side="right")) - 1, 0)]
