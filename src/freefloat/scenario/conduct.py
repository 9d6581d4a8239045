"""A scenario carried out: built, run and judged. What a command, a worker and a notebook do is this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from freefloat.errors import InputError, SimulationError
from freefloat.scenario.base import Scenario
from freefloat.scenario.origin import told_of

if TYPE_CHECKING:
    from freefloat.engine.mission import Mission
    from freefloat.engine.result import Result


def built(scenario: Scenario, realtime: bool = False) -> Mission:
    """The mission of a scenario; what its class returns or raises is told in one sentence."""
    from freefloat.engine.mission import Mission

    with told_of(scenario):
        mission = scenario.build_for_realtime() if realtime else scenario.build()
    if not isinstance(mission, Mission):
        raise InputError(f"scenario {scenario.kind!r}: build() returned {mission!r}; allowed: a Mission")
    return mission


def conducted(scenario: Scenario) -> Result:
    """A run without files, with its judge's figures among the metrics."""
    mission = built(scenario)
    session = mission.session(scenario.seed)
    result = mission.complete(session, mission.duration or scenario.duration, progress=False)
    try:
        result.metrics = {**result.metrics, **figures(mission.judge(result))}
    except Exception as error:  # a user's own judge may fail in any way
        raise unjudged(scenario, "metrics", error) from error
    return result


def unjudged(scenario: Scenario, what: str, error: Exception) -> SimulationError:
    """A finished run whose judge or writer has failed."""
    reason = " ".join(str(error).split())
    return SimulationError(f"{what} of {scenario.kind!r}: {type(error).__name__}: {reason}")


def figures(judged: Mapping[str, float]) -> dict[str, float]:
    """What a judge returned, as numbers by name."""
    for name, value in dict(judged).items():
        if not isinstance(name, str) or isinstance(value, str):
            raise TypeError(f"the judge returned {name!r}: {value!r}; allowed: numbers by name")
    return {name: float(value) for name, value in judged.items()}
