"""The lab as a part: where its robots are, that it stands still, and that it moves as set-points say."""

from __future__ import annotations

import math

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.facility import axes
from freefloat.facility.equipment import Equipment
from freefloat.facility.execution import Execution
from freefloat.facility.part import DockingFacility, Joints, courses_to_commands
from freefloat.frames import Array

G = (0.0, 0.0, -9.81)
AMPLITUDE = np.array([0.3, *np.radians([10.0, 8.0, 8.0, 15.0, 10.0, 20.0] * 2)])
TURNING = 2.0 * np.pi * np.array([0.2, *np.linspace(0.1, 0.3, 12)])
DELAY = 0.0103  # [s] no multiple of a cycle


class Swing:
    """All axes swing in from rest, by set-points each cycle."""

    def __init__(self, part: DockingFacility) -> None:
        self.start = np.array(part.start)
        self.execution = Execution(part.start, DELAY)

    def point(self, t: float) -> Array:
        return self.start + AMPLITUDE * (1.0 - np.exp(-(max(t, 0.0) ** 3))) * np.sin(TURNING * t)

    def update(self, t: float, meas: object) -> dict[str, Array]:
        courses = self.execution.cycle(t, self.point(t))
        return {command.split(".")[1]: course for command, course in courses_to_commands(courses).items()}


def mission(part: DockingFacility, swing: Swing | None = None) -> ff.Mission:
    tasks = []
    if swing is not None:
        writes = {device: f"epos.{device}.course" for device in axes.DEVICES}
        tasks = [ff.Task(swing, axes.CYCLE, writes=writes, latency=swing.execution.latency)]
    return ff.Mission([part], tasks, rows=[ff.uniform_gravity(G)], integrator=ff.RK4(1e-3), record_rate=250.0)


def axes_of(s: ff.Session, name: str) -> Array:
    return np.concatenate([s.read(f"epos.{device}.{name}") for device in axes.DEVICES])


@pytest.mark.parametrize("joints", ["rigid", "elastic"])
def test_it_stands_still_with_its_encoders_at_the_start(joints: Joints) -> None:
    part = DockingFacility(joints=joints)
    s = mission(part).session()
    before = s.read("epos.rob2.user.p_WF")
    s.step(0.2)
    assert s.read("epos.motor_q") == pytest.approx(part.start, abs=1e-14)
    assert axes_of(s, "qd") == pytest.approx(np.zeros(axes.COUNT), abs=1e-12)
    assert s.read("epos.rob2.user.p_WF") == pytest.approx(before, abs=1e-12)


def test_user_tools_are_where_the_geometry_says_and_face_each_other() -> None:
    s = mission(DockingFacility()).session()
    assert s.read("epos.rob1.user.p_WF") == pytest.approx([5.0, 0.0, 0.0], abs=3e-6)
    assert s.read("epos.rob2.user.p_WF") == pytest.approx([1.9, 0.0, 0.0], abs=3e-6)
    for robot in (1, 2):
        known = DockingFacility().geometry.robot(robot, 6.55).forward(DockingFacility().start[axes.ROBOTS[robot - 1]])
        assert s.read(f"epos.rob{robot}.tool.p_WF") == pytest.approx(known.p, abs=1e-12)
        assert s.read(f"epos.rob{robot}.user.q_WF") == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=2e-6)


def test_elastic_links_sag_below_their_motors_and_rigid_ones_do_not() -> None:
    sag = {}
    for joints in ("rigid", "elastic"):
        s = mission(DockingFacility(joints=joints)).session()  # pyright: ignore[reportArgumentType]
        sag[joints] = s.read("epos.rob2.tool.p_WF")[2]
        assert np.abs(s.read("epos.rob2.q") - s.read("epos.rob2.motor_q")).max() == pytest.approx(
            0.0 if joints == "rigid" else 1.7e-3, abs=2e-4 if joints == "elastic" else 1e-15
        )
    assert -7e-3 < sag["elastic"] - sag["rigid"] < -3e-3


@pytest.mark.parametrize("joints", ["rigid", "elastic"])
def test_set_points_drive_all_axes_later_by_the_delay_and_energy_is_kept(joints: Joints) -> None:
    part = DockingFacility(joints=joints)
    swing = Swing(part)
    run = mission(part, swing)
    s = run.session()
    result = run.complete(s, 2.0)
    assert result.audit.passed
    assert result.audit.drifts["energy_drift"] < 1e-7
    expected = np.array([swing.point(t - DELAY) for t in result.time("epos.rob1.motor_q")])
    found = np.hstack([result[f"epos.{device}.motor_q"] for device in axes.DEVICES])
    assert np.abs(found - expected).max() < 1e-7
    assert np.abs(found[-1] - part.start).max() > 0.2
    assert s.read("epos.motor_q") == pytest.approx(found[-1], abs=1e-14)


@pytest.mark.parametrize("joints", ["rigid", "elastic"])
def test_the_wrist_carries_the_mockup_alone_and_the_drives_everything(joints: Joints) -> None:
    part = DockingFacility(joints=joints)
    s = mission(part).session()
    assert np.linalg.norm(s.read("epos.rob1.wrist")[:3]) == pytest.approx(20.0 * 9.81, rel=1e-9)
    for robot in (1, 2):
        made = part.robot(robot)  # pyright: ignore[reportArgumentType]
        torques = made.holding_torques(part.geometry.base(robot))
        assert s.read("epos.torque")[axes.ROBOTS[robot - 1]] == pytest.approx(torques, abs=1e-6)
    assert s.read("epos.torque")[axes.RAIL] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"joints": "soft"}, "joints 'soft'; allowed: rigid, elastic"),
        ({"start": (30.0, *(0.0,) * 12)}, "start of E1 30 m; allowed: 0 to 25 m"),
        ({"start": (1.0, 2.0)}, "13 numbers"),
        ({"equipment1": [Equipment("lidar", 40.0)]}, "60 kg; allowed: at most 53 kg"),
        ({"gravity": (0.0, "9.81 N", 0.0)}, "gravity"),
    ],
)
def test_bad_facilities_are_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        DockingFacility(**given)  # pyright: ignore[reportArgumentType]


def test_the_start_may_have_units() -> None:
    degrees = [f"{math.degrees(x)!r} deg" for x in DockingFacility().start[1:]]
    assert DockingFacility(start=("655 cm", *degrees)).start == pytest.approx(DockingFacility().start, abs=1e-12)
