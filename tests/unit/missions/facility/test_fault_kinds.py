import pytest

from freefloat.errors import FieldError
from freefloat.facility.actions import ACTIONS
from freefloat.facility.modes import CAUSES
from freefloat.missions.facility.fault_kinds import KINDS, FaultSettings, steps_of


def test_every_kind_has_a_cause_that_the_facility_knows_and_an_action_that_it_takes():
    for kind in KINDS.values():
        assert kind.cause in CAUSES
        assert not kind.action or kind.action in ACTIONS
        assert set(FaultSettings.model_fields["kind"].annotation.__args__) == set(KINDS)


def test_a_place_is_the_first_unless_it_is_named():
    assert FaultSettings(kind="estop").where == KINDS["estop"].places[0]
    assert FaultSettings(kind="estop", place="lrc2").where == "lrc2"


def test_a_place_that_there_is_not_is_refused_with_those_that_there_are():
    with pytest.raises(FieldError, match=r"timeline.0.place.*door 'cellar'.*control, lab, preparation"):
        FaultSettings(kind="door", place="cellar").check("timeline.0")
    with pytest.raises(FieldError, match="place of silent"):
        FaultSettings(kind="silent", place="lab").check("timeline.0")


def test_a_fault_before_the_rail_is_steady_is_refused():
    with pytest.raises(FieldError, match=r"timeline.2.after: 0.6 s; allowed: 1.67 s and more"):
        FaultSettings(kind="stop", speed=1.0).check("timeline.2")


@pytest.mark.parametrize(
    ("kind", "cured"),
    [("door", ["door"]), ("estop", ["estop", "acknowledge"]), ("error", ["acknowledge"]), ("jump", []), ("stop", [])],
)
def test_the_operator_confirms_makes_the_fault_and_cures_it(kind, cured):
    done = [step.do for step in steps_of([FaultSettings(kind=kind)])]
    made = [KINDS[kind].action] if KINDS[kind].action else []
    start = done.index("confirm") + 1
    assert done[start:] == [*made, *cured, "laser", "blind"]
