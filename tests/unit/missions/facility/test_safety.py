from functools import cache

import pytest

from freefloat.api import execute
from freefloat.errors import FieldError
from freefloat.facility.guard import Guard
from freefloat.missions.facility.fault_kinds import KINDS, FaultSettings
from freefloat.missions.facility.safety import TIMELINE, EposSafety

ASKED = ("silent", "jump", "nan", "door", "estop", "speed", "reach", "clearance")


@cache
def rehearsal():
    return execute(EposSafety())


def run(*timeline, duration, **more):
    faults = [FaultSettings(**one) for one in timeline]
    return execute(EposSafety(timeline=faults, duration=duration, **more)).metrics


def test_the_timeline_has_every_kind_once():
    assert sorted(fault.kind for fault in TIMELINE) == sorted(KINDS)
    assert set(ASKED) <= set(KINDS)


def test_every_fault_is_met_within_a_cycle_and_the_delay_and_nothing_is_unsafe():
    metrics = rehearsal().metrics
    assert metrics["audit.passed"] == 1.0
    assert metrics["faults"] == len(TIMELINE)
    assert metrics["faults_missed"] == 0.0
    assert metrics["unsafe_cycles"] == 0.0
    assert metrics["reaction_max_s"] <= 0.016 + 1e-9
    assert all(metrics[f"fault.{kind}.caught"] == 1.0 for kind in ASKED)


def test_a_safe_stop_from_one_metre_per_second_takes_the_way_of_its_law():
    metrics = rehearsal().metrics
    assert metrics["fault.stop.speed_m_s"] == pytest.approx(1.0)
    assert metrics["fault.stop.distance_m"] == pytest.approx(1.0 / 2.0 + 1.0 / 20.0, abs=1e-6)
    assert metrics["stop_distance_error_m"] <= 1e-6


def test_emergency_stops_are_shorter_than_safe_ones_from_the_same_speed():
    metrics = rehearsal().metrics
    assert metrics["fault.estop.tool_way_m"] < 0.5 * metrics["fault.door.tool_way_m"]


def test_the_laser_goes_out_with_the_door_and_with_the_blind():
    result = rehearsal()
    laser, door, blind = (result[f"security.{name}"] for name in ("laser", "door", "blind"))
    opened, up = door.reshape(len(door), -1).any(axis=1), blind.reshape(len(blind), -1).any(axis=1)
    assert laser.any()
    assert not laser.reshape(-1)[opened | up].any()
    assert up[-1]


def test_without_its_guard_the_facility_misses_a_fault_and_collides(monkeypatch):
    monkeypatch.setattr(Guard, "check", lambda *_: None)
    metrics = run({"kind": "clearance", "after": 0.1}, duration=4.0)
    assert metrics["faults"] == 1.0
    assert metrics["faults_missed"] == 1.0
    assert metrics["unsafe.collision_s"] > 0.0
    assert "reaction_max_s" not in metrics


def test_a_patient_facility_reacts_too_late(monkeypatch):
    check, seen = Guard.check, []

    def late(self, *axes):
        found = check(self, *axes)
        seen.extend([found] if found else [])
        return found if len(seen) > 3 else None

    monkeypatch.setattr(Guard, "check", late)
    metrics = run({"kind": "clearance", "after": 0.1}, duration=2.0)
    assert metrics["faults_missed"] == 1.0
    assert metrics["fault.clearance.reaction_s"] == pytest.approx(0.024)


def test_a_timeline_of_ones_own_may_repeat_a_kind_and_name_places():
    told = {"kind": "estop", "place": "control-room"}
    metrics = run(told, {**told, "place": "fence1", "speed": 0.2}, {"kind": "gate", "place": "gate2"}, duration=6.5)
    assert metrics["faults"] == 3.0
    assert metrics["faults_missed"] == 0.0
    assert metrics["fault.estop_2.caught"] == 1.0


def test_elastic_gears_swing_but_their_motors_keep_the_laws():
    metrics = run({"kind": "error", "place": "rob2"}, {"kind": "jump"}, duration=5.0, facility={"joints": "elastic"})
    assert metrics["faults_missed"] == 0.0
    assert metrics["unsafe_cycles"] == 0.0


def test_an_empty_timeline_and_a_place_that_there_is_not_are_refused():
    with pytest.raises(FieldError, match="timeline: no rounds"):
        EposSafety(timeline=()).build()
    with pytest.raises(FieldError, match=r"timeline.1.place"):
        EposSafety(timeline=(FaultSettings(), FaultSettings(kind="door", place="cellar"))).build()
