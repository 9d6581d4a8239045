from __future__ import annotations

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.arm.joint_search import connect

LOWER, UPPER = np.full(2, -2.0), np.full(2, 2.0)


def wall(gap: float):
    """A wall on x = 0 with an opening above y = 2 - gap."""

    def free(a: Array, b: Array) -> bool:
        if a[0] * b[0] >= 0.0:
            return True
        share = a[0] / (a[0] - b[0])
        return bool(a[1] + share * (b[1] - a[1]) > 2.0 - gap)

    return free


def test_a_clear_straight_way_is_taken() -> None:
    q0, q1 = np.array([-1.0, 0.0]), np.array([1.0, 0.0])
    way = connect(q0, q1, LOWER, UPPER, lambda a, b: True)
    assert way is not None
    assert np.array_equal(way, [q0, q1])


def test_a_way_round_a_wall_is_found_is_clear_and_the_same_for_the_same_seed() -> None:
    q0, q1, free = np.array([-1.0, -1.0]), np.array([1.0, -1.0]), wall(0.6)
    ways = [connect(q0, q1, LOWER, UPPER, free, seed=3) for _ in range(2)]
    assert ways[0] is not None
    assert ways[1] is not None
    assert np.array_equal(ways[0], ways[1])
    assert np.array_equal(ways[0][0], q0)
    assert np.array_equal(ways[0][-1], q1)
    assert all(free(a, b) for a, b in zip(ways[0], ways[0][1:], strict=False))


def test_no_way_through_a_closed_wall_is_told_as_none() -> None:
    assert connect(np.array([-1.0, 0.0]), np.array([1.0, 0.0]), LOWER, UPPER, wall(0.0), samples=200) is None
