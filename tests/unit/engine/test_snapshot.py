"""Snapshots save, restore and fork a run to the last bit."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.api import metrics_json
from freefloat.errors import InputError
from freefloat.scenario.files import load


class Soft:
    """Slow torques and damping that suits each joint's inertia; it counts its updates."""

    size = np.array([3.0, 3.0, 3.0, 3.0, 0.05, 0.05, 0.001])

    def __init__(self) -> None:
        self.count = 0

    def update(self, t: float, meas: Any) -> Any:
        self.count += 1
        drive = np.sin(0.01 * self.count + np.arange(7.0))
        return {"tau": self.size * (drive - meas["qd"] - 0.1 * meas["q"]), "e": meas["q"]}


@pytest.fixture
def noisy_mission(bus_with_arm: Any) -> Any:
    """An arm under a noisy, delayed, lossy, latent law; with a connection made and broken on the way."""

    def make(integrator: Any = None) -> ff.Mission:
        sensors = {
            "q": ff.Sensor(noise=1e-3, delay=0.0123, dropout=0.2),
            "qd": ff.Sensor(rate=130.0, noise=1e-3, delay=0.0031, quantum=1e-4),
        }
        records = {"e": ff.Signal("arm.seen", "rad", (7,))}
        reads, writes = {"q": "arm.q", "qd": "arm.qd"}, {"tau": "arm.tau"}
        task = ff.Task(Soft(), 0.004, reads, writes, sensors, records, "control", latency=0.0027)
        cargo = ff.RigidBody("cargo", 50.0, size=(0.5, 0.5, 0.5), motion=ff.Motion(ff.Pose(np.eye(3), [0, 0, 4.0])))
        events = [
            ff.Event("hold", lambda s: f"{s.attach('grip'):.9e}", at=0.2),
            ff.Event("release", lambda s: s.detach("grip"), at=0.6),
            ff.Event("seen", lambda s: s.read("arm.q")[1], "arm.qd", 1, 0.02, times=2),
        ]
        grip = ff.Connection("grip", "arm.tool", "cargo")
        return ff.Mission([*bus_with_arm(), cargo], [task], events, [grip], integrator=integrator)

    return make


def rows(result: ff.Result) -> dict[str, np.ndarray]:
    return {name: result[name] for name in result.signals}


def assert_same(a: ff.Result, b: ff.Result) -> None:
    assert metrics_json(a.metrics) == metrics_json(b.metrics)
    assert a.events == b.events
    for name, values in rows(a).items():
        assert np.array_equal(values, b[name], equal_nan=True), name


@pytest.mark.parametrize("stop", [0.1, 0.203, 0.4, 0.7])
@pytest.mark.parametrize("integrator", [ff.RK4(), ff.Dopri5(), ff.Dopri54()], ids=["rk4", "dopri5", "dopri54"])
def test_a_saved_run_goes_on_with_the_same_bits(
    noisy_mission: Any, integrator: Any, stop: float, tmp_path: Any
) -> None:
    if isinstance(integrator, ff.Dopri54):
        stop = round(stop / 0.004) * 0.004  # its steps end at task instants; another stop is one step more
    mission = noisy_mission(integrator)
    whole = mission.run(0.9, seed=5)
    session = mission.session(5)
    session.step(stop)
    saved = session.snapshot().save(tmp_path / "snapshot")
    fresh = mission.session(99)
    fresh.step(0.05)
    fresh.restore(ff.Snapshot.load(saved))
    assert fresh.time == pytest.approx(stop, abs=1e-12)
    assert_same(mission.complete(fresh, 0.9), whole)
    assert_same(mission.complete(session, 0.9), whole)


def test_a_fork_does_not_disturb_the_run_that_it_comes_from(noisy_mission: Any) -> None:
    mission = noisy_mission()
    whole = mission.run(0.5, seed=1)
    session = mission.session(1)
    session.step(0.3)
    snapshot = session.snapshot()
    fork = mission.session(1)
    fork.restore(snapshot)
    fork.set_joint("arm.elbow_pitch", 0.3, 0.9)
    other = mission.complete(fork, 0.5)
    assert not np.array_equal(other["arm.q"][-1], whole["arm.q"][-1])
    assert_same(mission.complete(session, 0.5), whole)
    session.restore(snapshot)
    assert session.time == pytest.approx(0.3)
    assert_same(mission.complete(session, 0.5), whole)


