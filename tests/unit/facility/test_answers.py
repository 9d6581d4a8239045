import numpy as np
import pytest

from freefloat.facility.answers import Answers, Course
from freefloat.facility.axes import COUNT, CYCLE
from freefloat.facility.record import Frame, Record


def row(cycle: float) -> np.ndarray:
    return Record(Frame.IJT, np.zeros(22)).row(int(cycle))


def test_an_answer_to_the_last_state_is_taken_once() -> None:
    answers = Answers()
    answers.take(row(7), 7)
    assert answers.record is not None
    answers.take(row(7), 8)  # a signal that holds its last value
    assert answers.record is None
    assert answers.problem == ""


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (np.zeros(23), "23 numbers; allowed: 24"),
        (np.r_[row(5)[:4], np.nan, np.zeros(19)], "number 4 of the record is nan; allowed: finite"),
        (row(3), "answers cycle 3; allowed: 5"),
        (np.r_[5.0, 9.0, np.zeros(22)], "frame of mode 9.0"),
    ],
)
def test_what_is_no_answer_is_refused_with_the_reason(bad: np.ndarray, told: str) -> None:
    answers = Answers()
    answers.take(bad, 5)
    assert answers.record is None
    assert told in answers.problem
    assert answers.late is ("cycle" in told)


def test_nothing_sent_is_no_answer_and_no_problem() -> None:
    answers = Answers()
    for given in (None, np.zeros(24)):
        answers.take(given, 0)
        assert answers.record is None
        assert answers.problem == ""


@pytest.mark.parametrize("cycles", [(1, 2, 3), (1, 2, 5), (1, 4, 6)])
def test_velocity_and_acceleration_of_a_parabola_are_exact_with_cycles_missing(cycles: tuple[int, ...]) -> None:
    def at(k: int) -> np.ndarray:
        t = k * CYCLE
        return np.full(COUNT, 2.0 + 0.3 * t + 0.5 * 0.7 * t * t)

    course = Course(0, at(0))
    for k in cycles:
        course.add(k, at(k))
    _, v, a = course.motion
    np.testing.assert_allclose(v, 0.3 + 0.7 * cycles[-1] * CYCLE, atol=1e-9)
    np.testing.assert_allclose(a, 0.7, atol=1e-8)
    np.testing.assert_allclose(course.off(cycles[-1] + 1, at(cycles[-1] + 1)), 0.0, atol=2e-5 * cycles[-1])
