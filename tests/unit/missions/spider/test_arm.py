"""SPIDER as it is assembled: mass, length, drives, wrist sensor, jaws, latch."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError, SimulationError
from freefloat.frames import Pose
from freefloat.gnc.control.operations import Operation
from freefloat.missions.spider.arm import Payload, Spider
from freefloat.missions.spider.settings import START, SpiderSettings
from freefloat.scenario.files import load


def test_it_has_the_published_joints_length_and_mass(spider: Spider) -> None:
    links = spider.blueprint.links
    arm = [link for name, link in links.items() if name.startswith(("arm.", "jaws."))]
    assert sum(link.mass for link in arm) == pytest.approx(58.0, rel=1e-12)
    assert len(spider.drives) == 7
    np.testing.assert_allclose(spider.arm.chain.pose(np.zeros(7)).p, [0.0, 0.0, 1.67], atol=1e-12)
    assert sum(d.driver.standby for d in spider.drives) == pytest.approx(30.0, abs=0.2)
    assert links["station"].mass == 4.2e5


def test_the_tool_of_the_arm_is_between_the_tips_of_the_jaws(spider: Spider) -> None:
    session = ff.Mission(spider.blueprint, integrator=ff.Dopri5("auto")).session()
    assert session.pose("arm.tool").is_close(session.pose("jaws.grip"), 1e-12)


def test_a_pushed_hand_is_felt_at_the_wrist_as_a_force_that_the_tip_gives() -> None:
    """A wall that pushes the payload back with 5 N along the mount's x is a tip that gives 5 N along x."""
    made = SpiderSettings().make(Payload(30.0))
    session = ff.Mission(made.blueprint, made.tasks, integrator=ff.Dopri5("auto")).session()
    session.step(0.1)
    R_WB = session.pose("payload").R
    session.write("payload.wrench", np.concatenate([np.zeros(3), R_WB.T @ [-5.0, 0.0, 0.0]]))
    session.step(2.0)
    control = next(r.controller for r in session.tasks if r.task.name == "tip")
    assert control.out.wrench[3] == pytest.approx(5.0, abs=0.3)
    assert np.abs(control.out.wrench[4:]).max() < 0.3


def test_jaws_close_on_their_bar_with_the_force_that_they_are_told() -> None:
    made = SpiderSettings().make()
    made.operations.begin([Operation("grip", force=30.0)])
    session = ff.Mission(made.blueprint, made.tasks, integrator=ff.Dopri5("auto")).session()
    session.step(2.0)
    assert session.read("operator.tactile") == pytest.approx([30.0, 30.0], rel=1e-3)
    assert -4e-3 < session.read("jaws.q")[0] < 0.0


def payload_at(offset: float) -> Spider:
    settings = SpiderSettings()
    X = settings.make().arm.chain.pose(START)
    return settings.make(Payload(250.0, X_AG=Pose(X.R, np.add(X.p, [offset, 0.0, 0.0]))))


def test_a_payload_is_latched_and_released_without_losing_momentum() -> None:
    made = payload_at(1e-3)
    made.operations.begin([Operation("grip"), Operation("latch", payload="payload"), Operation("release")])
    mission = ff.Mission(made.blueprint, made.tasks, made.events, integrator=ff.Dopri5("auto"))
    result = mission.run(2.0, strict=True)
    assert [e.name for e in result.events] == ["latched", "released"]
    assert result.metrics["audit.linear_momentum_drift"] < 1e-9


def test_a_payload_out_of_the_jaws_reach_is_not_latched() -> None:
    made = payload_at(0.02)
    made.operations.begin([Operation("grip"), Operation("latch", payload="payload")])
    mission = ff.Mission(made.blueprint, made.tasks, made.events, integrator=ff.Dopri5("auto"))
    with pytest.raises((InputError, SimulationError), match=r"0\.02 m from the jaws; allowed: within 0\.005 m"):
        mission.run(2.0)


def test_ideal_joints_and_another_number_of_joints_are_refused() -> None:
    with pytest.raises(InputError, match=r"arm.drives.*allowed: elastic, full"):
        load("spider-motion", {"arm.drives": "ideal"}).build()
    with pytest.raises(InputError, match=r"arm.start.*allowed: 7"):
        load("spider-motion", {"arm.start": [0.0, 1.0]}).build()
