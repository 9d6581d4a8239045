"""A task while it runs: what it returns is held and recorded; interrupts, snapshots in the middle, sizes, limits."""

from __future__ import annotations

import copy
import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.signals import Signal
from freefloat.errors import InputError, SimulationError
from freefloat.verify.models import random_tree


@pytest.fixture
def written(robot_part: Any, law: Any) -> Any:
    """A session whose task has written `left` and `right` at t = 0."""

    def run(left: Any, right: Any) -> ff.Session:
        parts = [robot_part(name, random_tree(np.random.default_rng(1), 4)) for name in ("a", "b")]
        controller = law(lambda t, meas: {"left": left, "right": right, "more": 7})
        task = ff.Task(controller, 0.01, writes={"left": "a.tau", "right": "b.tau"}, name="push")
        session = ff.Mission(parts, [task]).session()
        session.step(0.001)
        return session

    return run


@pytest.mark.parametrize(
    "value",
    [np.array([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0], (1, 2, 3), np.array([1, 2, 3]), np.array([[1.0], [2.0], [3.0]])],
)
def test_a_task_holds_what_it_returns_in_whatever_form(written: Any, value: Any) -> None:
    session = written(value, np.zeros(3))
    assert session.read("a.tau").tolist() == [1.0, 2.0, 3.0]
    assert session.read("b.tau").tolist() == [0.0, 0.0, 0.0]
    assert np.abs(session.read("a.qd")).max() > 0.0, "the plant has felt it"


def test_no_hold_is_kept_of_what_a_controller_returned(written: Any) -> None:
    value = np.array([1.0, 2.0, 3.0])
    session = written(value, value)
    value[:] = 9.0
    assert session.read("a.tau").tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("wrong", [np.zeros(2), np.zeros(4), np.array(1.0), 3.0, []])
def test_too_few_or_many_numbers_are_refused_by_the_commands_name(written: Any, wrong: Any) -> None:
    with pytest.raises(SimulationError, match=r"task 'push' at .*: command 'b.tau': \d numbers given, 3 needed"):
        written(np.zeros(3), wrong)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [list, np.array])
def test_a_number_that_is_not_finite_is_refused_by_the_commands_name(written: Any, bad: float, form: Any) -> None:
    with pytest.raises(SimulationError, match=r"task 'push' at t = 0.0* s: command 'b.tau': value .* is not finite"):
        written(np.zeros(3), form([0.0, bad, 0.0]))


def test_a_run_may_go_on_after_an_update_that_failed(robot_part: Any, law: Any) -> None:
    part = robot_part("a", random_tree(np.random.default_rng(1), 4))
    controller = law(lambda t, meas: {"tau": np.full(3, np.nan if 0.005 < t < 0.015 else 1.0 + t)})
    session = ff.Mission([part], [ff.Task(controller, 0.01, writes={"tau": "a.tau"}, name="push")]).session()
    with pytest.raises(SimulationError, match="not finite"):
        session.step(0.05)
    assert session.time == pytest.approx(0.01)
    assert session.read("a.tau").tolist() == [1.0] * 3
    session.step(0.012)
    assert session.read("a.tau").tolist() == [1.02] * 3


# records of a task


def told(law: Any, value: Any, shape: tuple[int, ...] = (2,)) -> ff.Result:
    say = Signal("said", "m", shape, meaning="what the task says")
    task = ff.Task(law(lambda t, _: {"said": value(t)}), 0.01, records={"said": say}, name="talk")
    return ff.Mission([ff.RigidBody("bus")], [task]).run(0.05)


def test_a_task_records_arrays_lists_and_matrices_of_the_declared_size(law: Any) -> None:
    for make in (lambda t: np.array([t, 2.0]), lambda t: [t, 2.0], lambda t: np.array([[t], [2.0]]), lambda t: (t, 2)):
        found = told(law, make)
        assert found["said"][:, 0] == pytest.approx(found.time("said"))
        assert found["said"][:, 1].tolist() == [2.0] * len(found["said"])
    matrix = told(law, lambda t: np.array([[t, 1.0], [2.0, 3.0]]), (2, 2))
    assert matrix["said"].shape[1:] == (2, 2)
    assert matrix["said"][-1][1].tolist() == [2.0, 3.0]


