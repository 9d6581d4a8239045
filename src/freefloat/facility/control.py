"""The facility's computers as tasks of a part: operation (FMC) and robot controllers (LRC), at the facility's cycle."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.engine.blueprint import Builder
from freefloat.engine.sensing import Sensor
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.errors import SimulationError
from freefloat.facility import axes
from freefloat.facility.actions import RefusedError
from freefloat.facility.exchange import Inputs
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.local_control import LocalControl
from freefloat.facility.operation import Operation
from freefloat.facility.outside import Outside, Taken
from freefloat.facility.part import DockingFacility, courses_to_commands
from freefloat.facility.pool import VARIABLES, Measured, Pool
from freefloat.facility.procedure import Procedure, Step
from freefloat.facility.record import ROW
from freefloat.facility.security import ROBOTS
from freefloat.frames import Array

ERROR = "reported by its controller"  # text of a robot's error
Curve = Callable[[Array], Array]  # of all axes (13,) onto themselves


class OperationCycle:
    """The FMC's task: the procedure's steps that are due, then one cycle of the operation.

    Reads `command` (24,) of the application, `encoders`, `effort`, `temperature` (13,), `wrist1`, `wrist2` (6,),
    `error` (2,) of the robots and `damage` (1,) of the record; returns `setpoint` (13,) for the motors, `power` (1,),
    `state` (24,) for the application, and the data pool. Where there is an `outside`, records and errors come from
    there.
    """

    def __init__(self, operation: Operation, steps: Sequence[Step], pool: Pool, outside: Outside | None = None) -> None:
        self.operation, self.procedure, self.pool, self.outside = operation, Procedure(steps), pool, outside
        self.heard = 0.0  # cycle that the application's last answer echoed

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Any]:
        """One cycle."""
        operation, cycle = self.operation, round(t / axes.CYCLE) + 1
        for step in self.procedure.due(t, lambda: str(operation.state)):
            self._do(t, step)
        taken = self._inside(meas) if self.outside is None else self.outside.before(cycle, t, operation)
        encoders = np.array(meas["encoders"]) if taken.encoders is None else taken.encoders
        out = operation.cycle(Inputs(cycle, t, encoders, taken.record, taken.errors, taken.corrections, taken.late))
        wrists = np.stack([meas["wrist1"], meas["wrist2"]])
        row = self.pool.row(out, Measured(meas["effort"].copy(), meas["temperature"].copy(), wrists))
        if self.outside is not None:
            self.outside.after(out, row)
        return {
            "setpoint": out.motors,
            "power": np.array([float(out.power)]),
            "state": out.record,
            "lamp": np.array([float(out.security.lamp)]),
            **row,
        }

    def _inside(self, meas: Mapping[str, Array]) -> Taken:
        """The answer of an application that is a task, and errors that a scenario brings about."""
        given = meas["command"]
        answered, self.heard = given[0] != self.heard or not np.isfinite(given[0]), float(given[0])
        record, errors = given.copy() if answered else None, [ERROR if one else "" for one in meas["error"]]
        if record is not None and meas["damage"][0] > 0.0:
            record[int(meas["damage"][0]) - 1] = np.nan
        return Taken(record, errors=(errors[0], errors[1]))

    def _do(self, t: float, step: Step) -> None:
        try:
            self.operation.do(step.do, **step.arguments)
        except RefusedError as refused:
            if not step.refused:
                raise SimulationError(f"operator's {step.do!r} at {t:.3f} s: {refused}") from None
        else:
            if step.refused:
                raise SimulationError(f"operator's {step.do!r} at {t:.3f} s was taken; it ought to be refused")


class ControllerCycle:
    """The LRCs' task: set-points to courses, power, temperatures. `executed` is what gears make of motor angles."""

    def __init__(self, control: LocalControl, executed: Curve | None = None) -> None:
        self.control, self.executed = control, executed

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Any]:
        """One cycle."""
        on = bool(meas["power"][0])
        self.control.power(rail=on, rob1=on, rob2=on)
        point = np.array(meas["setpoint"])
        courses = self.control.cycle(t, point if self.executed is None else self.executed(point), meas["effort"])
        return {**courses_to_commands(courses, ""), "temperature": self.control.temperature}


