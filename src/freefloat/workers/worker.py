"""A worker's own side: one task after another, until the other end is closed."""

from __future__ import annotations

import gc
import os
import pickle
import platform
import time
from typing import Any, NoReturn

from freefloat.workers.channel import Channel
from freefloat.workers.job import Job
from freefloat.workers.limits import Limits, bound_data
from freefloat.workers.outcome import Cost, Outcome, outcome_of


def work(job: Job, channel: Channel, limits: Limits) -> NoReturn:
    """Answer (number, task) with (number, outcome). It leaves without cleaning up: all it has is the warm process's."""
    try:
        if limits.memory is not None:
            bound_data(limits.memory)
        host, processor = platform.node(), processor_name()
        idle_since = time.perf_counter()
        while (message := channel.receive()) is not None:
            number, task = message
            idle = time.perf_counter() - idle_since
            outcome = carried_out(job, task, host, processor, idle)
            idle_since = time.perf_counter()
            try:
                channel.send((number, outcome))
            except (pickle.PicklingError, TypeError, AttributeError) as error:
                told = f"its answer cannot be sent: {type(error).__name__}: {error}"
                channel.send((number, Outcome("raised", told, None, outcome.cost)))
            if outcome.status == "memory-limit":
                break
    except OSError:  # nobody listens any more
        pass
    finally:
        os._exit(0)


def carried_out(job: Job, task: Any, host: str = "", processor: str = "", idle: float = 0.0) -> Outcome:
    """Run a task; whatever it raises is its outcome."""
    cpu, wall = time.process_time(), time.perf_counter()
    status, reason, value = "ok", "", None
    try:
        value = job.run(task)
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        status, reason = outcome_of(error)
    gc.collect()  # what a run leaves are cycles of many megabytes, and few objects: all else is frozen
    cost = Cost(time.process_time() - cpu, time.perf_counter() - wall, idle, host, processor)
    return Outcome(status, reason, value, cost)


def processor_name() -> str:
    """As the kernel calls it; results agree to the last bit on processors of one name."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()
