"""Thrusters: valve lags, errors of strength and direction, plumes, and the tank behind them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators import Tank, Thruster, Thrusters
from freefloat.errors import InputError, SimulationError
from freefloat.units import G0

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
        ({"direction": (0.0, 0.0, 0.0)}, "has no length"),
        ({"direction": (float("nan"), 0.0, 0.0)}, "has no length"),
        ({"position": (float("nan"), 0.0, 0.0)}, "position"),
        ({"thrust": 0.0}, "must be positive"),
        ({"specific_impulse": -1.0}, "must be positive"),
        ({"opening": 0.1}, "both be zero or both positive"),
        ({"opening": float("nan"), "closing": 0.1}, "both be zero or both positive"),
        ({"tilt": (float("nan"), 0.0, 0.0)}, "tilt"),
    ],
)
def test_a_thruster_that_cannot_be_is_one_clear_error(change: Any, says: str) -> None:
    with pytest.raises(InputError, match=f"thrusters 'jets', number 0: .*{says}"):
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
