"""What the operator can do: names and arguments of the control channel, and what each needs to be allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from freefloat.amounts import Amount, Count, positive
from freefloat.errors import InputError, unknown_name
from freefloat.facility.axes import CYCLE, DEVICES, NAMES, UNITS
from freefloat.facility.commanded import Commanded, Feed, FromCorrections, FromFile, FromRecords, reached, row_of
from freefloat.facility.component_motion import Jog, Wave, beyond
from freefloat.facility.components import Component, ComponentPath, component
from freefloat.facility.modes import AUTOMATIC, MOTION, Mode, Reason, State
from freefloat.facility.record import Record
from freefloat.facility.sources import Halt, Jogging, Planned, unreached
from freefloat.frames import Array

if TYPE_CHECKING:
    from freefloat.facility.operation import Operation

REQUIRED = object()
WORDS = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}


class RefusedError(InputError):
    """An action that is not allowed as things are."""


@dataclass(frozen=True)
class Action:
    """A handler, its arguments with their defaults, and what it does."""

    handler: Callable[..., dict[str, Any] | None]
    about: str
    arguments: Mapping[str, Any]


def perform(op: Operation, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Do an action; what it tells beyond the status."""
    if name not in ACTIONS:
        raise unknown_name("action", str(name), ACTIONS)
    action = ACTIONS[name]
    for given in arguments:
        if given not in action.arguments:
            raise unknown_name(f"argument of {name}", given, action.arguments)
    missing = [key for key, value in action.arguments.items() if value is REQUIRED and key not in arguments]
    if missing:
        raise InputError(f"{name}: {missing[0]} is missing; needed: {', '.join(missing)}")
    try:
        return action.handler(op, **{**action.arguments, **arguments}) or {}
    except Halt as halt:
        raise RefusedError(f"{name}: {halt.reason.text}") from None


def start_axes(op: Operation, record: Record) -> Array:
    """Axes of a first command, which must be a posture that is allowed."""
    axes = reached(op.kinematics, record, op.motion[0])
    found = op.guard.posture(axes)
    if found:
        raise Halt(found.reason)
    return axes


def _power(op: Operation, on: Any) -> None:
    wanted = _flag(on, "power: on")
    if wanted:
        _allow(op, "power", "power")
        if op.state is State.OFF:
            op.switch(True)
    elif op.state in MOTION:
        raise RefusedError(f"power: off in state {op.state}; allowed: at rest; stop first, or press an emergency stop")
    elif op.state not in (State.OFF, State.FAULT):
        op.switch(False)


def _hardware(op: Operation, on: Any) -> None:
    wanted = _flag(on, "hardware: on")
    _in_states(op, "hardware", State.OFF, State.IDLE)
    if wanted and not op.settings.controllers:
        raise RefusedError("hardware: no robot controllers are attached; allowed: simulation, or attach both")
    op.hardware = wanted


def _mode(op: Operation, mode: Any) -> None:
    if str(mode) not in [str(m) for m in Mode]:
        raise unknown_name("mode", str(mode), [str(m) for m in Mode])
    _in_states(op, "mode", State.OFF, State.IDLE)
    op.mode = Mode(str(mode))


def _load(op: Operation, trajectory: Any) -> dict[str, Any]:
    _in_states(op, "load", State.OFF, State.IDLE)
    rows = len(getattr(trajectory, "frames", ()))
    if not rows:
        raise InputError("load: a trajectory of 0 rows; allowed: one row or more")
    op.trajectory = trajectory
    return {"rows": rows}


def _order(op: Operation, order: Any) -> None:
    listed = order.split(",") if isinstance(order, str) else order if isinstance(order, (list, tuple)) else [order]
    given = tuple(str(one).strip() for one in listed)
    if sorted(given) != sorted(DEVICES):
        raise InputError(f"order: {', '.join(given)}; allowed: {', '.join(DEVICES)} in any order, each once")
    _in_states(op, "order", State.OFF, State.IDLE)
    op.order = given


