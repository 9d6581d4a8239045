"""The sensor wrapper: rate, delay, quantisation, noise (drawn ahead), bias, dropout."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.sensing import Channel
from freefloat.engine.signals import Signal
from freefloat.errors import InputError
from freefloat.kernels.entry import MEASURE, compiled
from freefloat.kernels.tasks import BLOCK

SPEED = 2.0  # [m/s]


@pytest.fixture
def measured(law: Any) -> Any:
    """Times and measured x of a body that moves with x = SPEED t, seen by a task."""

    def run(sensor: ff.Sensor, period: float = 0.004, duration: float = 0.1, seed: int = 0, **task: Any) -> Any:
        body = ff.RigidBody("bus", motion=ff.Motion(v_WL=(SPEED, 0.0, 0.0)))
        wired = ff.Task(law(lambda t, meas: {}), period, {"p": "bus.p_WB"}, sensors={"p": sensor}, name="look", **task)
        seen = ff.Mission([body], [wired]).run(duration, seed=seed).controllers["look"].seen
        return np.array([t for t, _ in seen]), np.array([meas["p"][0] for _, meas in seen])

    return run


def samples(sensor: ff.Sensor, truth: list[float], n: int = 1) -> np.ndarray:
    """Readings of a constant, one per nanosecond."""
    value = np.array(truth)
    out = np.zeros(len(truth))
    channel = Channel(sensor, value, out, lambda what: np.random.default_rng(1))
    found = []
    for _ in range(n):
        channel.prepare()
        compiled()(channel.cells.address, MEASURE, 0, 0, out)
        found.append(out.copy())
    return np.array(found)


def test_an_ideal_sensor_gives_the_truth_at_every_update(measured: Any) -> None:
    t, x = measured(ff.Sensor())
    assert len(t) == 25
    assert np.allclose(x, SPEED * t, atol=1e-14)


@pytest.mark.parametrize("delay", [0.001, 0.0025, 0.0025137, 0.004, 0.0123456789, 0.031])
@pytest.mark.parametrize("offset", [0.0, 0.0017])
def test_a_delayed_sample_is_the_truth_at_the_delayed_instant(measured: Any, delay: float, offset: float) -> None:
    t, x = measured(ff.Sensor(delay=delay), offset=offset)
    old = t >= delay
    assert old.any()
    assert np.allclose(x[old], SPEED * (t[old] - delay), atol=1e-13)
    assert np.allclose(x[~old], 0.0, atol=1e-14), "before the first sample arrives it is the start's"


def test_a_slower_sensor_holds_its_newest_sample(measured: Any) -> None:
    t, x = measured(ff.Sensor(rate=100.0), period=0.004)
    ns = np.round(t * 1e9).astype(int)
    assert np.allclose(x, SPEED * 1e-9 * (ns // 10_000_000 * 10_000_000), atol=1e-14)


def test_a_faster_sensor_gives_the_newest_sample_that_has_arrived(measured: Any) -> None:
    t, x = measured(ff.Sensor(rate=1000.0, delay=0.0005), period=0.004)
    assert np.allclose(x[1:], SPEED * (t[1:] - 0.001), atol=1e-13)


def test_quantised_readings_are_whole_quanta_nearest_to_the_truth(measured: Any) -> None:
    t, x = measured(ff.Sensor(quantum=0.03))
    assert np.allclose(x / 0.03, np.round(x / 0.03), atol=1e-12)
    assert np.max(np.abs(x - SPEED * t)) <= 0.015 + 1e-12


def test_bias_is_added_entry_by_entry() -> None:
    assert np.array_equal(samples(ff.Sensor(bias=[1.0, 0.0, -2.0]), [1.0, 2.0, 3.0])[0], [2.0, 2.0, 1.0])


def test_a_quantum_of_zero_leaves_that_entry_continuous() -> None:
    assert np.array_equal(samples(ff.Sensor(quantum=[0.5, 0.0]), [0.6, 0.6])[0], [0.5, 0.6])


def test_noise_has_the_stated_standard_deviation_and_is_white() -> None:
    n = 20_000
    found = samples(ff.Sensor(noise=[0.1, 2.0]), [0.0, 0.0], n)
    assert np.allclose(found.std(axis=0), [0.1, 2.0], rtol=4.0 / np.sqrt(2 * n))
    assert np.all(np.abs(found.mean(axis=0)) < 4.0 * np.array([0.1, 2.0]) / np.sqrt(n))
    correlation = np.mean(found[1:] * found[:-1], axis=0) / found.var(axis=0)
    assert np.all(np.abs(correlation) < 4.0 / np.sqrt(n))


def test_a_lost_sample_repeats_the_one_before(measured: Any) -> None:
    t, x = measured(ff.Sensor(dropout=0.4), duration=2.0)
    lost = np.abs(x - SPEED * t) > 1e-12
    assert not lost[0]
    assert np.array_equal(x[lost], x[np.flatnonzero(lost) - 1])
    assert np.mean(lost) == pytest.approx(0.4, abs=4.0 * np.sqrt(0.24 / len(t)))


def test_a_lost_sample_of_a_delayed_sensor_never_goes_back_in_time(measured: Any) -> None:
    t, x = measured(ff.Sensor(dropout=0.5, delay=0.02), duration=2.0)
    assert np.all(np.diff(x) >= 0.0)
    late = t > 0.02
    held = (np.round((t[late] - x[late] / SPEED - 0.02) / 0.004)).astype(int)
    assert held.max() > 0
    assert np.allclose(x[late], SPEED * (t[late] - 0.02 - 0.004 * held), atol=1e-12)


@pytest.mark.parametrize("sensor", [ff.Sensor(rate=50.0), ff.Sensor(delay=0.01), ff.Sensor(dropout=0.5)])
def test_a_controller_that_changes_its_measurement_spoils_no_later_one(law: Any, sensor: ff.Sensor) -> None:
    def spoil(t: float, meas: Any) -> Any:
        meas["p"] += 100.0
        return {}

    task = ff.Task(law(spoil), 0.004, {"p": "bus.p_WB"}, sensors={"p": sensor}, name="look")
    seen = ff.Mission([ff.RigidBody("bus")], [task]).run(0.2).controllers["look"].seen
    assert max(abs(meas["p"]).max() for _, meas in seen) == 0.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rate": 0.0}, "sensor: rate 0.0 Hz"),
        ({"rate": -1.0}, "sensor: rate"),
        ({"rate": np.inf}, "sensor: rate"),
        ({"rate": 1e12}, "sensor: rate"),
        ({"rate": np.nan}, "sensor: rate"),
        ({"delay": -1e-3}, "sensor: delay"),
        ({"delay": np.inf}, "sensor: delay"),
        ({"dropout": 1.0}, "sensor: dropout"),
        ({"dropout": -0.1}, "sensor: dropout"),
        ({"noise": -1.0}, "sensor: noise"),
        ({"noise": np.nan}, "sensor: noise"),
        ({"noise": [1.0, -1.0]}, "sensor: noise"),
        ({"quantum": -1.0}, "sensor: quantum"),
        ({"bias": np.inf}, "sensor: bias"),
    ],
)
def test_impossible_sensors_are_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ff.Sensor(**given)


@pytest.mark.parametrize("given", [{"noise": [1.0, 1.0]}, {"bias": np.ones(4)}, {"quantum": np.ones((3, 1))}])
def test_a_sensor_whose_numbers_do_not_fit_its_signal_is_refused_before_the_run(law: Any, given: Any) -> None:
    task = ff.Task(law(lambda t, m: {}), 0.01, {"p": "bus.p_WB"}, sensors={"p": ff.Sensor(**given)}, name="look")
    with pytest.raises(InputError, match=r"task 'look', 'p': sensor .* allowed: one number or shape \(3,\)"):
        ff.Mission([ff.RigidBody("bus")], [task]).session()


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
