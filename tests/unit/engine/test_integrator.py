"""Integrator settings, and what a run does when it diverges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError, SimulationError
from freefloat.scenario.base import IntegratorSettings


@pytest.mark.parametrize("kind", [ff.RK4, ff.Dopri5])
@pytest.mark.parametrize("step", [0.0, -1e-3, 1.5e-9, 1e-10, np.nan, np.inf])
def test_a_fixed_step_is_a_positive_whole_number_of_nanoseconds(kind: Any, step: float) -> None:
    with pytest.raises(InputError, match=r"fixed step .* whole number of nanoseconds"):
        kind(step).settings(step)


@pytest.mark.parametrize("name", ["rtol", "atol", "step", "max_step"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_the_adaptive_pair_needs_positive_finite_settings(name: str, value: float) -> None:
    pair = ff.Dopri54(**{name: value})
    with pytest.raises(InputError, match="Dopri54: tolerances and steps must be positive"):
        pair.settings(pair.step)


@pytest.mark.parametrize(("step", "steps"), [(2e-3, 50.0), ("auto", 100.0)])
@pytest.mark.parametrize("method", ["rk4", "dopri5", "dopri54"])
def test_every_method_of_a_scenario_makes_an_integrator_that_runs(method: Any, step: Any, steps: float) -> None:
    integrator = IntegratorSettings(method=method, step=step).make()
    body = ff.RigidBody("bus", inertia=(3.0, 2.0, 1.5), motion=ff.Motion(w_WL_L=(0.1, 0.2, 0.3)))
    result = ff.Mission([body], integrator=integrator).run(0.1)
    assert result.audit.passed
    assert method == "dopri54" or result.metrics["steps"] == steps


def test_fixed_steps_end_on_the_grid_so_that_where_a_caller_stops_changes_nothing() -> None:
    def spin() -> ff.Session:
        body = ff.RigidBody("bus", inertia=(3.0, 2.0, 1.5), motion=ff.Motion(w_WL_L=(1.0, 2.0, 3.0)))
        return ff.Mission([body]).session()

    once, often = spin(), spin()
    once.step(0.1)
    for _ in range(50):
        often.step(0.002)
    assert np.array_equal(once.read("bus.q_WB"), often.read("bus.q_WB"))


def test_a_step_that_is_no_divisor_of_the_record_period_still_records_at_its_instants() -> None:
    body = ff.RigidBody("bus", motion=ff.Motion(v_WL=(1.0, 0.0, 0.0)))
    result = ff.Mission([body], integrator=ff.RK4(7e-3), record_rate=100.0).run(0.1)
    assert np.allclose(result.time("bus.p_WB"), np.arange(11) * 0.01, atol=1e-12)
    assert np.allclose(result["bus.p_WB"][:, 0], result.time("bus.p_WB"), atol=1e-14)


@pytest.mark.parametrize("integrator", [ff.RK4(1e-2), ff.Dopri54()], ids=["rk4", "dopri54"])
def test_a_state_that_grows_without_bound_ends_the_run_with_a_reason(law: Any, integrator: Any) -> None:
    def grow(t: float, meas: Any) -> Any:
        return {"w": np.array([0.0, 0.0, 0.0, 1e60, 0.0, 0.0]) * 10.0 ** min(60.0 * t, 200.0)}

    task = ff.Task(law(grow), 0.01, writes={"w": "bus.wrench"})
    mission = ff.Mission([ff.RigidBody("bus")], [task], integrator=integrator)
    with pytest.raises(SimulationError, match=r"(no longer finite|step size fell)"):
        mission.run(10.0)
