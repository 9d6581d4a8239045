from dataclasses import replace

import pytest

from freefloat.gnc.planning.reconfiguration.admission import admit
from freefloat.gnc.planning.reconfiguration.problem import Problem, Stance
from freefloat.gnc.planning.reconfiguration.refusal import RefusedError
from freefloat.gnc.planning.reconfiguration.tables import setting_of
from freefloat.verify.rebuild_jobs import Laid, job, place_of

START: Laid = [("solar", (0, 0, 0)), ("bus", (1, 0, 0)), ("bus", (2, 0, 0)), ("payload", (1, 0, 1))]


def refused(problem: Problem) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        admit(problem, setting_of(problem))
    return caught.value


def towards(goal: Laid) -> Problem:
    return job((5, 3, 3), START, goal, [(2, 0, 0)])


def test_a_type_that_the_start_lacks_is_told_with_how_many():
    error = refused(towards([*START[:3], ("dms", (1, 0, 1)), ("dms", (2, 0, 1))]))
    assert (error.reason, error.missing) == ("lacking-type", (2,))
    assert "2 dms" in str(error)


def test_a_goal_in_two_pieces_is_refused_with_the_cells():
    problem = towards([*START[:3], ("payload", (4, 2, 2))])
    error = refused(problem)
    assert error.reason == "goal-in-pieces"
    assert error.places == (place_of(problem, (4, 2, 2)),)
    assert "(4, 2, 2)" in str(error)


def test_a_goal_without_power_is_refused_with_the_modules():
    start: Laid = [*START, ("spacer", (2, 1, 0))]
    problem = job((5, 3, 3), start, [*START[:3], ("spacer", (3, 0, 0)), ("payload", (3, 0, 1))], [(2, 0, 0)])
    error = refused(problem)
    assert error.reason in ("goal-in-pieces", "goal-unpowered")
    turned = job((5, 3, 3), start, [*START[1:], ("spacer", (3, 0, 0))], [(2, 0, 0)])
    error = refused(turned)
    assert error.reason == "goal-unpowered"
    assert sorted(error.modules) == [1, 2, 3]


@pytest.mark.parametrize(
    ("cell", "side", "reason"),
    [((3, 0, 0), 4, "foot-nowhere"), ((1, 0, 0), 4, "foot-covered"), ((2, 0, 1), 4, "foot-without-interface")],
)
def test_feet_where_none_can_stand_are_refused(cell: tuple[int, int, int], side: int, reason: str):
    start: Laid = [*START, ("osp", (2, 0, 1))]  # no interface on top
    problem = job((5, 3, 3), start, start, [(2, 0, 0)])
    problem = replace(problem, robots=[Stance(place_of(problem, cell), side)])
    error = refused(problem)
    assert (error.reason, error.robot) == (reason, 0)


def test_two_robots_on_one_face_are_refused():
    problem = job((5, 3, 3), START, START, [(2, 0, 0), (2, 0, 0)])
    assert refused(problem).reason == "feet-on-one-face"


def test_a_sound_problem_is_admitted():
    problem = towards(START)
    admit(problem, setting_of(problem))
