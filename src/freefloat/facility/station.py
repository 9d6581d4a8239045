"""A robot controller of its own: one robot of the lab, commanded by RSI telegrams instead of by the FMC."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.engine.blueprint import Builder
from freefloat.engine.task import Task
from freefloat.facility import axes
from freefloat.facility.axis_limits import axis_limits
from freefloat.facility.control import controllers_task, encoder_sensors
from freefloat.facility.part import DockingFacility
from freefloat.facility.profile import Braking
from freefloat.facility.rsi import RsiPort
from freefloat.frames import Array
from freefloat.links.rsi_robot import OFF, RUNNING


class StationCycle:
    """The controller's task: answers to the last telegram become set-points (13,) of the motors, and the next telegram
    tells the axes. `wait` comes before it, for who keeps step with the FMC. Where RSI ends, it brakes to rest.
    """

    def __init__(self, port: RsiPort, start: Array, wait: Callable[[RsiPort], None] | None = None) -> None:
        self.port, self.wait, self._start = port, wait, start  # _start: programmed; the other robot rests there
        self._points = [start, start, start]  # the newest last
        self._braking: Braking | None = None
        port.switch_on(start, 0)

    @property
    def ended(self) -> bool:
        """Whether RSI is off and the robot rests."""
        return self._braking is not None and self._braking.finished

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Any]:
        """One cycle."""
        if self.wait is not None:
            self.wait(self.port)
        port, robot = self.port, self.port.robot
        port.listen()
        robot.take(port.heard)
        port.heard.clear()
        self._points = [*self._points[1:], self._next()]
        port.socket.send(robot.telegram(port.state(np.array(meas["encoders"]), np.array(meas["effort"]))))
        return {"setpoint": self._points[-1], "power": np.array([float(robot.state == RUNNING or not self.ended)])}

    def _next(self) -> Array:
        if self.port.robot.state != OFF:
            return self._start + self.port.corrections()
        if self._braking is None:
            before, last, now = self._points
            rate, change = (now - last) / axes.CYCLE, (now - 2.0 * last + before) / axes.CYCLE**2
            self._braking = Braking((now, rate + 0.5 * axes.CYCLE * change, change), axis_limits().braking)
        return self._points[-1] if self._braking.finished else self._braking.next()[0]


@dataclass(frozen=True)
class Station:
    """Tasks of a lab whose robot 1 (with the rail) or 2 is commanded by telegrams; the rest stands still."""

    port: RsiPort
    lab: DockingFacility
    wait: Callable[[RsiPort], None] | None = None
    name: str = "station"

    def build(self, b: Builder) -> None:
        """Commands and both tasks."""
        lrc, f = Builder(b.blueprint, "lrc"), self.lab.name
        unit, start = ", ".join(axes.UNITS), list(self.lab.start)
        lrc.command("setpoint", (axes.COUNT,), unit, "of the motors", start=start, labels=axes.NAMES)
        lrc.command("power", (1,), "-", "1: drives have power, brakes are open")
        cold = [float(self.lab.warming.ambient)] * axes.COUNT
        lrc.command("temperature", (axes.COUNT,), "K", "of the motors", start=cold, labels=axes.NAMES)
        reads = {"encoders": f"{f}.motor_q", "effort": f"{f}.torque"}
        writes = {"setpoint": "lrc.setpoint", "power": "lrc.power"}
        cycle = StationCycle(self.port, np.array(self.lab.start), self.wait)
        b.task(Task(cycle, axes.CYCLE, reads, writes, encoder_sensors(self.lab), name="rsi", live=True))
        b.task(controllers_task(self.lab))
