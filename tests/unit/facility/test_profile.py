import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest

from freefloat.facility.axes import COUNT, CYCLE, DEVICES
from freefloat.facility.axis_limits import axis_limits
from freefloat.facility.profile import Braking, Motion, MoveToStart, at_rest, chase, stopped_at, toward

LIMITS = axis_limits()


def moving(rail: float, push: float = 0.0) -> Motion:
    q, v, a = at_rest(np.zeros(COUNT))
    v[0], a[0] = rail, push
    return q, v, a


def rows_of(generator: Braking | MoveToStart, most: int = 100_000) -> list[Motion]:
    rows = []
    while not generator.finished:
        rows.append(generator.next())
        assert len(rows) < most
    return rows


@pytest.mark.parametrize("v", [0.2, 1.0, 1.45])
def test_a_safe_stop_from_constant_speed_takes_the_closed_way(v: float) -> None:
    a, j = LIMITS.acceleration[0], LIMITS.jerk[0]
    end = rows_of(Braking(moving(v), LIMITS.motion))[-1]
    assert end[0][0] == pytest.approx(v * v / (2 * a) + v * a / (2 * j), abs=1e-12)
    assert not end[1].any()
    assert not end[2].any()


def test_a_stop_goes_on_from_velocity_and_acceleration() -> None:
    start = moving(0.5, 0.8)
    rows = [start, *rows_of(Braking(start, LIMITS.motion))]
    for (q0, v0, a0), (q1, v1, a1) in pairwise(rows):
        jerk = (a1[0] - a0[0]) / CYCLE
        assert abs(jerk) <= LIMITS.jerk[0] * (1 + 1e-9)
        assert q1[0] - q0[0] == pytest.approx(CYCLE * (v0[0] + v1[0]) / 2, abs=LIMITS.jerk[0] * CYCLE**3)


def test_a_stop_of_what_rests_is_over_at_once() -> None:
    braking = Braking(at_rest(np.ones(COUNT)), LIMITS.motion)
    assert braking.finished
    np.testing.assert_array_equal(braking.next()[0], np.ones(COUNT))


def test_a_harder_stop_can_take_over_anywhere() -> None:
    soft = Braking(moving(1.0), LIMITS.motion)
    for _ in range(20):
        now = soft.next()
    hard = rows_of(Braking(now, LIMITS.braking))
    assert hard[-1][0][0] < soft.end[0]
    assert abs(hard[0][0][0] - now[0][0] - CYCLE * now[1][0]) < CYCLE**2 * LIMITS.emergency[0]


def test_move_to_start_moves_one_device_after_the_other_at_a_share_of_its_speeds() -> None:
    target = np.zeros(COUNT)
    target[0], target[1], target[8] = 0.3, 0.2, -0.4
    order = ("rob2", "rail", "rob1")
    rows = rows_of(MoveToStart(np.zeros(COUNT), target, order, LIMITS, 0.2))
    np.testing.assert_array_equal(rows[-1][0], target)
    moved = [{name for name, at in DEVICES.items() if v[at].any()} for _, v, _ in rows]
    assert all(len(names) <= 1 for names in moved)
    told = [next(iter(names)) for names in moved if names]
    assert [name for i, name in enumerate(told) if i == 0 or told[i - 1] != name] == list(order)
    fastest = np.abs([v for _, v, _ in rows]).max(axis=0)
    assert (fastest <= 0.2 * LIMITS.speed * (1 + 1e-9)).all()
    assert fastest[0] > 0.19 * LIMITS.speed[0]


def test_a_chase_catches_a_moving_command_and_then_is_on_it() -> None:
    now, T = at_rest(np.zeros(COUNT)), CYCLE
    caught = False
    last = before = now[0]
    for k in range(1, 400):
        command = at_rest(np.zeros(COUNT))
        command[0][0], command[1][0] = 0.01 + 0.3 * k * T, 0.3
        now, caught = chase(now, command, LIMITS, LIMITS.jerk)
        assert abs(now[0][0] - 2 * last[0] + before[0]) <= LIMITS.acceleration[0] * T**2 * (1 + 1e-6)
        before, last = last, now[0]
        if caught:
            break
    assert caught
    assert now is command
    assert k < 250


def test_a_speed_is_reached_and_left_within_acceleration_and_jerk() -> None:
    now = (0.0, 0.0, 0.0)
    for _ in range(250):
        now = toward(now, 0.2, 0.5, 5.0)
    assert now[1:] == pytest.approx((0.2, 0.0))
    end = stopped_at(now, 0.5, 5.0)
    assert end - now[0] == pytest.approx(0.2**2 / 1.0 + 0.2 * 0.5 / 10.0)


def test_generators_are_copied_and_pickled_amid_their_way() -> None:
    braking = Braking(moving(1.0), LIMITS.motion)
    braking.next()
    for twin in (copy.deepcopy(braking), pickle.loads(pickle.dumps(braking))):
        np.testing.assert_array_equal(twin.next()[0], copy.deepcopy(braking).next()[0])