def test_a_task_records_a_plain_number_where_one_is_declared(law: Any) -> None:
    assert told(law, lambda t: 3.5, (1,))["said"][-1] == 3.5


@pytest.mark.parametrize("wrong", [[1.0], [1.0, 2.0, 3.0], 1.0, np.zeros((2, 2))])
def test_a_record_of_another_size_is_refused_with_its_name(law: Any, wrong: Any) -> None:
    with pytest.raises(
        SimulationError, match=r"task 'talk' at t = 0.000000 s: 'said' has \d numbers to record, 2 declared"
    ):
        told(law, lambda t: wrong)


def test_a_record_keeps_no_hold_of_the_controllers_array(law: Any) -> None:
    mine = np.zeros(2)

    def value(t: float) -> np.ndarray:
        mine[:] = t
        return mine

    assert told(law, value)["said"][:, 0] == pytest.approx(
        [0.0, 0.01, 0.02, 0.03, 0.04, 0.05][: len(told(law, value)["said"])]
    )


class One(NamedTuple):
    """One array."""

    wrench: np.ndarray


class Push:
    """Onboard code that pushes with its count."""

    def __init__(self, size: int = 6) -> None:
        self.state, self.out = One(np.zeros(1)), One(np.zeros(size))

    @staticmethod
    def tick(t: float, meas: Any, state: Any, out: Any) -> None:
        state.wrench[0] += 1.0
        out.wrench[3] = state.wrench[0]


class Count:
    """The same in Python; `act` is called in between."""

    def __init__(self, act: Any = None) -> None:
        self.n, self.act = 0.0, act

    def update(self, t: float, meas: Any) -> Any:
        self.n += 1.0
        if self.act is not None:
            self.act(self.n)
        return {"wrench": [0.0, 0.0, 0.0, self.n, 0.0, 0.0], "n": [self.n]}


N = ff.Signal("count.n", "-", (1,), meaning="updates")


def counting(controller: Any, **task: Any) -> ff.Mission:
    wired = ff.Task(controller, 0.01, writes={"wrench": "bus.wrench"}, records={"n": N}, name="count", **task)
    return ff.Mission([ff.RigidBody("bus")], [wired])


def test_a_status_that_ctrl_c_swallowed_comes_again() -> None:
    """Python raises KeyboardInterrupt when compiled code returns, before anybody has seen what it returned."""
    hits = []
    event = ff.Event("e", lambda session: hits.append(session.time), at=0.023)
    crossing = ff.Event("x", lambda session: hits.append(session.time), signal="bus.p_WB", level=0.0031)
    body = ff.RigidBody("bus", motion=ff.Motion(v_WL=(0.1, 0.0, 0.0)))
    task = ff.Task(Count(), 0.01, writes={"wrench": "bus.wrench"}, records={"n": N}, name="count")
    mission = ff.Mission([body], [task], [event, crossing])
    straight, wanted = mission.run(0.1), list(hits)
    hits.clear()
    session = mission.session()
    call, calls = session._fleet._call, []

    def interrupted(*arguments: Any) -> int:
        status = call(*arguments)
        calls.append(status)
        if len(calls) % 2:
            raise KeyboardInterrupt
        return status

    session._fleet._call = interrupted
    for _ in range(60):
        try:
            session.advance_to(100_000_000)
        except KeyboardInterrupt:
            continue
        break
    assert len(calls) > 10
    found = mission.complete(session, 0.1)
    assert hits == wanted
    assert found["count.n"].tobytes() == straight["count.n"].tobytes()
    assert found["bus.p_WB"].tobytes() == straight["bus.p_WB"].tobytes()


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_nothing_is_used_of_an_update_that_did_not_end(error: Any) -> None:
    def act(n: float) -> None:
        if n == 6.0:
            raise error

    mission = counting(Count(act))
    session = mission.session()
    with pytest.raises((error, SimulationError)):
        session.step(0.1)
    assert session.read("bus.wrench")[3] == 5.0
    assert mission.complete(session, 0.1)["count.n"][:, 0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 8.0, 9.0, 10.0]


