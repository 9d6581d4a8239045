"""Mode rsi: robots hold the posture that they have at the start, and sensor systems correct it over RSI.

Each robot's own controller is a `links.rsi_robot.RsiRobot`; the rail is E1 of robot 1. RSI is on from the start of the
mode, waits for the first answers, and corrections act after Confirm. No sockets and no clock in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np

from freefloat.facility.arm_poses import ArmPoses
from freefloat.facility.axes import COUNT, CYCLE, RAIL, ROBOTS
from freefloat.facility.exchange import Outputs
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.local_control import Warming
from freefloat.facility.modes import Mode, Reason, State
from freefloat.facility.operation import Operation
from freefloat.frames import Array
from freefloat.links.rsi_config import RsiConfig
from freefloat.links.rsi_context import RsiContext
from freefloat.links.rsi_robot import OFF, RUNNING, WAITING, RobotState, RsiRobot

CYCLE_MS = round(CYCLE * 1e3)
MOST = 512  # answers that are kept for a cycle; of a flood, the rest stays in the socket
ON = (State.WAITING, State.READY, State.RUNNING)  # states of mode rsi in which RSI is on
RATED = np.array(Warming().rated)  # [N, N m] of which currents are shares


class Datagrams(Protocol):
    """A robot's socket, which never waits."""

    def send(self, telegram: bytes | None) -> None: ...
    def drain(self) -> list[bytes]: ...
    def fileno(self) -> int: ...


def rsi_robot(number: int, config: RsiConfig, context: RsiContext, kinematics: Kinematics, relative: bool) -> RsiRobot:
    """The controller of robot 1, whose external axis E1 is the rail, or of robot 2, which has none."""
    tools = kinematics.tools
    poses = ArmPoses(kinematics.geometry, number, (tools.rob1, tools.rob2)[number - 1])
    external = int(number == 1)
    return RsiRobot(config, context, poses, external=external, relative=relative, cycle_ms=CYCLE_MS)


@dataclass
class RsiPort:
    """A robot of the facility and the socket at which its sensor system hears of it."""

    number: int  # 1 or 2
    robot: RsiRobot
    socket: Datagrams
    heard: list[bytes] = field(default_factory=list)  # since the last telegram

    @property
    def answered(self) -> bool:
        """Whether a valid answer to the last telegram is there, or none is to come."""
        robot = self.robot
        return robot.state != RUNNING or robot.config.only_send or any(map(robot.answers, self.heard))

    def listen(self) -> None:
        """Take what has come."""
        if len(self.heard) < MOST:
            self.heard += self.socket.drain()

    def switch_on(self, axes: Array, cycle: int) -> None:
        """At axes (13,) [m, rad], in a cycle of the facility, whose clock IPOC shows."""
        self.robot.ipoc = max(self.robot.ipoc, CYCLE_MS * cycle)
        self.robot.switch_on(np.degrees(axes[ROBOTS[self.number - 1]]).tolist(), self._rail(axes))

    def corrections(self) -> Array:
        """(13,) [m, rad] of this robot's axes, from where it was switched on."""
        robot, found = self.robot, np.zeros(COUNT)
        found[ROBOTS[self.number - 1]] = np.radians(np.subtract(robot.axes, robot.programmed))
        if self.number == 1:
            found[RAIL] = (robot.external_axes[0] - robot.programmed_external[0]) / 1e3
        return found

    def state(self, axes: Array, efforts: Array) -> RobotState:
        """What its controller measures at axes (13,) [m, rad] with efforts (13,) [N, N m]."""
        own, load = ROBOTS[self.number - 1], 100.0 * efforts / RATED
        rail = [float(load[RAIL])] if self.number == 1 else []
        return RobotState(np.degrees(axes[own]).tolist(), self._rail(axes), load[own].tolist(), rail)

    def _rail(self, axes: Array) -> list[float]:
        return [1e3 * float(axes[RAIL])] if self.number == 1 else []


class RsiMode:
    """All robots that sensor systems correct."""

    def __init__(self, ports: Sequence[RsiPort]) -> None:
        self.ports = tuple(ports)
        self._on = False
        for port in self.ports:
            port.robot.switch_off()

    @property
    def in_step(self) -> bool:
        """Whether there is a sensor system whose answers can be waited for."""
        return any(port.robot.state == RUNNING and not port.robot.config.only_send for port in self.ports)

    @property
    def answered(self) -> bool:
        """Whether all of them have answered."""
        return all(port.answered for port in self.ports)

    @property
    def sockets(self) -> list[Datagrams]:
        """For selectors."""
        return [port.socket for port in self.ports]

    def listen(self) -> None:
        """Take what has come."""
        for port in self.ports:
            port.listen()

    def before(self, cycle: int, operation: Operation) -> Array | None:
        """Corrections (13,) [m, rad] for a cycle, once all sensor systems have answered; where RSI has ended, a Safe
        Stop."""
        self._follow(cycle, operation)
        self.listen()
        for port in self.ports:
            port.robot.take(port.heard, acting=operation.state is State.RUNNING)
            port.heard.clear()
        if not self._on:
            return None
        for port in self.ports:
            if port.robot.state == OFF:
                cause = "silent" if port.robot.silent else "limit"
                operation.stop(Reason(cause, f"RSI of robot {port.number}: {port.robot.reason}"))
                return None
        if any(port.robot.state == WAITING for port in self.ports):
            return None
        return np.sum([port.corrections() for port in self.ports], axis=0)

    def after(self, out: Outputs, row: Mapping[str, Array]) -> None:
        """Telegrams of the cycle."""
        if not (self._on and out.mode is Mode.RSI and out.state in ON):
            return
        efforts = np.concatenate([np.atleast_1d(row["rail.force"]), row["rob1.torque"], row["rob2.torque"]])
        for port in self.ports:
            port.socket.send(port.robot.telegram(port.state(out.actual, efforts)))

    def status(self) -> dict[str, dict[str, Any]]:
        """Of each robot, for the command centre."""
        told = {}
        for port in self.ports:
            robot = port.robot
            own = {"state": robot.state, "reason": robot.reason, "delay": robot.delay, "ipoc": robot.ipoc}
            told[f"robot{port.number}"] = {**own, **asdict(robot.counters)}
        return told

    def _follow(self, cycle: int, operation: Operation) -> None:
        """Switch RSI on and off with the facility's mode and state."""
        on = bool(self.ports) and operation.mode is Mode.RSI and operation.state in ON
        if on and not self._on:
            for port in self.ports:
                port.listen()
                port.heard.clear()  # what is left from before
                port.switch_on(operation.motion[0], cycle)
        elif not on and self._on:
            for port in self.ports:
                port.robot.switch_off("the facility has left the mode")
        self._on = on
