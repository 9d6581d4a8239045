"""SPIDER commanded at every level, from a session and from a scenario; what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.session import Session
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.gnc.control.operations import Operation
from freefloat.missions.spider.commands import SpiderCommands
from freefloat.missions.spider.settings import START, SpiderSettings
from freefloat.scenario.files import load


@pytest.fixture
def session() -> Session:
    made = SpiderSettings().make()
    return ff.Mission(made.blueprint, made.tasks, made.events, integrator=ff.Dopri5("auto")).session()


def tip(session: Session) -> Pose:
    return session.pose("arm.base").inverse() @ session.pose("arm.tool")


def test_a_session_commands_currents_torques_joints_tip_and_operations_in_turn(session: Session) -> None:
    commands = SpiderCommands(session)
    commands.currents([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    session.step(0.2)
    assert session.read("arm.tau")[6] == pytest.approx(8.0)
    assert 0.7 < np.hypot(*session.read("arm.current").reshape(7, 2)[6]) < 1.0  # back-EMF takes its part
    commands.torques([0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    session.step(0.3)
    assert session.read("arm.torque_gear")[1] == pytest.approx(2.0, abs=0.7)
    goal = np.add(START, [0.01, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0])
    commands.joint_path([goal], speed=0.05, settle=1.5)
    session.step(7.0)
    np.testing.assert_allclose(session.read("arm.q"), goal, atol=1e-3)
    X = tip(session)
    commands.tip_path([Pose(X.R, np.add(X.p, [0.0, 0.02, 0.0]))], speed=0.05, settle=1.5)
    session.step(3.0)
    assert np.linalg.norm(tip(session).p - X.p - [0.0, 0.02, 0.0]) < 1e-3
    commands.operate([Operation("grip", force=10.0), Operation("release")])
    session.step(1.0)
    assert session.read("jaws.q")[0] > 0.0


@pytest.mark.parametrize(
    ("level", "values", "told"),
    [
        ("currents", [0.0] * 6 + [11.0], r"operator.current of joint 7: 11 A; allowed: -10 to 10 A"),
        ("torques", [200.0] + [0.0] * 6, r"operator.torque of joint 1: 200 N m; allowed: -160 to 160 N m"),
        ("currents", [1.0], r"allowed: 7 finite numbers \[A\]"),
        ("torques", [np.nan] * 7, r"allowed: 7 finite numbers \[N m\]"),
    ],
)
def test_efforts_beyond_the_drives_are_refused(session: Session, level: str, values: list[float], told: str) -> None:
    with pytest.raises(InputError, match=told):
        getattr(SpiderCommands(session), level)(values)


def test_a_session_without_operations_is_refused() -> None:
    other = load("free-floating-arm").build().session()
    with pytest.raises(InputError, match="no task that carries out operations"):
        SpiderCommands(other)


FAR = {"command.kind": "tip", "command.points": [{"place": [2.5, 0.0, 0.6]}]}
NEAR_AXIS = {
    "arm.start": [0.3, -0.7, 0.0, 1.4, 0.0, 0.9, 0.0],
    "command.kind": "tip",
    "command.points": [{"place": [0.18, 0.55, 1.15]}],
    "command.speed": 0.1,
}
FAST = {"command.kind": "tip", "command.points": [{"place": [0.95, 0.1, 0.6]}], "command.speed": 0.2}
BENT = {"command.kind": "joints", "command.points": [[4.0, 0.4, 0.0, 1.2, 0.0, 0.8, 0.0]]}


def operations(*words: str) -> dict[str, object]:
    return {"command.kind": "operations", "command.list": [{"do": word} for word in words]}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (FAR, r"command: operation 0 \(move\), \d+ % of the way, at \(.*\) m: beyond reach"),
        (NEAR_AXIS, r"% of the way, at \(.*\) m: joint 'arm\.\w+' at .* rad/s; allowed: up to 0\.175 rad/s"),
        (FAST, r"operation 0 \(move\): speed 0\.2 m/s; allowed: above 0, up to 0\.1 m/s"),
        (BENT, r"joint 'arm.shoulder_roll' at .* rad; allowed: -2\.967 to 2\.967 rad"),
        (operations("press"), r"operation 0 \(press\): out of sequence.*allowed: approach first"),
        (operations("approach", "slide"), r"operation 1 \(slide\): out of sequence.*allowed: press first"),
        (operations("latch"), r"operation 0 \(latch\): out of sequence.*allowed: grip first"),
        (operations("grip", "latch"), r"operation 1 \(latch\): payload 'payload' is not there; allowed: none is there"),
        (operations("grip", "move"), r"operation 1 \(move\): out of sequence.*allowed: latch, release"),
        (operations("release"), r"operation 0 \(release\): out of sequence"),
        ({"command.kind": "currents", "command.current": [20.0] + [0.0] * 6}, r"20 A at joint 1; allowed: -10 to 10 A"),
        ({"command.kind": "torques", "command.torque": [1.0]}, r"command.torque: 1 numbers; allowed: 7"),
    ],
)
def test_commands_that_cannot_be_carried_out_are_refused_with_their_place(
    changes: dict[str, object], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        load("spider-motion", changes).build()
