import pytest

from freefloat.errors import InputError
from freefloat.facility.security import CAUSED, FORBIDDEN, INTERLOCKS, Interlock, Security


def closed() -> Security:
    security = Security(power=True)
    for name in security.blinds:
        security.switch("blind", name, False)
    return security


def test_with_all_closed_and_powered_nothing_is_forbidden() -> None:
    assert closed().active == ()


@pytest.mark.parametrize(("what", "name"), [("door", "lab"), ("gate", "gate1"), ("blind", "window2")])
def test_lasers_go_off_with_the_first_door_gate_or_blind(what: str, name: str) -> None:
    security = closed()
    security.laser = True
    security.settle()
    assert security.laser
    security.switch(what, name, True)
    assert not security.laser
    assert name in security.forbids("laser")


def test_the_lamp_needs_blinds_but_no_doors() -> None:
    security = closed()
    security.lamp = True
    security.switch("door", "lab", True)
    assert security.lamp
    security.switch("blind", "window1", True)
    assert not security.lamp


def test_every_interlock_does_something_and_every_word_is_used() -> None:
    assert all(lock.forbids or lock.causes for lock in INTERLOCKS.values())
    assert {w for lock in INTERLOCKS.values() for w in lock.forbids} == set(FORBIDDEN)
    assert {w for lock in INTERLOCKS.values() for w in lock.causes} == set(CAUSED)


def test_an_unknown_place_and_an_unknown_consequence_are_refused() -> None:
    with pytest.raises(InputError, match=r"unknown door 'lap'\. Did you mean 'lab'"):
        Security().switch("door", "lap", True)
    with pytest.raises(InputError, match="allowed: power, motion"):
        Interlock("x", lambda _: [], ("fly",), (), "y", "z")


def test_the_display_shows_every_button_and_sensor() -> None:
    security = closed()
    security.switch("estop", "fence1", True)
    shown = security.rows()
    assert ("estop", "fence1", "pressed") in shown
    assert ("power", "", "on") in shown
    assert len(shown) == sum(map(len, (security.estops, security.doors, security.gates, security.blinds))) + 5
