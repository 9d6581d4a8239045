"""Satellites in one world, the facility's robots in another, in short forms."""

import numpy as np
import pytest

import freefloat as ff
from freefloat.contact import Contact, Plane
from freefloat.engine.result import Result
from freefloat.errors import InputError, RenderingWarning
from freefloat.frames import Pose
from freefloat.missions.facility.hybrid import EposHybrid
from freefloat.missions.facility.hybrid_contact import Held
from freefloat.missions.facility.hybrid_judge import Showing
from freefloat.missions.facility.measures import axes_of
from freefloat.missions.impacts.laboratory import real_contact

SHORT = {"flight.ramp": "2 s", "client.inertia": (10.0, 14.0, 17.0), "duration": "7 s"}
QUICK = {"impact.distance": "100 mm", "impact.ramp": "0.6 s", "impact.running": "1.6 s", "duration": "2.4 s"}


@pytest.fixture(scope="module")
def flown() -> Result:
    return ff.run("epos-hybrid", SHORT, strict=True)


@pytest.fixture(scope="module")
def met() -> Result:
    return ff.run("epos-hybrid-contact", QUICK, strict=True)


def test_robots_show_the_relative_pose_of_the_satellites_a_delay_later(flown: Result) -> None:
    m = flown.metrics
    assert m["running_s"] > 4.5
    assert m["not_shown_s"] == 0.0
    assert m["relative_position_error_m"] <= 1e-6
    assert m["relative_attitude_error_deg"] <= 1e-4


def test_the_figures_see_a_delay_that_is_off_by_a_millisecond(flown: Result) -> None:
    ports = EposHybrid().pairing.ports
    _, place, angle = Showing(ports, 0.013, 0.0).differences(flown)
    assert place.max() > 1e-5
    assert np.degrees(angle.max()) > 1e-3


def test_satellites_rest_until_the_facility_runs(flown: Result) -> None:
    t, p = flown.time("servicer.p_WB"), flown["servicer.p_WB"]
    confirmed = float(flown.time("fmc.state")[-1]) - flown.metrics["running_s"]
    assert confirmed > 1.0
    assert np.ptp(p[t <= confirmed], axis=0).max() == 0.0
    assert np.ptp(p, axis=0).max() > 0.1


def test_an_impact_is_rendered_through_the_record(met: Result) -> None:
    m = met.metrics
    assert m["contacts"] == 1.0
    assert m["speed_error_ratio"] <= 0.01
    assert m["exit_speed_ratio"] == pytest.approx(1.0, abs=0.01)
    assert m["peak_force_robot_n"] == pytest.approx(157.0, rel=0.01)
    assert m["position_error_m"] <= 1e-6
    assert m["relative_position_error_m"] <= 1e-6
    assert 10.0 < m["axis_acceleration_percent"] < 50.0


def plate_moved_back(monkeypatch: pytest.MonkeyPatch, by: float) -> Result:
    """With the plate of robot 2 farther away than it ought to be, by so much [m]."""

    def mockups(self: EposHybrid, robots: tuple[Held, Held]) -> Contact:
        tools = self.pairing.tools
        X_FS = robots[1].X_FT @ tools.surface.X_CS
        return real_contact(robots, self.tools.assumed, tools, Plane(X_FS @ Pose(np.eye(3), [0.0, 0.0, -by])))

    monkeypatch.setattr(EposHybrid, "_mockups", mockups)
    return ff.run("epos-hybrid-contact", QUICK, strict=True)


def onset(run: Result, contact: str) -> float:
    return next(touch.t for touch in run.touches if touch.contact.startswith(contact))


def test_satellites_meet_where_the_tools_of_the_robots_do(met: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = plate_moved_back(monkeypatch, 2e-3)
    later = 2e-3 / 0.0993
    assert onset(moved, "mockups") - onset(met, "mockups") == pytest.approx(later, abs=4e-3)
    assert onset(moved, "satellites") - onset(met, "satellites") == pytest.approx(later, abs=1e-3)
    assert moved.metrics["position_error_m"] > 1e-3  # of what would be, were the plate in its place


def test_the_rail_stands_still_while_tools_touch(met: Result) -> None:
    assert np.ptp(axes_of(met, "act")[:, 0]) < 1e-12


def test_an_impact_beyond_the_limits_of_the_axes_is_told_and_counted() -> None:
    hard = {"impact.speed": "0.4 m/s", "impact.distance": "250 mm", "duration": "1.8 s"}
    with pytest.warns(RenderingWarning, match="the facility stopped at"):
        m = ff.run("epos-hybrid-contact", {**QUICK, **hard}).metrics
    assert m["not_shown_s"] > 0.1


def test_a_run_that_ends_before_confirm_has_no_figures_of_what_was_shown() -> None:
    m = ff.run("epos-hybrid-contact", {"duration": "0.2 s"}).metrics
    assert m["running_s"] == 0.0
    assert "speed_error_ratio" not in m


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [("impact.ramp", "9 s", "impact.ramp: 9 s; allowed: up to"), ("facility.tool", __file__, "facility.tool")],
)
def test_what_does_not_go_with_contact_is_refused(field: str, value: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        ff.run("epos-hybrid-contact", {field: value})


@pytest.mark.slow
def test_elastic_joints_sag_but_the_impact_keeps_its_speeds() -> None:
    m = ff.run("epos-hybrid-contact", {"facility.joints": "elastic"}, strict=True).metrics
    assert m["speed_error_ratio"] <= 0.01
    assert 1e-3 < m["relative_position_error_m"] < 1e-2
