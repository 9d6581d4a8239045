"""Limits of a run, and how Linux keeps them: the clock and the resident size are watched by the parent, which ends a
worker by SIGKILL (compiled code hears nothing else); RLIMIT_DATA stops what grows faster than anybody watches.

RLIMIT_AS would count what is only mapped: 0.65 GB before a run begins.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from dataclasses import dataclass
from pathlib import Path

from freefloat.errors import InputError

_PR_SET_PDEATHSIG = 1
_SLACK = 0.25  # [-] of the limit: RLIMIT_DATA counts what was asked for, the limit what is in use
_PAGE = os.sysconf("SC_PAGE_SIZE")  # [bytes]


@dataclass(frozen=True)
class Limits:
    """Of one run; None: no limit."""

    time: float | None = None  # [s] of wall time
    memory: int | None = None  # [bytes] resident, of the whole worker

    def __post_init__(self) -> None:
        if self.time is not None and not self.time > 0.0:
            raise InputError(f"time limit {self.time!r} s; allowed: more than 0 s")
        if self.memory is not None and not self.memory > 0:
            raise InputError(f"memory limit {self.memory!r} bytes; allowed: more than 0")


def die_with(parent: int) -> None:
    """From now on this process is ended when the one that started it ends, and at once where it has."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    if os.getppid() != parent:
        os._exit(1)


def resident(pid: int | str = "self") -> int:
    """[bytes] of memory in use by a process, shared pages included; 0 where it has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def private(pid: int | str = "self") -> int:
    """[bytes] of memory that a process has for itself; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) * 1024


def threads() -> int:
    """How many this process has."""
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208


def bound_data(memory: int) -> None:
    """Let allocations of this process fail a little beyond `memory` [bytes] resident."""
    data = int(Path("/proc/self/statm").read_text().split()[5]) * _PAGE
    most = data + max(memory - resident(), 0) + int(_SLACK * memory)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
