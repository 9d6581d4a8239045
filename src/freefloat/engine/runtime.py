"""A task while it runs: its sensors, its controller and the commands on their way."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from freefloat.engine.graph import Vector
from freefloat.engine.mailbox import Taken
from freefloat.engine.ports import Reader, Writer
from freefloat.engine.randomness import stream
from freefloat.engine.schedule import ARRIVALS, NEVER, SENSORS, TASKS, Clock, Schedule, nanoseconds
from freefloat.engine.sensing import Channel, Sensor
from freefloat.engine.task import Task
from freefloat.errors import FreefloatError, InputError, SimulationError

if TYPE_CHECKING:
    from freefloat.engine.directory import Directory
    from freefloat.engine.recorder import Recorder

_IDEAL = Sensor()


class TaskRuntime:
    """Runs one task; everything that changes is in `state()`."""

    def __init__(self, task: Task, controller: Any, directory: Directory, recorder: Recorder, seed: int) -> None:
        self.task = task
        self.controller = controller
        self.recorder = recorder
        self.channels = {
            local: Channel(task.sensors.get(local, _IDEAL), signal, stream(seed, f"{task.name}.{local}"))
            for local, signal in task.reads.items()
        }
        self._inputs = [(local, c, c.sensor.samples_with_task) for local, c in self.channels.items()]
        self.reader = Reader(directory, [c.signal for _, c, immediate in self._inputs if immediate])
        self._late = {local: Reader(directory, [c.signal]) for local, c, immediate in self._inputs if not immediate}
        self.writes = dict(task.writes)
        self._writer = Writer(directory, self.writes)
        self._held = {p.signal.name: p for p in self._writer.places.values()}
        self._mail = list(task.mail.items())
        self.taken: dict[str, list[Taken]] = {local: [] for local in task.mail}
        self.arrivals: deque[tuple[int, str, Vector]] = deque()
        self._latency_ns = nanoseconds(task.latency)
        self._every, self._offset_ns, self._period_ns = (
            task.record_every,
            nanoseconds(task.offset),
            nanoseconds(task.period),
        )
        self._records: list[tuple[str, slice, int]] = []
        self._row_width = 1
        for local, signal in task.records.items():
            self._records.append((local, slice(self._row_width, self._row_width + signal.size), signal.size))
            self._row_width += signal.size
        self._arrival = Clock(ARRIVALS, self._deliver, NEVER, worlds=self._writer.worlds)
        reset = getattr(self.controller, "reset", None)
        if reset is not None:
            reset(stream(seed, task.name))

    def schedule(self, schedule: Schedule) -> list[Clock]:
        """Add this task's clocks; returns them in a fixed order."""
        task = self.task
        period, offset = nanoseconds(task.period), nanoseconds(task.offset)
        clocks: list[Clock] = []
        for local, reader in self._late.items():
            channel = self.channels[local]
            sensor = channel.sensor
            every = period if sensor.rate is None else nanoseconds(1.0 / sensor.rate)
            delay = nanoseconds(sensor.delay)
            first = offset if sensor.rate is not None else (offset - delay) % every
            take = partial(self._sample, channel, reader, delay)
            # the first sample at once, so that there is something to read
            clocks.append(Clock(SENSORS, take, 0, worlds=reader.worlds))
            clocks.append(Clock(SENSORS, take, first or every, every, reader.worlds))
        clocks.append(Clock(TASKS, self.update, offset, period, self.reader.worlds | self._writer.worlds))
        if self._latency_ns:
            clocks.append(self._arrival)
        for clock in clocks:
            schedule.add(clock)
        return clocks

    def _sample(self, channel: Channel, reader: Reader, delay_ns: int, now_ns: int) -> None:
        """Take a delayed or slower sample."""
        channel.take(reader.read()[channel.signal].copy(), now_ns, delay_ns)

    def update(self, now_ns: int) -> None:
        """Measure, run the controller, hold its commands."""
        t = now_ns / 1e9
        truth = self.reader.read()
        meas: dict[str, Vector] = {}
        for local, channel, immediate in self._inputs:
            meas[local] = channel.measure(t, truth[channel.signal]) if immediate else channel.newest(now_ns)
        for local, mail in self._mail:
            value = mail.newest(t)
            taken = self.taken[local]
            if not taken or not np.array_equal(taken[-1][1], value):
                taken.append((t, value))
            meas[local] = value.copy()
        try:
            out: Mapping[str, Any] = self.controller.update(t, meas)
        except (SimulationError, InputError):
            raise
        except Exception as e:  # a user's controller may fail in any way; the run ends with its reason and its log
            raise SimulationError(f"{self._at(t)}: {type(e).__name__}: {' '.join(str(e).split())}") from e
        try:
            self._use(out, t, now_ns)
        except (TypeError, ValueError, KeyError, FreefloatError) as e:
            raise self._refused(out, t, e) from e

    def _use(self, out: Mapping[str, Any], t: float, now_ns: int) -> None:
        """Hold the commands that the controller returned, now or after the latency, and record."""
        if not self._latency_ns:
            self._writer.write(out)
        else:
            for local, command in self.writes.items():
                value = self._writer.places[local].checked(out[local])
                self.arrivals.append((now_ns + self._latency_ns, command, value.copy()))
                self._arrival.next_ns = self.arrivals[0][0]
        if self._records and self._due(now_ns):
            row = np.empty(self._row_width)
            row[0] = t
            for local, at, size in self._records:
                value = out[local]
                if type(value) is not np.ndarray or value.shape != (size,):
                    value = np.ravel(value)
                    if len(value) != size:
                        raise ValueError(f"{local!r} has {len(value)} numbers to record, {size} declared")
                row[at] = value
            self.recorder.append(self.task.name, row)

    def _due(self, now_ns: int) -> bool:
        """Whether this update is one that is recorded; by its time, so that a restored run records the same."""
        return self._every == 1 or (now_ns - self._offset_ns) // self._period_ns % self._every == 0

    def _at(self, t: float) -> str:
        return f"task {self.task.name!r} at t = {t:.6f} s"

    def _refused(self, out: object, t: float, error: Exception) -> SimulationError:
        """Why what the controller returned cannot be used."""
        wanted = [*self.writes, *self.task.records]
        if not isinstance(out, Mapping):
            return SimulationError(
                f"{self._at(t)}: its controller returned {type(out).__name__}, not a mapping of {wanted}"
            )
        given = {str(k) for k in cast(Mapping[Any, Any], out)}
        missing = [local for local in wanted if local not in given]
        if missing:
            return SimulationError(f"{self._at(t)}: its controller returned {sorted(given)}, not {missing[0]!r}")
        return SimulationError(f"{self._at(t)}: {error}")

    def _deliver(self, now_ns: int) -> None:
        while self.arrivals and self.arrivals[0][0] <= now_ns:
            _, command, value = self.arrivals.popleft()
            self._held[command].write(value)
        self._arrival.next_ns = self.arrivals[0][0] if self.arrivals else NEVER

    def state(self) -> tuple[Any, ...]:
        """Controller, samples and commands under way (to be copied by the caller)."""
        channels = {n: c.state() for n, c in self.channels.items()}
        return self.controller, channels, self.arrivals, self.taken

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take over a state made by `state`."""
        self.controller, channels, self.arrivals, self.taken = state
        for name, state in channels.items():
            self.channels[name].set_state(state)


def own_copies(tasks: Sequence[Task]) -> list[Any]:
    """The session's own controllers, copied together: what two of them share stays shared. A mission can run again.

    One with a live link is the same object in every session.
    """
    for task in tasks:
        if task.live:
            continue
        try:
            copy.deepcopy(task.controller)
        except (TypeError, copy.Error) as e:
            raise InputError(
                f"task {task.name!r}: its controller cannot be copied ({e}); each run works on a copy"
            ) from e
    copies = copy.deepcopy([None if task.live else task.controller for task in tasks])
    return [task.controller if task.live else own for task, own in zip(tasks, copies, strict=True)]


def check_wiring(tasks: tuple[Task, ...], directory: Directory) -> None:
    """Every signal and command exists, sensors fit their signals, and each command and record has one writer."""
    writer: dict[str, str] = {}
    names: set[str] = set()
    recorded = set(directory.signals)
    for task in tasks:
        if task.name in names:
            raise InputError(f"two tasks are named {task.name!r}; give each task a name")
        if task.name in (g.name for plant in directory.plants for g in plant.groups):
            raise InputError(f"task name {task.name!r} is taken by the recorder; choose another name")
        names.add(task.name)
        for local, signal in task.reads.items():
            shape = directory.signal(signal).signal.shape
            task.sensors.get(local, _IDEAL).check(shape, f"task {task.name!r}, {local!r}")
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
