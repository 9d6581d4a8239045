"""What SPIDER may be told while a session runs: currents, torques, paths of joints or of the tip, operations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from freefloat.engine.session import Session
from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.gnc.control.operational import CURRENTS, OPERATIONAL, TORQUES
from freefloat.gnc.control.operations import Operation, Operations

PLAN = "plan"  # the task that carries out operations


class SpiderCommands:
    """The door for commands at every level; each is checked before it goes to the arm.

    Currents and torques hold until the next command; the operations that were under way are given up.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        found = [r.controller for r in session.tasks if isinstance(r.controller, Operations)]
        if not found:
            raise InputError("spider commands: the session has no task that carries out operations; allowed: SPIDER's")
        self._operations: Operations = found[0]

    def currents(self, amplitudes: ArrayLike) -> None:
        """[A] in each motor from now on."""
        limit = self._limits("operator.current")
        self._direct(CURRENTS, "operator.current", amplitudes, limit, "A")

    def torques(self, torques: ArrayLike) -> None:
        """[N m] at each joint from now on, by the servo's torque loop."""
        self._direct(TORQUES, "operator.torque", torques, self._limits("arm.tau"), "N m")

    def joint_path(self, points: Sequence[ArrayLike], speed: float = 0.05, settle: float = 1.0) -> None:
        """Straight in joint space from point to point [rad], the tip at `speed` [m/s], at rest in each."""
        path = [np.asarray(q, np.float64) for q in points]
        self.operate([Operation("move", joints=q, speed=speed, settle=settle) for q in path])

    def tip_path(self, points: Sequence[Pose], speed: float = 0.05, settle: float = 1.0) -> None:
        """Straight from pose to pose X_AT of the tip, at `speed` [m/s], at rest in each."""
        self.operate([Operation("move", to=X, speed=speed, settle=settle) for X in points])

    def operate(self, operations: Sequence[Operation]) -> None:
        """Named operations, behind what is left of the last list."""
        if self.session.read("operator.level")[0] != OPERATIONAL:
            self._operations.caught(self.session.read("arm.load_resolver"))
        self._operations.begin(operations)
        self.session.write("operator.level", [float(OPERATIONAL)])

    def _direct(self, level: int, command: str, values: ArrayLike, limit: Array, unit: str) -> None:
        given = np.asarray(values, np.float64)
        if given.shape != limit.shape or not np.isfinite(given).all():
            raise InputError(f"{command}: {given.tolist()}; allowed: {limit.size} finite numbers [{unit}]")
        for i, (value, most) in enumerate(zip(given, limit, strict=True)):
            if abs(value) > most:
                raise InputError(f"{command} of joint {i + 1}: {value:g} {unit}; allowed: -{most:g} to {most:g} {unit}")
        self.session.write(command, given)
        self.session.write("operator.level", [float(level)])

    def _limits(self, command: str) -> Array:
        ports = {port.name: port for port in self.session.commands()}
        limits = ports[command].limits
        assert limits is not None
        return np.array(limits[1])
