from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.gnc.planning.arm.clearance import Box, Clearance

STRAIGHT = np.zeros(7)


def box(p: tuple[float, float, float], edge: float = 0.4) -> Box:
    return Box(Pose(np.eye(3), p), (edge, edge, edge))


def test_the_distance_of_the_straight_robot_from_a_box_is_the_closed_form(walker) -> None:
    """End A looks along its z, so the robot stands along -z; the disc at its end has a radius of 0.07 m."""
    chain = walker.chain()
    beyond = Clearance(chain, walker.solids, [box((0.0, 0.0, -1.6 - 0.1 - 0.2))])
    assert beyond.at(STRAIGHT, touching=False) == pytest.approx(min(0.1, _own(walker)), abs=1e-6)
    beside = Clearance(chain, {"hand_b": walker.solids["hand_b"]}, [box((0.2 + 0.07 + 0.013, 0.0, -1.5))])
    assert beside.at(STRAIGHT) == pytest.approx(0.013, abs=1e-6)
    assert beside.at(STRAIGHT, touching=True) == 10.0
    assert beside.overlap_of_tip(STRAIGHT) == 0.0


def _own(walker) -> float:
    return Clearance(walker.chain(), walker.solids).at(STRAIGHT)


def test_the_straight_robot_is_nearest_to_itself_between_a_pitch_housing_and_the_hand(walker) -> None:
    """The housing of 0.05 m radius 0.075 m above the end of the hand: 0.025 m."""
    assert _own(walker) == pytest.approx(0.025, abs=1e-6)


def test_a_payload_counts_with_its_box_and_an_overlap_is_negative(walker) -> None:
    chain, obstacle = walker.chain(), [box((0.0, 0.0, -1.6 - 0.4 - 0.2 - 0.05))]
    payload = [box((0.0, 0.0, 0.2))]
    hand = {"hand_b": walker.solids["hand_b"]}
    assert Clearance(chain, hand, obstacle).at(STRAIGHT) == pytest.approx(0.45, abs=1e-6)
    assert Clearance(chain, hand, obstacle, payload).at(STRAIGHT) == pytest.approx(0.05, abs=1e-6)
    deep = Clearance(chain, hand, [box((0.0, 0.0, -1.6 - 0.4 - 0.2 + 0.03))], payload)
    assert deep.at(STRAIGHT) == pytest.approx(-0.03, abs=1e-5)
    assert deep.overlap_of_tip(STRAIGHT) == pytest.approx(0.03, abs=1e-5)


def test_skipping_by_bounds_gives_the_same_distance_as_all_pairs(walker) -> None:
    import mujoco

    rng = np.random.default_rng(2)
    chain = walker.chain()
    obstacles = [box(tuple(rng.uniform(-1.2, 1.2, 3)), 0.3) for _ in range(8)]
    c = Clearance(chain, walker.solids, obstacles, [box((0.0, 0.0, 0.2))])
    for _ in range(25):
        q = rng.uniform(chain.lower, chain.upper)
        found = c.at(q)
        every = [mujoco.mj_geomDistance(c.model, c.data, int(a), int(b), 10.0, None) for a, b in c._pairs]
        assert found == pytest.approx(min(every), abs=1e-9)


def test_no_point_moves_further_than_told_between_samples(walker) -> None:
    chain = walker.chain()
    c = Clearance(chain, walker.solids)
    rng = np.random.default_rng(6)
    q0, q1 = rng.uniform(-1.0, 1.0, (2, 7))
    points = c.straight(q0, q1, travel=0.05)
    assert np.array_equal(points[0], q0)
    assert points[-1] == pytest.approx(q1, abs=1e-15)
    tips = np.array([chain.pose(q).p for q in points])
    assert np.linalg.norm(np.diff(tips, axis=0), axis=1).max() <= 0.05


def test_unknown_bodies_and_shapes_are_refused(walker) -> None:
    with pytest.raises(InputError, match="unknown body 'hand_c'"):
        Clearance(walker.chain(), {"hand_c": ()})

    class Mesh:
        kind, size, X_LG = "mesh", (1.0, 1.0, 1.0), Pose.identity()

    with pytest.raises(InputError, match="solid of kind 'mesh' has no distance"):
        Clearance(walker.chain(), {"hand_a": [Mesh()]})
