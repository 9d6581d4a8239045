"""Whether tasks fit the worlds that they read and command, and the session's own copies of their controllers."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from freefloat.engine.rehearsal import Rehearsed, check_ahead
from freefloat.engine.sensing import Sensor
from freefloat.engine.task import Task
from freefloat.errors import InputError

if TYPE_CHECKING:
    from freefloat.engine.directory import Directory

_IDEAL = Sensor()


def own_copies(tasks: Sequence[Task]) -> list[Any]:
    """The session's own controllers, copied together: what two of them share stays shared. A mission can run again.

    One with a live link is the same object in every session.
    """
    shared: dict[int, Any] = {}
    return [task.controller if task.live else _own_copy(task, shared) for task in tasks]


def _own_copy(task: Task, shared: dict[int, Any]) -> Any:
    """`shared`: what has been copied for others, by `id`."""
    try:
        return copy.deepcopy(task.controller, shared)
    except (TypeError, copy.Error) as e:
        raise InputError(f"task {task.name!r}: its controller cannot be copied ({e}); each run works on a copy") from e


def check_wiring(tasks: tuple[Task, ...], directory: Directory, rehearsed: Mapping[str, Rehearsed]) -> None:
    """Every signal and command exists, sensors fit their signals, and each command and record has one writer, each
    rehearsed world one task that commands it.
    """
    writer: dict[str, str] = {}
    leader: dict[str, str] = {}  # of rehearsed worlds
    names: set[str] = set()
    recorded = set(directory.signals)
    for task in tasks:
        if task.name in names:
            raise InputError(f"two tasks are named {task.name!r}; give each task a name")
        if task.name in (g.name for plant in directory.plants for g in plant.groups):
            raise InputError(f"task name {task.name!r} is taken by the recorder; choose another name")
        names.add(task.name)
        for local, ahead in task.ahead.items():
            check_ahead(f"task {task.name!r}, {local!r}", ahead, directory, rehearsed)
        for local, signal in task.sensed.items():
            read, where = directory.signal(signal).signal, f"task {task.name!r}, {local!r}"
            task.sensors.get(local, _IDEAL).on(read, where).check(read.shape, where)
        for signal in task.records.values():
            if signal.name in recorded:
                raise InputError(f"task {task.name!r} records {signal.name!r}, but there is a signal of that name")
            recorded.add(signal.name)
        for command in task.writes.values():
            place = directory.command(command, f"command (written by task {task.name!r})")
            if place.written_by_upkeep:
                raise InputError(f"task {task.name!r} writes {command!r}, which only its upkeep may write")
            if command in writer:
                raise InputError(f"command {command!r} has two writers: tasks {writer[command]!r} and {task.name!r}")
            writer[command] = task.name
            world = place.plant.name
            if world in rehearsed and leader.setdefault(world, task.name) != task.name:
                raise InputError(
                    f"world {world!r} is rehearsed by task {leader[world]!r}, and {task.name!r} commands it too"
                )
            if world in rehearsed and task.latency:
                raise InputError(
                    f"task {task.name!r}: latency {task.latency:g} s into the rehearsed world {world!r}; allowed: 0"
                )