def _start(op: Operation) -> None:
    if op.mode not in AUTOMATIC:
        raise RefusedError(f"start: mode {op.mode}; allowed: {', '.join(sorted(AUTOMATIC))}; a jog needs no start")
    _allow(op, "start", "automatic")
    _in_states(op, "start", State.IDLE)
    if op.mode is Mode.ASYNC:
        if op.trajectory is None:
            raise RefusedError("start: no trajectory is loaded; allowed: load one first")
        op.approach(start_axes(op, row_of(op.trajectory, 0)))
    elif op.mode is Mode.SINE:
        _made_wave(op)
        op.stand_by()
    else:
        op.wait()


def _confirm(op: Operation) -> None:
    _allow(op, "confirm", "automatic")
    _in_states(op, "confirm", State.READY)
    if op.mode is Mode.SINE:
        op.run(Planned(_made_wave(op), op.guard))
        return
    axes = op.motion[0]
    op.run(Commanded(_feed(op, axes), op.guard, op.settings, op.seen, axes))


def _feed(op: Operation, axes: Array) -> Feed:
    if op.mode is Mode.ASYNC and op.trajectory is not None:
        return FromFile(op.kinematics, op.trajectory)
    if op.mode is Mode.RSI:
        return FromCorrections(axes)
    record = op.answers.record
    if record is None:
        why = op.answers.problem or "no answer in the last cycle"
        raise RefusedError(f"confirm: the application is silent ({why}); allowed: an answer each cycle")
    _held(op, reached(op.kinematics, record, axes), axes)
    return FromRecords(op.kinematics, op.answers, op.settings)


def _held(op: Operation, asked: Array, axes: Array) -> None:
    """Refuse an application that does not hold the start."""
    most = op.settings.axes.acceleration * CYCLE**2
    off = np.abs(asked - axes)
    worst = int(np.argmax(off / most))
    if off[worst] > most[worst]:
        told = f"{NAMES[worst]} {off[worst]:.4g} {UNITS[worst]} from the start; allowed: {most[worst]:.4g}"
        raise RefusedError(f"confirm: the application asks for {told} {UNITS[worst]}; stop and start again")


def _stop(op: Operation) -> None:
    op.stop(Reason("operator", "Safe Stop by the operator"))


def _acknowledge(op: Operation) -> None:
    _in_states(op, "acknowledge", State.FAULT)
    _allow(op, "acknowledge", "acknowledge")
    op.acknowledge()


def _switched(what: str, word: str) -> Callable[..., None]:
    def handler(op: Operation, **arguments: Any) -> None:
        place = arguments["place" if what == "estop" else "name"]
        op.security.switch(what, str(place), _flag(arguments[word], f"{what}: {word}"))

    return handler


def _laser(op: Operation, on: Any) -> None:
    wanted = _flag(on, "laser: on")
    if wanted:
        _allow(op, "laser", "laser")
    op.security.laser = wanted


def _lamp(op: Operation, on: Any) -> None:
    wanted = _flag(on, "lamp: on")
    if wanted:
        _allow(op, "lamp", "lamp")
    op.security.lamp = wanted


def _jog(op: Operation, frame: Any, component: Any, robot: Any, speed: Any) -> None:
    moves = _component(frame, component, robot)
    rate = Amount(f"{moves.unit}/s").number(speed, "jog: speed")
    if op.mode is not Mode.MCU:
        raise RefusedError(f"jog: mode {op.mode}; allowed: mcu")
    _allow(op, "jog", "motion")
    _in_states(op, "jog", State.IDLE, State.RUNNING)
    under_way = op.jogging()
    if under_way is None:
        under_way = _begun(op, moves)
        op.run(under_way)
    elif under_way.jog.path.moves != moves:
        raise RefusedError(f"jog: {under_way.jog.path.moves} is still moving; allowed: {moves} once it rests")
    axis = moves.axis
    most = np.inf if axis is None else float(op.settings.axes.speed[axis])
    under_way.request(min(max(rate, -most), most), op.time)


def _begun(op: Operation, moves: Component) -> Jogging:
    settings, axis = op.settings, moves.axis
    if axis is not None:
        limits = float(settings.axes.acceleration[axis]), float(settings.axes.jerk[axis])
    elif moves.unit == "m":
        limits = settings.tool_acceleration, settings.tool_jerk
    else:
        limits = settings.turn_acceleration, settings.turn_jerk
    return Jogging(Jog(_path(op, moves), *limits), op.guard, settings, op.security)


