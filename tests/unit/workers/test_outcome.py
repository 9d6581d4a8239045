"""How a run that raised is told."""

from __future__ import annotations

from freefloat.errors import SimulationError
from freefloat.workers.outcome import outcome_of


def raised_from(cause: Exception) -> SimulationError:
    try:
        raise SimulationError("metrics of 'box': told by another") from cause
    except SimulationError as error:
        return error


def test_memory_that_ends_inside_a_judge_or_controller_is_a_memory_limit() -> None:
    assert outcome_of(raised_from(MemoryError("1.6 GB"))) == ("memory-limit", "no more memory: 1.6 GB")
    assert outcome_of(MemoryError()) == ("memory-limit", "no more memory")


def test_other_errors_of_a_judge_are_a_failed_run() -> None:
    assert outcome_of(raised_from(ValueError("no"))) == ("failed", "metrics of 'box': told by another")
