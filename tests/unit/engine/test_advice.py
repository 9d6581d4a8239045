"""Advice on the step: one that is too long is warned of, `auto` takes what fits, and adaptive steps are left alone."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import freefloat as ff
from freefloat.engine.advice import ROUND, Longest, round_step
from freefloat.engine.log.reader import read_log
from freefloat.engine.schedule import nanoseconds
from freefloat.errors import InputError, StepWarning


@dataclass(frozen=True)
class Stiff:
    """A part without a body that wants a step; it is its own advice."""

    name: str
    longest: float
    reason: str = ""

    def build(self, b: ff.Builder) -> None:
        b.advise(self)

    def longest_step(self, world: ff.World) -> Longest:
        assert world.pose("bus").p == pytest.approx([1.0, 2.0, 3.0])  # the world stands at its start
        return Longest(self.longest, self.reason)


def mission(integrator: Any, *wanted: Stiff, **settings: Any) -> ff.Mission:
    start = ff.Motion(ff.Pose.from_rpy((0, 0, 0), (1.0, 2.0, 3.0)))
    return ff.Mission([ff.RigidBody("bus", motion=start), *wanted], integrator=integrator, **settings)


def test_a_step_that_is_too_long_is_warned_of_once_with_the_shortest_that_would_do() -> None:
    parts = Stiff("soft", 4e-4), Stiff("stiff", 2.3e-4, "because"), Stiff("slow", math.inf)
    with pytest.warns(StepWarning) as told:
        result = mission(ff.RK4(1e-3), *parts).run(0.01)
    assert [str(w.message) for w in told] == ["stiff: a step of 1 ms is too long; 0.2 ms would do (because)"]
    assert result.step == 1e-3


@pytest.mark.parametrize("integrator", [ff.RK4(2e-4), ff.Dopri5(2e-4), ff.RK4("auto"), ff.Dopri54()])
def test_a_step_that_does_is_not(integrator: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mission(integrator, Stiff("stiff", 2e-4)).session()


@pytest.mark.parametrize("kind", [ff.RK4, ff.Dopri5])
@pytest.mark.parametrize(("longest", "chosen"), [(math.inf, 1e-3), (0.3, 1e-3), (3.3e-4, 2.5e-4), (7e-6, 5e-6)])
def test_auto_takes_the_longest_round_step_that_does(kind: Any, longest: float, chosen: float) -> None:
    m = mission(kind("auto"), Stiff("stiff", longest))
    assert m.session().world.step == chosen
    result = m.run(0.01)
    assert result.step == chosen
    assert result.metrics["steps"] == round(0.01 / chosen)


@pytest.mark.parametrize("kind", [ff.RK4, ff.Dopri5])
@pytest.mark.parametrize(("longest", "chosen"), [(math.inf, 4e-3), (0.3, 4e-3), (4.5e-3, 2.5e-3), (7e-6, 5e-6)])
def test_auto_may_take_a_longer_step_where_it_is_told_how_long(kind: Any, longest: float, chosen: float) -> None:
    assert mission(kind("auto", "4 ms"), Stiff("stiff", longest)).session().world.step == chosen


def test_auto_runs_are_those_of_the_same_step_given_and_the_log_has_it(tmp_path: Path) -> None:
    spin = ff.RigidBody("bus", size=(1.0, 2.0, 3.0), motion=ff.Motion(w_WL_L=(0.1, 0.2, 0.3)))

    class Swift:
        name = "swift"

        def build(self, b: ff.Builder) -> None:
            b.advise(self)

        def longest_step(self, world: ff.World) -> Longest:
            return Longest(6e-4)

    log = tmp_path / "log.mcap"
    chosen = ff.Mission([spin, Swift()], integrator=ff.RK4("auto")).run(1.0, log=log)
    given = ff.Mission([spin], integrator=ff.RK4(5e-4)).run(1.0)
    assert chosen["bus.q_WB"].tobytes() == given["bus.q_WB"].tobytes()
    assert chosen.metrics["steps"] == 2000
    assert read_log(log).metadata["freefloat"]["step"] == "0.0005"


def test_the_step_of_worlds_that_adapt_it_is_none() -> None:
    assert math.isnan(mission(ff.Dopri54()).run(0.01).step)


def test_round_steps_fall_on_a_grid_of_milliseconds_and_are_whole_nanoseconds() -> None:
    for step in ROUND:
        ns = nanoseconds(step)
        assert ns == pytest.approx(step * 1e9, abs=1e-6)
        assert step > 1e-3 or 1_000_000 % ns == 0
    assert round_step(1e-12) == ROUND[-1] == 2e-7
    assert [round_step(1e-3 * f) for f in (1.0, 0.99, 0.49, 0.249, 0.19)] == [1e-3, 5e-4, 2.5e-4, 2e-4, 1e-4]


@pytest.mark.parametrize(
    ("integrator", "told"),
    [
        (ff.RK4("fast"), "RK4: step 'fast'; allowed: a number of seconds, or auto"),  # type: ignore[arg-type]
        (ff.Dopri54(step="auto"), "Dopri54: step 'auto'; allowed: a number of seconds$"),  # type: ignore[arg-type]
    ],
)
def test_other_words_are_refused(integrator: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        mission(integrator).session()