def test_a_snapshot_taken_at_any_pause_goes_on_with_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("freefloat.engine.recorder.DRAIN_PERIOD", -1.0)
    monkeypatch.setattr("freefloat.engine.fleet.MOST_STEPS", 7)
    monkeypatch.setattr("freefloat.engine.fleet.STEPS_PER_CALL", 3)
    mission = counting(Count(), latency=0.013)
    straight = mission.run(0.1)
    session, saved = mission.session(), []
    session.on_pause = lambda: saved.append(session.snapshot())
    mission.complete(session, 0.1)
    assert len(saved) > 5
    for snapshot in saved:
        other = mission.session()
        other.restore(snapshot)
        found = mission.complete(other, 0.1)
        for name in ("count.n", "bus.p_WB", "bus.wrench"):
            assert found[name].tobytes() == straight[name].tobytes()


def test_a_controller_gets_scalars_as_scalars() -> None:
    seen = []

    class Look:
        def update(self, t: float, meas: Any) -> Any:
            seen.append((meas["x"].shape, float(meas["x"])))
            return {}

    ff.Mission([ff.RigidBody("bus")], [ff.Task(Look(), 0.01, mail={"x": ff.Replay([(0.0, np.array(0.5))])})]).run(0.02)
    assert seen[0] == ((), 0.5)


