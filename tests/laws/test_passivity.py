"""Springs, dampers and stops at joints: energy is stored and given back, or turned into heat, never made."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.graph import Joint, Link, LinkGraph

STORED, HEAT = "audit.energy_stored", "audit.heat"


def slider(**spring: float) -> LinkGraph:
    """Two masses of 2 and 3 kg on a slide along x."""
    links = tuple(Link(n, m, np.zeros(3), 0.1 * np.eye(3)) for n, m in (("a", 2.0), ("b", 3.0)))
    return LinkGraph(
        links, (Joint("slide", "prismatic", "a", "b", ff.Pose.identity(), np.array([1.0, 0.0, 0.0])),), "a"
    )


REDUCED = 2.0 * 3.0 / 5.0  # [kg] of the slider


def test_a_spring_gives_back_what_it_stored_at_the_closed_forms_time(robot_part: Any) -> None:
    k = 30.0
    part = robot_part("s", slider(), q={"slide": 0.5}, springs={"slide": {"stiffness": k, "reference": 0.2}})
    omega = np.sqrt(k / REDUCED)
    result = ff.Mission([part], integrator=ff.RK4(5e-4), record_rate=1000.0).run(3.0)
    t, q, qd = result.time("s.q"), result["s.q"][:, 0], result["s.qd"][:, 0]
    assert np.allclose(q, 0.2 + 0.3 * np.cos(omega * t), rtol=0.0, atol=1e-10)
    stored = 0.5 * k * ((q - 0.2) ** 2 - 0.3**2)
    assert np.allclose(result[STORED], stored, rtol=0.0, atol=1e-10)
    assert np.allclose(0.5 * REDUCED * qd**2 + stored, 0.0, atol=1e-10)


def test_a_damper_turns_the_motion_into_heat_as_the_closed_form_says(robot_part: Any) -> None:
    b, rate = 2.0, 1.5
    part = robot_part("s", slider(), qd={"slide": rate}, springs={"slide": {"damping": b}})
    result = ff.Mission([part], record_rate=1000.0).run(2.0)
    t = result.time("s.qd")
    assert np.allclose(result["s.qd"][:, 0], rate * np.exp(-b / REDUCED * t), rtol=0.0, atol=1e-10)
    heat = 0.5 * REDUCED * rate**2 * (1.0 - np.exp(-2.0 * b / REDUCED * t))
    assert np.allclose(result[HEAT], heat, rtol=0.0, atol=1e-10)


def test_a_stop_pushes_never_pulls_and_only_while_touched(robot_part: Any) -> None:
    spring = {"lower": -0.1, "upper": 0.2, "stop_stiffness": 4e3, "stop_damping": 2.0}
    part = robot_part("s", slider(), qd={"slide": 1.5}, springs={"slide": spring})
    result = ff.Mission([part], integrator=ff.RK4(2e-4), record_rate=5000.0).run(2.0)
    q, effort = result["s.q"][:, 0], result["s.slide.effort"]
    above, below = q > 0.2, q < -0.1
    assert above.any()
    assert below.any()
    assert np.all(effort[above] <= 0.0)
    assert np.all(effort[below] >= 0.0)
    assert not effort[~(above | below)].any()
    assert np.all(np.diff(result[HEAT]) >= -1e-15)


def test_a_stop_hit_so_hard_that_its_damping_would_pull_still_does_not(robot_part: Any) -> None:
    spring = {"upper": 0.0, "stop_stiffness": 1e4, "stop_damping": 50.0}
    part = robot_part("s", slider(), q={"slide": 0.05}, qd={"slide": -3.0}, springs={"slide": spring})
    result = ff.Mission([part], integrator=ff.RK4(1e-4), record_rate=10_000.0).run(0.1)
    assert np.all(result["s.slide.effort"] <= 0.0)
    assert result.audit.passed


def test_an_undamped_stop_returns_the_speed(robot_part: Any) -> None:
    spring = {"upper": 0.2, "stop_stiffness": 1e4}
    part = robot_part("s", slider(), qd={"slide": 1.0}, springs={"slide": spring})
    result = ff.Mission([part], integrator=ff.Dopri54(rtol=1e-10, max_step=1e-3)).run(0.35)
    assert result["s.qd"][-1, 0] == pytest.approx(-1.0, abs=1e-6)
    assert result[HEAT][-1] == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_random_springs_dampers_and_stops_never_make_energy(seed: int, random_robot: Any) -> None:
    rng = np.random.default_rng(seed)
    springs = {
        f"joint{i}": {
            "stiffness": rng.uniform(0.0, 50.0),
            "damping": rng.uniform(0.0, 2.0),
            "reference": rng.normal(),
            "lower": -1.5,
            "upper": 1.5,
            "stop_stiffness": 500.0,
            "stop_damping": 0.5,
        }
        for i in range(1, 6)
    }
    result = ff.Mission([random_robot(seed, springs=springs)], integrator=ff.Dopri54(rtol=1e-10)).run(1.0)
    energy = result["audit.kinetic_energy"] + result[STORED]
    assert np.all(np.diff(energy) <= 1e-9 * energy[0])
    assert np.allclose(energy[0] - energy, result[HEAT], rtol=0.0, atol=1e-7 * energy[0])
    assert result[HEAT][-1] > 0.0
    assert np.all(result["audit.work_supplied"] == 0.0)