@dataclass(frozen=True)
class Encoders:
    """A sensor's model: what encoders show where links stand, by the inverse of what gears make of motor angles."""

    seen: Curve

    def measure(self, t: float, truth: Array, rng: np.random.Generator) -> Array:
        """Motor angles."""
        return self.seen(truth)


@dataclass(frozen=True)
class FacilityControl:
    """Operation and robot controllers of a `DockingFacility`, with an operator who works through a list of steps.

    Commands: `sync.command` (24,) [cycle, mode, 22 values], which an application's task writes; `sync.state` (24,) is
    what it is told; `lrc.setpoint` (13,) of the motors. `sync.damage` and `lrc.error` make things fail: commands are
    finite, so a number that is none comes of damage on the way. Signals: the data pool of `facility.pool`, every cycle.
    """

    operation: Operation
    kinematics: Kinematics
    steps: Sequence[Step]
    lab: DockingFacility
    name: str = "control"
    gps_start: float = 0.0  # [s] GPS time at the start
    outside: Outside | None = None  # where the facility is served

    def build(self, b: Builder) -> None:
        """Commands and both tasks."""
        sync, lrc = Builder(b.blueprint, "sync"), Builder(b.blueprint, "lrc")
        labels = ("cycle", "mode", *(f"value {n}" for n in range(1, ROW - 1)))
        about = "record of the application: cycle that it echoes, mode, 22 values in the units of their frame"
        sync.command("command", (ROW,), "-", about, labels=labels)
        about = "record that the application is told: cycle, mode, 22 values in the units of their frame"
        sync.command("state", (ROW,), "-", about, labels=labels)
        sync.command("damage", (1,), "-", "n > 0: number n - 1 of the application's record arrives as nan")
        unit = ", ".join(axes.UNITS)
        lrc.command("setpoint", (axes.COUNT,), unit, "of the motors", start=list(self.lab.start), labels=axes.NAMES)
        lrc.command("power", (1,), "-", "1: drives have power, brakes are open")
        lrc.command("error", (len(ROBOTS),), "-", "1: a robot reports an error, whoever makes it", labels=ROBOTS)
        cold = [float(self.lab.warming.ambient)] * axes.COUNT
        lrc.command("temperature", (axes.COUNT,), "K", "of the motors", start=cold, labels=axes.NAMES)
        b.task(self._operation())
        b.task(self._controllers())

    def _operation(self) -> Task:
        f = self.lab.name
        reads = {"command": "sync.command", "encoders": f"{f}.motor_q", "effort": f"{f}.torque"}
        reads |= {"temperature": "lrc.temperature", "wrist1": f"{f}.rob1.wrist", "wrist2": f"{f}.rob2.wrist"}
        reads |= {"error": "lrc.error", "damage": "sync.damage"}
        writes = {"setpoint": "lrc.setpoint", "power": "lrc.power", "state": "sync.state"}
        writes["lamp"] = f"{f}.lamp.on"
        accuracy = self.lab.accuracy
        sensors = {} if accuracy.truth is None else {"encoders": Sensor(model=Encoders(accuracy.encoders))}
        records = {v.name: Signal(v.name, v.unit, v.shape, "", v.meaning, v.labels) for v in VARIABLES.values()}
        controller = OperationCycle(self.operation, self.steps, Pool(self.kinematics, self.gps_start), self.outside)
        live = self.outside is not None
        return Task(controller, axes.CYCLE, reads, writes, sensors, records, name="fmc", live=live)

    def _controllers(self) -> Task:
        f, control = self.lab.name, self.lab.local_control()
        reads = {"setpoint": "lrc.setpoint", "power": "lrc.power", "effort": f"{f}.torque"}
        writes = {f".{device}.course": f"{f}.{device}.course" for device in axes.DEVICES}
        writes["temperature"] = "lrc.temperature"
        latency = control.execution.latency
        return Task(
            ControllerCycle(control, None if self.lab.accuracy.truth is None else self.lab.accuracy.executed),
            axes.CYCLE,
            reads,
            writes,
            name="lrc",
            latency=latency,
        )
