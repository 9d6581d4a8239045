"""Set-points between cycles: what is executed is their curve, later by the delay."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility import axes
from freefloat.facility.execution import Execution
from freefloat.frames import Array

H = axes.CYCLE
START = np.linspace(-1.0, 2.0, axes.COUNT)
DELAYS = (0.0, 0.0013, 0.004, 0.0071, 0.008, 0.0105, 0.012, 0.0203, 0.1)


def pieces(delay: float, path: object, cycles: int = 60) -> tuple[Execution, list[Array]]:
    execution = Execution(START, delay)
    return execution, [execution.cycle(k * H, START + path(k * H)) for k in range(cycles)]  # type: ignore[operator]


def value(courses: Array, t: float) -> Array:
    s = t - courses[:, 0]
    return np.sum([courses[:, 1 + k] * s**k for k in range(6)], axis=0)


def rate(courses: Array, t: float) -> Array:
    s = t - courses[:, 0]
    return np.sum([k * courses[:, 1 + k] * s ** (k - 1) for k in range(1, 6)], axis=0)


def square(t: float) -> Array:
    return np.full(axes.COUNT, 0.7 * t + 3.0 * t**2)


def sine(t: float) -> Array:
    return 0.3 * np.sin(2.0 * np.pi * 0.2 * t + 0.3) * np.ones(axes.COUNT) - 0.3 * np.sin(0.3)


@pytest.mark.parametrize("delay", DELAYS)
def test_pieces_follow_each_other_without_a_jump_of_value_or_rate(delay: float) -> None:
    rng = np.random.default_rng(1)
    _, found = pieces(delay, lambda _: rng.uniform(-1.0, 1.0, axes.COUNT))
    for one, after in pairwise(found):
        t = float(after[0, 0])
        assert t - one[0, 0] == pytest.approx(H, abs=1e-15)
        assert value(one, t) == pytest.approx(value(after, t), abs=1e-12)
        assert rate(one, t) == pytest.approx(rate(after, t), abs=1e-9)


@pytest.mark.parametrize("delay", DELAYS)
def test_a_parabola_is_executed_as_it_is_later_by_the_delay(delay: float) -> None:
    """Central differences, and the parabola through three set-points, are exact for it."""
    _, found = pieces(delay, square)
    for courses in found[-5:]:
        for s in (0.0, 0.3, 0.9):
            t = float(courses[0, 0]) + s * H
            assert value(courses, t) == pytest.approx(START + square(t - delay), abs=1e-13)
            assert rate(courses, t) == pytest.approx(0.7 + 6.0 * (t - delay), abs=1e-10)


@pytest.mark.parametrize("delay", DELAYS)
def test_a_piece_begins_after_its_cycle_within_the_next(delay: float) -> None:
    execution, found = pieces(delay, square)
    assert 0.0 <= execution.latency < H
    assert [float(courses[0, 0]) for courses in found] == pytest.approx(
        [k * H + execution.latency for k in range(len(found))], abs=1e-15
    )


@pytest.mark.parametrize(("delay", "most"), [(0.012, 1e-9), (0.005, 1e-9), (0.0, 1e-7)])
def test_a_slow_sine_is_executed_to_the_accuracy_of_the_cubic(delay: float, most: float) -> None:
    _, found = pieces(delay, sine, 600)
    late = [(courses, float(courses[0, 0]) + 0.5 * H) for courses in found[10:]]
    assert max(np.abs(value(courses, t) - START - sine(t - delay)).max() for courses, t in late) < most


def test_everything_stands_at_the_start_until_a_cycle_before_the_first_set_point_is_due() -> None:
    _, found = pieces(0.1, lambda _: np.ones(axes.COUNT), 23)
    for courses in found:
        assert value(courses, float(courses[0, 0]) + 0.5 * H) == pytest.approx(START, abs=0.0)


@pytest.mark.parametrize(("start", "delay", "told"), [(START[:6], 0.012, "13 finite"), (START, -0.1, "delay -0.1 s")])
def test_bad_executions_are_refused(start: Array, delay: float, told: str) -> None:
    with pytest.raises(InputError, match=told):
        Execution(start, delay)
