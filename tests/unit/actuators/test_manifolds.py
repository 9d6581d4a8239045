"""Thrusters that share manifolds: pressure drop, sag, valve lags, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators import Thruster, Thrusters
from freefloat.actuators.thrusters import Feed
from freefloat.actuators.valves import Valves
from freefloat.errors import InputError

NAN = float("nan")


def jets(n: int = 4, thrust: float = 10.0, **options: Any) -> Thrusters:
    lags = {k: options.pop(k) for k in ("opening", "closing") if k in options}
    some = [Thruster((-1.0, 0.1 * k, 0.0), (1.0, 0.0, 0.0), thrust, 65.0, **lags) for k in range(n)]
    return Thrusters("jets", "ship", some, **options)


def mission(part: Any, *tasks: ff.Task, step: float = 1e-3) -> ff.Mission:
    ship = ff.RigidBody("ship", 50.0, (4.0, 4.0, 5.0), size=(0.5, 0.5, 0.5))
    return ff.Mission([ship, part], list(tasks), integrator=ff.Dopri5(step), record_rate=1000.0)


def test_the_pressure_drops_with_two_open_valves_of_one_bank_and_not_of_two() -> None:
    session = mission(jets(manifolds=(0, 1, 0, 1), feed=Feed(drop=0.11))).session()
    for valves, thrust in [
        ((1, 0, 0, 0), (10.0, 0.0, 0.0, 0.0)),
        ((1, 1, 0, 0), (10.0, 10.0, 0.0, 0.0)),
        ((1, 0, 1, 0), (8.9, 0.0, 8.9, 0.0)),
        ((1, 1, 1, 1), (8.9, 8.9, 8.9, 8.9)),
    ]:
        session.write("jets.open", valves)
        assert session.read("jets.thrust") == pytest.approx(thrust), valves


def test_a_third_open_valve_takes_the_drop_twice() -> None:
    session = mission(jets(manifolds=(0, 0, 0, 1), feed=Feed(drop=0.11))).session()
    session.write("jets.open", [1, 1, 1, 0])
    assert session.read("jets.thrust") == pytest.approx([7.8, 7.8, 7.8, 0.0])


def test_the_sag_grows_with_its_lag_and_the_rested_manifold_recovers() -> None:
    m = mission(jets(1, 10.36, manifolds=(0,), feed=Feed(0.0, 0.434, 0.8)))
    session = m.session()
    session.write("jets.open", [1.0])
    session.step(3.0)
    session.write("jets.open", [0.0])
    session.step(1.6)
    session.write("jets.open", [1.0])
    again = float(session.read("jets.thrust")[0])
    result = m.complete(session, 4.7)
    t, thrust = result.time("jets.thrust"), result["jets.thrust"][:, 0]
    first = t < 3.0 - 1e-9
    assert thrust[first] == pytest.approx(10.36 * (1.0 - 0.434 * (1.0 - np.exp(-t[first] / 0.8))), abs=1e-7)
    assert 10.36 - thrust[first][-1] == pytest.approx(4.5, abs=0.15)
    left = 0.434 * (1.0 - np.exp(-3.0 / 0.8)) * np.exp(-1.6 / 0.8)
    assert again == pytest.approx(10.36 * (1.0 - left), abs=1e-7)


def test_a_short_pulse_hardly_sags() -> None:
    session = mission(jets(1, 10.36, manifolds=(0,), feed=Feed(0.0, 0.434, 0.8))).session()
    session.write("jets.open", [1.0])
    session.step(0.1)
    assert float(session.read("jets.impulse")[0]) == pytest.approx(1.036, rel=0.03)


@pytest.mark.parametrize("lasts", [0.005, 0.02, 0.1])
def test_equal_lags_delay_a_pulse_and_keep_its_impulse(lasts: float) -> None:
    lag = 3.3e-3
    session = mission(jets(1, manifolds=(0,), opening=lag, closing=lag), step=5e-4).session()
    session.write("jets.open", [1.0])
    session.step(lasts)
    opened = float(session.read("jets.impulse")[0])
    assert opened == pytest.approx(10.0 * (lasts - lag * (1.0 - np.exp(-lasts / lag))), rel=1e-6)
    session.write("jets.open", [0.0])
    session.step(0.1)
    assert float(session.read("jets.impulse")[0]) == pytest.approx(10.0 * lasts, rel=1e-6)
    assert float(session.read("jets.on_time")[0]) == pytest.approx(lasts, rel=1e-12)


def test_a_slow_opening_loses_and_a_slow_closing_gains_impulse() -> None:
    for opening, closing in [(0.02, 0.005), (0.005, 0.02)]:
        session = mission(jets(1, manifolds=(0,), opening=opening, closing=closing)).session()
        session.write("jets.open", [1.0])
        session.step(0.4)
        session.write("jets.open", [0.0])
        session.step(0.4)
        assert float(session.read("jets.impulse")[0]) == pytest.approx(10.0 * (0.4 + closing - opening), rel=1e-6)


def test_what_the_body_gets_is_what_the_thrusters_gave(law: Any) -> None:
    m = mission(jets(manifolds=(0, 0, 0, 0), feed=Feed(0.05, 0.2, 0.5), opening=0.01, closing=0.02))
    session = m.session()
    session.write("jets.open", [1, 1, 0, 1])
    result = m.complete(session, 0.5, strict=True)
    v, w = result["ship.v_WB"][-1], result["ship.w_WB_B"][-1]
    impulse = result["jets.impulse"][-1]
    assert np.linalg.norm(v) * 50.0 < impulse.sum(), "it turns"
    assert w[2] * 5.0 == pytest.approx(-float(impulse @ (0.1 * np.arange(4))), rel=1e-9)


def test_the_valve_driver_keeps_both_dwell_times(law: Any) -> None:
    rng = np.random.default_rng(3)
    wishes = (rng.random((400, 4)) < 0.5).astype(float)
    part = jets(manifolds=(0, 1, 0, 1), valves=Valves(0.1, 0.2, 0.01))
    ask = ff.Task(
        law(lambda t, _: {"valves": wishes[round(t / 0.01)]}), 0.01, writes={"valves": "jets.request"}, name="ask"
    )
    m = mission(part, ask)
    result = m.run(4.0)
    t, thrust = result.time("jets.thrust"), result["jets.thrust"]
    switched = 0
    for k in range(4):
        on = thrust[:, k] > 0.0
        edges = np.flatnonzero(np.diff(on.astype(int))) + 1
        spans = np.diff(t[edges])
        opens = on[edges[:-1]]
        assert spans[opens].min() >= 0.1 - 1e-9
        assert spans[~opens].min() >= 0.2 - 1e-9
        assert spans[opens].min() < 0.1 + 0.02, "and no longer than it must"
        switched += len(edges)
    assert switched > 40


def test_manifolds_must_be_one_for_each_thruster() -> None:
    with pytest.raises(InputError, match=r"thrusters 'jets': 3 manifolds for 4 thrusters"):
        mission(jets(manifolds=(0, 1, 0)))


def test_a_manifold_below_zero_is_refused() -> None:
    with pytest.raises(InputError, match=r"-1"):
        mission(jets(manifolds=(0, -1, 0, 1))).session()


@pytest.mark.parametrize(
    "feed", [Feed(drop=-0.1), Feed(drop=NAN), Feed(sag=NAN), Feed(sag=-0.2), Feed(0.0, 0.3, 0.0), Feed(0.0, 0.3, -1.0)]
)
def test_a_feed_that_cannot_be_is_one_clear_error(feed: Feed) -> None:
    with pytest.raises(InputError, match=r"thrusters 'jets'"):
        mission(jets(manifolds=(0, 0, 1, 1), feed=feed))


def test_signals_of_manifolds_exist_only_with_manifolds() -> None:
    with_them, without = mission(jets(manifolds=(0, 0, 1, 1))).session(), mission(jets()).session()
    assert with_them.read("jets.loss").tolist() == [0.0, 0.0]
    assert with_them.read("jets.on_time").tolist() == [0.0] * 4
    with pytest.raises(InputError, match=r"jets.on_time"):
        without.read("jets.on_time")
