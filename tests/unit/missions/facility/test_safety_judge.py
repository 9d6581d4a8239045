from dataclasses import replace

import numpy as np
import pytest

from freefloat.facility.axes import CYCLE, RAIL
from freefloat.facility.clearance import Clearance
from freefloat.facility.exchange import Settings
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.modes import CAUSES, State
from freefloat.facility.part import START
from freefloat.facility.pool import STATES
from freefloat.facility.profile import Braking, at_rest
from freefloat.missions.facility.fault_kinds import FaultSettings
from freefloat.missions.facility.safety_judge import Judge, stop_way
from freefloat.missions.facility.safety_log import SafetyLog

N, FAULT, LATE, SPEED = 400, 100, 3, 0.3
SETTINGS, KINEMATICS, CLEARANCE = Settings(), Kinematics(), Clearance()
TIMELINE = [FaultSettings(kind="door")]
OFF = np.zeros(N, dtype=bool)


def stopped(lag=0):
    """A log: the rail moves steadily from cycle 10 on; a door opens in cycle FAULT; it brakes `lag` cycles later."""
    told = np.tile(START, (N, 1))
    told[:, RAIL] += SPEED * CYCLE * np.maximum(np.arange(N) - 10, 0)
    begun = FAULT + lag
    motion = at_rest(told[begun - 1].copy())
    motion[1][RAIL] = SPEED
    braking = Braking(motion, SETTINGS.axes.motion)
    for n in range(begun, N):
        told[n] = braking.next()[0]
    cycles = np.arange(N)
    state = np.where(cycles < 5, 1, np.where(cycles < begun, STATES.index(State.RUNNING), 6))
    reason = np.where(cycles < begun, 0, list(CAUSES).index("door"))
    nothing = dict.fromkeys(("gate", "blind", "estop", "error", "laser"), OFF)
    return SafetyLog(
        t=CYCLE * cycles,
        state=state,
        mode=np.zeros(N, np.int64),
        reason=reason,
        told=told,
        done=told[np.maximum(cycles - LATE, 0)],
        asked=np.zeros((N, 24)),
        door=cycles >= FAULT,
        power=~OFF,
        delay=LATE * CYCLE,
        **nothing,
    )


def met(log, timeline=TIMELINE):
    return Judge(log, KINEMATICS, CLEARANCE, SETTINGS).met(timeline)


def test_a_stop_in_the_cycle_of_the_fault_is_met_after_the_delay():
    (one,) = met(stopped())
    assert one.caught
    assert one.cause == "door"
    assert one.told == 0.0
    assert one.done == pytest.approx(LATE * CYCLE)
    a, j = SETTINGS.axes.acceleration[RAIL], SETTINGS.axes.jerk[RAIL]
    assert one.speed == pytest.approx(SPEED)
    assert one.stopped == pytest.approx(stop_way(SPEED, a, j), abs=1e-12)
    assert one.way == pytest.approx(stop_way(SPEED, a, j) + (LATE - 1) * CYCLE * SPEED, abs=1e-9)


def test_one_cycle_late_is_in_time_and_two_are_not():
    assert met(stopped(lag=1))[0].caught
    late = met(stopped(lag=2))[0]
    assert not late.caught
    assert late.done == pytest.approx((2 + LATE) * CYCLE)


def test_another_reason_is_not_the_right_one():
    log = stopped()
    assert not met(replace(log, reason=np.full(N, list(CAUSES).index("gate"))))[0].caught


def test_a_motion_that_goes_on_is_not_a_stop():
    log = stopped()
    told = np.tile(START, (N, 1))
    told[:, RAIL] += SPEED * CYCLE * np.maximum(np.arange(N) - 10, 0)
    (one,) = met(replace(log, told=told, done=told))
    assert not one.caught
    assert np.isnan(one.done)
    assert one.came == pytest.approx(FAULT * CYCLE)


def test_an_axis_that_creeps_on_does_not_rest():
    log = stopped()
    creeping = log.done + 1e-7 * np.arange(N)[:, None]
    assert not met(replace(log, done=creeping))[0].caught


def test_a_round_that_has_not_come_is_missed():
    first, second = met(stopped(), [*TIMELINE, FaultSettings(kind="door")])
    assert first.caught
    assert (second.name, second.caught) == ("door_2", False)
    assert np.isnan(second.came)


def test_a_safe_stop_that_comes_after_the_end_is_missed():
    (one,) = met(stopped(), [FaultSettings(kind="stop", after=1.1 * N * CYCLE)])
    assert not one.caught
    assert np.isnan(one.came)


def test_silence_is_a_fault_once_it_lasts_longer_than_it_may():
    log = stopped()
    asked = np.zeros((N, 24))
    asked[:, 0] = np.minimum(np.arange(N), 50)
    judge = Judge(replace(log, asked=asked), KINEMATICS, CLEARANCE, SETTINGS)
    assert judge.onset(FaultSettings(kind="silent"), 5, N) == 51 + SETTINGS.silent_cycles


def test_a_number_that_is_none_is_found_in_what_was_asked():
    asked = np.ones((N, 24))
    asked[70, 5] = np.nan
    judge = Judge(replace(stopped(), asked=asked), KINEMATICS, CLEARANCE, SETTINGS)
    assert judge.onset(FaultSettings(kind="nan"), 5, N) == 70
    assert judge.onset(FaultSettings(kind="nan"), 71, N) is None


@pytest.mark.parametrize(("v", "way"), [(1.0, 0.55), (0.1, 0.01), (0.025, 0.00125)])
def test_the_way_of_a_stop_is_that_of_its_law(v, way):
    assert stop_way(v, 1.0, 10.0) == pytest.approx(way)
    motion = at_rest(np.array(START))
    motion[1][RAIL] = v
    assert Braking(motion, SETTINGS.axes.motion).end[RAIL] - START[RAIL] == pytest.approx(way, abs=1e-9)
