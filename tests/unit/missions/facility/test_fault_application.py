import numpy as np
import pytest

from freefloat.facility.axes import CYCLE
from freefloat.facility.record import LIN, Frame, Record, mode_of
from freefloat.missions.facility.fault_application import JUMP, FailingApplication, Round, Witness

AFTER = 5 * CYCLE


class Still:
    def command(self, t):
        values = np.zeros(22)
        values[LIN] = 1000.0 + t
        return Record(Frame.IJT, values)


def state(cycle, alive):
    row = np.zeros(24)
    row[0], row[1] = cycle, mode_of(Frame.IJT, alive=alive)
    return {"state": row}


def answers(kind, cycles, place=""):
    """Of an application that is confirmed after the first cycle."""
    application = FailingApplication([Round(Still(), kind, AFTER, place), Round(Still(), "stop", AFTER)])
    return application, [application.update(n * CYCLE, state(n, n > 0)) for n in range(cycles)]


def test_it_echoes_and_goes_on_with_each_state_after_confirm():
    _, told = answers("stop", 4)
    assert [row["record"][0] for row in told] == [0.0, 1.0, 2.0, 3.0]
    assert [row["record"][2 + LIN] for row in told] == pytest.approx([1000.0 + n * CYCLE for n in range(4)])


def test_it_falls_silent_and_answers_again_in_the_next_round():
    application, told = answers("silent", 9)
    assert [row["record"][0] for row in told] == [0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 4.0, 4.0, 4.0]
    assert application.update(1.0, state(9, False))["record"][0] == 9.0


def test_a_jump_and_damage_are_there_from_the_same_cycle_on():
    for kind in ("jump", "nan"):
        _, told = answers(kind, 7)
        wrong = [abs(r["asked"][2 + LIN] - 1000.0) > 0.9 * JUMP or not np.isfinite(r["asked"]).all() for r in told]
        assert wrong == [False] * 5 + [True] * 2
        assert all(np.isfinite(row["record"]).all() for row in told)
    assert told[-1]["damage"][0] == 3.0
    assert np.isnan(told[-1]["asked"][2])


def test_a_robots_error_lasts_and_goes():
    application, told = answers("error", 7, "rob2")
    assert [row["error"].tolist() for row in told[3:]] == [[0.0, 0.0]] * 2 + [[0.0, 1.0]] * 2
    assert application.update(0.5, state(8, False))["error"].tolist() == [0.0, 1.0]
    assert application.update(1.1, state(9, False))["error"].tolist() == [0.0, 0.0]


def test_the_witness_tells_all_axes_in_their_order():
    told = Witness().update(0.0, {"rail": np.array([7.0]), "rob1": np.arange(6.0), "rob2": np.arange(6.0, 12.0)})
    assert told["links"].tolist() == [7.0, *np.arange(12.0)]
