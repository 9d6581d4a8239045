from dataclasses import replace

import numpy as np
import pytest

from freefloat.facility.axes import CYCLE
from freefloat.facility.axis_limits import axis_limits
from freefloat.facility.clearance import Clearance
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.modes import State
from freefloat.facility.part import START
from freefloat.facility.pool import STATES
from freefloat.missions.facility.safety_laws import LAWS, broken_laws
from freefloat.missions.facility.safety_log import SafetyLog

N, LATE, LAB = 220, 3, LabGeometry()
LIMITS, CLEARANCE = axis_limits(), Clearance(LAB)
OFF = np.zeros(N, dtype=bool)


def log_of(axis=0, way=None, state=State.RUNNING, **more):
    """Set-points of one axis and links three cycles behind them."""
    told = np.tile(START, (N, 1))
    told[:, axis] += np.zeros(N) if way is None else way
    done = told[np.maximum(np.arange(N) - LATE, 0)]
    states = np.full(N, STATES.index(state))
    nothing = dict.fromkeys(("door", "gate", "blind", "estop", "error", "laser"), OFF)
    numbers = {"mode": np.zeros(N, np.int64), "reason": np.zeros(N, np.int64), "asked": np.zeros((N, 24))}
    t = CYCLE * np.arange(N)
    given = {"told": told, "done": done, "state": states, "power": ~OFF, "delay": LATE * CYCLE, **nothing, **numbers}
    return SafetyLog(t=t, **{**given, **more})


def broken(log):
    return {law: int(flags.sum()) for law, flags in broken_laws(log, LIMITS, LAB, CLEARANCE).items() if flags.any()}


def steady(speed, first=10, last=N):
    """[m] of an axis that begins without jerk worth mentioning and stops dead."""
    rate = speed * np.clip((np.arange(N) - first) / 130.0, 0.0, 1.0)
    return np.cumsum(np.where(np.arange(N) < last, rate, 0.0)) * CYCLE


def flags(first, last=N):
    found = OFF.copy()
    found[first:last] = True
    return found


def test_every_law_is_told():
    assert set(broken_laws(log_of(), LIMITS, LAB, CLEARANCE)) == set(LAWS)


def test_rest_and_a_moderate_run_break_none():
    assert broken(log_of()) == {}
    assert broken(log_of(way=steady(0.2))) == {}


def test_links_may_not_move_without_power():
    assert broken(log_of(way=steady(0.2), power=~flags(90))) == {"power": N - 91}


def test_links_may_not_move_in_a_state_at_rest():
    assert "confirm" in broken(log_of(way=steady(0.2), state=State.READY))


def test_the_end_of_a_motion_may_reach_the_links_late():
    state = np.where(np.arange(N) < 51, STATES.index(State.RUNNING), STATES.index(State.IDLE))
    slow = steady(0.005, last=50)
    assert broken(replace(log_of(way=slow), state=state)) == {}
    early = np.where(np.arange(N) < 45, STATES.index(State.RUNNING), STATES.index(State.IDLE))
    assert set(broken(replace(log_of(way=slow), state=early))) == {"confirm"}


def test_automatic_motion_may_not_go_on_with_a_door_or_a_gate_open():
    for what in ("door", "gate"):
        assert broken(log_of(way=steady(0.2), **{what: flags(80)})) == {"door": N - 80}


def test_a_stop_with_a_door_open_may_not_last_longer_than_it_must():
    stopping = replace(log_of(way=steady(0.2)), state=np.full(N, STATES.index(State.STOPPING)))
    assert broken(replace(stopping, door=flags(150))) == {}
    slow = replace(log_of(way=steady(0.001)), state=np.full(N, STATES.index(State.STOPPING)), door=flags(20))
    assert set(broken(slow)) == {"door"}


def test_too_fast_and_too_hard_are_told_apart():
    limit = float(LIMITS.speed[6])
    assert broken(log_of(6, steady(0.9 * limit))) == {}
    assert set(broken(log_of(6, steady(1.1 * limit)))) == {"speed"}
    jerky = 0.02 * np.minimum(np.arange(N) // 50, 1) * (np.arange(N) - 50) * CYCLE
    assert set(broken(log_of(way=jerky))) == {"acceleration"}


def test_an_emergency_stop_may_be_harder():
    hard = 0.004 * 2.0 * np.maximum(np.arange(N) - 50, 0) * CYCLE
    assert set(broken(log_of(way=hard))) == {"acceleration"}
    assert broken(log_of(way=hard, estop=flags(45, 60))) == {}


def test_an_axis_beyond_its_range_and_solids_that_overlap_are_found():
    assert "range" in broken(log_of(3, np.full(N, np.radians(30.0))))
    overlapping = broken(log_of(8, np.full(N, 0.9)))
    assert overlapping["collision"] == N


@pytest.mark.parametrize("what", ["door", "gate", "blind"])
def test_lasers_are_off_behind_open_doors_and_blinds(what):
    assert broken(log_of(laser=flags(20), **{what: flags(30, 35)})) == {"laser": 5}
