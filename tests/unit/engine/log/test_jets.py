"""Jets in the scene of a log: seen while their thrusters fire, at their nozzles, along the exhaust."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators.thrusters import Thruster, Thrusters
from freefloat.engine.log.jets import LEVELS, JetTopic, length_of
from freefloat.engine.seen import Jet
from freefloat.frames import Pose

NOZZLES = [Thruster((-1.0, 0.2, 0.1), (1.0, 0.0, 0.0), 10.0), Thruster((0.3, -1.0, 0.0), (0.0, 2.0, 0.0), 80.0)]
PULSES = {0: (0.101, 0.203), 1: (0.15, 0.16)}  # [s]; the second is shorter than the period of the transforms


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, law: Any, shown_by: Any) -> tuple[ff.Result, Any]:
    def valves(t: float, meas: Any) -> dict[str, list[float]]:
        return {"open": [float(a <= t + 1e-9 < b) for a, b in PULSES.values()]}

    spin = ff.Motion(Pose.from_rpy((0.4, 0.5, 0.6), (1.0, 0.0, 0.0)), (0.5, 1.0, -0.7))
    parts = [ff.RigidBody("bus", 100.0, motion=spin), Thrusters("jets", "bus", NOZZLES)]
    task = ff.Task(law(valves), period=0.001, writes={"open": "jets.open"})
    log = tmp_path_factory.mktemp("jets") / "log.mcap"
    result = ff.Mission(parts, [task], record_rate=1000.0).run(0.3, log=log)
    return result, shown_by(log)


def test_a_jet_is_seen_at_the_instants_at_which_its_thruster_fires_and_at_no_other(run: tuple[ff.Result, Any]) -> None:
    result, shown = run
    for t, thrust in zip(result.time("jets.thrust"), result["jets.thrust"], strict=True):
        seen = set(shown.topic_at("/scene/jets", t))
        assert seen == {f"jets.thruster{k}" for k in range(2) if thrust[k] > 0.0}, t
    assert result["jets.thrust"][:, 1].sum() > 0.0, "the short pulse happened"


def test_a_jet_leaves_its_nozzle_against_the_force(run: tuple[ff.Result, Any]) -> None:
    result, shown = run
    t = result.time("bus.p_WB")
    row = int(np.searchsorted(t, 0.16))
    X_WB = Pose.from_quat(result["bus.q_WB"][row], result["bus.p_WB"][row])
    ((kind, X, size),) = shown.topic_at("/scene/jets", t[row])["jets.thruster0"]
    assert kind == "cylinder"
    assert size[2] == pytest.approx(length_of(10.0))
    nozzle = X.p - 0.5 * size[2] * X.R[:, 2]
    np.testing.assert_allclose(nozzle, X_WB.apply(np.array(NOZZLES[0].position)), atol=1e-9)
    np.testing.assert_allclose(X.R[:, 2], -X_WB.R[:, 0], atol=1e-12)
    assert np.linalg.det(X.R) == pytest.approx(1.0)


def test_messages_are_written_at_changes_only(run: tuple[ff.Result, Any]) -> None:
    assert run[1].counts["/scene/jets"] == 4  # two pulses


def test_a_jet_grows_and_fades_in_steps() -> None:
    topic = JetTopic([Jet("j", "t.thrust", 0, "bus", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 2.0)], {"t.thrust": slice(3, 4)})
    rows = np.zeros((6, 5))
    rows[:, 3] = [0.0, 0.01, 0.5, 0.51, 2.0, 0.0]
    changes = topic.changes(rows)
    assert {i: int(level[0]) for i, level in changes.items()} == {2: 3, 4: LEVELS, 5: 0}
    assert topic.changes(rows[-1:]) == {}, "what was told is not told again"
    assert topic.changes(rows[2:3]).keys() == {0}
