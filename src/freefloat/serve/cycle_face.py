"""What the desk knows of the process that cycles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from freefloat.frames import Array

Told = Callable[[dict[str, Any]], None]  # takes a reply: {"ok": True, ...} or {"ok": False, "error": ...}


class CycleFace(Protocol):
    """The facility's operation as its desk sees it, in another process or in this one. No call waits."""

    def ask(self, action: str, arguments: Mapping[str, Any], told: Told) -> None:
        """Have an action done; `told` is called with the reply, now or later, in the thread that asks."""
        ...

    def status(self) -> dict[str, Any]:
        """What the operation told last: state, mode, reason, interlocks; empty before its first cycle."""
        ...

    def newest(self, names: Sequence[str]) -> dict[str, Array]:
        """Newest values of these variables of the data pool; empty before the first cycle."""
        ...

    def shutdown(self) -> None:
        """Begin to end: Safe Stop first."""
        ...
