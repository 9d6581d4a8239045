"""The operation in the desk's own process, for rehearsals and tests. Who drives it calls `shown` after each cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from freefloat.errors import FreefloatError
from freefloat.facility.exchange import Outputs
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.operation import Operation
from freefloat.facility.pool import Measured, Pool
from freefloat.frames import Array
from freefloat.serve.cycle_face import Told

STILL = Measured(np.zeros(13), np.full(13, 293.15), np.zeros((2, 6)))


class InProcess:
    """A `CycleFace` of an operation, with the data pool of robots that tell nothing of their efforts."""

    def __init__(self, operation: Operation, kinematics: Kinematics) -> None:
        self.operation = operation
        self.ended = False
        self._pool = Pool(kinematics)
        self._out: Outputs | None = None

    def shown(self, out: Outputs) -> None:
        """A cycle has been made."""
        self._out = out

    def ask(self, action: str, arguments: Mapping[str, Any], told: Told) -> None:
        """Do an action at once."""
        try:
            reply = {"ok": True, **self.operation.do(action, **arguments)}
        except FreefloatError as error:
            reply = {"ok": False, "error": str(error)}
        told(reply)

    def status(self) -> dict[str, Any]:
        """The operation's."""
        return self.operation.status()

    def newest(self, names: Sequence[str]) -> dict[str, Array]:
        """Of the cycle that was shown last."""
        if self._out is None:
            return {}
        row = self._pool.row(self._out, STILL)
        return {name: row[name] for name in names}

    def shutdown(self) -> None:
        """Stop; whoever drives it looks at `ended`."""
        self.ended = True
        self.operation.do("stop")
