"""Writers hold several commands at once as `World.write` holds each; records of a task; noise drawn ahead."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.ports import Writer
from freefloat.engine.sensing import DRAWN_AHEAD, Channel
from freefloat.engine.signals import Signal
from freefloat.errors import InputError, SimulationError
from freefloat.verify.models import random_tree


@pytest.fixture
def session(robot_part: Any) -> ff.Session:
    parts = [robot_part(name, random_tree(np.random.default_rng(1), 4)) for name in ("a", "b")]
    return ff.Mission(parts).session()


@pytest.fixture
def writer(session: ff.Session) -> Writer:
    return Writer(session._directory, {"left": "a.tau", "right": "b.tau"})


@pytest.mark.parametrize(
    "value",
    [np.array([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0], (1, 2, 3), np.array([1, 2, 3]), np.array([[1.0], [2.0], [3.0]])],
)
def test_a_writer_holds_what_world_write_holds(session: ff.Session, writer: Writer, value: Any) -> None:
    writer.write({"left": value, "right": np.zeros(3), "more": 7})
    held = session.world._plant.u
    found = held.copy()
    session.world.write("a.tau", value)
    session.world.write("b.tau", np.zeros(3))
    assert held.tobytes() == found.tobytes()
    assert session.read("a.tau").tolist() == [1.0, 2.0, 3.0]


def test_a_writer_keeps_no_hold_of_what_it_was_given(session: ff.Session, writer: Writer) -> None:
    value = np.array([1.0, 2.0, 3.0])
    writer.write({"left": value, "right": value})
    value[:] = 9.0
    assert session.read("a.tau").tolist() == [1.0, 2.0, 3.0]


def test_the_next_evaluation_sees_what_was_written(session: ff.Session, writer: Writer) -> None:
    other = session.read("a.qd")
    session.world._plant.refresh()
    writer.write({"left": np.array([5.0, 0.0, 0.0]), "right": np.zeros(3)})
    session.step(0.001)
    assert not np.array_equal(session.read("a.qd"), other)


@pytest.mark.parametrize("wrong", [np.zeros(2), np.zeros(4), np.array(1.0), 3.0, []])
def test_too_few_or_many_numbers_are_refused_by_the_commands_name(writer: Writer, wrong: Any) -> None:
    with pytest.raises(InputError, match=r"command 'b.tau': \d numbers given, 3 needed"):
        writer.write({"left": np.zeros(3), "right": wrong})


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused_by_the_commands_name(writer: Writer, bad: float) -> None:
    with pytest.raises(SimulationError, match=r"command 'b.tau': value .* is not finite"):
        writer.write({"left": np.zeros(3), "right": np.array([0.0, bad, 0.0])})


def test_huge_finite_numbers_are_accepted(session: ff.Session, writer: Writer) -> None:
    writer.write({"left": np.full(3, 1e200), "right": np.zeros(3)})
    assert session.read("a.tau").tolist() == [1e200] * 3


def test_a_writer_of_an_unknown_command_cannot_be_made(session: ff.Session) -> None:
    with pytest.raises(InputError, match=r"unknown command 'a\.torque'"):
        Writer(session._directory, {"left": "a.torque"})


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


# noise drawn ahead


N = 2 * DRAWN_AHEAD + 37


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 2)])
@pytest.mark.parametrize("extra", [{}, {"bias": 0.5}, {"quantum": 0.01}], ids=["plain", "biased", "quantised"])
def test_noise_drawn_ahead_is_the_same_stream_as_drawn_one_by_one(shape: tuple[int, ...], extra: Any) -> None:
    sensor = ff.Sensor(noise=0.3, **extra)
    channel, rng = Channel(sensor, "p", np.random.default_rng(5)), np.random.default_rng(5)
    for n in range(N):
        truth = np.full(shape, 0.1 * n)
        value = truth + extra.get("bias", 0.0) + 0.3 * rng.standard_normal(shape)
        if "quantum" in extra:
            value = np.rint(value / 0.01) * 0.01
        assert np.asarray(channel.measure(0.0, truth)).tobytes() == np.asarray(value).tobytes(), n


def test_a_reading_is_always_a_new_array() -> None:
    channel = Channel(ff.Sensor(noise=0.1), "p", np.random.default_rng(5))
    first = channel.measure(0.0, np.zeros(3))
    kept = first.copy()
    first += 1.0
    channel.set_state(copy.deepcopy(channel.state()))
    again = Channel(ff.Sensor(noise=0.1), "p", np.random.default_rng(5)).measure(0.0, np.zeros(3))
    assert np.array_equal(again, kept)


@pytest.mark.parametrize("stop", [0, 1, DRAWN_AHEAD - 1, DRAWN_AHEAD, DRAWN_AHEAD + 3])
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_a_channel_restored_in_the_middle_of_its_draws_goes_on_with_the_same_noise(stop: int, dropout: float) -> None:
    sensor = ff.Sensor(noise=0.3, dropout=dropout)
    channel = Channel(sensor, "p", np.random.default_rng(5))
    truth = np.zeros(2)
    for _ in range(stop):
        channel.measure(0.0, truth)
    saved = copy.deepcopy(channel.state())
    rest = [channel.measure(0.0, truth).tobytes() for _ in range(N)]
    other = Channel(sensor, "p", np.random.default_rng(99))
    other.set_state(saved)
    assert [other.measure(0.0, truth).tobytes() for _ in range(N)] == rest


def test_a_run_restored_in_the_middle_of_the_draws_sees_the_same_noise(law: Any) -> None:
    task = ff.Task(
        law(lambda t, meas: {"seen": meas["p"]}),
        0.001,
        {"p": "bus.p_WB"},
        sensors={"p": ff.Sensor(noise=0.1)},
        records={"seen": Signal("seen", "m", (3,), meaning="measured place")},
        name="look",
    )
    mission = ff.Mission([ff.RigidBody("bus")], [task])
    whole = mission.run(0.7, seed=4)["seen"]
    session = mission.session(4)
    session.step(0.1)
    saved = session.snapshot()
    session.step(0.4)
    session.restore(saved)
    assert mission.complete(session, 0.7)["seen"].tobytes() == whole.tobytes()
