"""The warm process's own side: import, rehearse, then fork a worker whenever one is asked for, and tell how each ended.

A process with threads must not fork (the child has one thread, and what the others held stays locked), so the warm
process never uses polars, which starts three at its first table. Where a rehearsal does start one, as a user's judge
may, the parent asks for a new warm process that only prepares.
"""

from __future__ import annotations

import gc
import os
import pickle
import selectors
import signal
import socket
import time
import warnings
from typing import Any, Literal, NoReturn

from freefloat.workers.channel import Channel
from freefloat.workers.job import Job
from freefloat.workers.limits import Limits, die_with, resident, threads
from freefloat.workers.outcome import outcome_of
from freefloat.workers.worker import work

Way = Literal["rehearse", "prepare"]


def main(end: int, parent: int) -> NoReturn:
    """With the number of its socket and its parent's process."""
    die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    control = Channel(socket.socket(fileno=end))
    pickled, way, limits = control.receive()
    warnings.simplefilter("ignore")
    cpu = time.process_time()
    told: Any = None
    try:
        job: Job = pickle.loads(pickled)
        job.prepare()
        if way == "rehearse":
            cpu = time.process_time()
            told = job.rehearse()
            cpu = time.process_time() - cpu
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        control.send(("unfit", *outcome_of(error)))
        os._exit(1)
    control.send(("ready", told, threads(), resident(), cpu))
    gc.collect()
    gc.freeze()  # a collection in a worker would write to every page that it shares
    _Nursery(job, control, limits).serve()


class _Nursery:
    """Answers to `fork` and `branch`, each with a socket, and `end`, all with a number; leaves when its parent does.

    A branch is a process like this one, with a parent's end of its own.
    """

    def __init__(self, job: Job, control: Channel, limits: Limits) -> None:
        self._job, self._control, self._limits = job, control, limits
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._born: dict[int, tuple[int, int]] = {}  # number -> process, and its descriptor, readable at its end

    def serve(self) -> NoReturn:
        with open(os.devnull, "w") as nothing:  # noqa: PTH123  (lines of all runs, mixed, help nobody)
            os.dup2(nothing.fileno(), 2)
        try:
            while True:
                for key, _ in self._selector.select():
                    if key.fileobj is self._control:
                        self._hear()
                    else:
                        self._bury(key.data)
        except OSError:  # the parent has left while it was told something
            pass
        finally:
            for pid, _ in self._born.values():
                os.kill(pid, signal.SIGKILL)
            os._exit(0)

    def _hear(self) -> None:
        messages, end, is_open = self._control.arrived_with()
        if not is_open:
            raise BrokenPipeError
        for what, number in messages:
            if what == "end" and number in self._born:
                os.kill(self._born[number][0], signal.SIGKILL)
            elif what in ("fork", "branch") and end is not None:
                self._bear(what, number, end)

    def _bear(self, what: str, number: int, end: socket.socket) -> None:
        me, pid = os.getpid(), os.fork()
        if pid == 0:
            die_with(me)
            self._selector.close()
            self._control.close()
            for _, descriptor in self._born.values():
                os.close(descriptor)
            self._born = {}
            if what == "fork":
                work(self._job, Channel(end), self._limits)
            _Nursery(self._job, Channel(end), self._limits).serve()
        end.close()
        descriptor = os.pidfd_open(pid)
        self._born[number] = pid, descriptor
        self._selector.register(descriptor, selectors.EVENT_READ, number)
        self._control.send(("forked", number, pid))

    def _bury(self, number: int) -> None:
        pid, descriptor = self._born.pop(number)
        self._selector.unregister(descriptor)
        os.close(descriptor)
        _, status = os.waitpid(pid, 0)
        self._control.send(("ended", number, os.waitstatus_to_exitcode(status)))
