"""Moves of the walking manipulator on a 3 x 3 x 3 stack of 0.4 m cubes, its end A latched on top of the middle."""

from __future__ import annotations

from itertools import islice, product

import numpy as np
import pytest

from freefloat.frames import Pose
from freefloat.gnc.planning.arm.clearance import Box, Clearance
from freefloat.gnc.planning.arm.moves import Move, PlanError, Planner

EDGE = 0.4  # [m]
HALF_TURN = Pose.from_rpy((np.pi, 0.0, 0.0))
MASTS = [(0.0, 0.45), (0.0, -0.45)]  # [m]
CUBES = [np.array(c) * EDGE for c in product((-1, 0, 1), repeat=3)]


def face(centre: tuple[float, float, float], normal: tuple[int, int, int]) -> Pose:
    """X_SF of a cube's face in the stack's frame S, z outwards."""
    z = np.array(normal, float)
    x = np.roll(z, 1)
    return Pose(np.column_stack([x, np.cross(z, x), z]), np.array(centre) + 0.5 * EDGE * z)


BASE = face((0.0, 0.0, EDGE), (0, 0, 1)) @ HALF_TURN  # X_SA


def touching(X_SF: Pose) -> list[Pose]:
    """X_AT of the tip on a face, in four attitudes."""
    return [BASE.inverse() @ X_SF @ Pose.from_rpy((0.0, 0.0, k * np.pi / 2)) @ HALF_TURN for k in range(4)]


def planner(walker, holding: bool = False, taken: tuple[float, ...] | None = None, **settings) -> Planner:
    ik = walker.ik()
    cubes = [c for c in CUBES if taken is None or not np.allclose(c, taken)]
    obstacles = [Box(BASE.inverse() @ Pose(np.eye(3), c), (EDGE,) * 3) for c in cubes]
    payload = [Box(Pose(np.eye(3), (0.0, 0.0, 0.5 * EDGE)), (EDGE,) * 3)] if holding else []
    return Planner(ik, Clearance(ik.chain, walker.solids, obstacles, payload), walker.limits, **settings)


def on(p: Planner, X_SF: Pose) -> np.ndarray:
    """Joint positions with the tip on a face and the rest clear."""
    for X_AT in touching(X_SF):
        for q in islice(p.ik.solutions(X_AT), 8):
            if p.clearance.at(q, touching=True) >= p.margin:
                return q
    raise AssertionError("no start")


def assert_clear(p: Planner, move: Move) -> None:
    ends = move.legs.ends
    for t in np.linspace(0.0, move.duration, 301):
        q = move.at(t)[0]
        assert p.ik.chain.within_limits(q)
        assert p.clearance.at(q, touching=not ends[0] <= t <= ends[1]) >= p.margin - 1e-3
        assert p.clearance.overlap_of_tip(q) <= p.overlap


@pytest.mark.parametrize(
    ("start", "goal"),
    [
        (((0.4, 0.0, 0.4), (0, 0, 1)), ((-0.4, 0.0, 0.4), (0, 0, 1))),
        (((0.4, 0.4, 0.4), (0, 0, 1)), ((0.4, -0.4, 0.4), (0, 0, 1))),
        pytest.param(((0.4, 0.0, 0.4), (0, 0, 1)), ((0.4, 0.0, 0.4), (1, 0, 0)), marks=pytest.mark.slow),
        (((0.4, 0.4, 0.4), (0, 0, 1)), ((-0.4, -0.4, 0.4), (0, -1, 0))),
    ],
)
def test_the_tip_goes_from_face_to_face_and_touches_nothing_else(walker, start, goal) -> None:
    p = planner(walker)
    goals = touching(face(*goal))
    move = p.plan(on(p, face(*start)), goals)
    assert move.clearance >= p.margin
    assert_clear(p, move)
    assert any(p.ik.chain.pose(move.at(np.inf)[0]).is_close(X_AT, 1e-9) for X_AT in goals)
    t = np.linspace(0.0, move.duration, 2001)
    rates = np.array([move.at(ti)[1] for ti in t])
    assert np.all(np.abs(rates) <= walker.limits.velocity * (1.0 + 1e-9))


def test_a_module_is_pulled_out_of_its_slot_and_carried_over_the_stack(walker) -> None:
    cube = (0.4, 0.0, 0.4)
    p = planner(walker, holding=True, taken=cube)
    move = p.plan(on(p, face(cube, (0, 0, 1))), touching(face((-0.4, 0.0, 0.8), (0, 0, 1))))
    assert_clear(p, move)
    straight = p.ik.chain.pose(move.retreat.at(np.inf)[0]).p - p.ik.chain.pose(move.at(0.0)[0]).p
    assert np.linalg.norm(straight) >= EDGE


def test_the_same_seed_gives_the_same_move(walker) -> None:
    moves = []
    for _ in range(2):
        p = planner(walker)
        moves.append(p.plan(on(p, face((0.4, 0.0, 0.4), (0, 0, 1))), touching(face((0.0, 0.4, 0.4), (0, 0, 1)))))
    assert moves[0].duration == moves[1].duration
    assert all(np.array_equal(moves[0].at(t)[0], moves[1].at(t)[0]) for t in np.linspace(0.0, moves[0].duration, 20))


def test_a_way_round_a_mast_is_searched_where_no_straight_transfer_is_clear(walker) -> None:
    p = planner(walker)
    masts = [Box(BASE.inverse() @ Pose(np.eye(3), (x, y, 1.0)), (0.05, 0.05, 0.8)) for x, y in MASTS]
    cubes = [Box(BASE.inverse() @ Pose(np.eye(3), c), (EDGE,) * 3) for c in CUBES]
    clearance = Clearance(p.ik.chain, walker.solids, [*cubes, *masts])
    among = Planner(p.ik, clearance, walker.limits, distances=(0.1, 0.2), solutions=2)
    goal = touching(face((-0.4, 0.0, 0.4), (0, 0, 1)))[0]
    move = among.plan(on(among, face((0.4, 0.0, 0.4), (0, 0, 1))), goal)
    assert len(move.transfer.legs) >= 2
    assert_clear(among, move)


def test_a_goal_inside_the_stack_is_refused(walker) -> None:
    p = planner(walker, solutions=2)
    with pytest.raises(PlanError, match="no straight approach"):
        p.plan(on(p, face((0.4, 0.0, 0.4), (0, 0, 1))), touching(face((0.4, 0.0, 0.0), (0, 0, 1))))


def test_a_start_that_cannot_back_off_is_refused(walker) -> None:
    p = planner(walker, margin=0.2)
    q0 = p.ik.solve(touching(face((0.4, 0.0, 0.4), (0, 0, 1)))[0])
    with pytest.raises(PlanError, match="no straight retreat"):
        p.plan(q0, touching(face((-0.4, 0.0, 0.4), (0, 0, 1))))
