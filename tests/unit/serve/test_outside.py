"""Operators and applications of a facility that cycles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from freefloat.facility.record import Frame
from freefloat.facility.trajectory import Trajectory
from freefloat.links.facility import FacilityLink
from freefloat.missions.facility.courses import Approach


def _until(facility: Any, link: FacilityLink, reached: Callable[[], bool]) -> None:
    """Let cycles pass; nobody commands anything."""
    while not reached():
        link.receive()
        link.greet()


def test_actions_are_done_between_cycles_and_refusals_are_told(facility_rig: Callable[..., Any]) -> None:
    facility = facility_rig(link={"timeout": 0.001})
    rows = Trajectory(np.full(3, int(Frame.IJT)), np.zeros((3, 22)))
    with FacilityLink(port=facility.port, frame="IJT") as link:
        for action, arguments in (
            ("power", {"on": True}),
            ("mode", {"mode": "async"}),
            ("load", {"trajectory": rows}),
            ("confirm", {}),
            ("dance", {}),
            ("order", {"order": 5}),
            ("power", {"action": 1}),
        ):
            facility.ask(action, **arguments)
        _until(facility, link, lambda: len(facility.replies) == 7)
    told = dict(facility.replies)
    assert [told[n]["ok"] for n in (1, 2, 3, 4, 5, 6, 7)] == [True, True, True, False, False, False, False]
    assert told[2]["mode"] == "async"
    assert told[3]["rows"] == 3
    assert told[4]["error"] == "confirm: state idle; allowed: ready"
    assert "unknown action 'dance'" in told[5]["error"]


def test_states_are_in_the_frame_of_the_greeting_and_status_tells_of_the_application(
    facility_rig: Callable[..., Any],
) -> None:
    facility = facility_rig(link={"timeout": 0.001})
    seen: dict[str, np.ndarray] = {}
    for frame in ("IJT", "GLC", "CLW"):
        with FacilityLink(port=facility.port, frame=frame) as link:
            state = link.receive()
            seen[frame] = state.values
            assert state.frame == Frame[frame]
            port = link._sock.getsockname()[1]
            _until(facility, link, lambda port=port: facility.status.get("application") == f"127.0.0.1:{port}")
    assert seen["IJT"][21] == 8000.0  # mm
    assert np.allclose(seen["GLC"][:3], seen["CLW"][:3])  # the view is the lab's


def test_a_moving_facility_whose_desk_is_gone_comes_to_rest_and_fails(
    facility_rig: Callable[..., Any], capfd: pytest.CaptureFixture[str]
) -> None:
    facility, course = facility_rig(operator="sync"), Approach(far=6.0, near=4.5, speed=0.5)
    moved = 0.0
    with FacilityLink(port=facility.port, frame="GLC") as link:
        for state in link.cycles(course.command(0.0).values):
            link.answer(course.command(state.elapsed).values)
            if state.count == 400:
                moved = np.abs(facility.served.operation.motion[1]).max()
                facility.far.close()
    facility.wait()
    operation = facility.served.operation
    assert moved > 0.05
    assert facility.code == 1
    assert str(operation.state) == "idle"
    assert (operation.motion[1] == 0.0).all()
    assert "the desk has ended; Safe Stop" in capfd.readouterr().err


def test_in_lockstep_nobody_is_waited_for_who_was_told_nothing_nor_when_it_is_to_end(
    facility_rig: Callable[..., Any],
) -> None:
    facility = facility_rig(link={"timeout": 60.0, "gone": 60.0})
    with FacilityLink(port=facility.port, frame="IJT", timeout=20.0) as link:
        link.receive()  # which has not been answered, so that the next cycle waits
        facility.process.end()
        facility.wait(20.0)
    assert facility.code == 0
