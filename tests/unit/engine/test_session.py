"""The door to a running mission: step, read, write, ports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators import ReactionWheels, Thruster, Thrusters, Valves
from freefloat.errors import InputError, SimulationError


def push(force: float) -> list[float]:
    return [0.0, 0.0, 0.0, force, 0.0, 0.0]


def test_step_read_and_write_move_a_body_as_newton_says() -> None:
    session = ff.Mission([ff.RigidBody("bus", mass=500.0)]).session()
    session.write("bus.wrench", push(50.0))
    session.step(2.0)
    session.write("bus.wrench", push(0.0))
    session.step(1.0)
    assert session.time == 3.0
    assert session.read("bus.v_WB")[0] == pytest.approx(0.2, rel=1e-12)
    assert session.read("bus.p_WB")[0] == pytest.approx(0.2 + 0.2, rel=1e-12)


def test_a_command_acts_on_what_is_read_at_the_same_instant(bus_with_arm: Any) -> None:
    session = ff.Mission(bus_with_arm()).session()
    before = session.read("arm.qdd")
    session.write("arm.tau", np.full(7, 5.0))
    assert not np.allclose(before, session.read("arm.qdd"))
    assert np.array_equal(session.read("arm.tau"), session.read("arm.tau_applied"))


def test_efforts_are_clipped_to_the_drives_limits(bus_with_arm: Any) -> None:
    parts = bus_with_arm()
    limits = np.array([j.effort for j in parts[1].graph.joints if j.kind != "fixed"])
    assert np.isfinite(limits).all()
    session = ff.Mission(parts).session()
    session.write("arm.tau", 1e4 * np.array([1, -1, 1, -1, 1, -1, 1]))
    assert np.array_equal(np.abs(session.read("arm.tau_applied")), limits)


def test_many_small_steps_are_one_large_step(bus_with_arm: Any, law: Any, swing: Any) -> None:
    task = ff.Task(law(swing), 0.004, {"qd": "arm.qd"}, {"tau": "arm.tau"}, {"qd": ff.Sensor(noise=1e-3, delay=0.0015)})
    once, often = (ff.Mission(bus_with_arm(), [task]).session(3) for _ in range(2))
    once.step(0.5)
    for _ in range(250):
        often.step(0.002)
    assert np.array_equal(once.read("arm.q"), often.read("arm.q"))


def test_what_is_read_is_a_copy() -> None:
    session = ff.Mission([ff.RigidBody("bus")]).session()
    value = session.read("bus.p_WB")
    value += 1.0
    assert not session.read("bus.p_WB").any()


def test_unknown_names_are_refused_with_the_nearest(bus_with_arm: Any) -> None:
    session = ff.Mission(bus_with_arm()).session()
    for action, message in (
        (lambda: session.read("arm.qq"), r"unknown signal 'arm.qq'. Did you mean 'arm.q'"),
        (lambda: session.write("arm.taw", 0.0), r"unknown command 'arm.taw'. Did you mean 'arm.tau'"),
        (lambda: session.reroot("arm.tol"), r"unknown link 'arm.tol'"),
        (lambda: session.attach("dock"), r"unknown connection 'dock'"),
        (lambda: session.detach("dock"), r"unknown connection 'dock'"),
        (
            lambda: session.set_joint("arm.elbow", 0.0, 0.0),
            r"unknown joint 'arm.elbow'. Did you mean 'arm.elbow_pitch'",
        ),
    ):
        with pytest.raises(InputError, match=message):
            action()


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([1.0], InputError, "1 numbers given, 6 needed"),
        (push(np.nan), SimulationError, "is not finite"),
        (push(np.inf), SimulationError, "is not finite"),
    ],
)
def test_a_command_that_does_not_fit_is_refused_and_the_old_one_held(value: Any, error: Any, message: str) -> None:
    session = ff.Mission([ff.RigidBody("bus")]).session()
    session.write("bus.wrench", push(7.0))
    with pytest.raises(error, match=message):
        session.write("bus.wrench", value)
    assert session.read("bus.wrench")[3] == 7.0


def test_a_command_of_a_task_is_not_written_from_outside(law: Any) -> None:
    task = ff.Task(law(lambda t, m: {"w": push(0.0)}), 0.01, writes={"w": "bus.wrench"})
    with pytest.raises(InputError, match=r"'bus.wrench' is written by task 'law'; one writer"):
        ff.Mission([ff.RigidBody("bus")], [task]).session().write("bus.wrench", push(1.0))


@pytest.mark.parametrize("dt", [-1e-3, np.nan, np.inf, 1e12])
def test_an_impossible_step_is_refused(dt: float) -> None:
    with pytest.raises(InputError, match="step of"):
        ff.Mission([ff.RigidBody("bus")]).session().step(dt)


@pytest.mark.parametrize("duration", [-1.0, np.nan, np.inf, 1e12])
def test_an_impossible_duration_is_refused(duration: float) -> None:
    with pytest.raises(InputError, match="duration"):
        ff.Mission([ff.RigidBody("bus")]).run(duration)


@pytest.mark.parametrize("rate", [0.0, -1.0, np.nan, np.inf, 1e12, 1e-12])
def test_an_impossible_record_rate_is_refused(rate: float) -> None:
    with pytest.raises(InputError, match="record rate"):
        ff.Mission([ff.RigidBody("bus")], record_rate=rate).session()


def test_a_step_of_nothing_changes_nothing() -> None:
    session = ff.Mission([ff.RigidBody("bus")]).session()
    session.step(0.0)
    assert session.time == 0.0


def test_setting_the_state_from_outside_is_booked_by_the_audit(bus_with_arm: Any, law: Any, swing: Any) -> None:
    events = [
        ff.Event("kick", lambda s: s.set_velocity("bus", (0.1, 0.2, 0.3), (1.0, 0.0, 0.0)), at=0.05),
        ff.Event("bend", lambda s: s.set_joint("arm.elbow_pitch", 1.2, 0.4), at=0.1),
    ]
    task = ff.Task(law(swing), 0.004, {"qd": "arm.qd"}, {"tau": "arm.tau"})
    result = ff.Mission(bus_with_arm(), [task], events).run(0.3)
    assert result.audit.passed
    assert np.linalg.norm(result["audit.impulse"][-1]) > 1.0
    assert result["bus.v_WB"][-1, 0] > 0.5


@pytest.mark.parametrize("what", ["snapshot", "restore", "step"])
def test_time_cannot_be_moved_inside_an_action(what: str) -> None:
    mission = ff.Mission([ff.RigidBody("b")], events=[ff.Event("e", lambda s: doing(s), at=0.1)])
    taken = mission.session().snapshot()

    def doing(session: ff.Session) -> object:
        if what == "snapshot":
            return session.snapshot()
        return session.restore(taken) if what == "restore" else session.step(1.0)

    with pytest.raises(InputError, match="inside the action of an event"):
        mission.run(1.0)


def test_a_session_lists_its_ports() -> None:
    jets = Thrusters("jets", "bus", [Thruster((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0))], valves=Valves(0.1, 0.1))
    wheels = ReactionWheels("wheels", "bus", np.eye(3), max_torque=0.2)
    session = ff.Mission([ff.RigidBody("bus"), jets, wheels]).session()
    commands = {port.name: port for port in session.commands()}
    assert commands["jets.open"].writer == "task jets-valves"
    assert commands["jets.open"].limits == ((0.0,), (1.0,))
    assert commands["jets.request"].writer == ""
    assert commands["wheels.tau"].limits == ((-0.2,) * 3, (0.2,) * 3)
    assert commands["bus.wrench"].limits is None
    signals = {port.name: port for port in session.signals()}
    assert signals["bus.p_WB"] == ff_port("bus.p_WB", "m", (3,), "W", "position of the origin", ("x", "y", "z"))
    assert set(commands) <= set(signals)


def ff_port(name: str, unit: str, shape: tuple[int, ...], frame: str, meaning: str, labels: tuple[str, ...]) -> Any:
    from freefloat.engine.signals import Port

    return Port(name, unit, shape, frame, meaning, world="", labels=labels)
