"""A task while it runs: its sensors, its controller and the commands on their way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from freefloat.engine.cells import Cells, Queue
from freefloat.engine.directory import CommandPlace
from freefloat.engine.graph import Vector
from freefloat.engine.mailbox import Taken
from freefloat.engine.onboard import OnboardCode
from freefloat.engine.ports import Reader
from freefloat.engine.randomness import stream
from freefloat.engine.rehearsal import Outlook, Rehearsed
from freefloat.engine.schedule import ARRIVALS, SENSORS, TASKS, Clock, Schedule, nanoseconds, nothing
from freefloat.engine.sensing import Channel, Sensor
from freefloat.engine.task import Task
from freefloat.errors import FreefloatError, InputError, SimulationError, placed
from freefloat.kernels.agenda import ARRIVAL, CALLBACK, NEVER, SAMPLE, TASK
from freefloat.kernels.by_address import raised
from freefloat.kernels.tasks import (
    JOB,
    MEASURING,
    N_CHANNEL,
    N_JOB,
    RECORD_COLUMNS,
    TICK_RAISED,
    WRITE_COLUMNS,
)

if TYPE_CHECKING:
    from freefloat.engine.directory import Directory
    from freefloat.engine.recorder import Recorder

ROWS = 2048  # that a task's buffer holds
_IDEAL = Sensor()


def nobody(event: str, text: str) -> None:
    """Takes what a controller tells until a session listens."""


class TaskRuntime:
    """Runs one task: compiled code measures, ticks, holds and records; Python updates where the controller is Python's.

    Everything that changes is in `state()`.
    """

    def __init__(
        self,
        task: Task,
        controller: Any,
        directory: Directory,
        recorder: Recorder,
        seed: int,
        rehearsed: Mapping[str, Rehearsed],
    ) -> None:
        self.task = task
        self.controller = controller
        self.writes = dict(task.writes)
        self.taken: dict[str, list[Taken]] = {local: [] for local in task.mail}
        self._mail = list(task.mail.items())
        self._places: list[tuple[str, CommandPlace]] = [(n, directory.command(c)) for n, c in task.writes.items()]
        self._records = [(local, signal.size) for local, signal in task.records.items()]
        self._period_ns, self._offset_ns = nanoseconds(task.period), nanoseconds(task.offset)
        self._cells = Cells(JOB, np.zeros(N_JOB, dtype=np.int64))
        self._outlook = Outlook(task.ahead, directory, rehearsed) if task.ahead else None
        homes = dict.fromkeys(place.plant.name for _, place in self._places if place.plant.name in rehearsed)
        self._rehearsed = [rehearsed[world] for world in homes]
        self._sense(directory, seed)
        reset = getattr(controller, "reset", None)
        if reset is not None:
            reset(stream(seed, task.name))
        self._arrival: Clock | None = None
        self.tell: Callable[[str, str], None] = nobody
        self._code = self._onboard()
        self._wire(directory, recorder)
        self._bind()

    def _sense(self, directory: Directory, seed: int) -> None:
        """Readers, channels and the measurements' arrays."""
        task, reads = self.task, self.task.sensed
        sensors = {local: task.sensors.get(local, _IDEAL) for local in reads}
        at = f"task {task.name!r}"
        sensors = {n: s.on(directory.signal(reads[n]).signal, f"{at}, {n!r}") for n, s in sensors.items()}
        self._reader = Reader(directory, [reads[n] for n, s in sensors.items() if s.samples_with_task])
        self._late = {n: Reader(directory, [reads[n]]) for n, s in sensors.items() if not s.samples_with_task}
        rows = np.zeros((max(1, len(sensors)), N_CHANNEL), dtype=np.int64)
        self.channels: dict[str, Channel] = {}
        self._meas: dict[str, Vector] = {}  # of a scalar, one number: compiled code wants arrays
        self._shapes: dict[str, tuple[int, ...]] = {}
        for row, (local, sensor) in zip(rows, sensors.items(), strict=False):
            truth = (self._late.get(local) or self._reader).values[reads[local]]
            self._shapes[local] = truth.shape
            self._meas[local] = np.zeros(truth.shape or 1)
            streams = partial(_stream, seed, f"{task.name}.{local}")
            self.channels[local] = Channel(sensor, truth, self._meas[local].reshape(-1), streams, row)
        for local, mail in task.mail.items():
            self._shapes[local] = np.shape(mail.newest(0.0))
            self._meas[local] = np.zeros(self._shapes[local] or 1)
        for local, read in task.ahead.items():
            self._shapes[local] = directory.signal(read.signal).signal.shape
            self._meas[local] = np.zeros(self._shapes[local] or 1)
        immediate = {local: c for local, c in self.channels.items() if local not in self._late}
        self._modelled = [(local, c) for local, c in immediate.items() if c.model is not None]
        self._cells.set(n_channels=len(sensors))
        self._cells.hold(channels=rows)

    def _onboard(self) -> OnboardCode | None:
        """The controller's tick, where it offers one that is used."""
        task, controller = self.task, self.controller
        if not callable(getattr(controller, "tick", None)):
            return None
        return OnboardCode(f"task {task.name!r}", controller, self._meas, task.compiled)

    @property
    def in_the_loop(self) -> bool:
        """Whether the controller runs inside the compiled loop."""
        python = self._modelled or self._mail or self._outlook or self._rehearsed
        return self._code is not None and self._code.code is not None and not python

    def _wire(self, directory: Directory, recorder: Recorder) -> None:
        """Tables of commands and records, room for commands under way and for rows."""
        task, cells = self.task, self._cells
        writes = np.zeros((max(1, len(self._places)), WRITE_COLUMNS), dtype=np.int64)
        for row, (_, place) in zip(writes, self._places, strict=False):
            size, world = place.at.stop - place.at.start, directory.plants.index(place.plant)
            row[1:] = size, world, place.at.start, place.settles, place.felt, -1
        width = max(1, int(writes[:, 1].sum()))
        row_width = 1 + sum(size for _, size in self._records)
        cells.hold(writes=writes, records=np.zeros((max(1, len(self._records)), RECORD_COLUMNS), dtype=np.int64))
        cells.hold(rows=np.zeros((ROWS, row_width)))
        cells.set(
            n_writes=len(self._places),
            n_records=len(self._records),
            width=width,
            row_width=row_width,
            row_room=ROWS,
            latency=nanoseconds(task.latency),
            every=task.record_every,
            offset=self._offset_ns,
            period=self._period_ns,
        )
        self._arrivals = Queue(cells, width)
        self._writes_in = 0
        for _, place in self._places:
            self._writes_in |= place.bit
        if self._records:
            recorder.source(task.name, self._drain)

    def _bind(self) -> None:
        """Addresses of what the controller gives: arrays of its tick, or our own."""
        cells, code = self._cells, self._code
        self._out: dict[str, Vector] = {}
        for (local, place), row in zip(self._places, cells.arrays["writes"], strict=False):
            self._out[local] = self._output(local, place.at.stop - place.at.start, f"command {place.signal.name!r}")
            row[0] = self._out[local].ctypes.data
        for (local, size), row in zip(self._records, cells.arrays["records"], strict=False):
            if local not in self._out:
                self._out[local] = self._output(local, size, "record")
            elif len(self._out[local]) != size:
                given = len(self._out[local])
                raise InputError(f"task {self.task.name!r}: record {local!r} of {size} numbers, a command of {given}")
            row[:] = self._out[local].ctypes.data, size
        if code is not None and self.in_the_loop:
            assert code.code is not None
            cells.set(tick=code.code.address, arguments=code.address)

    def _output(self, local: str, size: int, what: str) -> Vector:
        return np.zeros(size) if self._code is None else self._code.output(local, size, what)

    def schedule(self, schedule: Schedule) -> None:
        """Add this task's clocks."""
        clocks: list[Clock] = []
        for local, reader in self._late.items():
            channel = self.channels[local]
            sensor = channel.sensor
            every = self._period_ns if sensor.rate is None else nanoseconds(1.0 / sensor.rate)
            first = (
                self._offset_ns if sensor.rate is not None else (self._offset_ns - nanoseconds(sensor.delay)) % every
            )
            job, kind = nothing, SAMPLE
            if channel.model is not None:
                job, kind = partial(self._sample, local, channel), CALLBACK
            # the first sample at once, so that there is something to read
            for start, period in ((0, NEVER), (first or every, every)):
                clock = Clock(SENSORS, job, start, period, reader.worlds, kind, task=self)
                clock.source, clock.row = reader.source.address, channel.cells.address
                clocks.append(clock)
        worlds = self._reader.worlds | self._writes_in | (self._outlook.worlds if self._outlook else 0)
        job = nothing if self.in_the_loop else self.update
        clocks.append(Clock(TASKS, job, self._offset_ns, self._period_ns, worlds, TASK, task=self))
        clocks[-1].source, clocks[-1].row = self._reader.source.address, self._cells.address
        if self.task.latency and self._places:
            self._arrival = Clock(ARRIVALS, nothing, NEVER, NEVER, self._writes_in, ARRIVAL, row=self._cells.address)
            clocks.append(self._arrival)
        for clock in clocks:
            schedule.add(clock)

    def find_arrival(self, schedule: Schedule) -> None:
        """Find the clock that delivers commands under way, once all clocks are there."""
        if self._arrival is not None:
            self._cells.set(arrival=schedule.clocks.index(self._arrival))

    def wake(self, command: str, clock: int) -> None:
        """Let a clock of the schedule be due whenever this task changes a command."""
        for (_, place), row in zip(self._places, self._cells.arrays["writes"], strict=False):
            if place.signal.name == command:
                row[6] = clock

    def prepare(self) -> None:
        """Draw noise and make room, where there is none left."""
        for channel in self.channels.values():
            channel.prepare()
        self._arrivals.make_room()

    def update(self, now_ns: int) -> None:
        """Python's part: sensors' own models, mail and the controller; compiled code uses what it returns."""
        t = now_ns / 1e9
        for local, channel in self._modelled:
            self._run_model(local, partial(channel.measure, t), t)
        try:
            for local, mail in self._mail:
                self._take_mail(local, mail.newest(t), t)
            if self._outlook is not None:
                for local, value in self._outlook.look().items():
                    self._meas[local].reshape(-1)[:] = value.reshape(-1)
            if self._code is not None:
                self._code.run(t)
                self._rehearse(None)
                return
            meas = {n: v.reshape(self._shapes[n]).copy() for n, v in self._meas.items()}
            out: Mapping[str, Any] = self.controller.update(t, meas)
        except FreefloatError as e:
            raise placed(e, self._at(t)) from None
        except Exception as e:  # a user's controller may fail in any way; the run ends with its reason and its log
            raise SimulationError(f"{self._at(t)}: {type(e).__name__}: {' '.join(str(e).split())}") from e
        try:
            self._use(out, now_ns)
        except Exception as e:  # whatever it returned
            raise self._refused(out, t, e) from e
        for event, text in out.get("told", ()):
            self.tell(event, text)
        try:
            self._rehearse(out.get("since"))
        except FreefloatError as e:
            raise placed(e, self._at(t)) from None

    def _rehearse(self, since: float | None) -> None:
        """Let rehearsed worlds take note of this instant, or do a stretch again."""
        if since is not None and not self._rehearsed:
            raise InputError("since: none of its commands is in a rehearsed world; only those can be done again")
        for world in self._rehearsed:
            own = [(place, self._out[local]) for local, place in self._places if place.plant is world.plant]
            world.commit(since, own)

    def _sample(self, local: str, channel: Channel, now_ns: int) -> None:
        """Take a late sample by a sensor's own model."""
        self._run_model(local, partial(channel.sample, now_ns), now_ns / 1e9)

    def _run_model(self, local: str, measure: Callable[[], None], t: float) -> None:
        try:
            measure()
        except Exception as e:  # a user's model may fail in any way
            kind = "" if isinstance(e, FreefloatError) else f"{type(e).__name__}: "
            raise SimulationError(f"{self._at(t)}: {local!r}: {kind}{' '.join(str(e).split())}") from e

    def _take_mail(self, local: str, value: Vector, t: float) -> None:
        taken = self.taken[local]
        if not taken or not np.array_equal(taken[-1][1], value):
            taken.append((t, value))
        self._meas[local][...] = value

    def _use(self, out: Mapping[str, Any], now_ns: int) -> None:
        """Put what the controller returned where compiled code finds it."""
        for local, place in self._places:
            value, own = out[local], self._out[local]
            own[:] = value if type(value) is np.ndarray and value.shape == own.shape else place.checked(value)
        if self._records and (now_ns - self._offset_ns) // self._period_ns % self.task.record_every == 0:
            for local, size in self._records:
                value = out[local]
                shape = value.shape if type(value) is np.ndarray else None
                if shape != (size,) and not (size == 1 and (shape == () or isinstance(value, float))):
                    value = np.ravel(value)
                    if len(value) != size:
                        raise ValueError(f"{local!r} has {len(value)} numbers to record, {size} declared")
                self._out[local][:] = value

    def give_up(self) -> None:
        """Hold and record nothing of an update that failed."""
        self._cells.set(phase=MEASURING)

    def failure(self, status: int, t: float) -> SimulationError:
        """Why a tick, or what a controller returned, cannot be used."""
        if status == TICK_RAISED:
            return SimulationError(f"{self._at(t)}: {raised(self._cells['told'])}")
        local, place = self._places[self._cells["culprit"]]
        value = self._out[local].tolist()
        return SimulationError(f"{self._at(t)}: command {place.signal.name!r}: value {value} is not finite")

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

    def _drain(self, most: int | None = None) -> Vector:
        """Take the rows recorded so far, at most so many."""
        buffer, held = self._cells.arrays["rows"], self._cells["held"]
        n = held if most is None else min(held, most)
        rows = buffer[:n].copy()
        buffer[: held - n] = buffer[n:held].copy()
        self._cells.set(held=held - n)
        return rows

    def state(self) -> tuple[Any, ...]:
        """Controller, samples and commands under way (to be copied by the caller)."""
        channels = {n: c.state() for n, c in self.channels.items()}
        cells = self._cells.state((*Queue.NUMBERS, "phase"), Queue.ARRAYS)
        return self.controller, channels, cells, self.taken, dict(self._meas), dict(self._out)

    def check(self, state: tuple[Any, ...]) -> None:
        """Refuse a state that this task cannot go on with."""
        if callable(getattr(state[0], "tick", None)) != (self._code is not None):
            kinds = f"{type(state[0]).__name__} there and {type(self.controller).__name__} here"
            raise InputError(f"the snapshot belongs to another mission: task {self.task.name!r} runs {kinds}")
        if self._code is not None:
            self._code.check(state[0])

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take over a state made by `state`."""
        self.controller, channels, cells, self.taken, meas, out = state
        for name, state in channels.items():
            self.channels[name].set_state(state)
        self._cells.set_state(cells)
        self._cells.set(held=0)
        if self._code is not None:
            self._code.bind(self.controller)
            self._bind()
        for mine, theirs in ((self._meas, meas), (self._out, out)):
            for name, value in theirs.items():
                mine[name][...] = value


def _stream(seed: int, name: str, what: str) -> np.random.Generator:
    return stream(seed, name + what)
