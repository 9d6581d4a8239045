"""The parent's side of a warm process: start it, ask it for workers, hear how they end."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from typing import IO, Any

from freefloat.errors import InputError, SimulationError
from freefloat.workers.channel import Channel
from freefloat.workers.job import Job
from freefloat.workers.limits import Limits
from freefloat.workers.warm import Way

# of the libraries that would start threads of their own; two runs on two cores want one each
ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1")
COMPILING = 600.0  # [s] that a rehearsal may take beyond the limit of a run
_CODE = "import sys; sys.path[:] = {path!r}; from freefloat.workers.warm import main; main({end}, {parent})"


class Hearth:
    """A warm process that has rehearsed its job, or prepared it where a rehearsal starts threads.

    `told` is what the rehearsal returned, `cpu` [s] what it took and `memory` [bytes] what is resident after it.
    """

    def __init__(self, job: Job, limits: Limits | None = None) -> None:
        self._job, self._limits = pickle.dumps(job), limits or Limits()
        self._count = 0
        self.told, found, self.memory, self.cpu = self._start("rehearse")
        if found > 1:
            self.close()
            _, found, self.memory, _ = self._start("prepare")
            if found > 1:
                self.close()
                raise SimulationError(
                    f"importing the scenario starts {found - 1} threads; a process with threads cannot fork workers"
                )
        if self._limits.memory is not None and self._limits.memory <= self.memory:
            self.close()
            raise InputError(
                f"memory limit {_mb(self._limits.memory)}: a worker has {_mb(self.memory)} before its first run; "
                "allowed: more than that"
            )

    def _start(self, way: Way) -> tuple[Any, int, int, float]:
        self.control, end = Channel.pair()
        with tempfile.TemporaryFile() as errors:
            self._process = _Process(end, errors)
            end.close()
            self.control.send((self._job, way, self._limits))
            limit = self._limits.time
            timer = threading.Timer(COMPILING + (limit or 0.0), self._process.kill)
            if limit is not None:
                timer.start()
            try:
                answer = self.control.receive()
            except BaseException:  # Ctrl-C
                self.close()
                raise
            finally:
                timer.cancel()
            if answer is None:
                self.close()
                raise SimulationError(f"the nominal run: {self._process.fate(errors)}")
        if answer[0] == "unfit":
            self.close()
            _, status, reason = answer
            raise (InputError if status == "refused" else SimulationError)(f"the nominal run: {reason}")
        return answer[1:]

    @property
    def pid(self) -> int:
        return self._process.pid

    def fork(self) -> tuple[int, Channel]:
        """Ask for a worker: its number and the way to it. It need not be there yet."""
        return self._ask("fork")

    def branch(self) -> Branch:
        """A process forked from the warm one, as warm, which forks workers for somebody else."""
        self.control.drop()  # what was told of earlier ones; nobody else listens here
        return Branch(self, *self._ask("branch"))

    def alive(self) -> bool:
        """Whether the warm process is there."""
        return self._process.alive()

    def _ask(self, what: str) -> tuple[int, Channel]:
        self._count += 1
        here, there = Channel.pair()
        self.control.send_with((what, self._count), there)
        there.close()
        return self._count, here

    def end(self, number: int) -> None:
        """Have a worker ended."""
        self.control.send(("end", number))

    def fate(self) -> str:
        """How the warm process ended, of one that has."""
        return self._process.fate(None)

    def close(self) -> None:
        """It leaves, and its workers with it."""
        self.control.close()
        self._process.leave()


class Branch(Hearth):
    """A warm process's branch, used as a warm process is."""

    def __init__(self, trunk: Hearth, number: int, control: Channel) -> None:
        self.told, self.memory, self.cpu = trunk.told, trunk.memory, trunk.cpu
        self._limits, self._count = trunk._limits, 0
        self._trunk, self._number, self.control = trunk, number, control

    def fate(self) -> str:
        return "a branch of the warm process ended"

    def close(self) -> None:
        self.control.close()

    @property
    def pid(self) -> int:
        return self._trunk.pid


class _Process:
    """The warm process as the kernel sees it.

    It is to be ended when this process is, and Linux looks at the thread that has started it: one that waits for it.
    """

    def __init__(self, end: socket.socket, errors: IO[bytes]) -> None:
        self._ended = threading.Event()
        started = threading.Event()
        self._problem: OSError | None = None
        self._popen: subprocess.Popen[bytes] | None = None

        def keep() -> None:
            try:
                self._popen = _popen(end, errors)
            except OSError as error:
                self._problem = error
                return
            finally:
                started.set()
            self._popen.wait()
            self._ended.set()

        threading.Thread(target=keep, name="freefloat-warm", daemon=True).start()
        started.wait()
        if self._popen is None:
            why = self._problem.strerror if self._problem is not None else "no reason is known"
            raise SimulationError(f"{sys.executable} cannot be started: {why}")
        self.pid = self._popen.pid

    def alive(self) -> bool:
        return not self._ended.is_set()

    def kill(self) -> None:
        if not self._ended.is_set():
            os.kill(self.pid, signal.SIGKILL)

    def leave(self) -> None:
        """After its control was closed."""
        if not self._ended.wait(1.0):
            self.kill()
            self._ended.wait()

    def fate(self, errors: IO[bytes] | None) -> str:
        self._ended.wait(5.0)
        assert self._popen is not None
        told = ending(self._popen.returncode or 0)
        last = "".join(_last_line(errors)) if errors is not None else ""
        return f"{told}: {last}" if last else told


def _popen(end: socket.socket, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    path = [entry or os.getcwd() for entry in sys.path]  # noqa: PTH109
    code = _CODE.format(path=path, end=end.fileno(), parent=os.getpid())
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        pass_fds=[end.fileno()],
        env={**os.environ, **ALONE, "MPLBACKEND": "Agg"},
    )


def _last_line(errors: IO[bytes]) -> Iterator[str]:
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").split("\n")
    yield from [line.strip() for line in lines if line.strip()][-1:]


def ending(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"its process left with exit code {code}"
    try:
        return f"its process was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"its process was ended by signal {-code}"


def _mb(size: int) -> str:
    return f"{size / 1e6:.0f} MB"
