"""What is outside the operation where the facility is served: applications, robot controllers, operators.

In a scenario there is none: an application is a task, and operators are a list of steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from freefloat.facility.exchange import Outputs
from freefloat.facility.operation import Operation
from freefloat.frames import Array


@dataclass(frozen=True, eq=False)
class Taken:
    """What has come from outside for a cycle; None: nothing."""

    record: Array | None = None  # (24,) [cycle echoed, mode, values] of the application
    corrections: Array | None = None  # (13,) [m, rad] of mode rsi, from the axes at the start
    encoders: Array | None = None  # (13,) [m, rad] motor axes of the robot controllers, where they are attached
    errors: tuple[str, str] = ("", "")  # of the robots; empty: none
    late: int = 0  # cycles that were skipped so far


class Outside(Protocol):
    """Asked once in a cycle before the operation and told once after it. Neither call may wait for anybody, unless the
    facility keeps step with who answers."""

    def before(self, cycle: int, t: float, operation: Operation) -> Taken:
        """What has come until now [s]; operators' actions are done here, by `operation.do`."""
        ...

    def after(self, out: Outputs, row: Mapping[str, Array]) -> None:
        """The cycle's outputs, and its row of the data pool."""
        ...