def _sine(op: Operation, frame: Any, component: Any, robot: Any, amplitude: Any, frequency: Any, cycles: Any) -> None:
    moves = _component(frame, component, robot)
    wave = {
        "moves": moves,
        "amplitude": positive(moves.unit).number(amplitude, "sine: amplitude"),
        "frequency": positive("Hz").number(frequency, "sine: frequency"),
        "cycles": Count(1, 100_000).number(cycles, "sine: cycles"),
    }
    _in_states(op, "sine", State.OFF, State.IDLE)
    op.wave = wave


def _made_wave(op: Operation) -> Wave:
    """The sine from where the robots are, if all of it is within limits."""
    if op.wave is None:
        raise RefusedError("start: no sine is set; allowed: sine first")
    wave = Wave(_path(op, op.wave["moves"]), *(op.wave[key] for key in ("amplitude", "frequency", "cycles")))
    try:
        speed, acceleration, axes = wave.peaks()
    except InputError as error:
        raise Halt(unreached(error)) from None
    limits = op.settings.axes
    told = beyond(speed, limits.speed, "speed") or beyond(acceleration, limits.acceleration, "acceleration")
    if told:
        raise RefusedError(f"sine of {wave.path.moves}: {told}")
    for posture in axes:
        found = op.guard.rest(posture, op.motion[0])
        if found:
            raise Halt(found.reason)
    return wave


def _path(op: Operation, moves: Component) -> ComponentPath:
    try:
        return ComponentPath(op.kinematics, moves, op.motion[0], op.pov)
    except InputError as error:
        raise Halt(unreached(error)) from None


def _component(frame: Any, name: Any, robot: Any) -> Component:
    return component(str(frame), str(name), Count(0, 2).number(robot, "robot"))


def _flag(value: Any, what: str) -> bool:
    found = value if isinstance(value, bool) else WORDS.get(str(value).lower())
    if found is None:
        raise InputError(f"{what} {value!r}; allowed: true, false")
    return found


def _allow(op: Operation, action: str, what: str) -> None:
    """Refuse what an interlock forbids."""
    why = op.security.forbids(what)
    if why:
        raise RefusedError(f"{action}: {why}")


def _in_states(op: Operation, action: str, *states: State) -> None:
    if op.state not in states:
        raise RefusedError(f"{action}: state {op.state}; allowed: {', '.join(states)}")


_ON = {"on": True}
_MOVED = {"frame": "IJT", "component": REQUIRED, "robot": 0}
ACTIONS: dict[str, Action] = {
    "power": Action(_power, "switch the drives on or off", _ON),
    "hardware": Action(_hardware, "command robot controllers instead of the simulation", _ON),
    "mode": Action(_mode, "choose where commands come from", {"mode": REQUIRED}),
    "load": Action(_load, "take a trajectory for mode async", {"trajectory": REQUIRED}),
    "order": Action(_order, "order of devices in Move to Start", {"order": REQUIRED}),
    "start": Action(_start, "Move to Start", {}),
    "confirm": Action(_confirm, "let the commands act", {}),
    "stop": Action(_stop, "Safe Stop", {}),
    "acknowledge": Action(_acknowledge, "leave a fault whose cause is gone", {}),
    "estop": Action(_switched("estop", "pressed"), "press or release", {"place": REQUIRED, "pressed": True}),
    "door": Action(_switched("door", "open"), "open or close", {"name": REQUIRED, "open": True}),
    "gate": Action(_switched("gate", "open"), "open or close", {"name": REQUIRED, "open": True}),
    "blind": Action(_switched("blind", "up"), "pull up or let down", {"name": REQUIRED, "up": True}),
    "laser": Action(_laser, "enable or disable lasers", _ON),
    "lamp": Action(_lamp, "switch the Sun lamp on or off", _ON),
    "jog": Action(_jog, "move a component, while requests keep coming", {**_MOVED, "speed": REQUIRED}),
    "sine": Action(
        _sine, "set a sine of a component", {**_MOVED, "amplitude": REQUIRED, "frequency": REQUIRED, "cycles": 1}
    ),
}
