"""Thrusters: valve lags, errors of strength and direction, plumes, shared manifolds, and the tank behind them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators import Tank, Thruster, Thrusters
from freefloat.actuators.thrusters import Feed
from freefloat.actuators.valves import Valves
from freefloat.errors import InputError, SimulationError
from freefloat.units import G0

NAN = float("nan")
BACK: Any = {"position": (-1.0, 0.0, 0.0), "direction": (1.0, 0.0, 0.0)}  # pushes along +x, exhaust leaves at -x


@dataclass(frozen=True)
class Ship:
    """A 100 kg box of 2 m, without propellant, whose mass may change."""

    name: str = "ship"
    p_cm: tuple[float, float, float] = (0.0, 0.0, 0.0)
    motion: ff.Motion = field(default_factory=ff.Motion)

    def build(self, b: Any) -> None:
        shape = ff.Shape("box", (1.0, 1.0, 1.0))
        link = ff.Link("", 100.0, np.array(self.p_cm), np.diag([60.0, 70.0, 80.0]), (shape,), variable=True)
        b.body(link, self.motion)


def fired(*thrusters: Thruster, valves: Any, duration: float, **mission: Any) -> ff.Result:
    m = ff.Mission([Ship(), Thrusters("jets", "ship", thrusters)], **mission)
    session = m.session()
    session.write("jets.open", valves)
    return m.complete(session, duration, strict=True)


def test_a_valve_opens_and_closes_with_its_lags() -> None:
    mission = ff.Mission([Ship(), Thrusters("jets", "ship", [Thruster(**BACK, thrust=2.0, opening=0.05, closing=0.1)])])
    session = mission.session()
    session.write("jets.open", [1.0])
    session.step(0.2)
    session.write("jets.open", [0.0])
    result = mission.complete(session, 0.6)
    t, thrust = result.time("jets.thrust"), result["jets.thrust"][:, 0]
    rising = t < 0.2 - 1e-9
    top = 2.0 * (1.0 - np.exp(-0.2 / 0.05))
    np.testing.assert_allclose(thrust[rising], 2.0 * (1.0 - np.exp(-t[rising] / 0.05)), atol=1e-8)
    np.testing.assert_allclose(thrust[~rising], top * np.exp(-(t[~rising] - 0.2) / 0.1), atol=1e-8)


def test_without_lag_the_thrust_is_the_command_between_shut_and_open() -> None:
    pair = [Thruster(**BACK, thrust=4.0), Thruster((-1.0, 0.5, 0.0), (1.0, 0.0, 0.0))]
    result = fired(*pair, valves=[0.25, 7.0], duration=1.0)
    np.testing.assert_array_equal(result["jets.thrust"][-1], [1.0, 1.0])
    np.testing.assert_allclose(result["jets.impulse"][-1], [1.0, 1.0], rtol=1e-12)
    np.testing.assert_allclose(result["jets.propellant"][-1] * 220.0 * G0, [1.0, 1.0], rtol=1e-12)
    assert fired(*pair, valves=[-1.0, 0.0], duration=0.1)["jets.impulse"][-1].tolist() == [0.0, 0.0]


def test_strength_and_tilt_change_force_and_direction() -> None:
    tilted = Thruster(**BACK, strength=0.9, tilt=(0.0, 0.0, 0.01))
    v = fired(tilted, valves=[1.0], duration=0.001)["ship.v_WB"][-1]
    force = 0.9 * np.array([1.0, 0.01, 0.0]) / np.hypot(1.0, 0.01)
    np.testing.assert_allclose(v[:2], force[:2] * 0.001 / 100.0, rtol=1e-5)


def test_a_thruster_off_the_centre_turns_the_body() -> None:
    w = fired(Thruster((-1.0, 0.5, 0.0), (1.0, 0.0, 0.0)), valves=[1.0], duration=1.0)["ship.w_WB_B"][-1]
    np.testing.assert_allclose(w, [0.0, 0.0, -0.5 / 80.0], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("position", "direction"),
    [
        ((1.0, 0.0, 0.0), (1.0, 0.0, 0.0)),  # on the front face, exhaust through the box
        ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),  # inside
        ((3.0, 0.5, 0.5), (1.0, 0.0, 0.0)),  # on a boom, exhaust onto the box
        ((1.0, 1.0, 0.0), (1.0, 1.0, 0.0)),  # at an edge, inwards
    ],
)
def test_a_plume_through_the_own_body_is_one_clear_error(position: Any, direction: Any) -> None:
    good = Thruster(**BACK)
    with pytest.raises(InputError, match=r"thrusters 'jets', number 1: its plume runs .* through its own body 'ship'"):
        ff.Mission([Ship(), Thrusters("jets", "ship", [good, Thruster(position, direction)])])


@pytest.mark.parametrize(
    ("position", "direction"),
    [
        ((-1.0, 0.9, 0.0), (1.0, 0.0, 0.0)),
        ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0)),  # along the face
        ((3.0, 2.0, 0.0), (1.0, 0.0, 0.0)),  # passes beside
        ((-1.0, 0.0, 0.0), (0.7, 0.7, 0.0)),
    ],
)
def test_a_plume_that_leaves_the_body_is_accepted(position: Any, direction: Any) -> None:
    ff.Mission([Ship(), Thrusters("jets", "ship", [Thruster(position, direction)])])


@pytest.mark.parametrize("kind", ["sphere", "cylinder", "capsule"])
def test_a_plume_through_a_round_body_is_refused_too(kind: Any) -> None:
    size = (1.0,) if kind == "sphere" else (1.0, 1.0)

    @dataclass(frozen=True)
    class Round:
        name: str = "ship"

        def build(self, b: Any) -> None:
            b.body(ff.Link("", 1.0, np.zeros(3), np.eye(3), (ff.Shape(kind, size),)), ff.Motion())

    ff.Mission([Round(), Thrusters("jets", "ship", [Thruster(**BACK)])])
    with pytest.raises(InputError, match="its plume runs"):
        ff.Mission([Round(), Thrusters("jets", "ship", [Thruster((1.0, 0.0, 0.0), (1.0, 0.0, 0.0))])])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"direction": (0.0, 0.0, 0.0)}, "thrusters 'jets', number 0: .*has no length"),
        ({"direction": (NAN, 0.0, 0.0)}, r"thruster: direction\[0\] nan"),
        ({"position": (NAN, 0.0, 0.0)}, r"thruster: position\[0\] nan; allowed: any number in m"),
        ({"thrust": 0.0}, "thruster: thrust 0.0 N; allowed: > 0 N"),
        ({"specific_impulse": -1.0}, "thruster: specific_impulse -1.0 s; allowed: > 0 s"),
        ({"opening": 0.1}, "thrusters 'jets', number 0: .*both be zero or both positive"),
        ({"opening": NAN, "closing": 0.1}, "thruster: opening nan; allowed: >= 0 s"),
        ({"tilt": (NAN, 0.0, 0.0)}, r"thruster: tilt\[0\] nan"),
    ],
)
def test_a_thruster_that_cannot_be_is_one_clear_error(change: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        ff.Mission([Ship(), Thrusters("jets", "ship", [Thruster(**{**BACK, **change})])])


def test_an_empty_set_is_refused() -> None:
    with pytest.raises(InputError, match="the set is empty"):
        ff.Mission([Ship(), Thrusters("jets", "ship", [])])


def thirsty(propellant: float, **ship: Any) -> ff.Mission:
    """A thruster that draws 10 g/s from a tank at (0, 0, 0.5)."""
    jet = Thruster(**BACK, thrust=0.01 * 100.0 * G0, specific_impulse=100.0)
    tank = Tank("tank", "ship", ["jets"], propellant, (0.0, 0.0, 0.5), period=0.1)
    return ff.Mission([Ship(**ship), Thrusters("jets", "ship", [jet]), tank])


def test_mass_properties_follow_the_propellant_that_is_left() -> None:
    mission = thirsty(20.0, p_cm=(0.1, 0.0, 0.0))
    session = mission.session()
    session.write("jets.open", [1.0])
    session.step(100.05)
    left = 20.0 - 0.01 * 100.0
    link = session.world.links["ship"]
    assert link.mass == pytest.approx(100.0 + left, rel=1e-12)
    points = [(100.0, np.array([0.1, 0.0, 0.0])), (left, np.array([0.0, 0.0, 0.5]))]
    centre = sum(m * p for m, p in points) / link.mass
    inertia = np.diag([60.0, 70.0, 80.0])
    for m, p in points:
        r = p - centre
        inertia = inertia + m * (r @ r * np.eye(3) - np.outer(r, r))
    np.testing.assert_allclose(link.p_LLcm, centre, atol=1e-15)
    np.testing.assert_allclose(link.I_LLcm_L, inertia, rtol=1e-12, atol=1e-12)
    assert session.world.audit()["mass"][0] == pytest.approx(link.mass, rel=1e-14)


def test_the_audit_holds_while_propellant_leaves() -> None:
    mission = thirsty(20.0)
    session = mission.session()
    session.write("jets.open", [1.0])
    result = mission.complete(session, 100.0, strict=True)
    assert session.world.audit()["mass"][0] == pytest.approx(119.0, abs=0.0011)
    assert np.abs(result["ship.w_WB_B"][-1]).max() > 1e-3, "the thrust passes below the centre of mass"
    assert max(result.audit.drifts.values()) < 1e-10


def test_a_straight_burn_follows_tsiolkovsky() -> None:
    jet = Thruster(**BACK, thrust=0.01 * 100.0 * G0, specific_impulse=100.0)
    tank = Tank("tank", "ship", ["jets"], 20.0)
    mission = ff.Mission([Ship(), Thrusters("jets", "ship", [jet]), tank], integrator=ff.RK4(0.1))
    session = mission.session()
    session.write("jets.open", [1.0])
    session.step(1000.0)
    assert session.read("ship.v_WB")[0] == pytest.approx(100.0 * G0 * np.log(120.0 / 110.0), rel=1e-4)


def test_an_empty_tank_ends_the_run_with_its_name_and_the_time() -> None:
    session = thirsty(0.1).session()
    session.write("jets.open", [1.0])
    with pytest.raises(SimulationError, match=r"tank 'tank' is empty at t = 10\.[01]00 s"):
        session.step(20.0)


def test_a_tank_on_a_link_of_fixed_mass_is_refused() -> None:
    bus = ff.RigidBody("bus", size=(2.0, 2.0, 2.0))
    mission = ff.Mission([bus, Thrusters("jets", "bus", [Thruster(**BACK)]), Tank("tank", "bus", ["jets"], 1.0)])
    with pytest.raises(InputError, match="declare it with variable=True"):
        mission.session().step(0.1)


def test_two_tanks_on_one_link_are_refused_and_one_is_full_from_the_start() -> None:
    parts = [ff.RigidBody("b", 100.0, variable=True), Thrusters("jets", "b", [Thruster((1, 0, 0), (-1, 0, 0))])]
    session = ff.Mission([*parts, Tank("A", "b", ["jets"], 20.0)]).session()
    assert session.world.links["b"].mass == 120.0
    both = [Tank("A", "b", ["jets"], 20.0), Tank("B", "b", ["jets"], 30.0)]
    with pytest.raises(InputError, match="both look after the mass of 'b'"):
        ff.Mission([*parts, *both]).session()


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
    "feed", [{"drop": -0.1}, {"drop": NAN}, {"sag": NAN}, {"sag": -0.2}, {"sag_lag": 0.0}, {"sag_lag": -1.0}]
)
def test_a_feed_that_cannot_be_is_one_clear_error(feed: dict[str, float]) -> None:
    with pytest.raises(InputError, match=rf"feed: {next(iter(feed))} .*; allowed: >=? 0"):
        Feed(**feed)


def test_signals_of_manifolds_exist_only_with_manifolds() -> None:
    with_them, without = mission(jets(manifolds=(0, 0, 1, 1))).session(), mission(jets()).session()
    assert with_them.read("jets.loss").tolist() == [0.0, 0.0]
    assert with_them.read("jets.on_time").tolist() == [0.0] * 4
    with pytest.raises(InputError, match=r"jets.on_time"):
        without.read("jets.on_time")
