"""Jobs without scenarios, for tests of workers: a task is a word that says how it ends."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.errors import InputError, SimulationError
from freefloat.workers.limits import threads


@dataclass(frozen=True)
class Words:
    """`begins` threads in its rehearsal, which ends as `first` says."""

    begins: int = 0
    first: str = "ok"

    def prepare(self) -> None:
        pass

    def rehearse(self) -> str:
        for _ in range(self.begins):
            threading.Thread(target=time.sleep, args=(60.0,), daemon=True).start()
        return self.run(self.first)

    def run(self, task: Any) -> Any:
        match task:
            case "raise":
                raise ValueError("not\n  this")
            case "refuse":
                raise InputError("not that")
            case "fail":
                raise SimulationError("no further")
            case "leave":
                os._exit(3)
            case "exit":
                raise SystemExit(4)
            case "segv":
                ctypes.string_at(0)
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "sleep":
                time.sleep(3600.0)
            case "memory":
                filled = []
                while True:
                    filled.append(np.ones(1_000_000))
            case "lambda":
                return lambda: None
            case "threads":
                return threads()
            case "process":
                return os.getpid(), os.getppid()
            case "blas":
                return os.environ["OPENBLAS_NUM_THREADS"]
            case "large":
                return bytes(5_000_000)
            case "cycle":
                ring: list[Any] = [np.ones(2_500_000)]
                ring.append(ring)
        return task
