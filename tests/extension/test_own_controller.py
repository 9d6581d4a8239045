"""A compiled controller in one file, with public names only: it flies as its Python twin does, to the last bit."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError, SimulationError

Array = np.ndarray


class Memory(NamedTuple):
    """What the keeper needs and remembers."""

    gains: Array  # [kp, kd, ki]
    target: Array  # [m]
    integral: Array  # [m s]
    updates: Array
    begun: Array


class Output(NamedTuple):
    """What the keeper gives."""

    wrench: Array
    error: Array


class Keeper:
    """PID that keeps a body at a place."""

    def __init__(self, target: float = 0.5) -> None:
        gains, place = np.array([40.0, 300.0, 2.0]), np.array([target, 0.0, 0.0])
        self.state = Memory(gains, place, np.zeros(3), np.zeros(1, np.int64), np.zeros(1, np.bool_))
        self.out = Output(np.zeros(6), np.zeros(3))

    @staticmethod
    def tick(t: float, meas: Any, state: Any, out: Any) -> None:
        for i in range(3):
            out.error[i] = state.target[i] - meas.p[i]
            if state.begun[0]:
                state.integral[i] += 0.01 * out.error[i]
            kp, kd, ki = state.gains
            out.wrench[3 + i] = kp * out.error[i] - kd * meas.v[i] + ki * state.integral[i]
        state.updates[0] += 1
        state.begun[0] = True


class Twin:
    """The same law in Python."""

    def __init__(self) -> None:
        self.target, self.integral, self.begun = np.array([0.5, 0.0, 0.0]), np.zeros(3), False

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        error = self.target - meas["p"]
        if self.begun:
            self.integral = self.integral + 0.01 * error
        self.begun = True
        force = 40.0 * error - 300.0 * meas["v"] + 2.0 * self.integral
        return {"wrench": np.concatenate([np.zeros(3), force]), "error": error}


class Copy(NamedTuple):
    """One array."""

    wrench: Array


class Copier:
    """Gives half of the command that another body has."""

    def __init__(self) -> None:
        self.state, self.out = (), Copy(np.zeros(6))
        self.state = Copy(np.array([0.5]))

    @staticmethod
    def tick(t: float, meas: Any, state: Any, out: Any) -> None:
        for i in range(6):
            out.wrench[i] = state.wrench[0] * meas.other[i]


class Seen:
    """Python between the compiled ones."""

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        return {"sum": meas["one"] + meas["two"]}


SENSORS = {
    "plain": {},
    "late": {"p": ff.Sensor(delay=0.0123, noise=1e-3, bias=0.01), "v": ff.Sensor(rate=70.0, quantum=1e-3)},
    "lossy": {"p": ff.Sensor(noise=[1e-3, 0.0, 2e-3], dropout=0.3), "v": ff.Sensor(delay=0.004, dropout=0.2)},
}


def mission(
    compiled: Sequence[bool],
    sensors: str = "late",
    order: Sequence[int] = (0, 1, 2),
    worlds: int = 1,
    latency: float = 0.0,
    twin: bool = False,
    events: Sequence[ff.Event] = (),
) -> ff.Mission:
    """Two bodies: one keeps its place, the other gets half of the first one's command."""
    tasks = [
        ff.Task(
            Twin() if twin else Keeper(),
            0.01,
            {"p": "one.p_WB", "v": "one.v_WB"},
            {"wrench": "one.wrench"},
            SENSORS[sensors],
            {"error": ff.Signal("keep.error", "m", (3,), meaning="wanted minus measured")},
            name="keep",
            latency=latency,
            compiled=compiled[0],
            record_every=3,
        ),
        ff.Task(Copier(), 0.004, {"other": "one.wrench"}, {"wrench": "two.wrench"}, name="copy", compiled=compiled[1]),
        ff.Task(
            Seen(),
            0.02,
            {"one": "one.wrench", "two": "two.wrench"},
            records={"sum": ff.Signal("seen.sum", "N", (6,), meaning="of both commands")},
            name="seen",
        ),
    ]
    parts = [ff.RigidBody("one", motion=ff.Motion(v_WL=(0.1, 0.02, 0.0), w_WL_L=(0.1, 0.0, 0.3))), ff.RigidBody("two")]
    tasks = [tasks[i] for i in order]
    if worlds == 1:
        return ff.Mission(parts, tasks, events=events)
    setups = [ff.WorldSetup("a", parts[:1]), ff.WorldSetup("b", parts[1:], integrator=ff.RK4(7e-4))]
    return ff.Mission(tasks=tasks, worlds=setups, events=events)


