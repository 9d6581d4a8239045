"""What a pool of workers does: a job, sent once to the warm process, and tasks, sent one by one to workers."""

from __future__ import annotations

from typing import Any, Protocol


class Job(Protocol):
    """Is pickled, as are its tasks and what it returns."""

    def prepare(self) -> None:
        """In the warm process: import what all runs need, without starting a thread."""
        ...

    def rehearse(self) -> Any:
        """In the warm process: do one run, so that all compiled code is there; what is returned goes to the parent."""
        ...

    def run(self, task: Any) -> Any:
        """In a worker."""
        ...
