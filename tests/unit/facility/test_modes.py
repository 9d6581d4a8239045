from freefloat.facility.modes import CAUSES, MOTION, NO_REASON, TRANSITIONS, Reason, State
from freefloat.facility.security import INTERLOCKS


def test_every_state_is_reached_from_off_and_a_fault_leads_nowhere_but_there() -> None:
    reached, new = {State.OFF}, {State.OFF}
    while new:
        new = {to for state in new for to in TRANSITIONS[state]} - reached
        reached |= new
    assert reached == set(State)
    assert TRANSITIONS[State.FAULT] == {State.OFF}


def test_power_is_not_dropped_amid_a_motion() -> None:
    assert all(not TRANSITIONS[state] & {State.OFF, State.FAULT} for state in MOTION - {State.STOPPING})


def test_reasons_have_numbers_and_every_interlock_that_stops_is_one() -> None:
    assert NO_REASON.code == 0
    assert Reason("silent").code == 3
    assert {name for name, lock in INTERLOCKS.items() if set(lock.causes) & {"safe stop", "emergency stop"}} <= set(
        CAUSES
    )