def rows(result: ff.Result) -> dict[str, bytes]:
    """Everything that was recorded."""
    return {name: result[name].tobytes() for name in result.signals}


def assert_same(found: ff.Result, wanted: ff.Result) -> None:
    a, b = rows(found), rows(wanted)
    assert a.keys() == b.keys()
    assert [name for name in a if a[name] != b[name]] == []


@pytest.mark.parametrize("sensors", SENSORS)
@pytest.mark.parametrize("latency", [0.0, 0.0137])
def test_a_compiled_controller_flies_as_its_twin_in_python(sensors: str, latency: float) -> None:
    ours = mission((True, True), sensors, latency=latency).run(1.0, seed=3)
    twin = mission((True, True), sensors, latency=latency, twin=True).run(1.0, seed=3)
    assert_same(ours, twin)
    assert np.abs(ours["one.v_WB"] - ours["one.v_WB"][0]).max() > 1e-4, "it has done something"
    assert ours.controllers["keep"].state.updates[0] == 100
    assert len(ours["keep.error"]) == 34


@pytest.mark.parametrize("worlds", [1, 2])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_compiled_and_python_tasks_in_any_order_give_the_same_bytes(order: Sequence[int], worlds: int) -> None:
    runs = [
        mission(compiled, "lossy", order, worlds, latency=0.004).run(0.3, seed=5)
        for compiled in ((True, True), (True, False), (False, True), (False, False))
    ]
    for other in runs[1:]:
        assert_same(other, runs[0])


def test_the_order_of_tasks_at_one_instant_is_the_declared_one() -> None:
    first, second = (mission((True, True), "plain", order).run(0.3) for order in ((0, 1, 2), (1, 0, 2)))
    command = 40.0 * 0.5 - 300.0 * 0.1
    assert first["seen.sum"][0, 3] == pytest.approx(1.5 * command)
    assert second["seen.sum"][0, 3] == pytest.approx(command), "who reads before it is written sees zero"


@pytest.mark.parametrize("worlds", [1, 2])
@pytest.mark.parametrize("compiled", [(True, True), (True, False)])
@pytest.mark.parametrize("stop", [0.0, 0.007, 0.084, 0.154])  # whole steps of both worlds
def test_snapshot_restore_and_fork_go_on_with_the_same_bytes(worlds: int, compiled: Any, stop: float) -> None:
    made = mission(compiled, "lossy", worlds=worlds, latency=0.0137)
    straight = made.run(0.4, seed=2)
    session = made.session(2)
    session.step(stop)
    saved = session.snapshot()
    session.step(0.1)
    session.restore(saved)
    forked = made.session(77)
    forked.restore(pickle.loads(pickle.dumps(saved)))
    forked.step(0.049)  # the copy's arrays are its own
    assert_same(made.complete(session, 0.4), straight)
    assert_same(made.complete(forked, 0.4), straight)


@pytest.mark.parametrize("worlds", [1, 2])
def test_events_find_compiled_tasks_as_they_find_python_ones(worlds: int) -> None:
    def push(session: ff.Session) -> str:
        session.set_velocity("one", (0.0, 0.0, 0.0), (0.0, 0.3, 0.0))
        return "pushed"

    runs = []
    for compiled in (True, False):
        seen = ff.Event("seen", push, signal="one.p_WB", component=0, level=0.02, direction="rising", times=1)
        timed = ff.Event("timed", push, at=0.2)
        runs.append(mission((compiled, compiled), "late", worlds=worlds, events=(seen, timed)).run(0.5, seed=1))
    assert [e.name for e in runs[0].events] == ["timed", "seen"]
    assert runs[0].events == runs[1].events
    assert_same(*runs)


def test_a_long_delay_and_a_long_latency_keep_all_that_is_under_way() -> None:
    slow = {"p": ff.Sensor(delay=0.35, noise=1e-3), "v": ff.Sensor(rate=1000.0, delay=0.1)}
    SENSORS["slow"] = slow
    ours, twin = (mission((True, True), "slow", latency=0.5, twin=t).run(1.5, seed=3) for t in (False, True))
    assert_same(ours, twin)


# what is refused


def odd(live: bool = False, **changes: Any) -> ff.Mission:
    keeper = type("Odd", (Keeper,), {k: v for k, v in changes.items() if k == "tick"})()
    for name, value in changes.items():
        if name != "tick":
            setattr(keeper, name, value)
    reads = {"p": "one.p_WB", "v": "one.v_WB"}
    task = ff.Task(keeper, 0.01, reads, {"wrench": "one.wrench"}, name="keep", live=live)
    return ff.Mission([ff.RigidBody("one")], [task])


