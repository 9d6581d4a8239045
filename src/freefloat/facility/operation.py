"""The operation of the facility (FMC): a state machine that turns commands into set-points, one cycle after the other.

Benninghoff and others 2017, sec. 2.2.2 and 2.2.5 to 2.2.7. It knows no sockets and no clock: who runs it calls `do` for
each action of the operator and `cycle` every 4 ms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError, SimulationError
from freefloat.facility import actions
from freefloat.facility.answers import Answers
from freefloat.facility.axes import COUNT
from freefloat.facility.exchange import (
    Clearance,
    Counters,
    Identity,
    Inputs,
    Kinematics,
    Limits,
    Outputs,
    Settings,
    StaticModel,
    Trajectory,
)
from freefloat.facility.guard import Guard
from freefloat.facility.modes import MOTION, NO_REASON, TRANSITIONS, Mode, Reason, State
from freefloat.facility.profile import REST, Braking, Motion, MoveToStart, at_rest
from freefloat.facility.record import POV, Frame, Record
from freefloat.facility.security import INTERLOCKS, Security
from freefloat.facility.sources import Footing, Halt, Jogging, Planned, Source
from freefloat.frames import Array, array_of

LAB_VIEW = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])  # point of view before a command has told one
BEGUN = frozenset({State.WAITING, State.MOVING, State.READY, State.RUNNING})  # an automatic mode is under way


class Operation:
    """State, mode, security and set-points of the facility.

    `limits` and `clearance` judge each cycle on ideal axes; `model` turns those into motor axes. Set-points move only
    in the states `moving`, `running` and `stopping`. `_to` alone changes the state, `_watch` alone acts on interlocks.
    """

    def __init__(
        self,
        kinematics: Kinematics,
        limits: Limits,
        clearance: Clearance,
        settings: Settings | None = None,
        start_axes: ArrayLike = (0.0,) * COUNT,  # [m, rad] ideal axes at which the robots rest
        model: StaticModel | None = None,
        security: Security | None = None,
    ) -> None:
        self.kinematics, self.settings = kinematics, settings or Settings()
        self.guard = Guard(limits, clearance, self.settings.axes)
        self.model = model or Identity()
        self.security = security or Security()
        self.state, self.mode, self.hardware = State.OFF, Mode.SYNC, False
        self.order: tuple[str, ...] = ("rob1", "rob2", "rail")  # of devices in Move to Start
        self.trajectory: Trajectory | None = None  # of mode async
        self.wave: dict[str, Any] | None = None  # of mode sine
        self.reason, self.counters = NO_REASON, Counters()  # of the last stop; since the beginning
        self.answers = Answers()
        self.motion: Motion = at_rest(array_of(start_axes, (COUNT,), "start axes of the facility").copy())
        self.time, self.seen = 0.0, -1  # [s], number of the last cycle
        self._last = self.motion[0]  # set-points one cycle before those of `motion`
        self._frame, self.pov = Frame.IJT, LAB_VIEW  # of the last command
        self._source: Source | None = None  # of set-points, while they move
        self._emergency = False  # whether the stop under way ends in a fault
        self._told = np.inf  # [s] time of its last set-point, while the robots follow

    def do(self, action: str, /, **arguments: Any) -> dict[str, Any]:
        """An action of the operator (`actions.ACTIONS`); the status after it. Refused ones raise `RefusedError`."""
        told = actions.perform(self, action, arguments)
        self._watch()
        return {**self.status(), **told}

    def status(self) -> dict[str, Any]:
        """What the command centre shows."""
        s = self.security
        return {
            "state": str(self.state),
            "mode": str(self.mode),
            "hardware": self.hardware,
            "order": list(self.order),
            "cause": self.reason.cause,
            "reason": self.reason.text,
            "power": s.power,
            "laser": s.laser,
            "lamp": s.lamp,
            "interlocks": list(s.active),
        }

    def cycle(self, inputs: Inputs) -> Outputs:
        """One cycle: watch security, take the application's answer, make the set-points and the state record."""
        self.time, self.counters.late = inputs.time, inputs.late
        if tuple(self.security.errors.values()) != inputs.errors:
            self.security.errors.update(zip(self.security.errors, inputs.errors, strict=True))
            self.security.settle()
        self._watch()
        self._listen(inputs)
        motion = self._moved(inputs)
        self._last, self.motion = self.motion[0], motion
        command = self._source.command if self._source is not None else None
        if command is not None:
            self._show(command)
        if self.state in MOTION:
            self._arrive(inputs)
        elif self.state is State.WAITING:
            self._begin(inputs)
        self.seen = inputs.cycle
        return self._outputs(inputs, command)

    def stop(self, reason: Reason, *, emergency: bool = False) -> None:
        """A safe or an emergency stop, from wherever the set-points are and however they move."""
        if self.state not in MOTION:
            if emergency or self.state in BEGUN:
                self.reason = reason
                self._to(State.FAULT if emergency else State.IDLE)
            return
        if self.state is State.STOPPING and (self._emergency or not emergency):
            return
        jog = self.jogging()
        if jog is not None:
            jog.release(hard=emergency)
        self._halt(reason, emergency, jog)

    def _halt(self, reason: Reason, emergency: bool, jog: Jogging | None = None) -> None:
        """Brake every axis, or a jog on its way: axes that rest one after the other would swing the tool about."""
        self.reason, self._emergency = reason, emergency
        self.counters.stops += reason.cause != "end"
        limits = self.settings.axes
        braking = Planned(Braking(self.motion, limits.braking if emergency else limits.motion))
        self._to(State.STOPPING, jog or braking)

    def switch(self, on: bool) -> None:
        """Power of the drives, of robots at rest."""
        if on != self.security.power:
            self._to(State.IDLE if on else State.OFF)

    def acknowledge(self) -> None:
        """The way out of a fault."""
        self._to(State.OFF)

    def wait(self) -> None:
        """For the first command."""
        self._to(State.WAITING)

    def approach(self, target: Array) -> None:
        """Move to Start: axes (13,)."""
        move = MoveToStart(self.motion[0], target, self.order, self.settings.axes, self.settings.start_share)
        self._to(State.MOVING, Planned(move, self.guard))

    def stand_by(self) -> None:
        """For Confirm, where the start is where the robots are."""
        self._to(State.READY)

    def run(self, source: Source) -> None:
        """Begin a motion."""
        self._to(State.RUNNING, source)

    def jogging(self) -> Jogging | None:
        """The jog under way."""
        return self._source if isinstance(self._source, Jogging) else None

    def _to(self, state: State, source: Source | None = None) -> None:
        """Change the state."""
        if state not in TRANSITIONS[self.state] and state is not self.state:
            raise SimulationError(f"FMC: no way from state {self.state} to {state}")
        self.state, self._source = state, source
        if state not in MOTION:
            self.motion = at_rest(self.motion[0])
        self._emergency = self._emergency and state is State.STOPPING
        self.security.power = state not in (State.OFF, State.FAULT)
        self.security.latched = state is State.FAULT
        self.security.settle()

    def _watch(self) -> None:
        """Draw the consequences of interlocks."""
        hard = self.state is not State.FAULT and self.security.causes("emergency stop")
        soft = self.mode is not Mode.MCU and self.state in BEGUN and self.security.causes("safe stop")
        if hard or soft:
            name = (hard or soft or [""])[0]
            self.stop(Reason(name, INTERLOCKS[name].telling(self.security)), emergency=bool(hard))

    def _listen(self, inputs: Inputs) -> None:
        """Take the application's answer; the state record is in its frame."""
        if self.mode is Mode.SYNC:
            self.answers.take(inputs.application, self.seen)
            self.counters.rejected += bool(self.answers.problem)
            self.counters.missing += self.state is State.RUNNING and self.answers.record is None
            if self.answers.record is not None:
                self._show(self.answers.record)

    def _show(self, record: Record) -> None:
        """The state is told in the frame of the last command, unless nothing can be told from its point of view."""
        if record.frame is Frame.CLW:
            try:
                told = self.kinematics.from_axes(Frame.CLW, self.motion[0], record.values[POV])
            except InputError:
                return
            if not np.isfinite(told.values).all():
                return
            self.pov = record.values[POV]
        self._frame = record.frame

    def _moved(self, inputs: Inputs) -> Motion:
        """The set-points of this cycle."""
        if self._source is None:
            return at_rest(self.motion[0])
        footing = Footing(self.motion, self._last)
        try:
            return self._source.next(footing, inputs)
        except Halt as halt:
            self._halt(halt.reason, self._emergency)
            return self._source.next(footing, inputs)

    def _arrive(self, inputs: Inputs) -> None:
        """What follows where a motion has come to its end, and the robots with it: at rest, power may go."""
        source = self._source
        if source is None or not source.finished:
            self._told = np.inf
        elif not self._executed(inputs):
            return
        elif self.state is State.MOVING:
            self._to(State.READY)
        elif self.state is State.STOPPING:
            self._to(State.FAULT if self._emergency else State.IDLE)
        else:
            self.reason = source.ended if isinstance(source, Jogging) else Reason("end", "end of the sine")
            self._to(State.IDLE)

    def _executed(self, inputs: Inputs) -> bool:
        """Whether the robots stand where they are told to, or have had their time."""
        self._told = min(self._told, inputs.time)
        off = np.abs(inputs.encoders - self.model.to_motor(self.motion[0])).max()
        return bool(off <= REST[0]) or inputs.time - self._told >= self.settings.settling

    def _begin(self, inputs: Inputs) -> None:
        """Leave `waiting` with the first command."""
        try:
            if self.mode is Mode.RSI and inputs.corrections is not None:
                self.stand_by()
            elif self.mode is Mode.SYNC and self.answers.record is not None:
                self.approach(actions.start_axes(self, self.answers.record))
        except Halt as halt:
            self.stop(halt.reason)

    def _outputs(self, inputs: Inputs, command: Record | None) -> Outputs:
        axes, velocity, acceleration = self.motion
        actual = self.model.to_ideal(inputs.encoders)
        alive = self.mode is Mode.SYNC and self.state is State.RUNNING
        shown = self.kinematics.from_axes(self._frame, actual, self.pov)
        power = self.security.power
        return Outputs(
            inputs.cycle,
            inputs.time,
            self.state,
            self.mode,
            axes,
            velocity,
            acceleration,
            self.model.to_motor(axes),
            actual,
            power,
            not power,
            shown.row(inputs.cycle, alive=alive, moving=self.state is State.MOVING),
            self._frame,
            self.pov,
            command,
            self.reason,
            self.counters,
            self.security,
        )
