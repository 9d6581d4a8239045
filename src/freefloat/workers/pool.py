"""The parent's side of many runs: tasks go to workers, outcomes come back; a worker that ends is replaced."""

from __future__ import annotations

import selectors
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from freefloat.errors import SimulationError
from freefloat.workers.channel import Channel
from freefloat.workers.hearth import Hearth, ending
from freefloat.workers.job import Job
from freefloat.workers.limits import Limits, resident
from freefloat.workers.outcome import Outcome, Status

Numbered = tuple[int, Any]  # a task with its number
AHEAD = 2  # tasks that a worker has: the one that it does, and the next, so that it does not wait
LOOK = 0.05  # [s] between two looks at what workers take
RESTARTS = 3  # of the warm process, one after another without a run that ends


@dataclass
class _Worker:
    """What the parent knows of a worker."""

    number: int
    channel: Channel
    pid: int = 0
    tasks: deque[Numbered] = field(default_factory=deque)  # the first is the one that it does
    since: float = 0.0  # time at which it has begun that
    ended_for: tuple[int, Status, str] | None = None  # the task for which we end it, and why
    leaves: bool = False  # by itself, after what it has told


class Pool:
    """`workers` processes that do the tasks of one job. A context: at its end nothing of it runs any more."""

    def __init__(self, job: Job, workers: int = 1, limits: Limits | None = None, hearth: Hearth | None = None) -> None:
        self._job, self._most, self._limits = job, workers, limits or Limits()
        self.hearth = hearth or Hearth(job, self._limits)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.hearth.control, selectors.EVENT_READ, None)
        self._workers: dict[int, _Worker] = {}
        self._waiting: deque[Numbered] = deque()  # those whose worker has ended before it came to them
        self._restarts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all workers, whatever they do."""
        for worker in self._workers.values():
            worker.channel.close()
        self._workers.clear()
        self._selector.close()
        self.hearth.close()

    def processes(self) -> list[int]:
        """Of the workers that are there."""
        return [worker.pid for worker in self._workers.values() if worker.pid]

    def outcomes(self, tasks: Iterable[Numbered]) -> Iterator[tuple[int, Outcome]]:
        """Each task's number with its outcome, once, in the order in which they end."""
        source = iter(tasks)
        self._feed(source)
        while any(worker.tasks for worker in self._workers.values()) or self._waiting:
            found: list[tuple[int, Outcome]] = []
            for key, _ in self._selector.select(self._patience()):
                found += self._hear_hearth() if key.data is None else self._hear(key.data)
            self._end_what_exceeds()
            self._feed(source)
            yield from found

    def _feed(self, source: Iterator[Numbered]) -> None:
        """Every worker has something to do, and something to do next."""
        for fill in range(1, AHEAD + 1):
            for _ in range(self._most):
                worker = min(self._workers.values(), key=lambda w: len(w.tasks), default=None)
                full = len(self._workers) == self._most
                if full and (worker is None or len(worker.tasks) >= fill):
                    break
                task = self._waiting.popleft() if self._waiting else next(source, None)
                if task is None:
                    return
                if not full:
                    worker = self._hire()
                assert worker is not None
                self._give(worker, task)

    def _hire(self) -> _Worker:
        number, channel = self.hearth.fork()
        worker = _Worker(number, channel)
        self._workers[number] = worker
        self._selector.register(channel, selectors.EVENT_READ, worker)
        return worker

    def _give(self, worker: _Worker, task: Numbered) -> None:
        if not worker.tasks:
            worker.since = time.monotonic()
        worker.tasks.append(task)
        with suppress(OSError):  # it has ended; the warm process will tell
            worker.channel.send(task)

    def _hear(self, worker: _Worker) -> list[tuple[int, Outcome]]:
        if worker.number not in self._workers:  # buried since the selector called
            return []
        messages, is_open = worker.channel.arrived()
        if not is_open:
            self._selector.unregister(worker.channel)
        return self._take(worker, messages)

    def _take(self, worker: _Worker, messages: list[tuple[int, Outcome]]) -> list[tuple[int, Outcome]]:
        for _, outcome in messages:
            worker.tasks.popleft()
            worker.since = time.monotonic()
            worker.leaves = outcome.status == "memory-limit"
            self._restarts = 0
        return messages

    def _hear_hearth(self) -> list[tuple[int, Outcome]]:
        messages, is_open = self.hearth.control.arrived()
        found: list[tuple[int, Outcome]] = []
        for what, number, told in messages:
            if what == "forked":
                if number in self._workers:
                    self._workers[number].pid = told
            elif number in self._workers:
                found += self._bury(self._workers.pop(number), ending(told))
        return found if is_open else found + self._restart()

    def _bury(self, worker: _Worker, fate: str) -> list[tuple[int, Outcome]]:
        """What a worker that has ended leaves: last outcomes, that of the task it did, and tasks for others."""
        if worker.channel.fileno() in self._selector.get_map():
            self._selector.unregister(worker.channel)
        found = self._take(worker, worker.channel.rest())
        worker.channel.close()
        done = worker.tasks[0][0] if worker.tasks else -1
        blamed, status, reason = worker.ended_for or (done, "died", fate)
        if worker.tasks and blamed == done and not worker.leaves:
            worker.tasks.popleft()
            found = [*found, (done, Outcome(status, reason))]
        self._waiting.extendleft(reversed(worker.tasks))
        return found

    def _restart(self) -> list[tuple[int, Outcome]]:
        """The warm process has ended, and with it all workers."""
        fate = f"the warm process above its own: {self.hearth.fate()}"
        found: list[tuple[int, Outcome]] = []
        for worker in list(self._workers.values()):
            found += self._bury(worker, fate)
        self._workers.clear()
        self._restarts += 1
        if self._restarts > RESTARTS:
            raise SimulationError(f"the warm process has ended {self._restarts} times in turn: {self.hearth.fate()}")
        self._selector.unregister(self.hearth.control)
        self.hearth.close()
        self.hearth = Hearth(self._job, self._limits)
        self._selector.register(self.hearth.control, selectors.EVENT_READ, None)
        return found

    def _patience(self) -> float | None:
        """[s] until something must be looked at although nobody has called."""
        if self._limits.memory is not None:
            return LOOK
        if self._limits.time is None:
            return None
        begun = [w.since for w in self._workers.values() if w.tasks and w.ended_for is None]
        return max(0.0, min(begun) + self._limits.time - time.monotonic()) if begun else None

    def _end_what_exceeds(self) -> None:
        now, limits = time.monotonic(), self._limits
        for worker in self._workers.values():
            if not worker.tasks or worker.ended_for is not None:
                continue
            number = worker.tasks[0][0]
            if limits.time is not None and now - worker.since >= limits.time:
                worker.ended_for = number, "time-limit", f"no end after {limits.time:g} s"
            elif limits.memory is not None and worker.pid and resident(worker.pid) > limits.memory:
                worker.ended_for = number, "memory-limit", f"more than {limits.memory / 1e6:.0f} MB"
            if worker.ended_for is not None:
                self.hearth.end(worker.number)
