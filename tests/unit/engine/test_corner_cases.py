"""Cases at the edges that once went wrong."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators import ReactionWheels, Tank, Thruster, Thrusters
from freefloat.errors import InputError
from freefloat.kernels import handle as H


def test_a_light_weld_elsewhere_does_not_weaken_a_heavy_one() -> None:
    frames = {"port": ff.Pose.from_rpy((0, 0, 0), (1.0, 0.0, 0.0))}

    def body(name: str, mass: float, x: float) -> ff.RigidBody:
        return ff.RigidBody(name, mass, frames=frames, motion=ff.Motion(ff.Pose(np.eye(3), np.array([x, 0.0, 0.0]))))

    parts = [body("a", 1e5, 0.0), body("b", 1e5, 2.0), body("c", 0.01, 50.0), body("d", 0.01, 52.0)]
    welds = [ff.Connection("ab", "a.port", "b", "constraint", closed=True)]
    welds.append(ff.Connection("cd", "c.port", "d", "constraint", closed=True))
    session = ff.Mission(parts, connections=welds).session()
    session.write("a.wrench", [0, 0, 5e3, 0, 0, 0])
    session.step(2.0)
    assert np.abs(session.read("ab.error")).max() < 1e-9
    assert session.read("a.w_WB_B") == pytest.approx(session.read("b.w_WB_B"), abs=1e-9)


def test_a_wheel_at_its_speed_limit_holds_it_against_friction() -> None:
    wheels = ReactionWheels("w", "b", [[0, 0, 1]], inertia=0.01, max_torque=0.1, max_speed=100.0, viscous=1e-4)
    session = ff.Mission([ff.RigidBody("b"), wheels], integrator=ff.Dopri54()).session()
    session.write("w.tau", [0.1])
    session.step(30.0)
    assert session.read("w.speed") == pytest.approx([100.0], abs=0.1)
    assert session.world.steps < 2000


def test_a_crossing_inside_a_very_long_step_is_found() -> None:
    body = ff.RigidBody("b", motion=ff.Motion(v_WL=(1.0, 0.0, 0.0)))
    event = ff.Event("there", lambda s: None, "b.p_WB", 0, 30000.0, "rising")
    integrator = ff.Dopri54(max_step=4e4, step=1e4)
    result = ff.Mission([body], events=[event], integrator=integrator, record_rate=1e-4).run(40000.0)
    assert [e.t for e in result.events] == pytest.approx([30000.0], abs=1e-6)


def test_a_rate_that_an_effect_does_not_write_is_zero() -> None:
    def stage(t, p, x, u, view, dx, tau, wrench, y, power):  # pyright: ignore[reportUnusedParameter]
        if t < 0.5:
            dx[0] = 1.0

    effect = ff.Effect("half", stage)
    session = ff.Mission([ff.RigidBody("b")], rows=[ff.Row(effect, "half", (0.0,), (0,), (0.0,))]).session()
    session.step(2.0)
    plant = session.world._plant
    states = plant.memory[H.X][plant.tree.model.nq + plant.tree.model.nv :]
    assert states[0] == pytest.approx(0.5, abs=2e-3)


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


def test_a_sensor_with_its_own_rate_samples_after_the_events_of_the_start() -> None:
    class Reader:
        def __init__(self) -> None:
            self.seen: list[float] = []

        def update(self, t: float, meas: dict[str, np.ndarray]) -> dict[str, float]:
            self.seen.append(float(meas["v"][0]))
            return {}

    push = ff.Event("push", lambda s: s.set_velocity("b", (0, 0, 0), (1.0, 0, 0)), at=0.0)
    task = ff.Task(Reader(), 0.1, {"v": "b.v_WB"}, sensors={"v": ff.Sensor(rate=2.0)})
    result = ff.Mission([ff.RigidBody("b")], tasks=[task], events=[push]).run(0.4)
    assert result.controllers["reader"].seen == pytest.approx([1.0] * 4)


def test_two_tanks_on_one_link_are_refused_and_one_is_full_from_the_start() -> None:
    parts = [ff.RigidBody("b", 100.0, variable=True), Thrusters("jets", "b", [Thruster((1, 0, 0), (-1, 0, 0))])]
    session = ff.Mission([*parts, Tank("A", "b", ["jets"], 20.0)]).session()
    assert session.world.links["b"].mass == 120.0
    both = [Tank("A", "b", ["jets"], 20.0), Tank("B", "b", ["jets"], 30.0)]
    with pytest.raises(InputError, match="both look after the mass of 'b'"):
        ff.Mission([*parts, *both]).session()