def _late_nan(t: float, meas: Any, state: Any, out: Any) -> None:
    out.wrench[1] = np.inf if t > 0.045 else 0.0


def _raises(t: float, meas: Any, state: Any, out: Any) -> None:
    if t > 0.045:
        raise ValueError("the place is lost")


def _replaces(t: float, meas: Any, state: Any, out: Any) -> None:
    out.wrench = meas.p


def _retypes(t: float, meas: Any, state: Any, out: Any) -> None:
    out.wrench[:] = np.array([1j] * 6)


def _misreads(t: float, meas: Any, state: Any, out: Any) -> None:
    out.wrench[0] = meas.speed[0]


def test_what_is_not_finite_is_told_with_task_command_and_time() -> None:
    with pytest.raises(SimulationError, match=r"task 'keep' at t = 0.050000 s: command 'one.wrench': value .*inf"):
        odd(tick=staticmethod(_late_nan)).run(0.2)


def test_an_exception_in_a_tick_ends_the_run_with_its_text() -> None:
    with pytest.raises(SimulationError, match=r"task 'keep' at t = 0.050000 s: ValueError: the place is lost"):
        odd(tick=staticmethod(_raises)).run(0.2)


@pytest.mark.parametrize("tick", [_replaces, _retypes, _misreads])
def test_a_tick_that_replaces_an_array_or_its_type_is_refused_before_the_run(tick: Any) -> None:
    with pytest.raises(InputError, match=r"task 'keep': its tick\(t, meas, state, out\) does not compile: "):
        odd(tick=staticmethod(tick)).session()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"state": (np.zeros(3),)}, r"its state is tuple; allowed: a NamedTuple of arrays"),
        ({"state": Copy([1.0])}, r"its state.wrench is list; allowed: arrays"),  # type: ignore[arg-type]
        ({"state": Copy(np.zeros(3, np.float32))}, r"its state.wrench is an array of float32 .* allowed: float64"),
        ({"state": Copy(np.zeros((4, 4))[:, ::2]), "live": True}, r"not C-contiguous"),
        ({"state": Copy(np.frombuffer(bytes(24))), "live": True}, r"read-only"),
        ({"out": Copy(np.zeros(5))}, r"its output 'wrench' has 5 of float64, command 'one.wrench' needs 6"),
        ({"out": Copy(np.zeros(6, np.int64))}, r"has 6 of int64"),
        ({"out": Memory(*[np.zeros(3)] * 5)}, r"command 'one.wrench' 'wrench' is no output of its tick"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_by_name(changes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        odd(tick=staticmethod(lambda t, meas, state, out: None), **changes).session()


def test_an_array_of_another_type_in_a_restored_controller_is_refused() -> None:
    made = odd()
    session = made.session()
    saved = session.snapshot()
    saved.tasks[0][0].state = saved.tasks[0][0].state._replace(updates=np.zeros(1))
    with pytest.raises(InputError, match=r"task 'keep': .* a type must not change"):
        session.restore(saved)


def test_a_model_of_a_sensor_brings_the_loop_back_to_python() -> None:
    class Scale:
        def measure(self, t: float, truth: Array, rng: np.random.Generator) -> Array:
            return 1.01 * truth + 1e-3 * rng.standard_normal(3)

    runs = []
    for controller in (Keeper(), Twin()):
        task = ff.Task(
            controller,
            0.01,
            {"p": "one.p_WB", "v": "one.v_WB"},
            {"wrench": "one.wrench"},
            {"p": ff.Sensor(model=Scale(), quantum=1e-4), "v": ff.Sensor(model=Scale(), delay=0.003)},
            name="keep",
        )
        runs.append(ff.Mission([ff.RigidBody("one")], [task]).run(0.5, seed=9))
    assert_same(*runs)


def test_mail_reaches_a_tick() -> None:
    class Follow(Keeper):
        @staticmethod
        def tick(t: float, meas: Any, state: Any, out: Any) -> None:
            out.wrench[3] = meas.wanted[0] - meas.p[0]

    box = ff.Mailbox([2.0])
    task = ff.Task(Follow(), 0.01, {"p": "one.p_WB"}, {"wrench": "one.wrench"}, name="keep", mail={"wanted": box})
    session = ff.Mission([ff.RigidBody("one")], [task]).session()
    session.step(0.005)
    box.put([3.0])
    session.step(0.01)
    assert session.read("one.wrench")[3] == pytest.approx(3.0, abs=1e-3)
    assert [value[0] for _, value in session.mail()["keep"]["wanted"]] == [2.0, 3.0]
