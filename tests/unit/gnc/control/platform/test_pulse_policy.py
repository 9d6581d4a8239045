from dataclasses import replace

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.control.platform.pulse_policy import STANDARD, PulseProblem, pulse_policy

STILL = replace(STANDARD, wander_e=0.0, wander_v=0.0, pushes=STANDARD.pushes[:6])  # no noise, as simulated here
STEP = 0.06  # [L / w] between decisions
START = 0.3  # [w] v at the start


def costs(decide, d: float, time: float = 480.0, settle: float = 60.0) -> tuple[float, float, float]:
    """Cost per unit of time, pulses per unit of time and largest |e| of e'' = d + pulses after `settle`."""
    e, v, fired, paid, most = 0.4, START, 0, 0.0, 0.0
    for n in range(round((settle + time) / STEP)):
        k = decide(e, v, d)
        v += k
        if n * STEP >= settle:
            fired, paid, most = fired + abs(k), paid + STEP * e * e, max(most, abs(e))
        e, v = e + STEP * v + STEP**2 / 2 * d, v + STEP * d
    return (paid + fired) / time, fired / time, most


def one_sided(d: float) -> float:
    """Cost of parabolas between pulses 1 / d apart, the least number of pulses that cancel d."""
    return d + 1.0 / (720.0 * d**2)


def two_sided(v: float) -> float:
    """Cost of drifting to and fro at v and v - 1 within the best |e| <= A where d = 0: A^2 / 3 + v (1 - v) / A."""
    A = (1.5 * v * (1.0 - v)) ** (1.0 / 3.0)
    return A**2 / 3.0 + v * (1.0 - v) / A


def dead_band(width: float, lead: float):
    """Fire against e + lead v where it leaves a band, unless it is on its way back already."""

    def decide(e, v, d):
        s = e + lead * v
        return 0 if abs(s) < width or v * s < -0.25 else -int(np.sign(s))

    return decide


@pytest.mark.parametrize("d", [0.3, 1.0, -2.0, 4.0])
def test_constant_push_is_cancelled_with_the_least_number_of_pulses(d):
    cost, rate, most = costs(pulse_policy(STANDARD).pulses, d, time=120.0)
    assert rate == pytest.approx(abs(d), rel=0.03)
    assert cost < 1.05 * one_sided(abs(d))
    assert most < 0.7


@pytest.mark.parametrize(("d", "least"), [(0.0, two_sided(START)), (0.1, one_sided(0.1))])
def test_cost_is_near_that_of_the_best_limit_cycle(d, least):
    cost, _, _ = costs(pulse_policy(STILL).pulses, d)
    assert 0.97 * least < cost < 1.08 * least


@pytest.mark.parametrize("d", [0.0, 0.04, 0.2])
def test_no_dead_band_is_cheaper(d):
    ours, _, _ = costs(pulse_policy(STILL).pulses, d)
    bands = [costs(dead_band(w, lead), d)[0] for w in (0.2, 0.5, 0.8, 1.1) for lead in (0.5, 1.0, 2.0)]
    assert ours < 1.02 * min(bands)
    assert ours < 0.8 * np.median(bands)


def test_policy_is_symmetric():
    policy = pulse_policy(STANDARD)
    np.testing.assert_allclose(policy.table[0], policy.table[0, ::-1, ::-1], atol=1e-10)
    for e, v, d in np.random.default_rng(3).uniform([-3.0, -3.0, -2.0], [3.0, 3.0, 2.0], (200, 3)):
        assert policy.pulses(-e, -v, -d) == -policy.pulses(e, v, d)
        assert policy.value(-e, -v, -d) == policy.value(e, v, d)


def test_rest_at_the_goal_costs_nothing_without_noise_and_something_with_it():
    noisy, still = pulse_policy(STANDARD), pulse_policy(STILL)
    assert still.table.min() >= 0.0
    assert still.value(0.0, 0.0, 0.0) == pytest.approx(0.0, abs=1e-12)
    assert noisy.value(0.0, 0.0, 0.0) > 1.0


@pytest.mark.parametrize(("e", "v"), [(30.0, 0.0), (-30.0, 8.0), (0.0, -12.0)])
def test_errors_beyond_the_grid_are_brought_back(e, v):
    policy = pulse_policy(STANDARD)
    for _ in range(2000):
        v += policy.pulses(e, v, 0.1)
        e, v = e + STEP * v + STEP**2 / 2 * 0.1, v + STEP * 0.1
    assert abs(e) < 1.5
    assert abs(v) < 1.5


def test_solution_is_remembered_read_only_and_the_same_each_time():
    small = PulseProblem(reach=3.0, cells=5, speed=4.5, parts=4, pushes=(0.0, 0.5))
    policy = pulse_policy(small)
    assert pulse_policy(replace(small)) is policy
    assert policy.sweeps < small.sweeps
    assert not policy.table.flags.writeable
    np.testing.assert_array_equal(pulse_policy.__wrapped__(small).table, policy.table)


@pytest.mark.parametrize(
    "change", [{"cells": 0}, {"speed": 3.0}, {"h": 0.0}, {"wander_e": -1.0}, {"pushes": (0.1, 0.2)}, {"wander_v": 3.0}]
)
def test_impossible_problems_are_refused(change):
    with pytest.raises(InputError, match="pulse policy"):
        pulse_policy(replace(STANDARD, **change))