def test_two_sensor_models_on_one_signal_both_see_the_truth() -> None:
    class Off:
        def measure(self, t: float, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
            return truth + 1.0

    seen = []

    class Look:
        def update(self, t: float, meas: Any) -> Any:
            seen.append((meas["a"][0], meas["b"][0], meas["c"][0]))
            return {}

    reads = dict.fromkeys(("a", "b", "c"), "bus.p_WB")
    sensors = {"a": ff.Sensor(model=Off()), "b": ff.Sensor(model=Off())}
    session = ff.Mission([ff.RigidBody("bus")], [ff.Task(Look(), 0.01, reads, sensors=sensors)]).session()
    session.step(0.001)
    assert session.tasks[0].controller is not None
    assert seen == [(1.0, 1.0, 0.0)]


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_models_noise_comes_one_by_one_from_the_same_stream_and_lost_samples_ask_no_model(noise: float) -> None:
    calls = []

    class Noisy:
        def measure(self, t: float, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
            calls.append(t)
            return truth + rng.standard_normal(3)

    seen = []

    class Look:
        def update(self, t: float, meas: Any) -> Any:
            seen.append(meas["a"])
            return {}

    sensor = ff.Sensor(model=Noisy(), noise=noise, dropout=0.5)
    task = ff.Task(Look(), 0.01, {"a": "bus.p_WB"}, sensors={"a": sensor}, name="look")
    ff.Mission([ff.RigidBody("bus")], [task]).run(0.4, seed=3)
    fresh = [seen[0]] + [b for a, b in itertools.pairwise(seen) if not np.array_equal(a, b)]
    assert len(fresh) == len(calls) < 35
    from freefloat.engine.randomness import stream

    rng = stream(3, "look.a")
    for value in fresh:
        wanted = rng.standard_normal(3)
        assert np.array_equal(value, wanted + noise * rng.standard_normal(3) if noise else wanted)


def test_latency_without_a_command_stops_the_plant_nowhere() -> None:
    class Nothing:
        def update(self, t: float, meas: Any) -> Any:
            return {}

    steps = [
        ff.Mission([ff.RigidBody("bus")], [ff.Task(Nothing(), 0.01, latency=latency)]).run(0.1).metrics["steps"]
        for latency in (0.0, 0.0137)
    ]
    assert steps[0] == steps[1] == 100


def test_a_refused_restore_leaves_the_session_as_it_was() -> None:
    task = ff.Task(Push(), 0.01, writes={"wrench": "bus.wrench"}, name="push")
    mission = ff.Mission([ff.RigidBody("bus")], [task])
    straight = mission.run(0.2)["bus.p_WB"]
    session = mission.session()
    session.step(0.05)
    saved = copy.deepcopy(session.snapshot())
    session.step(0.05)
    saved.tasks[0][0].state = One(np.zeros(1, np.int64))
    with pytest.raises(InputError, match="a type must not change"):
        session.restore(saved)
    assert session.time == pytest.approx(0.1)
    assert mission.complete(session, 0.2)["bus.p_WB"].tobytes() == straight.tobytes()


def test_a_snapshot_of_a_python_controller_does_not_fit_a_tick_nor_the_other_way() -> None:
    def mission(controller: Any) -> ff.Mission:
        task = ff.Task(controller, 0.01, writes={"wrench": "bus.wrench"}, name="push")
        return ff.Mission([ff.RigidBody("bus")], [task])

    for there, here in ((Push(), Count()), (Count(), Push())):
        with pytest.raises(InputError, match=f"task 'push' runs {type(there).__name__} there and"):
            mission(here).session().restore(mission(there).session().snapshot())


def test_a_record_must_have_the_size_of_the_command_whose_name_it_has() -> None:
    signal = ff.Signal("push.w", "N", (40,), meaning="too long")
    task = ff.Task(Push(), 0.01, writes={"wrench": "bus.wrench"}, records={"wrench": signal}, name="push")
    with pytest.raises(InputError, match="task 'push': record 'wrench' of 40 numbers, a command of 6"):
        ff.Mission([ff.RigidBody("bus")], [task]).session()


@pytest.mark.parametrize("given", [{"period": 1e10}, {"offset": 1e10}, {"latency": 1e10}])
def test_times_longer_than_the_clock_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(InputError, match=r"1e\+10 s|10000000000.0 s; allowed"):
        ff.Task(**({"controller": Push(), "period": 0.01} | given))


def test_a_mission_has_at_most_as_many_worlds_as_a_set_of_them_can_hold() -> None:
    setups = [ff.WorldSetup(f"w{k}", [ff.RigidBody(f"b{k}")]) for k in range(63)]
    with pytest.raises(InputError, match="63 worlds; allowed: at most 62"):
        ff.Mission(worlds=setups).session()


def test_a_tick_that_is_a_method_is_told_what_to_be() -> None:
    class Method(Push):
        def tick(self, t: float, meas: Any, state: Any, out: Any) -> None: ...  # type: ignore[override]

    with pytest.raises(InputError, match="make it a @staticmethod"):
        ff.Mission([ff.RigidBody("bus")], [ff.Task(Method(), 0.01, writes={"wrench": "bus.wrench"})]).session()


def test_a_measurement_of_a_tick_is_no_keyword_of_python() -> None:
    task = ff.Task(Push(), 0.01, {"class": "bus.p_WB"}, {"wrench": "bus.wrench"})
    with pytest.raises(InputError, match="measurement 'class' of a tick"):
        ff.Mission([ff.RigidBody("bus")], [task]).session()


def test_an_attribute_tick_that_is_no_function_is_none_of_our_business() -> None:
    class Clockwork(Count):
        tick = 0

    assert counting(Clockwork()).run(0.05)["count.n"][-1, 0] == 5.0


def test_ticks_alone_give_python_its_turn() -> None:
    """No world has to move for them, and still progress and Ctrl-C are served."""

    class Idle(Push):
        @staticmethod
        def tick(t: float, meas: Any, state: Any, out: Any) -> None:
            state.wrench[0] += 1.0

    setups = [ff.WorldSetup(n, [ff.RigidBody(f"body_{n}")]) for n in ("a", "b")]
    session = ff.Mission(tasks=[ff.Task(Idle(), 1e-5)], worlds=setups).session()
    session._fleet._steps = 100
    call, calls = session._fleet._call, []
    session._fleet._call = lambda *a: calls.append(1) or call(*a)
    session.step(0.02)
    assert len(calls) > 2
    assert session.tasks[0].controller.state.wrench[0] == 2000.0
