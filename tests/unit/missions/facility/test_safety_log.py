from dataclasses import fields

import numpy as np

from freefloat.facility.kinematics import Kinematics
from freefloat.facility.modes import State
from freefloat.facility.part import START
from freefloat.facility.pool import STATES
from freefloat.facility.record import Frame
from freefloat.missions.facility.safety_log import SafetyLog, differences, some


def log_of(**given):
    empty = {one.name: np.zeros(3) for one in fields(SafetyLog)}
    return SafetyLog(**{**empty, "delay": 0.01, **given})


def test_axes_are_found_in_the_records_that_tell_them():
    kinematics, axes = Kinematics(), np.array(START)
    rows = [kinematics.from_axes(frame, axes).row(7) for frame in (Frame.IJT, Frame.GLC, Frame.IJT)]
    found = log_of(asked=np.array(rows)).asked_axes()
    np.testing.assert_allclose(found[[0, 2]], [axes, axes], rtol=0, atol=1e-12)
    assert np.isnan(found[1]).all()


def test_a_delay_between_cycles_is_late_by_whole_ones():
    assert log_of(delay=0.012).late == 3
    assert log_of(delay=0.01).late == 3
    assert log_of(delay=0.0).late == 0


def test_states_are_found_by_their_names():
    state = np.array([STATES.index(state) for state in (State.IDLE, State.RUNNING, State.FAULT)])
    assert log_of(state=state).within(State.RUNNING, State.FAULT).tolist() == [False, True, True]


def test_changes_begin_with_none():
    assert differences(np.array([[3.0], [4.0], [6.0]])).tolist() == [[0.0], [1.0], [2.0]]
    assert some(np.array([[True, False], [False, False]])).tolist() == [True, False]
