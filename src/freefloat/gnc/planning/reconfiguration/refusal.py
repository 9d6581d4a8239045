"""Why a reconfiguration cannot be planned, with what and where: the command words it for designs."""

from __future__ import annotations

from typing import Literal

from freefloat.errors import InputError

Reason = Literal[
    "lacking-type",  # the start has fewer modules of a type (or not that module) than the goal asks for
    "start-in-pieces",
    "start-unpowered",
    "goal-in-pieces",
    "goal-unpowered",
    "foot-nowhere",  # a robot stands on a place without a module
    "foot-covered",
    "foot-without-interface",
    "foot-unpowered",
    "feet-on-one-face",
    "out-of-reach",  # no sequence of operations that was tried fills these places
    "stopped",  # the search was interrupted, or its limits ended it, before it had any plan
]


class RefusedError(InputError):
    """A reconfiguration that is refused. Fields that do not belong to the reason are empty.

    `places` are numbers of places, `modules` identities in the start (with match "identity", the goal's), `types`
    numbers of `Kinds`, `missing` how many of each are lacking, `robot` the number of the robot.
    """

    def __init__(
        self,
        reason: Reason,
        message: str,
        *,
        places: tuple[int, ...] = (),
        modules: tuple[int, ...] = (),
        types: tuple[int, ...] = (),
        missing: tuple[int, ...] = (),
        robot: int | None = None,
    ) -> None:
        self.reason: Reason = reason
        self.places, self.modules, self.types, self.missing, self.robot = places, modules, types, missing, robot
        super().__init__(message)
