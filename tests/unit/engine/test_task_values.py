"""What a task returns is held and recorded as `World.write` holds it; noise is drawn ahead."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.sensing import Channel
from freefloat.engine.signals import Signal
from freefloat.errors import SimulationError
from freefloat.kernels.entry import MEASURE, compiled
from freefloat.kernels.tasks import BLOCK
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


# noise drawn ahead


N = 2 * BLOCK + 37


class Probe:
    """A channel whose truth can be set."""

    def __init__(self, sensor: ff.Sensor, shape: tuple[int, ...], seed: int) -> None:
        self.truth = np.zeros(shape)
        self.out = np.zeros(self.truth.size)
        self.channel = Channel(sensor, self.truth, self.out, lambda what: np.random.default_rng([seed, len(what)]))

    def measure(self, value: Any = 0.0) -> bytes:
        self.truth[...] = value
        self.channel.prepare()
        compiled()(self.channel.cells.address, MEASURE, 0, 0, self.out)
        return self.out.tobytes()


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 2)])
@pytest.mark.parametrize("extra", [{}, {"bias": 0.5}, {"quantum": 0.01}], ids=["plain", "biased", "quantised"])
def test_noise_drawn_ahead_is_the_same_stream_as_drawn_one_by_one(shape: tuple[int, ...], extra: Any) -> None:
    probe, rng = Probe(ff.Sensor(noise=0.3, **extra), shape, 5), np.random.default_rng([5, 0])
    for n in range(N):
        truth = np.full(shape, 0.1 * n)
        value = truth + extra.get("bias", 0.0) + 0.3 * rng.standard_normal(shape)
        if "quantum" in extra:
            value = np.rint(value / 0.01) * 0.01
        assert probe.measure(truth) == np.asarray(value).tobytes(), n


def test_losses_have_a_stream_of_their_own_and_draw_no_noise() -> None:
    lossy, whole = Probe(ff.Sensor(noise=0.3, dropout=0.3), (2,), 5), Probe(ff.Sensor(noise=0.3), (2,), 5)
    seen = [lossy.measure() for _ in range(N)]
    fresh = [seen[0]] + [b for a, b in itertools.pairwise(seen) if a != b]
    assert 0.6 * N < len(fresh) < 0.8 * N
    assert fresh == [whole.measure() for _ in fresh]


@pytest.mark.parametrize("stop", [0, 1, BLOCK - 1, BLOCK, BLOCK + 3])
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_a_channel_restored_in_the_middle_of_its_draws_goes_on_with_the_same_noise(stop: int, dropout: float) -> None:
    sensor = ff.Sensor(noise=0.3, dropout=dropout)
    probe, other = Probe(sensor, (2,), 5), Probe(sensor, (2,), 99)
    for _ in range(stop):
        probe.measure()
    saved = copy.deepcopy(probe.channel.state())
    rest = [probe.measure() for _ in range(N)]
    other.channel.set_state(saved)
    assert [other.measure() for _ in range(N)] == rest


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