def test_a_snapshot_restores_a_structure_into_a_session_with_another(noisy_mission: Any) -> None:
    mission = noisy_mission()
    closed, opened = mission.session(1), mission.session(1)
    closed.step(0.25)
    opened.step(0.1)
    early, late = opened.snapshot(), closed.snapshot()
    assert closed.world.compiled().model.nv != opened.world.compiled().model.nv
    opened.restore(late)
    closed.restore(early)
    assert_same(mission.complete(opened, 0.7), mission.complete(closed, 0.7))


def test_an_effect_of_time_alone_goes_on_with_the_same_bits() -> None:
    def wave(t, p, x, u, view, dx, tau, wrench, y, power):
        f = 1e3 * np.sin(40.0 * t)
        b = p.i[0, 0]
        wrench[b, 3] += f
        wrench[0, 3] -= f
        power[0] += f * view.cvel[b, 3]

    from freefloat.kernels.bank import Body

    mission = ff.Mission([ff.RigidBody("bus")], rows=[ff.Row(ff.Effect("wave", wave), "wave", (), (Body("bus"),))])
    whole = mission.run(1.0)
    session = mission.session()
    for _ in range(900):
        session.step(0.001)
        session.restore(session.snapshot())
    assert_same(mission.complete(session, 1.0), whole)


@pytest.mark.parametrize("control", ["pd", "computed-torque"])
def test_shipped_controllers_can_be_saved(control: str, tmp_path: Any) -> None:
    mission = load("planar-two-link", {"control.kind": control, "sensors.delay": 0.0021}).build()
    session = mission.session(2)
    session.step(0.1)
    snapshot = ff.Snapshot.load(session.snapshot().save(tmp_path / "s"))
    again = mission.session(2)
    again.restore(snapshot)
    assert_same(mission.complete(again, 0.2), mission.run(0.2, seed=2))


def test_a_controller_that_cannot_be_saved_is_one_clear_error(law: Any, tmp_path: Any) -> None:
    task = ff.Task(law(lambda t, m: {}), 0.01)
    snapshot = ff.Mission([ff.RigidBody("bus")], [task]).session().snapshot()
    with pytest.raises(InputError, match="a task's controller cannot be saved"):
        snapshot.save(tmp_path / "s")
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("data", [b"", b"hello", bytes(range(256)), pickle.dumps({"not": "a snapshot"})])
def test_a_file_that_is_no_snapshot_is_refused(data: bytes, tmp_path: Any) -> None:
    (tmp_path / "s").write_bytes(data)
    with pytest.raises(InputError, match=r"snapshot .*s"):
        ff.Snapshot.load(tmp_path / "s")
    with pytest.raises(InputError, match="cannot be read"):
        ff.Snapshot.load(tmp_path / "absent")


def test_a_snapshot_of_another_mission_is_refused_and_nothing_changes(law: Any) -> None:
    body = ff.RigidBody("bus", motion=ff.Motion(v_WL=(1.0, 0.0, 0.0)))
    session = ff.Mission([body]).session()
    session.step(0.5)
    others = [
        ff.Mission([body], [ff.Task(law(lambda t, m: {}), 0.01)]),
        ff.Mission([body, ff.RigidBody("second")]),
        ff.Mission([body], events=[ff.Event("e", lambda s: None, at=1.0)]),
    ]
    for other in others:
        with pytest.raises(InputError, match="belongs to another mission"):
            session.restore(other.session().snapshot())
        assert session.time == 0.5


def test_controllers_that_share_an_object_go_on_sharing_it() -> None:
    class Estimator:
        x = 0.0

        def update(self, t: float, meas: object) -> dict[str, float]:
            self.x = t
            return {}

    class Controller:
        def __init__(self, estimator: Estimator) -> None:
            self.estimator, self.seen = estimator, []

        def update(self, t: float, meas: object) -> dict[str, float]:
            self.seen.append(self.estimator.x)
            return {}

    estimator = Estimator()
    tasks = [ff.Task(estimator, 0.1), ff.Task(Controller(estimator), 0.1)]
    result = ff.Mission([ff.RigidBody("b")], tasks=tasks).run(0.35)
    assert result.controllers["controller"].seen == pytest.approx([0.0, 0.1, 0.2, 0.3])
